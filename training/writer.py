"""A model's answers to questions from passages, for the set of sentences that is labelled by reading (`crates/bench/data/written.json`).

    python writer.py --work WORK --jobs jobs.json --out OUT

`jobs.json` is a list of {"id", "query", "passages": [{"source_id", "text"}]}; needs WORK/base.pt of `teacher.py assemble`. The model is given numbered
notes and asked to answer from them alone, in its own words, with some freedom (temperature .7), so that few sentences are copies.
"""

import argparse
import json
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import Qwen2Config, Qwen2ForCausalLM

PARTS = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
}  # fmt: skip
END, STOP = 151643, 151645
SYSTEM = "You answer questions from numbered notes. Use only the notes, in your own words, in at most three complete sentences."


def model(work: Path):
    config = Qwen2Config(
        vocab_size=151936, hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2,
        max_position_embeddings=4096, rms_norm_eps=1e-6, rope_theta=1e6, rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        tie_word_embeddings=True, pad_token_id=END, eos_token_id=[STOP, END],
    )  # fmt: skip
    held = {}
    for name, value in torch.load(work / "base.pt", map_location="cuda").items():
        if name == "output.weight":
            held["model.embed_tokens.weight"] = value
        elif name == "output_norm.weight":
            held["model.norm.weight"] = value
        else:
            _, number, part, kind = name.split(".")
            held[f"model.layers.{number}.{PARTS[part]}.{kind}"] = value
    with torch.device("cuda"):
        writer = Qwen2ForCausalLM(config).bfloat16()
    writer.load_state_dict(held, strict=False)
    writer.tie_weights()
    return writer.eval()


def prompt(job: dict) -> str:
    notes = "\n\n".join(f"[{number}] {passage['text'][:1500]}" for number, passage in enumerate(job["passages"], 1))
    asked = f"<|im_start|>user\nNotes:\n{notes}\n\nQuestion: {job['query']}<|im_end|>\n<|im_start|>assistant\n"
    return f"<|im_start|>system\n{SYSTEM}<|im_end|>\n{asked}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--jobs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.manual_seed(7)
    tokenizer = Tokenizer.from_file(str(args.work / "teacher-tokenizer.json"))
    jobs, writer = json.loads(args.jobs.read_text()), model(args.work)
    ids = [tokenizer.encode(prompt(job)).ids for job in jobs]
    order = sorted(range(len(jobs)), key=lambda at: len(ids[at]))
    for begin in range(0, len(order), 100):
        chosen = order[begin : begin + 100]
        width = max(len(ids[at]) for at in chosen)
        filled = torch.full((len(chosen), width), END)
        seen = torch.zeros(len(chosen), width, dtype=torch.long)
        for row, at in enumerate(chosen):
            filled[row, width - len(ids[at]) :] = torch.tensor(ids[at])
            seen[row, width - len(ids[at]) :] = 1
        with torch.no_grad():
            told = writer.generate(input_ids=filled.cuda(), attention_mask=seen.cuda(), max_new_tokens=120, do_sample=True, temperature=0.7, top_p=0.95)
        for at, words in zip(chosen, tokenizer.decode_batch(told[:, width:].tolist(), skip_special_tokens=True)):
            jobs[at]["answer"] = words.strip()
    args.out.write_text(json.dumps(jobs, ensure_ascii=False, indent=0))
    print(f"{len(jobs)} answers")


if __name__ == "__main__":
    main()
