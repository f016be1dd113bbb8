"""Hard negatives: what the project's own retrieval finds for a question and what does not hold its answer.

    python negatives.py --data DATA --vouch BINARY --work WORK
    python negatives.py --data DATA --work WORK            # by words alone (BM25), where no binary is at hand

Writes WORK/hits-<set>.jsonl: {"a": question, "gold": [...], "own": passage, "hits": [passages]}, a passage being
[title, text].
"""

import argparse
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np

import splits
from later import conversation
from sets import WRITTEN_ABOUT, read_authored, read_json_lines, read_train, text_id, title_of, written

QUESTIONS_MAX = 9000
HITS = 8


def squad_paragraphs(data: Path):
    """Paragraphs and answerable questions of the sets with SQuAD-like paragraphs."""
    documents, questions = {}, []
    for name in ("squad-train-para", "squadshifts-new-wiki"):
        for row in read_train(data, name):
            if row["task"] != "answer" or row["y"] != 1:
                continue
            key = text_id(row["b"])
            documents[key] = (title_of(name, row), row["b"])
            gold = row.get("gold") or [row["b"][row["start"] : row["end"]]]
            questions.append({"query": row["a"], "doc": key, "gold": gold})
    random.Random(7).shuffle(questions)
    return documents, questions[:QUESTIONS_MAX]


def yes_no_questions(data: Path):
    """boolq: questions as people type them, each with the passage that settles it."""
    documents, questions = {}, []
    for row in read_train(data, "boolq-ni"):
        if row["task"] == "answer":
            key = text_id(row["b"])
            title, _, text = row["b"].partition(" -- ")
            documents[key] = (title, text) if text else ("", row["b"])
            questions.append({"query": row["a"], "doc": key, "gold": []})
    return documents, questions


def shared_set(data: Path, name: str):
    """The training part of an evaluation set that is split by document."""
    parts = splits.parts_of(data, name)
    corpus = read_json_lines(data / name / "corpus.jsonl")
    documents = {row["id"]: (row["title"], row["text"]) for row in corpus if parts[row["id"]] == splits.TRAIN}
    questions = [
        {"query": row["query"], "doc": row["gold_ids"][0], "gold": row["gold_answers"]}
        for row in read_json_lines(data / name / "queries.jsonl")
        if row["answerable"] and row["gold_ids"] and row["gold_ids"][0] in documents
    ]
    return documents, questions


def authored_questions(data: Path):
    """Questions written for the readers, follow-ups after what was asked before them, with the passages that are learnt from."""
    documents, questions = {}, []
    for row, passage in read_authored(data):
        if row["split"] == splits.TRAIN and row["task"] == "answer":
            documents[passage["id"]] = (passage["section"] or passage["title"], passage["text"])
            asked = conversation([row["before"]], row["a"]) if row.get("before") else row["a"]
            questions.append({"query": asked, "doc": passage["id"], "gold": []})
    random.Random(19).shuffle(questions)
    return documents, questions[:QUESTIONS_MAX]


def later_questions(data: Path):
    """Questions of `squad2-train`, answerable and near misses, over all of its passages that are learnt from."""
    documents, questions = {}, []
    for row in read_train(data, "squad2-train"):
        if splits.later_part("squad2-train", row) == splits.TRAIN:
            key = text_id(row["b"])
            documents[key] = (title_of("squad2-train", row), row["b"])
            if row["y"] == 1 or row.get("twin") is None:
                questions.append({"query": row["a"], "doc": key, "gold": []})
    random.Random(23).shuffle(questions)
    return documents, questions[:QUESTIONS_MAX]


def written_questions(data: Path):
    """Questions that a model wrote about passages of documentation and reference works, each with its passage."""
    passages, asked = written(data, "passages"), written(data, "questions")
    documents = {str(row["id"]): ("", row["text"]) for row in passages if row["from"] in WRITTEN_ABOUT}
    own = [row for row in asked if str(row["passage"]) in documents and row["made"] != "near"]
    random.Random(17).shuffle(own)
    unique = {row["question"]: row for row in own}
    questions = [{"query": row["question"], "doc": str(row["passage"]), "gold": []} for row in unique.values()]
    return documents, questions[:QUESTIONS_MAX]


def written_claims(data: Path):
    """The same with what it claimed."""
    documents, _ = written_questions(data)
    claims = [row for row in written(data, "claims") if str(row["passage"]) in documents]
    return documents, [{"query": row["claim"], "doc": str(row["passage"]), "gold": []} for row in claims]


def found_by_vouch(vouch: Path, folder: Path, documents: dict, questions: list):
    """The keys of the documents that each question finds, best first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / "corpus.jsonl", "w", encoding="utf-8") as out:
        for key, (title, text) in documents.items():
            out.write(json.dumps({"id": key, "title": title, "text": text}) + "\n")
    with open(folder / "queries.jsonl", "w", encoding="utf-8") as out:
        for number, question in enumerate(questions):
            out.write(json.dumps({"id": str(number), "query": question["query"]}) + "\n")
    store = ["--data", str(folder / "store")]
    subprocess.run([vouch, "ingest", folder / "corpus.jsonl", *store], check=True, stdout=subprocess.DEVNULL)
    batch = ["search", "--batch", folder / "queries.jsonl", "--json", "-k", str(HITS)]
    found = subprocess.run([vouch, *batch, *store], check=True, capture_output=True, text=True).stdout
    for line in found.splitlines():
        yield list(dict.fromkeys(hit["document_id"] for hit in json.loads(line).get("hits", [])))


def found_by_words(documents: dict, questions: list):
    """The same by BM25 over words."""
    keys = list(documents)
    counts = [Counter(words_of(" ".join(documents[key]))) for key in keys]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float32)
    postings: dict[str, list] = {}
    for at, count in enumerate(counts):
        for word, times in count.items():
            postings.setdefault(word, []).append((at, times))
    weighed = {}
    for word, places in postings.items():
        at, times = np.array(places).T
        rarity = np.log(1 + (len(keys) - len(at) + 0.5) / (len(at) + 0.5))
        weighed[word] = at, rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[at] / lengths.mean()))
    for question in questions:
        scores = np.zeros(len(keys))
        for word in set(words_of(question["query"])) & weighed.keys():
            at, weight = weighed[word]
            scores[at] += weight
        best = np.argpartition(-scores, min(HITS, len(keys) - 1))[:HITS]
        yield [keys[at] for at in best[np.argsort(-scores[best], kind="stable")] if scores[at] > 0]


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def search(vouch: Path | None, work: Path, name: str, documents: dict, questions: list) -> None:
    if vouch:
        found = found_by_vouch(vouch, work / f"retrieval-{name}", documents, questions)
    else:
        found = found_by_words(documents, questions)
    with open(work / f"hits-{name}.jsonl", "w", encoding="utf-8") as out:
        for question, hits in zip(questions, found, strict=True):
            row = {"a": question["query"], "gold": question["gold"], "own": documents[question["doc"]]}
            row["hits"] = [documents[key] for key in hits if key != question["doc"]]
            out.write(json.dumps(row) + "\n")
    print(f"{name}: {len(documents)} passages, {len(questions)} questions searched", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vouch", type=Path, help="the binary that searches; without it words alone do")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", help="only these, such as squad or claims")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    made = {
        "squad": lambda: squad_paragraphs(args.data),
        "boolq": lambda: yes_no_questions(args.data),
        "squad2": lambda: shared_set(args.data, "squad2"),
        "nq": lambda: shared_set(args.data, "nq-open-oracle"),
        "authored": lambda: authored_questions(args.data),
        "squad2-train": lambda: later_questions(args.data),
        "written": lambda: written_questions(args.data),
        "claims": lambda: written_claims(args.data),
    }
    for name in args.sets or made:
        search(args.vouch, args.work, name, *made[name]())


if __name__ == "__main__":
    main()
