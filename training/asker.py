"""Questions and claims in the manner of those that people wrote to mislead a reader, for the teacher to label.

    python asker.py write --work WORK --out OUT --tuning 80 --writing 180      on the GPU, after `teacher.py assemble`
    python asker.py append --work WORK --asked OUT/asked.jsonl                 rows of `rows.npz`, to be labelled by `teacher.py label --after N`

Rules make the near misses their author thought of. The teacher's own model, tuned on what people wrote (questions that a passage seems to answer
and does not, claims that it does not bear out, and honest ones of both sorts), makes the others. It need not get them right: the teacher labels them.
"""

import argparse
import json
import lzma
import math
import time
from pathlib import Path

import numpy as np


RANK, SCALE = 16, 2.0
TEXT_TOKENS_MAX, WRITTEN_TOKENS_MAX = 300, 48
NEAR, TOLD, WRONG, RIGHT = "near", "told", "wrong", "right"
ASK = {
    NEAR: "\n\nA question that the text above seems to answer and does not:",
    TOLD: "\n\nA question that the text above answers:",
    WRONG: "\n\nA claim that the text above seems to support and does not:",
    RIGHT: "\n\nA claim that the text above supports, in other words:",
}
# Where people wrote them, and how many are learnt from.
QUESTIONS = ("squad2", "adversarialqa-ni", "iirc-ni")
CLAIMS = ("summedits", "scifact", "bump", "fever-symmetric", "factcheck-gpt", "conv-factual", "begin")
LEARNT_MAX = 2_200
# Passages that are written about: those of the sets learnt from.
ABOUT = (
    "answer/squad-train-para", "answer/squadshifts-new-wiki", "answer/squadshifts-reddit", "answer/policyqa", "answer/nq-open-oracle", "answer/squad2",
    "taught/written-", "retrieved/", "support/scifact", "support/summedits",
)  # fmt: skip
TIMES = {NEAR: 2, TOLD: 1, WRONG: 1, RIGHT: 1}


def read_rows(work: Path):
    held = dict(np.load(work / "rows.npz"))
    groups = json.loads((work / "rows.json").read_text())["groups"]
    with lzma.open(work / "texts.jsonl.xz", "rt", encoding="utf-8") as lines:
        return held, groups, [json.loads(line) for line in lines]


def to_learn(held: dict, groups: list[str], rng) -> list[tuple[str, int]]:
    """What people wrote: a kind and a row each."""
    chosen = []
    for group, name in enumerate(groups):
        task, _, source = name.partition("/")
        own = np.flatnonzero(held["group"] == group)
        if source in QUESTIONS and task in ("answer", "answer-human"):
            chosen += [(NEAR if task == "answer-human" else TOLD, at) for at in rng.permutation(own)[:LEARNT_MAX]]
        elif source in CLAIMS and task == "support":
            kinds = {0: WRONG, 1: RIGHT}
            chosen += [(kinds[int(held["y"][at])], at) for at in rng.permutation(own)[:LEARNT_MAX] if held["y"][at] >= 0]
    return [chosen[at] for at in rng.permutation(len(chosen))]


def add_low_rank(writer) -> list:
    """Low-rank additions to every weight of the blocks; they are what learns."""
    import torch
    import torch.nn.functional as F

    learning = []

    def added(module):
        down = torch.nn.Parameter(torch.randn(RANK, module.in_features, device="cuda") / math.sqrt(module.in_features))
        up = torch.nn.Parameter(torch.zeros(module.out_features, RANK, device="cuda"))
        learning.extend((down, up))
        plain = module.forward
        module.forward = lambda x: plain(x) + SCALE * F.linear(F.linear(x, down.to(x.dtype)), up.to(x.dtype))

        def merge():
            module.weight.data = (module.weight.data.float() + SCALE * up.detach() @ down.detach()).to(module.weight.dtype)
            module.forward = plain

        return merge

    for parameter in writer.parameters():
        parameter.requires_grad_(False)
    merges = [added(module) for name, module in writer.named_modules() if isinstance(module, torch.nn.Linear) and name.endswith("_proj")]
    return learning, merges


def tune(writer, tokenizer, held, groups, texts, args, rng) -> None:
    import torch
    import torch.nn.functional as F

    from writer import END

    chosen = to_learn(held, groups, rng)
    heads = tokenizer.encode_batch_fast([texts[held["b"][at]] for _, at in chosen])
    tails = tokenizer.encode_batch_fast([ASK[kind] for kind, _ in chosen])
    words = tokenizer.encode_batch_fast([" " + texts[held["a"][at]] for _, at in chosen])
    heads = [head.ids[:TEXT_TOKENS_MAX] + tail.ids for head, tail in zip(heads, tails)]
    words = [one.ids[:WRITTEN_TOKENS_MAX] + [END] for one in words]
    order = np.argsort([len(head) + len(word) for head, word in zip(heads, words)])
    batches = np.array_split(order, max(1, len(order) // 48))
    learning, merges = add_low_rank(writer)
    optimizer = torch.optim.AdamW(learning, lr=args.rate, weight_decay=0.0, betas=(0.9, 0.98), fused=True)
    began, step, mean = time.time(), 0, None
    print(f"{len(chosen)} rows to learn from", flush=True)
    while (done := (time.time() - began) / args.tuning) < 1:
        batch = batches[rng.integers(len(batches))]
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1.0, done / 0.05 + 0.01) * 0.5 * (1 + math.cos(math.pi * done))
        width = max(len(heads[at]) + len(words[at]) for at in batch)
        filled = np.full((len(batch), width), END, dtype=np.int64)
        told = np.full((len(batch), width), -100, dtype=np.int64)
        for row, at in enumerate(batch):
            begin, end = len(heads[at]), len(heads[at]) + len(words[at])
            filled[row, :end] = heads[at] + words[at]
            told[row, begin - 1 : end - 1] = words[at]
        filled, told = torch.from_numpy(filled).cuda(), torch.from_numpy(told).cuda()
        hidden = writer.model(input_ids=filled, use_cache=False).last_hidden_state
        counts = told >= 0
        loss = F.cross_entropy(writer.lm_head(hidden[counts]).float(), told[counts])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        mean = loss.detach() if mean is None else 0.97 * mean + 0.03 * loss.detach()
        if step % 100 == 0:
            print(f"step {step}, loss {mean.item():.3f}, {time.time() - began:.0f} s", flush=True)
    for merge in merges:
        merge()


def jobs_of(held, groups, texts, rng) -> list[tuple[str, int, int]]:
    """A kind, a passage and its fold each, in random order."""
    fitting = np.array([name.startswith(ABOUT) for name in groups])[held["group"]]
    passages, first = np.unique(held["b"][fitting], return_index=True)
    folds = held["fold"][fitting][first]
    jobs = [(kind, int(b), int(fold)) for b, fold in zip(passages, folds) for kind, times in TIMES.items() for _ in range(times) if len(texts[b]) >= 150]
    return [jobs[at] for at in rng.permutation(len(jobs))]


def write(args) -> None:
    """Tunes the model on what people wrote and has it write as long as there is time → `asked.jsonl`."""
    import torch
    from tokenizers import Tokenizer

    from writer import END, model

    rng = np.random.default_rng(3)
    torch.manual_seed(3)
    tokenizer = Tokenizer.from_file(str(args.work / "teacher-tokenizer.json"))
    held, groups, texts = read_rows(args.work)
    writer = model(args.work)
    tune(writer, tokenizer, held, groups, texts, args, rng)
    jobs, began, made = jobs_of(held, groups, texts, rng), time.time(), 0
    print(f"{len(jobs)} to write", flush=True)
    seen = set()
    with open(args.out / "asked.jsonl", "w", encoding="utf-8") as out:
        for begin in range(0, len(jobs), 8 * args.batch):
            some = jobs[begin : begin + 8 * args.batch]
            heads = tokenizer.encode_batch_fast([texts[b] for _, b, _ in some])
            tails = tokenizer.encode_batch_fast([ASK[kind] for kind, _, _ in some])
            ids = [head.ids[:TEXT_TOKENS_MAX] + tail.ids for head, tail in zip(heads, tails)]
            order = sorted(range(len(some)), key=lambda at: len(ids[at]))
            for part in range(0, len(order), args.batch):
                if time.time() - began > args.writing:
                    print(f"{made} written, {time.time() - began:.0f} s", flush=True)
                    return
                chosen = order[part : part + args.batch]
                width = max(len(ids[at]) for at in chosen)
                filled, shown = np.full((len(chosen), width), END, dtype=np.int64), np.zeros((len(chosen), width), dtype=np.int64)
                for row, at in enumerate(chosen):
                    filled[row, width - len(ids[at]) :] = ids[at]
                    shown[row, width - len(ids[at]) :] = 1
                with torch.no_grad():
                    told = writer.generate(
                        input_ids=torch.from_numpy(filled).cuda(), attention_mask=torch.from_numpy(shown).cuda(),
                        max_new_tokens=WRITTEN_TOKENS_MAX, do_sample=True, temperature=0.9, top_k=40,
                    )  # fmt: skip
                for at, words in zip(chosen, tokenizer.decode_batch(told[:, width:].tolist(), skip_special_tokens=True)):
                    kind, b, fold = some[at]
                    words = words.strip().split("\n")[0]
                    if 12 <= len(words) <= 300 and (words, b) not in seen and words not in texts[b]:
                        seen.add((words, b))
                        out.write(json.dumps({"kind": kind, "a": words, "b": b, "fold": fold}, ensure_ascii=False) + "\n")
                        made += 1
                out.flush()
                print(f"{made} written, {time.time() - began:.0f} s", flush=True)


def append(args) -> None:
    """What was written becomes rows after all others, without a label."""
    from tokenizers import Tokenizer

    held, groups, texts = read_rows(args.work)
    rows = [json.loads(line) for line in open(args.asked, encoding="utf-8")]
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    known = {text: at for at, text in enumerate(texts)}
    fresh = list(dict.fromkeys(row["a"] for row in rows if row["a"] not in known))
    known.update({text: len(texts) + at for at, text in enumerate(fresh)})
    tokens = [np.array(one.ids, dtype=np.uint16) for one in tokenizer.encode_batch(fresh, add_special_tokens=False)]
    held["tokens"] = np.concatenate([held["tokens"], *tokens])
    held["offsets"] = np.concatenate([held["offsets"], held["offsets"][-1] + np.cumsum([len(one) for one in tokens])])
    names = {kind: len(groups) + at for at, kind in enumerate(ASK)}
    columns = {"group": [names[row["kind"]] for row in rows], "task": [0 if row["kind"] in (NEAR, TOLD) else 2 for row in rows]}
    columns.update(a=[known[row["a"]] for row in rows], b=[row["b"] for row in rows], fold=[row["fold"] for row in rows], soft=[0] * len(rows))
    for name in ("group", "task", "a", "b", "y", "relevant", "sub", "start", "end", "soft", "fold", "pair"):
        held[name] = np.concatenate([held[name], np.array(columns.get(name, [-1] * len(rows)), dtype=np.int32)])
    print(f"{len(rows)} rows after row {len(held['y']) - len(rows)}")
    np.savez(args.work / "rows.npz", **held)
    (args.work / "rows.json").write_text(json.dumps({"groups": groups + [f"taught/asked/{kind}" for kind in ASK]}))
    with lzma.open(args.work / "texts.jsonl.xz", "wt", preset=0, encoding="utf-8") as out:
        out.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts + fresh)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(required=True)
    own = steps.add_parser("write", help=write.__doc__)
    own.set_defaults(step=write)
    own.add_argument("--work", type=Path, required=True)
    own.add_argument("--out", type=Path, required=True)
    own.add_argument("--tuning", type=float, default=80, help="seconds")
    own.add_argument("--writing", type=float, default=180, help="seconds")
    own.add_argument("--rate", type=float, default=3e-4)
    own.add_argument("--batch", type=int, default=768)
    own = steps.add_parser("append", help=append.__doc__)
    own.set_defaults(step=append)
    own.add_argument("--work", type=Path, required=True)
    own.add_argument("--asked", type=Path, required=True)
    own.add_argument("--tokenizer", type=Path, default=Path(__file__).parent.parent / "models" / "gte-small" / "tokenizer.json")
    args = parser.parse_args()
    args.step(args)


if __name__ == "__main__":
    main()
