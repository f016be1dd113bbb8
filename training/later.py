"""Rows of the sets that came later (`sets.LATER`) and of what was written for the readers (`authored`).

What they have that the sets before lacked: near misses written by people, each beside the question that its passage does
answer; questions as people type them; follow-ups; claims in other words than their passage's. Rows that belong together
carry one pair number, so that they meet in one batch and `train.py` can ask that the right one be read above the wrong one.
"""

import random
import re
from pathlib import Path

import splits
from alter import keep_sentence
from paraphrases import pairs_of
from sets import LATER, read_authored, read_json_lines, read_train, title_of
from taught import terse

EARLIER_MAX, EARLIER_CHARACTERS_MAX = 2, 300
# What a lie of a kind does to its passage, where the kind says so.
CONTRADICTING = frozenset(("negated", "figure-changed"))
SILENT = frozenset(("detail-invented", "cause-invented", "comparison-invented", "consequence-invented"))
TUNED_PAIRS = 0.06


def conversation(earlier: list[str], last: str) -> str:
    """What is asked last, after the last questions before it, as one text: the product does the same before it asks the judge.

    Each earlier question keeps its end, ends with a question mark if with no other mark, and a space parts them.
    """
    before = [question.strip()[-EARLIER_CHARACTERS_MAX:] for question in earlier if question.strip()]
    ended = [text if text[-1] in "?!." else f"{text}?" for text in before[-EARLIER_MAX:]]
    return " ".join([*ended, last.strip()])


def headed(passage: dict, rng: random.Random) -> str:
    """A passage as the product shows it to the judge, mostly: under its nearest heading; sometimes under all it has, or bare."""
    title, section = passage["title"].strip(), passage["section"].strip()
    near = section or title
    draw = rng.random()
    if not near or draw < 0.12:
        return passage["text"]
    over = f"{title}: {section}" if draw > 0.85 and title and section and title != section else near
    return f"{over}: {passage['text']}"


def mistyped(text: str, rng: random.Random) -> str:
    """Two letters of a longer word change places."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha() and word[1:].islower()]
    if not long:
        return text
    at = rng.choice(long)
    word, place = words[at], rng.randrange(1, len(words[at]) - 2)
    words[at] = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return " ".join(words)


class Typist:
    """How a question is put into a box. Questions on one passage are put in one way, so that the way says nothing of the answer."""

    def __init__(self, rng: random.Random):
        self.is_lower, self.is_careless = rng.random() < 0.4, rng.random() < 0.08
        self.rng = rng

    def __call__(self, question: str) -> str:
        if self.is_careless:
            question = mistyped(question, self.rng)
        return question.lower().rstrip("? ") if self.is_lower else question


def sub_of(why: str | None) -> int:
    """1 contradicted, 2 not told, -1 where the kind of the lie does not say."""
    return 1 if why in CONTRADICTING else 2 if why in SILENT else -1


def group_of(part: str, name: str) -> str:
    return name if part == splits.TRAIN else f"{part}/{name}"


def add_authored(rows, data: Path) -> None:
    """Questions, follow-ups and claims; all that is asked of a passage is one pair of the good and the bad, and all that is claimed of it."""
    rng = random.Random(61)
    by_passage: dict[str, list[dict]] = {}
    passages = {}
    for row, passage in read_authored(data):
        by_passage.setdefault(passage["id"], []).append(row)
        passages[passage["id"]] = passage
    for key, examples in by_passage.items():
        passage, part = passages[key], examples[0]["split"]
        kept_apart = part != splits.TRAIN
        text = headed(passage, rng) if not kept_apart else headed(passage, random.Random(1))
        text = text[: rows.characters_max]
        alone = [row["a"] for row in examples if row["task"] == "answer" and not row.get("before")]
        for row in examples:
            if row["task"] == "support":
                sub = 0 if row["y"] else sub_of(row.get("why"))
                rows.add_claim(group_of(part, "authored/claim"), row["a"], text, row["y"], sub=sub, pair=f"claims of {key}", source=passage["text"])
                continue
            name = "authored/follow-up" if row.get("before") else "authored/question"
            asked = conversation([row["before"]], row["a"]) if row.get("before") else row["a"]
            span = span_of(text, row.get("evidence"))
            add = lambda group, question: rows.add_question(
                group, question, text, row["y"], span=span, pair=f"questions of {key}", source=passage["text"]
            )
            add(group_of(part, name), asked)
            # What is asked last counts, whatever was asked before it.
            if not row.get("before") and not kept_apart and rng.random() < 0.25 and len(alone) > 1:
                add("authored/chained", conversation([rng.choice([other for other in alone if other != row["a"]] or alone)], row["a"]))


def span_of(text: str, evidence: str | None) -> tuple[int, int] | None:
    at = text.find(evidence) if evidence else -1
    return (at, at + len(evidence)) if at >= 0 else None


def twins_of(taken: list[dict]) -> dict[int, str]:
    """The pair of each row of a set, by place: a near miss goes with the question it was made from, versions of a passage with one another."""
    places = {row["id"]: at for at, row in enumerate(taken) if row.get("id")}
    found: dict[int, str] = {}
    for at, row in enumerate(taken):
        twin = places.get(row.get("twin"))
        if twin is not None and taken[twin]["b"] == row["b"]:
            found[at] = found[twin] = f"twin {row['twin']}"
        elif "grp" in row:
            found[at] = f"condaqa {row['task']} {row['a']}"
    return found


def add_later(rows, data: Path) -> None:
    kept_apart = {row["title"].lower() for row in read_json_lines(data / "clapnq-dev" / "corpus.jsonl")}
    for name, (_, most) in LATER.items():
        rng = random.Random(f"later {name}")
        taken = [row for row in read_train(data, name) if title_of(name, row).lower() not in kept_apart]
        rng.shuffle(taken)
        taken = taken[:most]
        pairs, typists, headings = twins_of(taken), {}, {}
        for at, row in enumerate(taken):
            pair, part = pairs.get(at), splits.later_part(name, row)
            title, text = title_of(name, row), re.sub(r"\bParagraph \d+: ", "", row["b"]) if name == "musique" else row["b"]
            is_headed = headings.setdefault(pair or at, rng.random() < 0.75)
            shown = f"{title}: {text}" if title and is_headed else text
            if row["task"] == "support":
                sub = {"support": 0, "contradict": 1, "neutral": 2}.get(row.get("sub"), -1)
                rows.add_claim(group_of(part, f"support/{name}"), row["a"], shown, row["y"], sub=sub, pair=pair, source=row["b"])
                continue
            question = typists.setdefault(pair or at, Typist(rng))(row["a"])
            kind = "answer" if row["y"] else "answer-built" if row.get("neg") == "built" else "answer-human"
            span = (row["start"] + len(shown) - len(text), row["end"] + len(shown) - len(text)) if "start" in row else None
            group = group_of(part, f"{kind}/{name}" if part == splits.TRAIN else name)
            rows.add_question(group, question, shown, row["y"], span=span, pair=pair, source=row["b"])


def add_found_later(rows, work: Path) -> None:
    """What our own retrieval brings beside the right passage for the new questions; some of it may answer too, so the label is a guess."""
    rng = random.Random(67)
    for name in ("authored", "squad2-train"):
        for row in read_json_lines(work / f"hits-{name}.jsonl"):
            for title, text in rng.sample(row["hits"][:5], min(2, len(row["hits"]))):
                shown = f"{title}: {text}" if title and rng.random() < 0.85 else text
                rows.add_question(f"found/{name}", Typist(rng)(row["a"]), shown, 0, source=row["own"][1])


def same_questions(data: Path, rng: random.Random):
    """Two texts and whether they mean the same: `(group, a, b, y)`."""
    for row in pairs_of(data / "train" / "selqa" / "train.jsonl.xz"):
        yield "same/selqa", row["a"], row["b"], row["y"]
    for row in read_train(data, "paws"):
        yield "same/paws", row["a"], row["b"], row["y"]
    taken = list(read_train(data, "squad2-train"))
    by_id = {row["id"]: row for row in taken if row.get("id")}
    twins = [(row, by_id[row["twin"]]) for row in taken if row.get("twin") in by_id]
    for near, asked in rng.sample(twins, min(6_000, len(twins))):
        yield "same/near", near["a"], asked["a"], 0
    for row in rng.sample(taken, min(8_000, len(taken))):
        made = [same for _, same in keep_sentence(row["a"], rng)] + [text for text in [terse(row["a"])] if text]
        if made:
            yield "same/reworded", row["a"], rng.choice(made), 1


def add_same(rows, data: Path) -> None:
    """Pairs of questions, in either order and as typed."""
    rng = random.Random(71)
    for group, a, b, y in same_questions(data, rng):
        part = splits.part_by_hash(a, train=1 - TUNED_PAIRS, tune=TUNED_PAIRS)
        typist = Typist(rng) if group != "same/paws" else str
        a, b = rng.sample([typist(a), typist(b)], 2)
        rows.add_same(group_of(part, group), a, b, y)


def add_all(rows, data: Path, work: Path) -> None:
    add_authored(rows, data)
    add_later(rows, data)
    add_found_later(rows, work)
    add_same(rows, data)
