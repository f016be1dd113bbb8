"""Public sets → rows of token ids, ready to train on.

    python prepare.py --data DATA --work WORK

Needs WORK/hits-*.jsonl (`negatives.py`). Writes WORK/rows.npz with every text once, WORK/rows.json with the names of
the groups, so that `train.py` can weigh them, and WORK/texts.jsonl.xz with the texts themselves for `teacher.py`.
"""

import argparse
import hashlib
import json
import lzma
import random
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import later
import splits
import taught
from alter import Pool, alter_question, alter_sentence, keep_sentence, sentences_of
from sets import USED, read_json_lines, read_train, text_id, title_of

ANSWER, RANK, SUPPORT, SAME = 0, 1, 2, 3
SUBS = {"support": 0, "contradict": 1, "neutral": 2}
UNKNOWN = -1
# Alterations a reader is hurt by most; a sentence that allows one always gets one.
HARD_KINDS = {"number", "date", "unit", "name", "role"}
CHARACTERS_MAX = 1900
TOKENS_MAX = 400
PASSAGES_MAX = 5_000
REWORDINGS = {"synonym", "number-form", "contraction", "date-form"}
# Sets whose questions are altered below: their answerable ones are also reworded, so that odd wording tells nothing.
QUESTIONS_KEPT = {"squad-train-para", "squadshifts-new-wiki", "squadshifts-reddit", "squadshifts-amazon-reviews"}
TOKENIZER = Path(__file__).parent.parent / "models" / "gte-small" / "tokenizer.json"


class Rows:
    """Rows as they are gathered; a text is kept once."""

    characters_max = CHARACTERS_MAX

    def __init__(self):
        self.pairs: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self.groups: dict[str, int] = {}
        self.rows: list[tuple] = []

    def add(self, group, task, a, b, y, relevant=UNKNOWN, sub=UNKNOWN, span=None, is_soft=False, source=None, pair=None):
        """One row; `span` in characters of `b`, `is_soft` where the answer lies somewhere inside it. `source` is the passage
        the row was made from, if not `b`: all rows of a passage are in one fold, so that a teacher tuned on the other fold has seen none.
        Rows of one `pair` are read in one batch, and the good ones above the bad."""
        if not a.strip() or not b.strip():
            return
        group = self.groups.setdefault(group, len(self.groups))
        a = self.texts.setdefault(a.strip()[:1000], len(self.texts))
        self.texts.setdefault(b, len(self.texts))
        source, b = source or b, self.texts[b]
        start, end = span or (UNKNOWN, UNKNOWN)
        fold = fold_of(source)
        pair = UNKNOWN if pair is None else self.pairs.setdefault(pair, len(self.pairs))
        self.rows.append((group, task, a, b, y, relevant, sub, start, end, int(is_soft), fold, pair))

    def add_question(self, group, question, text, y, span=None, pair=None, source=None):
        """A question that a passage answers or does not; whether a near miss is relevant is left open."""
        text, span = clip(text, *(span or (None, None)))
        self.add(group, ANSWER, question, text, y, 1 if y else UNKNOWN, span=span, is_soft=True, source=source, pair=pair)

    def add_claim(self, group, claim, text, y, sub=UNKNOWN, pair=None, source=None):
        self.add(group, SUPPORT, claim, best_window(claim, text), y, sub=sub, source=source, pair=pair)

    def add_same(self, group, a, b, y):
        """Two questions, or two sentences, and whether they mean the same."""
        self.add(group, SAME, a, b, y)

    def add_taught(self, group, task, a, b, source):
        """One row whose label the teacher gives."""
        self.add(group, ANSWER if task == "answer" else SUPPORT, a, clip(b)[0], UNKNOWN, source=source)


def fold_of(source: str) -> int:
    """The fold of a passage, by its first words without a title, so that a cut or titled copy of it is in the same one."""
    text = source.partition(" -- ")[2] or source
    return hashlib.sha256(text.strip()[:200].encode()).digest()[0] % 2


def clip(text: str, start: int | None = None, end: int | None = None):
    """A passage at most as long as the window, cut round its span; the span moves with it."""
    if len(text) <= CHARACTERS_MAX:
        return text, (None if start is None else (start, end))
    if start is None:
        return text[:CHARACTERS_MAX], None
    middle = (start + end) // 2
    at = max(0, min(middle - CHARACTERS_MAX // 2, len(text) - CHARACTERS_MAX))
    at = text.find(" ", at) + 1 if at else 0
    piece = text[at : at + CHARACTERS_MAX]
    return piece, ((start - at, end - at) if start >= at and end <= at + len(piece) else None)


def as_typed(question: str, rng: random.Random) -> str:
    """A quarter of the questions as people type them into a box: lower case, without a question mark."""
    return question.lower().rstrip("? ") if rng.random() < 0.25 else question


def add_answer(rows: Rows, name: str, row: dict, rng: random.Random) -> None:
    negative = row.get("neg")
    whole, moved = titled(title_of(name, row), row["b"], rng)
    span = (row["start"] + moved, row["end"] + moved) if "start" in row else (None, None)
    text, span = clip(whole, *span)
    question = as_typed(row["a"], rng)
    if row["y"] == 1:
        is_soft = row.get("span") == "sentence" or name == "selqa"
        rows.add(f"answer/{name}", ANSWER, question, text, 1, 1, span=span, is_soft=is_soft, source=row["b"])
        reworded = [same for kind, same in keep_sentence(row["a"], rng) if kind in REWORDINGS]
        for same in reworded[:1] if name in QUESTIONS_KEPT else []:
            rows.add(f"kept-question/{name}", ANSWER, same, text, 1, 1, span=span, is_soft=is_soft, source=row["b"])
    else:
        relevant = UNKNOWN if negative in ("human", "built-cut") else 0
        rows.add(f"answer-{negative or 'built'}/{name}", ANSWER, question, text, 0, relevant, source=row["b"])


def add_rank(rows: Rows, name: str, row: dict, rng: random.Random) -> None:
    """A passage that is or is not what the question wants; where it is a whole section, also whether it answers."""
    question, text = as_typed(row["a"], rng), clip(row["b"])[0]
    task = ANSWER if name == "medquad" else RANK
    rows.add(f"rank/{name}", task, question, text, row["y"], row["y"])


def add_train_sets(rows: Rows, data: Path, rng: random.Random) -> None:
    for name, (_, most) in USED.items():
        taken = list(read_train(data, name))
        rng.shuffle(taken)
        for row in taken[:most]:
            if row["task"] == "answer":
                add_answer(rows, name, row, rng)
            elif row["task"] == "rank":
                add_rank(rows, name, row, rng)
            else:
                sub = SUBS.get(row.get("sub"), UNKNOWN)
                rows.add(f"support/{name}", SUPPORT, row["a"], clip(row["b"])[0], row["y"], sub=sub)


def titled(title: str, text: str, rng: random.Random) -> tuple[str, int]:
    """Most passages that have a title carry it, right and wrong ones alike; and how far the text moved."""
    if not title or rng.random() < 0.3:
        return text, 0
    return f"{title}: {text}", len(title) + 2


def find_gold(text: str, gold: list[str]) -> tuple[int, int] | None:
    for answer in gold:
        at = text.lower().find(answer.lower()) if answer else -1
        if at >= 0:
            return at, at + len(answer)
    return None


def add_question_sets(rows: Rows, data: Path, rng: random.Random) -> None:
    """squad2 and Natural Questions, with their parts to tune on and to report on as groups of their own."""
    for name in ("squad2", "nq-open-oracle", "clapnq-dev"):
        parts = {} if name == "clapnq-dev" else splits.parts_of(data, name)
        documents = {row["id"]: row for row in read_json_lines(data / name / "corpus.jsonl")}
        for row in read_json_lines(data / name / "queries.jsonl"):
            key = row.get("context_id") or row["gold_ids"][0]
            part = parts.get(key, splits.TEST)
            document = documents[key]
            text, moved = titled(document["title"], document["text"], rng)
            span = find_gold(document["text"], row["gold_answers"]) if row["answerable"] else None
            span = span and (span[0] + moved, span[1] + moved)
            text, span = clip(text, *(span or (None, None)))
            group = f"answer/{name}" if row["answerable"] else f"answer-human/{name}"
            if part != splits.TRAIN:
                group = f"{part}/{name}"
            y = int(row["answerable"])
            rows.add(group, ANSWER, row["query"], text, y, 1 if y else UNKNOWN, span=span, source=document["text"])


def best_window(claim: str, evidence: str) -> str:
    """The stretch of a long text that shares most words with the claim."""
    if len(evidence) <= CHARACTERS_MAX:
        return evidence
    asked = set(claim.lower().split())
    starts = range(0, len(evidence) - CHARACTERS_MAX // 2, CHARACTERS_MAX // 2)
    shared = lambda at: len(asked & set(evidence[at : at + CHARACTERS_MAX].lower().split()))
    at = max(starts, key=lambda start: (shared(start), -start))
    return evidence[at : at + CHARACTERS_MAX]


def add_claim_sets(rows: Rows, data: Path) -> None:
    subs = {"refute": 1, "CONTRADICT": 1, "irrelevant": 2, "NOINFO": 2}
    for name in (*splits.CLAIM_SETS, "wice"):
        for row in read_json_lines(data / name / "claims.jsonl"):
            part = splits.claim_part(name, row["evidence"]) if name in splits.CLAIM_SETS else splits.TEST
            group = f"support/{name}" if part == splits.TRAIN else f"{part}/{name}"
            y = int(row["label"] == "supported")
            sub = 0 if y else subs.get(row["sub"], UNKNOWN)
            rows.add(group, SUPPORT, row["claim"], best_window(row["claim"], row["evidence"]), y, sub=sub, source=row["evidence"])


def add_retrieved(rows: Rows, work: Path, shown: list, rng: random.Random) -> None:
    """What our own retrieval brings for a question, where it lacks the answer; a part of it to tune on."""
    for name in ("squad", "boolq", "squad2", "nq"):
        for row in read_json_lines(work / f"hits-{name}.jsonl"):
            wrong = [hit for hit in row["hits"] if find_gold(hit[1], row["gold"]) is None]
            shown.append((row["own"][1], [text for _, text in wrong]))
            tuned = splits.part_by_hash(text_id(row["own"][1]), train=0.96, tune=0.04) != splits.TRAIN
            prefix = "tune/" if tuned else ""
            question = as_typed(row["a"], rng)
            for title, text in rng.sample(wrong, min(4 if name == "nq" else 2, len(wrong))):
                rows.add(f"{prefix}retrieved/{name}", ANSWER, question, clip(titled(title, text, rng)[0])[0], 0, 0, source=row["own"][1])
            if tuned or name == "boolq":
                title, text = row["own"]
                rows.add(f"{prefix}retrieved/{name}", ANSWER, question, clip(titled(title, text, rng)[0])[0], 1, 1, source=text)


def add_same_title(rows: Rows, work: Path, rng: random.Random) -> None:
    """A title that fits the question proves nothing: wrong passages under it, and right ones robbed of their answer."""
    for name in ("squad", "boolq", "nq"):
        for row in read_json_lines(work / f"hits-{name}.jsonl"):
            title, own = row["own"]
            tuned = splits.part_by_hash(text_id(own), train=0.96, tune=0.04) != splits.TRAIN
            prefix, question = "tune/" if tuned else "", as_typed(row["a"], rng)
            wrong = [text for _, text in row["hits"] if find_gold(text, row["gold"]) is None] if title else []
            for text in rng.sample(wrong, min(2 if name == "nq" else 1, len(wrong))):
                rows.add(f"{prefix}swapped/{name}", ANSWER, question, clip(f"{title}: {text}")[0], 0, 0, source=own)
            if row["gold"]:
                add_cut(rows, prefix, name, question, row, rng)


def add_cut(rows: Rows, prefix: str, name: str, question: str, row: dict, rng: random.Random) -> None:
    """The passage without the sentences that answer, and again with them but without some of the others."""
    title, own = row["own"]
    sentences = sentences_of(own)
    answers = [find_gold(sentence, row["gold"]) is not None for sentence in sentences]
    rest = " ".join(s for s, answering in zip(sentences, answers) if not answering)
    if any(answers) and len(rest) >= 150 and find_gold(rest, row["gold"]) is None:
        rows.add(f"{prefix}cut/{name}", ANSWER, question, clip(titled(title, rest, rng)[0])[0], 0, source=own)
    kept = [s for s, answering in zip(sentences, answers) if answering or rng.random() < 0.6]
    text, _ = titled(title, " ".join(kept), rng)
    span = find_gold(text, row["gold"])
    if span:
        text, span = clip(text, *span)
        group = f"{prefix}cut/{name}" if prefix else f"kept-cut/{name}"
        rows.add(group, ANSWER, question, text, 1, 1, span=span, source=own)


def add_altered_questions(rows: Rows, data: Path, pool: Pool, rng: random.Random) -> None:
    """Questions changed so that their own passage no longer answers them."""
    sources = ["squad-train-para", "squadshifts-new-wiki", "squadshifts-reddit", "squadshifts-amazon-reviews"]
    for name in [*sources, "iirc-ni", "qamr"]:
        taken = [row for row in read_train(data, name) if row["task"] == "answer" and row["y"] == 1]
        rng.shuffle(taken)
        for row in taken[:8_000]:
            passage = (title_of(name, row), row["b"])
            change(rows, f"altered-question/{name}", row["a"], passage, (row.get("gold") or [None])[0], pool, rng)
    corpus = read_json_lines(data / "squad2" / "corpus.jsonl")
    documents = {row["id"]: (row["title"], row["text"]) for row in corpus}
    for row in read_json_lines(data / "squad2" / "queries.jsonl"):
        if row["answerable"] and splits.squad2_part(row["context_id"]) == splits.TRAIN:
            passage = documents[row["context_id"]]
            change(rows, "altered-question/squad2", row["query"], passage, row["gold_answers"][0], pool, rng)


def change(rows, group, question, passage, answer, pool, rng) -> None:
    title, text = passage
    made = alter_question(question, text, answer, pool, rng)
    for _, altered in rng.sample(made, min(2, len(made))):
        rows.add(group, ANSWER, as_typed(altered, rng), clip(titled(title, text, rng)[0])[0], 0, source=text)


def add_altered_sentences(rows: Rows, passages: list[str], pool: Pool, shown: list, rng: random.Random) -> None:
    """Sentences of a passage, untouched, harmlessly rewritten, altered, and held against the wrong passage."""
    neighbours = {own: wrong for own, wrong in shown if wrong}
    for passage in passages:
        text = clip(passage)[0]
        long_enough = [s for s in sentences_of(text) if 6 <= len(s.split()) <= 45]
        tuned = splits.part_by_hash(text_id(text), train=0.97, tune=0.03) != splits.TRAIN
        prefix = "tune/" if tuned else ""
        for sentence in rng.sample(long_enough, min(3, len(long_enough))):
            kept = keep_sentence(sentence, rng)
            for _, same in rng.sample(kept, min(1, len(kept))):
                rows.add(f"{prefix}kept-sentence", SUPPORT, same, text, 1, sub=0, source=passage)
            made = alter_sentence(sentence, text, pool, rng)
            hard = [one for one in made if one[0] in HARD_KINDS]
            soft = [one for one in made if one[0] not in HARD_KINDS]
            for kind, altered, sub in rng.sample(hard, min(1, len(hard))) + rng.sample(soft, min(1, len(soft))):
                rows.add(f"{prefix}altered-sentence/{kind}", SUPPORT, altered, text, 0, sub=SUBS[sub], source=passage)
            if rng.random() < 0.25 and text.count(sentence) == 1:
                rows.add(f"{prefix}silent/cut", SUPPORT, sentence, text.replace(sentence, " "), 0, sub=2, source=passage)
            elif passage in neighbours and rng.random() < 0.4:
                other = clip(rng.choice(neighbours[passage]))[0]
                if sentence not in other:
                    rows.add(f"{prefix}silent/neighbour", SUPPORT, sentence, other, 0, sub=2, source=passage)


def passages_to_alter(data: Path, shown: list) -> list[str]:
    """Passages of the sets learnt from, each once, in a fixed order."""
    found = dict.fromkeys(own for own, _ in shown)
    for name in ("squad-train-para", "squadshifts-new-wiki", "squadshifts-reddit", "policyqa", "medquad", "qasper-ni", "selqa"):
        rows = (row["b"] for row in read_train(data, name) if row["y"] == 1 and 200 <= len(row["b"]))
        for passage in list(dict.fromkeys(rows))[:PASSAGES_MAX]:
            found.setdefault(passage)
    return list(found)


def span_in_tokens(encoding, start: int, end: int) -> tuple[int, int]:
    """First and last token of a span in characters."""
    first = encoding.char_to_token(start)
    last = encoding.char_to_token(end - 1)
    if first is None or last is None or last >= TOKENS_MAX:
        return UNKNOWN, UNKNOWN
    return first, last


def write(rows: Rows, work: Path) -> None:
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = list(rows.texts)
    spans: dict[int, list[int]] = {}
    table = np.array(rows.rows, dtype=np.int64)
    for number, row in enumerate(rows.rows):
        if row[7] != UNKNOWN:
            spans.setdefault(row[3], []).append(number)
    tokens, offsets = [], [0]
    for at in range(0, len(texts), 4096):
        for key, encoding in enumerate(tokenizer.encode_batch(texts[at : at + 4096], add_special_tokens=False), at):
            tokens.append(np.array(encoding.ids[:TOKENS_MAX], dtype=np.uint16))
            offsets.append(offsets[-1] + len(tokens[-1]))
            for number in spans.get(key, []):
                table[number, 7:9] = span_in_tokens(encoding, *table[number, 7:9])
    fields = ("group", "task", "a", "b", "y", "relevant", "sub", "start", "end", "soft", "fold", "pair")
    small = {name: table[:, at].astype(np.int32) for at, name in enumerate(fields)}
    np.savez(work / "rows.npz", tokens=np.concatenate(tokens), offsets=np.array(offsets, dtype=np.int64), **small)
    (work / "rows.json").write_text(json.dumps({"groups": list(rows.groups)}))
    with lzma.open(work / "texts.jsonl.xz", "wt", preset=3, encoding="utf-8") as out:
        out.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)
    counts = np.bincount(table[:, 0], minlength=len(rows.groups))
    for name, count in zip(rows.groups, counts):
        print(f"{count:8d} {name}")
    print(f"{len(rows.rows):8d} rows, {len(texts)} texts, {offsets[-1]} tokens")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    rng = random.Random(20_26)
    rows, shown = Rows(), []
    add_train_sets(rows, args.data, rng)
    add_question_sets(rows, args.data, rng)
    add_claim_sets(rows, args.data)
    add_retrieved(rows, args.work, shown, rng)
    passages = passages_to_alter(args.data, shown)
    pool = Pool.from_passages(passages)
    add_altered_questions(rows, args.data, pool, rng)
    add_altered_sentences(rows, passages, pool, shown, rng)
    add_same_title(rows, args.work, rng)
    show = lambda title, text: clip(titled(title, text, rng)[0])[0]
    taught.add_forms(rows, args.data, pool, rng, show)
    taught.add_found(rows, args.work, rng, show)
    taught.add_written(rows, args.data)
    # Later additions come last and draw their own numbers, so that labels of the rows before them stay theirs.
    taught.add_more_found(rows, args.work, lambda title, text: clip(f"{title}: {text}" if title else text)[0])
    taught.add_more_claims(rows, args.work, pool)
    taught.add_voices(rows, passages)
    taught.add_stitched(rows, passages)
    later.add_all(rows, args.data, args.work)
    write(rows, args.work)


if __name__ == "__main__":
    main()
