"""Which documents the judge learns from, which it is tuned on, and which it never sees.

Splits go by article or document, never by question, and are written to `models/judge/splits.json`, so that the
benchmark reports on the untouched part alone.

* `squad2`: by article.
* `nq-open-oracle`, `begin`, `factcheck-gpt`: by the hash of the document or evidence; nothing of an article that
  `clapnq-dev` asks about.
* claims of `scifact` and `summedits`: by abstract and by summarised text, half and half.
* `squad2-train`: by article; nothing of an article that `clapnq-dev` asks about, and a few to tune on.
* `authored`: by source file, as it says itself.
* the other sets of `sets.LATER`: by passage, a few to tune on.
* `clapnq-dev`, `wice`, `pubmedqa-l`, `cranfield`, `cacm`: never learnt from.
"""

import hashlib
from pathlib import Path

from sets import read_json_lines

TRAIN, TUNE, TEST = "train", "tune", "test"

SQUAD2_TUNE = {"Construction", "Private_school"}
SQUAD2_TEST = {
    "Black_Death",
    "Ctenophora",
    "Economic_inequality",
    "Fresno,_California",
    "Prime_number",
    "Southern_California",
}


def squad2_part(document_id: str) -> str:
    """`Prime_number#0` belongs to the article `Prime_number`."""
    article = document_id.rsplit("#", 1)[0]
    if article in SQUAD2_TEST:
        return TEST
    return TUNE if article in SQUAD2_TUNE else TRAIN


def part_by_hash(text: str, train: float, tune: float) -> str:
    """A part that depends on the text alone."""
    at = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
    if at < train:
        return TRAIN
    return TUNE if at < train + tune else TEST


def parts_of(data: Path, name: str) -> dict[str, str]:
    """The part of each document of an evaluation set that is split by document."""
    if name == "squad2":
        return {row["id"]: squad2_part(row["id"]) for row in read_json_lines(data / name / "corpus.jsonl")}
    # clapnq-dev asks about Wikipedia too: an article of its own is never learnt from.
    kept_apart = {row["title"].lower() for row in read_json_lines(data / "clapnq-dev" / "corpus.jsonl")}
    return {
        row["id"]: TEST if row["title"].lower() in kept_apart else part_by_hash(row["id"], train=0.6, tune=0.1)
        for row in read_json_lines(data / name / "corpus.jsonl")
    }


# A part of a later set is kept to tune on, by what its rows have in common: the article, the document, the passage.
LATER_TUNED = {"squad2-train": 0.02, "condaqa": 0.04, "repliqa": 0.2, "fool-me-twice": 0.1, "expertqa": 0.1}


def later_part(name: str, row: dict) -> str:
    """Of a row of a later set. Passages of one article, and versions of one passage, are in one part."""
    tuned = LATER_TUNED.get(name, 0.0)
    common = row.get("doc") or (f"{name} {row['grp']}" if "grp" in row else row["b"][:80])
    return part_by_hash(common, train=1 - tuned, tune=tuned)


CLAIM_SETS = {"begin": (0.7, 0.3), "factcheck-gpt": (0.7, 0.3), "scifact": (0.4, 0.1), "summedits": (0.4, 0.1)}


def claim_part(name: str, evidence: str) -> str:
    """`begin` and `factcheck-gpt`: most to learn from, the rest to tune on; half of the others is kept to report on."""
    train, tune = CLAIM_SETS[name]
    return part_by_hash(evidence, train, tune)


def main() -> None:
    """Writes which documents were learnt from or tuned on, for the benchmark to leave out."""
    import argparse
    import json

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    known = {
        name: sorted(key for key, part in parts_of(args.data, name).items() if part != TEST)
        for name in ("squad2", "nq-open-oracle")
    }
    claims = {name: ["*"] for name, parts in CLAIM_SETS.items() if sum(parts) >= 1}
    for name in CLAIM_SETS.keys() - claims.keys():
        rows = read_json_lines(args.data / name / "claims.jsonl")
        claims[name] = sorted(row["id"] for row in rows if claim_part(name, row["evidence"]) != TEST)
    args.out.write_text(json.dumps({"documents": known, "claims": claims}, indent=0) + "\n")


if __name__ == "__main__":
    main()
