"""Pairs of questions for `vouch-bench fit-likeness`: paraphrases, and questions about the same document that are none.

    python training/paraphrases.py DATA/train/selqa/train.jsonl.xz > pairs.jsonl

Two questions whose answer stands in the very same sentences of one document count as paraphrases; two questions of one
document that share no such sentence as a false match from the same book. Nothing of the texts enters the project.
"""

import collections
import json
import lzma
import random
import sys
from pathlib import Path

PAIRS_MAX = 1_500


def pairs_of(path: Path):
    """`{"a", "b", "y"}`: both kinds, as many of each at most."""
    answers: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("task") == "rank" and row.get("y") == 1:
                answers[(row["doc"], row["a"])].add(row["b"])
    by_document = collections.defaultdict(list)
    for (document, question), sentences in sorted(answers.items()):
        by_document[document].append((question, frozenset(sentences)))
    same, other = [], []
    for document in sorted(by_document):
        questions = by_document[document]
        for at, (question, sentences) in enumerate(questions):
            for other_question, other_sentences in questions[at + 1 :]:
                if sentences == other_sentences:
                    same.append((question, other_question))
                elif not sentences & other_sentences:
                    other.append((question, other_question))
    draw = random.Random(5)
    for label, pairs in ((1, same), (0, other)):
        for left, right in draw.sample(pairs, min(PAIRS_MAX, len(pairs))):
            yield {"a": left, "b": right, "y": label}


def main(path: Path) -> None:
    for pair in pairs_of(path):
        print(json.dumps(pair))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
