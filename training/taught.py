"""Pairs whose label nobody knows beforehand: the teacher gives it (`teacher.py`).

Near misses made by rule, questions as people type them, passages that our own retrieval finds, and what a model wrote
about passages. A rule here may be wrong about what it made: it only has to be hard, and the teacher says what it is.
"""

import random
import re
from pathlib import Path

import splits
from alter import AUX, STOP, Pool, alter_question, alter_sentence, sentences_of, study
from sets import WRITTEN_ABOUT, read_json_lines, read_train, text_id, title_of, written

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
    passages = {row["id"]: row for row in written(data, "passages")}
    for kind, task in (("question", "answer"), ("claim", "support")):
        for row in written(data, f"{kind}s"):
            passage = passages[row["passage"]]
            if passage["from"] in WRITTEN_ABOUT:
                rows.add_taught(f"taught/written-{kind}/{row['made']}", task, row[kind], passage["text"], passage["text"])


# What a rule says in one voice and a reader in another: the same duty, seldom the same words.
VOICES = [
    (re.compile(r"\b(?:has|have|needs?) to\b"), "must"),
    (re.compile(r"\b(?:is|are) (?:required|obliged|expected|asked) to\b"), "must"),
    (re.compile(r"\b(?:is|are) to (?=be\b)"), "must "),
    (re.compile(r"\bmust\b"), "has to"),
    (re.compile(r"\b(?:is|are) (?=(?:\w+ly )?\w+ed (?:within|by|before|after|at least|at most|for|in)\b)"), "must be "),
    (re.compile(r"\bshould (?=[a-z])"), "needs to "),
    (re.compile(r"\b(?:can|is able to|are able to)\b"), "may"),
    (re.compile(r"\b(?:is|are) (?:allowed|permitted) to\b"), "may"),
    (re.compile(r"\bmay\b"), "can"),
    (re.compile(r"^(?:An?|The|Every|Each) (?:employee|user|member|person|customer|student|patient|participant|reader|applicant)\b"), "You"),
    (re.compile(r"\bat most\b"), "no more than"),
    (re.compile(r"\bat least\b"), "no less than"),
    (re.compile(r"\bwithin\b"), "in no more than"),
]


def in_other_voices(sentence: str, rng: random.Random) -> str | None:
    """A duty, a right or a limit in other words, one or two of them changed."""
    fitting = [(pattern, other) for pattern, other in VOICES if pattern.search(sentence)]
    for pattern, other in rng.sample(fitting, min(2, len(fitting))):
        sentence = pattern.sub(other, sentence, count=1)
    return sentence if fitting else None


def add_more_found(rows, work: Path, show) -> None:
    """The rest of what retrieval brings, and the same for questions that a model wrote about documentation."""
    rng = random.Random(41)
    for name, most in (("squad", 4), ("boolq", 5), ("squad2", 6), ("nq", 6), ("written", 5)):
        for row in read_json_lines(work / f"hits-{name}.jsonl"):
            title, own = row["own"]
            if splits.part_by_hash(text_id(own), train=0.96, tune=0.04) != splits.TRAIN:
                continue
            for title, text in rng.sample(row["hits"], min(most, len(row["hits"]))):
                rows.add_taught(f"taught/more-found/{name}", "answer", row["a"], show(title, text), own)


def add_more_claims(rows, work: Path, pool: Pool) -> None:
    """What a model claimed: altered, beside passages like its own, and beside its own among them."""
    rng = random.Random(43)
    for row in read_json_lines(work / "hits-claims.jsonl"):
        claim, own = row["a"], row["own"][1]
        others = [text for _, text in row["hits"]]
        made = alter_sentence(claim, own, pool, rng)
        for _, altered, _ in rng.sample(made, min(2, len(made))):
            rows.add_taught("taught/claim/altered", "support", altered, own, own)
        voiced = in_other_voices(claim, rng)
        if voiced:
            rows.add_taught("taught/claim/voice", "support", voiced, own, own)
        for text in rng.sample(others, min(2, len(others))):
            rows.add_taught("taught/claim/found", "support", claim, text, own)
        if others:
            rows.add_taught("taught/claim/among", "support", rng.choice((claim, voiced or claim)), among(claim, own, others, rng), own)


def among(claim: str, own: str, others: list[str], rng: random.Random) -> str:
    """Sentences of a passage and of one like it, those with most of the claim's words, as a long text is read."""
    asked = set(claim.lower().split())
    texts = rng.sample([own, rng.choice(others)], 2)
    sentences = [sentence for text in texts for sentence in sentences_of(text)]
    order = sorted(range(len(sentences)), key=lambda at: -len(asked & set(sentences[at].lower().split())))
    return " ".join(sentences[at] for at in sorted(order[:8]))


def add_voices(rows, passages: list[str]) -> None:
    """Sentences of passages in another voice, each beside its passage."""
    rng = random.Random(47)
    for passage in rng.sample(passages, len(passages)):
        text = passage[:1900]
        fitting = [s for s in sentences_of(text) if 6 <= len(s.split()) <= 40 and any(p.search(s) for p, _ in VOICES)]
        for sentence in rng.sample(fitting, min(1, len(fitting))):
            rows.add_taught("taught/voice", "support", in_other_voices(sentence, rng) or sentence, text, passage)


def stitched(sentences: list[str], rng: random.Random) -> str | None:
    """The beginning of one sentence and the end of another, as a careless writer joins them."""
    fitting = [words for words in (sentence.rstrip(".").split() for sentence in sentences) if 8 <= len(words) <= 45]
    if len(fitting) < 2:
        return None
    first, second = rng.sample(fitting, 2)
    return " ".join(first[: rng.randint(4, len(first) - 2)] + second[rng.randint(2, len(second) - 4) :]) + "."


def add_stitched(rows, passages: list[str]) -> None:
    """Stitched sentences beside the passage whose words they all are."""
    rng = random.Random(53)
    for passage in rng.sample(passages, len(passages) // 2):
        text = passage[:1900]
        made = stitched(sentences_of(text), rng)
        if made:
            rows.add_taught("taught/stitched", "support", made, text, passage)
