"""Embeds the same number of passages of 128 tokens with vouch and with Python's sentence-transformers, in turns.

    python -m venv venv && venv/bin/pip install sentence-transformers==6.2.0
    venv/bin/python benches/compare_embedding.py --vouch target/release/vouch --data DIR

The Python model has gte-small's shape (12 layers, 384 wide) with random weights: its speed does not depend on them,
and no weights need to be fetched. Prints passages a second for one thread and for all cores, the median of the rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROUNDS = 3
PASSAGES = 96


def python_model(folder):
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer_file = Path(__file__).parent.parent / "models" / "gte-small" / "tokenizer.json"
    config = BertConfig(
        vocab_size=30_522, hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1_536
    )
    BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer_file), pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    ).save_pretrained(folder)
    word = models.Transformer(folder, max_seq_length=512)
    return SentenceTransformer(modules=[word, models.Pooling(word.get_embedding_dimension()), models.Normalize()])


def texts(data):
    words = []
    for line in (Path(data) / "squad2" / "corpus.jsonl").open():
        words.extend(word for word in json.loads(line)["text"].split() if len(word) <= 5 and word.isascii() and word.islower())
    return [" ".join(words[at : at + 126]) for at in range(0, PASSAGES * 126, 126)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vouch", required=True)
    parser.add_argument("--data", required=True)
    args = parser.parse_args()
    import torch

    passages = texts(args.data)
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        model = python_model(folder)
        for _ in range(ROUNDS):
            command = [args.vouch, "bench", "speed", "--embedding-only", "--json", "--sets", "squad2", "--data", args.data]
            for rate in json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["embedding"]:
                if rate["tokens"] == "128":
                    rates.setdefault(("vouch", rate["threads"]), []).append(rate["passages_per_second"])
            for threads in sorted({1, os.cpu_count()}):
                torch.set_num_threads(threads)
                model.encode(passages[:4])
                for batch in (1, 8, 32):
                    started = time.perf_counter()
                    model.encode(passages, batch_size=batch)
                    name = (f"sentence-transformers, batch {batch}", threads)
                    rates.setdefault(name, []).append(len(passages) / (time.perf_counter() - started))
    for (name, threads), figures in sorted(rates.items()):
        print(f"{name:36} {threads} thread(s)  {statistics.median(figures):7.1f} passages/s")


if __name__ == "__main__":
    main()
