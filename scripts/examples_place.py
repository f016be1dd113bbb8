"""A data folder filled from a sample profile, and the server that questions are asked of."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from examples_checks import filled

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 120
REPLY_SECONDS = 120
COMMAND_SECONDS = 900
LINES_OF_A_SHORT_SET = 12


def environment():
    """The variables of this process without those that change settings or name a model."""
    of_settings = ("VOUCH_", "RAG_", "OLLAMA_", "CHAT_MODEL")
    return {key: value for key, value in os.environ.items() if not key.startswith(of_settings)}


class Place:
    """A data folder filled from a sample profile, and the server on it."""

    def __init__(self, binary, place, folder):
        self.binary, self.name = binary, place["place"]
        self.source = ROOT / "profiles" / place["profile"]
        self.store = folder / "data"
        self.folder = folder
        self.settings = self.source / "vouch.yaml"
        self.keys = {}
        self.looked = {}
        self.replies = {}
        self.server = None
        self.log = None
        if "documents" in place:
            self.fill_small(place)
        else:
            self.fill()

    def vouch(self, *words, data=True):
        """Runs a command on the data folder; its exit code and what it printed."""
        options = ["--data", str(self.store)] if data else []
        ran = subprocess.run(
            [self.binary, *words, *options], cwd=self.folder, text=True, capture_output=True, timeout=COMMAND_SECONDS,
            env=environment(), check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def must(self, *words):
        code, out, err = self.vouch(*words)
        if code:
            raise SystemExit(f"vouch {' '.join(words)} ended with {code}: {err or out}")
        return out

    def with_settings(self, *words):
        return [*words, "--config", str(self.settings)]

    def fill_small(self, place):
        """Takes the documents of the row file in, under the profile's settings with some words replaced."""
        settings = self.settings.read_text(encoding="utf-8")
        for before, after in place.get("replaced", []):
            if before not in settings:
                raise SystemExit(f"{self.settings} does not have {before!r}")
            settings = settings.replace(before, after)
        self.settings = self.folder / "vouch.yaml"
        self.settings.write_text(settings, encoding="utf-8")
        documents = self.folder / "documents"
        documents.mkdir()
        for name, text in place["documents"].items():
            (documents / name).write_text(text, encoding="utf-8")
        self.must(*self.with_settings("ingest", str(documents)))

    def fill(self):
        """Takes the profile's documents, people, vocabulary, memory and records in, as scripts/check_golden_sets.sh does."""
        people, corpus = self.source / "people.yaml", self.source / "corpus"
        is_one_tenant = not people.exists() or re.search(r"^  default:", people.read_text(), re.M)
        if is_one_tenant:
            self.must(*self.with_settings("ingest", str(corpus)))
        else:
            for tenant in sorted(path for path in corpus.iterdir() if path.is_dir()):
                self.must(*self.with_settings("ingest", str(tenant), "--tenant", tenant.name))
        if people.exists():
            self.must("user", "import", str(people))
        if (self.source / "vocabulary.ttl").exists():
            self.must(*self.with_settings("vocab", "import", str(self.source / "vocabulary.ttl")))
        if (self.source / "memory.yaml").exists():
            self.must(*self.with_settings("memory", "import", str(self.source / "memory.yaml")))
        records = self.source / "billing.sql"
        if records.exists():
            with sqlite3.connect(self.store / "billing.db") as database:
                database.executescript(records.read_text())
            database.close()
        lines = [line for line in (self.source / "golden.jsonl").read_text().splitlines() if '"split": "test"' in line]
        (self.folder / "short.jsonl").write_text("\n".join(lines[:LINES_OF_A_SHORT_SET]) + "\n")
        (self.folder / "strict.yaml").write_text("default: { distance_threshold: 0.10, min_query_coverage: 0.90 }\n")

    def look(self, words):
        """Runs the command of a row, once for all rows that have it: its exit code, what it printed, and the reports in the folder."""
        if tuple(words) in self.looked:
            return self.looked[tuple(words)]
        names = {"profile": str(self.source), "folder": str(self.folder)}
        code, out, err = self.vouch(*[re.sub(r"\{(profile|folder)\}", lambda match: names[match.group(1)], word) for word in words])
        came = {"code": code, "out": out, "err": err}
        for path in self.folder.glob("*.json"):
            came[path.stem] = json.loads(path.read_text())
        self.looked[tuple(words)] = came
        return came

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.key("admin", ["--role", "admin"])
        self.key("monitor", ["--role", "monitor"])
        self.log = open(self.folder / "serve.log", "w", encoding="utf-8")
        words = self.with_settings("serve", "--listen", f"127.0.0.1:{port}", "--data", str(self.store), "--log", "json")
        self.server = subprocess.Popen(
            [self.binary, *words], cwd=self.folder, stderr=self.log, stdout=self.log, env=environment())
        until = time.monotonic() + READY_SECONDS
        while self.get("/readyz", None)["http_status"] != 200:
            if time.monotonic() > until or self.server.poll() is not None:
                raise SystemExit(f"the server of {self.name} did not come up: {(self.folder / 'serve.log').read_text()[-2000:]}")
            time.sleep(0.2)

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=READY_SECONDS)
            self.server = None
            self.log.close()

    def key(self, name, options):
        """The key of a caller, made when it is first asked for."""
        if name not in self.keys:
            self.keys[name] = json.loads(self.must("key", "add", name.replace("/", "-"), *options, "--json"))["secret"]
        return self.keys[name]

    def caller(self, whom):
        """`admin`, `monitor`, `USER`, `TENANT/USER` or `TENANT/` for all of a tenant → a key."""
        if whom in self.keys:
            return self.keys[whom]
        tenant, _, user = whom.rpartition("/")
        options = ["--tenant", tenant or "default"] + (["--user", user] if user else ["--role", "admin"])
        return self.key(whom, options)

    def get(self, path, secret):
        return self.send(urllib.request.Request(self.url + path), secret)

    def post(self, path, body, secret):
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        return self.send(request, secret)

    def send(self, request, secret):
        if secret:
            request.add_header("Authorization", f"Bearer {secret}")
        try:
            with urllib.request.urlopen(request, timeout=REPLY_SECONDS) as came:
                return self.read(came.status, came.read())
        except urllib.error.HTTPError as error:
            return self.read(error.code, error.read())
        except urllib.error.URLError:
            return {"http_status": None}

    @staticmethod
    def read(status, body):
        text = body.decode()
        try:
            reply = json.loads(text)
        except ValueError:
            reply = {"text": text}
        return {**reply, "http_status": status} if isinstance(reply, dict) else {"list": reply, "http_status": status}

    def ask(self, ask, replies):
        """The reply to a question of a row. What another row has asked in the same words is not asked again unless the row says so."""
        asked = json.dumps([ask.get(key) for key in ("query", "as", "body", "to", "get")])
        if asked not in self.replies or ask.get("again") or "session_id" in ask.get("body", {}):
            self.replies[asked] = self.ask_anew(ask, replies)
        reply = self.replies[asked]
        if "record" in ask and "recorded" not in reply:
            tenant = ask.get("as", "").rpartition("/")[0]
            admin = self.caller(f"{tenant}/") if tenant else self.keys["admin"]
            reply["recorded"] = self.get(f"/v1/audit/{reply['request_id']}", admin)
        return reply

    def ask_anew(self, ask, replies):
        secret = self.caller(ask.get("as", "admin"))
        if "get" in ask:
            return self.get(ask["get"], secret)
        body = {"query": ask["query"], "explain": True} if "query" in ask else {}
        for key, value in ask.get("body", {}).items():
            body[key] = filled(value, replies) if isinstance(value, str) else value
        return self.post(ask.get("to", "/v1/ask"), body, secret)
