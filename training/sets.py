"""The sets the judge learns from, with the licence that allows it, and the sets left out with the reason."""

import hashlib
import json
import lzma
from pathlib import Path

# set: (licence as stated by its publisher, rows taken at most)
USED = {
    "adversarialqa-ni": ("MIT", None),
    "boolq-ni": ("CC BY-SA 3.0", None),
    "bump": ("MIT", None),
    "cb-ni": ("CC BY-SA 3.0", None),
    "conv-factual": ("CC BY-SA 4.0", None),
    "cosmosqa-ni": ("CC BY 4.0", 3_000),
    "doqa-ni": ("CC BY-SA 4.0", None),
    "entailmentbank": ("Apache-2.0", None),
    "esnli-devtest": ("MIT; SNLI CC BY-SA 4.0", 8_000),
    "evidence-inference-v2": ("MIT", None),
    "fever-symmetric": ("MIT", None),
    "feverous-programfc": ("MIT; FEVEROUS CC BY-SA 3.0", None),
    "folio": ("CC BY-SA 4.0", None),
    "friendsqa": ("Apache-2.0", None),
    "iirc-ni": ("CC BY 4.0", None),
    "logic-nli": ("MED, HELP CC BY-SA 4.0; ConjNLI MIT; CAD Apache-2.0", 12_000),
    "medquad": ("CC BY 4.0", 20_000),
    "mnli-ni": ("OANC", 12_000),
    "mocha-ni": ("CC BY-SA 4.0", None),
    "nli-collection": ("MIT; MultiNLI OANC, SciTail Apache-2.0", 20_000),
    "policyqa": ("MIT", None),
    "qamr": ("MIT", 20_000),
    "qasper-ni": ("CC BY 4.0", None),
    "qasrl-gs": ("MIT", 8_000),
    "scitail-ni": ("Apache-2.0", None),
    "selqa": ("Apache-2.0", 20_000),
    "snli-ni": ("CC BY-SA 4.0", 15_000),
    "squad-train-para": ("Apache-2.0; SQuAD CC BY-SA 4.0", None),
    "squad-train-sent": ("MIT; SQuAD CC BY-SA 4.0", 15_000),
    "squadshifts-amazon-reviews": ("CC BY 4.0 (publisher's dataset card)", None),
    "squadshifts-new-wiki": ("CC BY 4.0 (publisher's dataset card)", None),
    "squadshifts-reddit": ("CC BY 4.0 (publisher's dataset card)", None),
    "torque-dev": ("Apache-2.0", None),
    "tweetqa-ni": ("CC BY-SA 4.0", None),
}

# Sets that came later; `later.py` makes rows of them. None of their passages is of a document the product is judged on.
LATER = {
    "condaqa": ("Apache-2.0; Wikipedia CC BY-SA 3.0", None),
    "contract-nli": ("CC BY 4.0", 1_000),  # 17 different claims
    "dialfact": ("BSD-3-Clause; Wikipedia CC BY-SA 3.0", None),
    "expertqa": ("MIT", None),
    "factcg": ("MIT", None),
    "faithdial-audit": ("MIT", None),
    "fool-me-twice": ("Apache-2.0; Wikipedia CC BY-SA 3.0", None),
    "musique": ("CC BY 4.0", None),
    "paws": ("free for any purpose, Google LLC acknowledged as the source", 3_000),  # the same sense both ways, stricter than support
    "q2-wow": ("Apache-2.0", None),
    "repliqa": ("CC BY 4.0", None),
    "squad2-train": ("CC BY-SA 4.0", None),
}
# Written for the readers, by source file into parts to learn from, to tune on and to report on (`authored/README.md` of the data).
AUTHORED = "each passage's own: MIT, Apache-2.0, CC0-1.0, CC BY 4.0, CC BY-SA 3.0 and 4.0, named beside it; the examples are this project's"

LEFT_OUT = {
    "liar-plus": "argues about a claim rather than stating it",
    "perspectrum-ni": "stance, not support",
    "te-new-protocols": "states no licence",
    "trecqa": "states no licence",
    "wikiqa": "research licence only",
}

# Parts of collections whose own terms are unknown.
KINDS_LEFT_OUT = {
    "logic-nli": {"monli"},
    "nli-collection": {"rte", "joci", "mpe", "add_one_rte", "fracas"},
}

# Evaluation sets of which a part is learnt from; `splits.py` says which.
SHARED = {
    "squad2": "CC BY-SA 4.0",
    "nq-open-oracle": "MIT; Natural Questions CC BY-SA 3.0",
    "begin": "CC BY 4.0",
    "factcheck-gpt": "Apache-2.0",
    "scifact": "claims CC BY 4.0, abstracts ODC-By 1.0",
    "summedits": "Apache-2.0",
}

# Passages that a model wrote about, of sets that are learnt from anyway or of nobody's. The rest of that file is of documents the product
# is judged on, or of parts that are kept to report on.
WRITTEN_ABOUT = ("squad-train-para", "squadshifts-reddit", "policyqa", "medquad", "qasper-ni", "kubernetes-docs", "istio+istio.io")


def text_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def title_of(name: str, row: dict) -> str:
    """The title of a row's passage, in the sets that name their articles."""
    named = name in ("selqa", "squad-train-para", "squad2-train", "fool-me-twice")
    return (row.get("doc") or "").replace("_", " ") if named else ""


def read_json_lines(path: Path):
    with open(path, encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def read_train(data: Path, name: str):
    """The rows of one training set, without the kinds that are left out and the labels known to be weak."""
    out = KINDS_LEFT_OUT.get(name, set())
    with lzma.open(data / "train" / name / "train.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if str(row.get("kind", "")).lower() not in out and not row.get("weak"):
                yield row


def read_packed(path: Path):
    """The rows of a packed file."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def read_authored(data: Path):
    """Every example written for the readers with its passage: `(example, passage)`."""
    passages = {row["id"]: row for row in read_packed(data / "authored" / "passages.jsonl.xz")}
    for row in read_packed(data / "authored" / "examples.jsonl.xz"):
        yield row, passages[row["passage"]]


def written(data: Path, name: str):
    """What a model wrote about passages: `passages`, `questions` or `claims`."""
    yield from read_packed(data / "teacher" / f"{name}.jsonl.xz")
