"""The shipped int8 judge in Rust against its float original in Python, on pairs of the data.

    python agree.py --data DATA --work WORK/out --vouch ../target/release/vouch

Prints the rank correlation of each of its figures; `.99` is asked for.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from export import START
from model import trained
from prepare import TOKENIZER
from sets import read_json_lines

PAIRS = 1_160
CALIBRATION = Path(__file__).parent.parent / "models" / "judge" / "calibration.json"


def pairs_of(data: Path) -> list[dict]:
    """Questions beside their own and other passages, and claims beside their evidence."""
    rng, found = random.Random(11), []
    for name in ("squad2", "clapnq-dev"):
        documents = {row["id"]: row["text"] for row in read_json_lines(data / name / "corpus.jsonl")}
        keys = sorted(documents)
        for row in rng.sample(list(read_json_lines(data / name / "queries.jsonl")), PAIRS // 4):
            key = row["context_id"] if rng.random() < 0.8 else rng.choice(keys)
            found.append({"a": row["query"], "b": documents[key]})
    for name in ("scifact", "summedits"):
        for row in rng.sample(list(read_json_lines(data / name / "claims.jsonl")), PAIRS // 4):
            found.append({"a": row["claim"], "b": row["evidence"][:1_300]})
    return found


def ranks(values: np.ndarray) -> np.ndarray:
    order = np.argsort(values, kind="stable")
    out = np.empty(len(values))
    out[order] = np.arange(len(values))
    return out


def floats(folder: Path, pairs: list[dict]) -> dict[str, np.ndarray]:
    judge, tokenizer = trained(START, folder), Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    scale = json.loads(CALIBRATION.read_text())
    out = {"answerable": [], "relevant": [], "supported": []}
    with torch.no_grad():
        for pair in pairs:
            a = tokenizer.encode(pair["a"].strip(), add_special_tokens=False).ids[:120]
            b = tokenizer.encode(pair["b"], add_special_tokens=False).ids[: 397 - len(a)]
            ids = torch.tensor([[101, *a, 102, *b, 102]])
            types = torch.tensor([[0] * (len(a) + 2) + [1] * (len(b) + 1)])
            answerable, relevant, support, span = judge(ids, types, torch.ones_like(ids, dtype=torch.bool))
            inside = span[0, len(a) + 2 : -1]
            margin = best_margin(inside.numpy()) - float(span[0, 0].sum())
            weights = scale["answerable"]
            out["answerable"].append(weights["head"] * float(answerable[0]) + weights["margin"] * margin)
            out["relevant"].append(float(relevant[0]))
            scaled = torch.softmax(support[0] / scale["support_temperature"], 0)
            out["supported"].append(float(scaled[0]))
    return {name: np.array(values) for name, values in out.items()}


def best_margin(span: np.ndarray) -> float:
    """The best start and end, the end at most 40 tokens after the start."""
    best = -np.inf
    for at in range(len(span)):
        best = max(best, span[at, 0] + span[at : at + 40, 1].max())
    return float(best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder with judge-*.npz")
    parser.add_argument("--vouch", type=Path, required=True)
    args = parser.parse_args()
    # Pairs of more than one window are read differently on purpose: leave them out.
    pairs = [pair for pair in pairs_of(args.data) if len(pair["a"]) + len(pair["b"]) < 1_500]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(pair) + "\n" for pair in pairs))
        file.flush()
        command = [args.vouch, "bench", "judge-pairs", "--pairs", file.name]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    ours = [json.loads(line) for line in lines]
    theirs = floats(args.work, pairs)
    print(f"{len(pairs)} pairs")
    for name, values in theirs.items():
        mine = np.array([line[name] for line in ours])
        print(f"{name}: rank correlation {np.corrcoef(ranks(mine), ranks(values))[0, 1]:.4f}")


if __name__ == "__main__":
    main()
