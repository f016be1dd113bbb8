"""The int8 judge, as the product runs it, on the rows kept to tune on and to report on → `report.json`.

    python measure.py --work WORK --model ../models/judge/model.onnx --out report.json
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from calibrate import Int8Judge
from ranking import figures_of, held_apart, line_of


def said(logits: list[float]) -> list[float]:
    """Answerable, span over none, relevant, supported over not, same question (which the product does not ask yet)."""
    answerable, margin, relevant, supported, contradicted, silent = logits
    return [answerable, margin, relevant, supported - np.logaddexp(contradicted, silent), 0.0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, help="of every group so many rows at most")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    held = np.load(args.work / "rows.npz")
    rows = {name: held[name] for name in ("group", "task", "a", "b", "y")}
    groups = json.loads((args.work / "rows.json").read_text())["groups"]
    numbers = held_apart(groups, rows["group"], args.most)
    numbers = numbers[np.array([not groups[g].startswith("tune/same") for g in rows["group"][numbers]], dtype=bool)]
    tokens, offsets = held["tokens"].astype(np.int64), held["offsets"]
    text = lambda at: tokens[offsets[at] : offsets[at + 1]]
    judge = Int8Judge(args.model)
    with ThreadPoolExecutor(args.threads) as pool:
        scores = np.array(list(pool.map(lambda n: said(judge(text(rows["a"][n]), text(rows["b"][n]))), numbers)))
    found = figures_of(groups, *(rows[name][numbers] for name in ("group", "task", "y")), scores)
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(line_of(name, row) for name, row in sorted(found.items())))


if __name__ == "__main__":
    main()
