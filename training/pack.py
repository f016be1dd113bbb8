"""The rows that stage 2 would see, and the judge it begins with, in a folder small enough to travel to a GPU, and back there into files.

    python pack.py pack --work WORK --out PACK --megabytes 40 [--begin-with ../models/judge/model.onnx]
    python pack.py unpack --pack PACK --work WORK

Rows of rate 0 stay behind, those of a rate below 1 are drawn by it once and for all, pairs whole; where it is still too much,
fewer of these go, of the earlier sets. Rows to tune on and to report on all go.
"""

import argparse
import json
import lzma
from pathlib import Path

import numpy as np

from sets import LATER

COLUMNS = ("group", "task", "a", "b", "y", "relevant", "sub", "start", "end", "soft", "fold", "pair")
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 1, "pb": 1, "dict_size": 64 << 20}]
# Groups that go whole: what is new, and what is never learnt from.
WHOLE = ("tune", "test", "authored", "same", "found")


def press(data: bytes) -> bytes:
    return lzma.compress(data, format=lzma.FORMAT_XZ, filters=FILTERS)


def chosen(group: np.ndarray, unit: np.ndarray, rates: np.ndarray, is_whole: np.ndarray, share: float, rng) -> np.ndarray:
    """Which rows go: a unit is drawn once, so that its rows go together."""
    drawn = rng.random(unit.max() + 1)[unit]
    wanted = np.where(is_whole | (rates >= 1), 1.0, rates * share)[group]
    return np.flatnonzero(drawn < wanted)


def smaller(held: dict, rows: np.ndarray) -> dict:
    """The rows with the texts they use alone, each text numbered anew."""
    used = np.unique(np.concatenate([held["a"][rows], held["b"][rows]]))
    number = np.full(len(held["offsets"]) - 1, -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    offsets = held["offsets"]
    lengths = np.diff(offsets)[used]
    tokens = np.concatenate([held["tokens"][offsets[at] : offsets[at + 1]] for at in used])
    columns = {name: held[name][rows].astype(np.int32) for name in COLUMNS}
    columns["a"], columns["b"] = (number[held[name][rows]].astype(np.int32) for name in ("a", "b"))
    return {"tokens": tokens, "lengths": lengths.astype(np.uint16), **columns}


def pack(args) -> None:
    from train import RATES, by_prefix, units

    held = dict(np.load(args.work / "rows.npz"))
    groups = json.loads((args.work / "rows.json").read_text())["groups"]
    rates = np.array([by_prefix(RATES, name)[1] for name in groups])
    fresh = set(LATER)
    is_whole = np.array([name.startswith(WHOLE) or name.split("/")[-1] in fresh for name in groups])
    labelled = held["y"] >= 0
    rates = np.where(np.array([name.startswith("taught") for name in groups]), rates * args.taught, rates)
    share, unit = args.share, units(held["pair"])
    args.out.mkdir(parents=True, exist_ok=True)
    start = press(args.begin_with.read_bytes()) if args.begin_with else b""
    while True:
        rows = chosen(held["group"], unit, rates, is_whole, share, np.random.default_rng(29))
        rows = rows[labelled[rows] | (args.taught > 0)]
        small = smaller(held, rows)
        pressed = {name: press(values.tobytes()) for name, values in small.items()}
        size = sum(map(len, pressed.values())) + len(start)
        print(f"share {share:.2f}: {len(rows)} rows, {len(small['tokens'])} tokens, {size / 2**20:.1f} MiB", flush=True)
        if size <= args.megabytes * 2**20:
            break
        share *= max(0.5, 0.97 * args.megabytes * 2**20 / size)
    for name, data in pressed.items():
        (args.out / f"{name}.xz").write_bytes(data)
    if start:
        (args.out / "model.onnx.xz").write_bytes(start)
    told = {"groups": groups, "types": {name: str(values.dtype) for name, values in small.items()}, "share": share}
    (args.out / "pack.json").write_text(json.dumps(told) + "\n")


def unpack(args) -> None:
    told = json.loads((args.pack / "pack.json").read_text())
    read = lambda name, kind: np.frombuffer(lzma.decompress((args.pack / f"{name}.xz").read_bytes()), dtype=kind)
    held = {name: read(name, kind) for name, kind in told["types"].items()}
    offsets = np.concatenate([[0], np.cumsum(held.pop("lengths").astype(np.int64))])
    args.work.mkdir(parents=True, exist_ok=True)
    np.savez(args.work / "rows.npz", offsets=offsets, **held)
    (args.work / "rows.json").write_text(json.dumps({"groups": told["groups"]}))
    packed = args.pack / "model.onnx.xz"
    if packed.exists():
        (args.work / "model.onnx").write_bytes(lzma.decompress(packed.read_bytes()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(required=True)
    own = steps.add_parser("pack")
    own.set_defaults(step=pack)
    own.add_argument("--work", type=Path, required=True)
    own.add_argument("--out", type=Path, required=True)
    own.add_argument("--megabytes", type=float, default=40)
    own.add_argument("--share", type=float, default=1.0, help="begin with this share of the earlier sets' rows of a rate below 1")
    own.add_argument("--taught", type=float, default=0.0, help="this share of the rows that only a teacher, or the first judge, labels")
    own.add_argument("--begin-with", type=Path, help="the judge that training begins with travels too")
    own = steps.add_parser("unpack")
    own.set_defaults(step=unpack)
    own.add_argument("--pack", type=Path, required=True)
    own.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    args.step(args)


if __name__ == "__main__":
    main()
