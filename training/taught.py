"""Pairs whose label nobody knows beforehand: the teacher gives it (`teacher.py`).

Near misses made by rule, questions as people type them, passages that our own retrieval finds, and what a model wrote
about passages. A rule here may be wrong about what it made: it only has to be hard, and the teacher says what it is.
"""

import json
import lzma
import random
import re
from pathlib import Path

import splits
from alter import AUX, STOP, Pool, alter_question, sentences_of, study
from sets import read_json_lines, read_train, text_id, title_of

# Passages that a model wrote about, of sets that are learnt from anyway or of nobody's. The rest of that file is of documents the product
# is judged on, or of parts that are kept to report on.
WRITTEN_ABOUT = ("squad-train-para", "squadshifts-reddit", "policyqa", "medquad", "qasper-ni", "kubernetes-docs", "istio+istio.io")
QUESTION_SETS = ("squad-train-para", "squadshifts-new-wiki", "squadshifts-reddit", "squadshifts-amazon-reviews", "policyqa", "boolq-ni")
QUESTIONS_MAX = 7_000
HITS_MAX = 3
ASKING = frozenset("what which who whom whose when where why how much many long often is are was were do does did can could should would will has have had i you we they my your our please tell me".split())
LIGHT = frozenset("get make take give use need want go happen occur there".split())


def terse(question: str) -> str | None:
    """The key words alone, as they are typed into a search box."""
    words = re.findall(r"[\w'’./-]*\w", question)
    kept = [w for w in words if w.lower() not in ASKING and w.lower() not in STOP and w.lower() not in LIGHT]
    return " ".join(kept).lower() if 2 <= len(kept) <= 8 and len(kept) < len(words) else None


def as_request(question: str, rng: random.Random) -> str | None:
    """A question as a request: "What is the X of Y?" becomes "the X of Y" or "tell me the X of Y"."""
    found = re.fullmatch(r"(?:what|who|which) (?:is|are|was|were) ((?:the|an?) .{8,80}?)\??", question.strip(), re.I)
    return rng.choice(("{}", "Tell me {}", "explain {}", "I need to know {}")).format(found[1]) if found else None


def as_yes_no(sentence: str) -> str | None:
    """ "The term is fifty years." becomes "Is the term fifty years?"."""
    words = sentence.rstrip(". ").split()
    for at in range(1, min(9, len(words) - 1)):
        low = words[at].lower()
        if low in AUX and low not in ("been", "being", "be") and not words[at - 1].endswith((",", ";", ":")):
            first = words[0] if words[0][:2].isupper() or words[0] == "I" or at > 1 and words[1][:1].isupper() else words[0].lower()
            return " ".join([low.capitalize(), first, *words[1:at], *words[at + 1 :]]) + "?"
    return None


def about(passage: str, pool: Pool, rng: random.Random) -> list[str]:
    """Questions on the passage's own things that ask for a count, a superlative, a person, a time, a reason or another of its kind."""
    facts = study(passage)
    names = [name for name in facts.names if 3 < len(name) < 40]
    nouns = [noun for noun in facts.nouns if len(noun) > 3]
    made = []
    if names:
        name, other = rng.choice(names), pool.some_name((facts.names[names[0]].sort,), rng)
        made += [
            f"When was {name} first introduced?",
            f"Who is responsible for {name}?",
            f"How many people work on {name}?",
            f"What does {name} cost?",
            f"What came before {name}?",
            f"Why was {name} chosen over {other.text}?" if other else f"Why was {name} chosen?",
            f"How does {name} differ from {other.text}?" if other else f"How has {name} changed?",
        ]
    if nouns:
        noun = rng.choice(nouns)
        made += [
            f"Who decides about the {noun}?",
            f"Which {noun} is the most common?",
            f"What was the first {noun}?",
            f"How many kinds of {noun} are there?",
            f"What is the maximum {noun}?",
            f"How often is the {noun} reviewed?",
            f"Is there an exception to the {noun}?",
        ]
        if names:
            made += [f"How many {noun}s does {name} have?", f"What is the {noun} of {name}?", f"Who set the {noun} for {name}?"]
    return rng.sample(made, min(2, len(made)))


def counted(question: str) -> str | None:
    """ "Which rivers flow …" becomes "How many rivers flow …"."""
    found = re.match(r"(?:what|which) ([a-z]{3,}s) (.+)", question, re.I)
    return f"How many {found[1].lower()} {found[2]}" if found and not found[1].lower().endswith("ss") else None


def other_forms(rows, question: str, own: str, shown: str, name: str, pool: Pool, rng: random.Random) -> None:
    """A question in the ways people put it, and near misses of it, all against its own passage."""
    put = lambda kind, text: text and rows.add_taught(f"taught/{kind}/{name}", "answer", text, shown, own)
    if rng.random() < 0.35:
        put("terse", terse(question))
    put("request", as_request(question, rng))
    put("count", counted(question))
    made = alter_question(question, own, None, pool, rng)
    for _, altered in rng.sample(made, min(2, len(made))):
        put("near", altered)
    if rng.random() < 0.25:
        for asked in about(own, pool, rng):
            put("about", asked)
    if rng.random() < 0.15:
        sentences = [s for s in sentences_of(own) if 6 <= len(s.split()) <= 22]
        put("yes-no", as_yes_no(rng.choice(sentences)) if sentences else None)


def add_forms(rows, data: Path, pool: Pool, rng: random.Random, show) -> None:
    for name in QUESTION_SETS:
        taken = [row for row in read_train(data, name) if row["task"] == "answer" and row["y"] == 1]
        rng.shuffle(taken)
        for row in taken[:QUESTIONS_MAX]:
            own = row["b"]
            other_forms(rows, row["a"], own, show(title_of(name, row), own), name, pool, rng)


def add_found(rows, work: Path, rng: random.Random, show) -> None:
    """What retrieval brings, the answer's own passage taken out or not: "gold removed" is the whole of it. Key words find it too."""
    for name in ("squad", "boolq", "squad2", "nq"):
        for row in read_json_lines(work / f"hits-{name}.jsonl"):
            own = row["own"][1]
            if splits.part_by_hash(text_id(own), train=0.96, tune=0.04) != splits.TRAIN:
                continue
            for title, text in rng.sample(row["hits"], min(HITS_MAX, len(row["hits"]))):
                asked = terse(row["a"]) if rng.random() < 0.12 else None
                rows.add_taught(f"taught/found/{name}", "answer", asked or row["a"], show(title, text), own)


def add_written(rows, data: Path) -> None:
    """Questions and claims that a model wrote about passages (`teacher/` of the data)."""
    read = lambda name: (json.loads(line) for line in lzma.open(data / "teacher" / f"{name}.jsonl.xz", "rt", encoding="utf-8"))
    passages = {row["id"]: row for row in read("passages")}
    for row in read("questions"):
        passage = passages[row["passage"]]
        if passage["from"] in WRITTEN_ABOUT:
            rows.add_taught(f"taught/written-question/{row['made']}", "answer", row["question"], passage["text"], passage["text"])
    for row in read("claims"):
        passage = passages[row["passage"]]
        if passage["from"] in WRITTEN_ABOUT:
            rows.add_taught(f"taught/written-claim/{row['made']}", "support", row["claim"], passage["text"], passage["text"])
