#!/usr/bin/env python3
"""Asks every example of the documents that the sample profiles follow, and prints the table of docs/examples.md.

Usage: scripts/examples.py BINARY [--write | --check] [--section NAME] [--replies FILE]

  --write          writes docs/examples.md instead of printing it
  --check          compares with docs/examples.md and prints the difference
  --section NAME   takes the rows of one document only, such as `support`
  --replies FILE   writes every reply there as JSON Lines

The rows are in docs/examples.jsonl. A row is judged as it says there only where all its checks hold; where one does not, the row says
"differs" and what came. The exit code is 1 where a check fails, or where `--check` finds a difference.

A row may have
  asks      questions to a running server: `query`, and if need be `at` (another place than the row's document), `as` (whose key),
            `body` (other fields of the request), `to` (another path) or `get` (a path to read), `name`, `again` (not to take the
            reply to the same question of another row), `same` (paths that are as in the row's first reply), `record` (checks of its
            entry in the trail); `holds` are checks of the reply
  looks     anything else: `file` with `tells`; `help` of a command with `tells`; `json` (a file) or `run` (a command, on the filled
            data folder, before the server starts or `after` it has ended) with `holds`; `golden` (a profile) with `holds` of its
            counts; `metrics` with `tells`
  evidence  tests as `file::name`, decisions and files; each must exist
A line with `place` is a corpus of a few documents under a profile's settings, for what no sample has.

Checks are `{path: wanted}`. A path walks a reply: `confidence.overall`, `sources[].title`, `trace.gates[name=top1].reading`,
`citations.count`. `wanted` is a value, or an object of `tells`, `lacks`, `has`, `from`, `to`, `above`, `below`, `starts`, `one_of`,
`is_set`. `{path}` or `{name:path}` in the words of a row is filled from its replies, `{path|2}` with two digits, `{path|%}` as a
percentage.
"""

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The scripts' folder is no place for compiled files.
sys.dont_write_bytecode = True

from examples_checks import Missing, faults_of, filled, pick
from examples_place import COMMAND_SECONDS, ROOT, Place

ROWS = ROOT / "docs/examples.jsonl"
TABLE = ROOT / "docs/examples.md"
PROFILES = ["architecture", "handbook", "lectures", "book", "support"]
JUDGEMENTS = ["as the document", "decided otherwise", "differs", "not covered"]


class Tree:
    """What the repository holds: sources, decisions, files."""

    def __init__(self):
        self.tests = {}
        for path in (ROOT / "crates").rglob("*.rs"):
            names = {path.stem, path.parent.name}
            for name in re.findall(r"fn (\w+)\(", path.read_text(encoding="utf-8")):
                self.tests.setdefault(name, set()).update(names)
        self.decisions = {path.name[:4] for path in (ROOT / "docs/decisions").iterdir()}

    def faults_and_count(self, evidence):
        """What the evidence names and does not exist, and how many things it names."""
        faults, count = [], 0
        for file, test in re.findall(r"`(\w+)::(\w+)`", evidence):
            count += 1
            if file not in self.tests.get(test, ()):
                faults.append(f"there is no test `{file}::{test}`")
        for numbers in re.findall(r"decisions? ((?:\d{4}(?:, | and )?)+)", evidence):
            for number in re.findall(r"\d{4}", numbers):
                count += 1
                if number not in self.decisions:
                    faults.append(f"there is no decision {number}")
        for path in re.findall(r"(?:crates|deploy|docs|profiles|scripts|\.github)/[\w./-]*\w", evidence):
            count += 1
            if not (ROOT / path).exists():
                faults.append(f"there is no {path}")
        return faults, count


class Table:
    """The rows, what came of them, and the page that tells it."""

    def __init__(self, binary, section):
        self.binary = binary
        self.documents = []
        self.places = {profile: {"place": profile, "profile": profile} for profile in PROFILES}
        self.tree = Tree()
        self.replies = []
        self.read(section)

    def read(self, section):
        for number, line in enumerate(ROWS.read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            if "place" in row:
                self.places[row["place"]] = row
                continue
            if "document" in row:
                self.documents.append({**row, "rows": []})
                continue
            if row["judgement"] not in JUDGEMENTS:
                raise SystemExit(f"{ROWS.name}:{number}: unknown judgement {row['judgement']!r}")
            row.update(number=number, faults=[], came={})
            self.documents[-1]["rows"].append(row)
        if section:
            self.documents = [one for one in self.documents if one["document"] == section]

    def rows(self):
        return [(document, row) for document in self.documents for row in document["rows"]]

    def run(self):
        for _, row in self.rows():
            self.look_at_the_tree(row)
        for name, place in self.places.items():
            asked = [
                (document, row, one) for document, row in self.rows() for one in row.get("asks", []) + row.get("looks", [])
                if self.place_of(document, one) == name and not {"file", "json", "golden", "help"} & one.keys()
            ]
            if asked:
                self.run_place(place, asked)
        for _, row in self.rows():
            row["words"] = self.words_of(row)

    def run_place(self, declared, asked):
        folder = Path(tempfile.mkdtemp(prefix="vouch-examples-"))
        place = None
        try:
            place = Place(self.binary, declared, folder)
            self.run_commands(place, [(row, one) for _, row, one in asked if "run" in one and not one.get("after")])
            place.start()
            for _, row, ask in asked:
                if "run" in ask or "metrics" in ask:
                    continue
                try:
                    reply = place.ask(ask, row["came"])
                except (Missing, KeyError) as error:
                    row["faults"].append(f"\"{ask.get('query', '')}\": cannot be asked, {error} is missing in the replies before")
                    continue
                self.replies.append({"place": place.name, "ids": row["ids"], "ask": ask, "reply": reply})
                self.take(row, ask, reply, f"\"{ask['query']}\": " if "query" in ask else f"`{ask.get('get', ask.get('to'))}`: ")
                for path in ask.get("same", []):
                    before = pick(next(iter(row["came"].values())), path)
                    row["faults"] += faults_of(reply, {path: before}, f"\"{ask['query']}\", asked again: ")
                if "record" in ask:
                    row["faults"] += faults_of(reply["recorded"], ask["record"], f"\"{ask['query']}\", in the trail: ")
            for _, row, look in asked:
                if "metrics" in look:
                    text = place.get("/metrics", place.keys["monitor"]).get("text", "")
                    row["faults"] += faults_of({"/metrics": text}, {"/metrics": {"tells": look["metrics"]}}, "")
            place.stop()
            self.run_commands(place, [(row, one) for _, row, one in asked if "run" in one and one.get("after")])
        finally:
            if place:
                place.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def run_commands(self, place, looks):
        for row, look in looks:
            self.take(row, look, place.look(look["run"]), f"`vouch {' '.join(look['run'][:2])}`: ")

    @staticmethod
    def take(row, one, came, about):
        row["came"][one.get("name", f"_{len(row['came'])}")] = came
        row["faults"] += faults_of(came, one.get("holds", {}), about)

    @staticmethod
    def place_of(document, one):
        return one.get("at", document["document"])

    def look_at_the_tree(self, row):
        faults, count = self.tree.faults_and_count(row["evidence"])
        row["faults"] += faults
        for look in row.get("looks", []):
            if "file" in look:
                text = (ROOT / look["file"]).read_text(encoding="utf-8")
                absent = [words for words in look["tells"] if words not in text]
                row["faults"] += [f"{look['file']} does not have `{words}`" for words in absent]
            elif "json" in look:
                self.take(row, look, json.loads((ROOT / look["json"]).read_text(encoding="utf-8")), f"{look['json']}: ")
            elif "golden" in look:
                self.take(row, look, golden_counts(look["golden"]), f"the golden set of {look['golden']}: ")
            elif "help" in look:
                words = [self.binary, *look["help"].split(), "--help"]
                text = subprocess.run(words, text=True, capture_output=True, timeout=COMMAND_SECONDS, check=False).stdout
                absent = [word for word in look["tells"] if word not in text]
                row["faults"] += [f"`vouch {look['help']} --help` does not name `{word}`" for word in absent]
        if not count and not row.get("asks") and not row.get("looks"):
            row["faults"].append("nothing is checked")

    def words_of(self, row):
        if row["faults"]:
            return "; ".join(row["faults"])
        try:
            return filled(row["vouch"], row["came"])
        except (Missing, KeyError, StopIteration, TypeError) as error:
            row["faults"].append(f"its words name {error}, which is in no reply")
            return row["faults"][0]

    def page(self):
        lines = [
            "# The examples of the five documents", "",
            "Every example question, test, figure and format of the documents that the sample profiles follow, and what Vouch does. "
            "Examples that are handled alike share a row. `scripts/examples.py` makes this page out of `docs/examples.jsonl`: it fills "
            "a data folder from each sample profile, asks over HTTP with `explain` and without a writing model, and compares what comes "
            "with what must hold. Settings, reports, commands and figures are looked up, and every test that a row names by its file "
            "and its name must exist; whether it passes is for `.ci/run` to say. \"Differs\" is what Vouch does otherwise "
            "than the document without having decided so, wrong answers among it.", "",
            self.counts(), "",
            "| document | " + " | ".join(JUDGEMENTS) + " |",
            "|---" * (len(JUDGEMENTS) + 1) + "|",
        ]
        for document in self.documents:
            sums = self.sums(document)
            lines.append(f"| {document['title']} (`{document['document']}`) | " + " | ".join(str(sums[one]) for one in JUDGEMENTS) + " |")
        for document in self.documents:
            lines += ["", f"## {document['title']} (`{document['document']}`)", "",
                      "| id | the document expects | Vouch | | evidence |", "|---|---|---|---|---|"]
            lines += [self.line(document, row) for row in document["rows"]]
        return "\n".join(lines) + "\n"

    def counts(self):
        rows = [row for _, row in self.rows()]
        asked = [row for row in rows if row.get("asks")]
        looked = [row for row in rows if row.get("looks") and not row.get("asks")]
        questions = sum("query" in ask for row in asked for ask in row["asks"])
        others = len(rows) - len(asked) - len(looked)
        return (f"{len(rows)} rows: {len(asked)} ask a running server ({questions} questions), {len(looked)} look up settings, reports, "
                f"commands or figures, and {others} rest on the tests, decisions and files that they name. The sums count examples.")

    def asked_of(self, document, row):
        """Where the row was asked, and what else was run for it, in words."""
        places = dict.fromkeys(self.place_of(document, ask) for ask in row.get("asks", []))
        looks = row.get("looks", [])
        commands = dict.fromkeys(f"`vouch {' '.join(look['run'][:2])}`" for look in looks if "run" in look)
        words = [f"asked of {', '.join(map(self.place_in_words, places))}"] if places else []
        words += [f"ran {', '.join(commands)}"] if commands else []
        return words + (["seen in `/metrics`"] if any("metrics" in look for look in looks) else [])

    def place_in_words(self, name):
        place = self.places[name]
        return f"a small corpus under `{place['profile']}`" if "documents" in place else f"`{name}`"

    @staticmethod
    def judgement(row):
        return "differs" if row["faults"] else row["judgement"]

    def sums(self, document):
        sums = dict.fromkeys(JUDGEMENTS, 0)
        for row in document["rows"]:
            sums[self.judgement(row)] += len(row["ids"])
        return sums

    def line(self, document, row):
        judgement = self.judgement(row)
        evidence = [*self.asked_of(document, row), row["evidence"]]
        cells = [", ".join(row["ids"]), row["expects"], row["words"],
                 judgement if judgement == JUDGEMENTS[0] else f"**{judgement}**", "; ".join(filter(None, evidence))]
        return "| " + " | ".join(re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in cells) + " |"


def golden_counts(profile):
    """How many questions a profile's golden set has, in all and by category."""
    rows = [json.loads(line) for line in (ROOT / "profiles" / profile / "golden.jsonl").read_text(encoding="utf-8").splitlines()]
    categories = {}
    for row in rows:
        categories[row["category"]] = categories.get(row["category"], 0) + 1
    return {"count": len(rows), "categories": categories}


def main():
    parser = argparse.ArgumentParser(description="Asks every example of the documents and prints docs/examples.md.")
    parser.add_argument("binary")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    parser.add_argument("--section")
    parser.add_argument("--replies")
    options = parser.parse_args()
    if not Path(options.binary).is_file():
        parser.error(f"there is no program {options.binary}; build one with `cargo build -p vouch`")
    if options.section and (options.write or options.check):
        parser.error("--section prints a part of the page, which can be neither written nor compared")
    table = Table(str(Path(options.binary).resolve()), options.section)
    table.run()
    page = table.page()
    if options.replies:
        Path(options.replies).write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in table.replies), encoding="utf-8")
    is_other = False
    if options.write:
        TABLE.write_text(page, encoding="utf-8")
    elif options.check:
        before = TABLE.read_text(encoding="utf-8")
        is_other = before != page
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), page.splitlines(True), str(TABLE.name), "now"))
    else:
        sys.stdout.write(page)
    failed = [row for _, row in table.rows() if row["faults"]]
    for row in failed:
        print(f"{ROWS.name}:{row['number']}: {row['ids'][0]}: {'; '.join(row['faults'])}", file=sys.stderr)
    return 1 if failed or is_other else 0


if __name__ == "__main__":
    sys.exit(main())
