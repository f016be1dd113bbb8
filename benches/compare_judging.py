#!/usr/bin/env python3
"""The judge in Vouch against ONNX Runtime on the same weights and cores, in turns.

    pip install onnxruntime numpy
    python benches/compare_judging.py --vouch target/release/vouch --data DIR

Both read 8 and 30 pairs of 160 tokens, none of them twice; ONNX Runtime runs each pair alone on one of two threads, as
Vouch does, and, for comparison, all pairs as one batch on two threads. `--data` is any folder; no data set is read.
"""

import argparse
import json
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime as ort

MODEL = Path(__file__).parent.parent / "models" / "judge" / "model.onnx"
TOKENS, ROUNDS, TURNS = 160, 15, 3


def session(threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return ort.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])


def feed(rng, pairs: int) -> dict:
    ids = rng.integers(1_000, 20_000, size=(pairs, TOKENS))
    types = np.repeat((np.arange(TOKENS) >= 12).astype(np.int64)[None, :], pairs, axis=0)
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}


def median_ms(work) -> float:
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def onnxruntime(pairs: int) -> tuple[float, float]:
    rng = np.random.default_rng(1)
    one, two = session(1), session(2)
    with ThreadPoolExecutor(2) as pool:
        alone = median_ms(lambda: list(pool.map(lambda _: one.run(None, feed(rng, 1)), range(pairs))))
    return alone, median_ms(lambda: two.run(None, feed(rng, pairs)))


def vouch(binary: Path, data: Path) -> dict[int, float]:
    command = [binary, "bench", "judge", "--parts", "speed", "--json", "--data", data]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {row["pairs"]: row["median_ms"] for row in report["speed"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vouch", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("."))
    args = parser.parse_args()
    ours, alone, together = {8: [], 30: []}, {8: [], 30: []}, {8: [], 30: []}
    for _ in range(TURNS):
        for pairs, ms in vouch(args.vouch.resolve(), args.data).items():
            ours[pairs].append(ms)
        for pairs in (8, 30):
            one, batch = onnxruntime(pairs)
            alone[pairs].append(one)
            together[pairs].append(batch)
    for pairs in (8, 30):
        figures = [statistics.median(of[pairs]) for of in (ours, alone, together)]
        print(f"{pairs} pairs of {TOKENS} tokens: vouch {figures[0]:.0f} ms, ONNX Runtime {figures[1]:.0f} ms alone, {figures[2]:.0f} ms in a batch")


if __name__ == "__main__":
    main()
