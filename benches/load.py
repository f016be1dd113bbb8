#!/usr/bin/env python3
"""Whether a busy machine changes a decision: the same questions over HTTP alone, with eight clients, beside four busy loops, and both.

    benches/load.py --binary target/release/vouch --data DIR [--questions 200]

DIR holds one folder per corpus, each with `documents` and `questions.jsonl` ({"query": ...} a line). For every way it prints how many
replies are the same as alone, how many say that a deadline cut them, how many differ unmarked, and the times. The stores are made in a
temporary folder. Python's own library is enough.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def questions(corpora, wanted):
    """As many of each corpus, without those that need a conversation."""
    asked = []
    share = -(-wanted // len(corpora))
    for corpus in corpora:
        lines = (json.loads(line) for line in (corpus / "questions.jsonl").read_text().splitlines())
        own = [(corpus.name, line["query"]) for line in lines if not line.get("history")]
        asked += own[:share]
    return asked[:wanted]


def start(binary, stores):
    servers, ports = [], {}
    for name, store in stores.items():
        ports[name] = free_port()
        command = [binary, "serve", "--listen", f"127.0.0.1:{ports[name]}", "--data", store]
        servers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    for port in ports.values():
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
    return servers, ports


def ask(port, query):
    body = json.dumps({"query": query}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/ask", data=body, headers={"content-type": "application/json"})
    begun = time.perf_counter()
    try:
        reply = json.load(urllib.request.urlopen(request, timeout=120))
        decision, is_cut = (reply["outcome"], reply["answer"]), "not_read_in_time" in json.dumps(reply)
    except OSError as error:
        decision, is_cut = ("error", str(error)), False
    return decision, is_cut, time.perf_counter() - begun


def run(binary, stores, asked, clients, loops):
    servers, ports = start(binary, stores)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        with ThreadPoolExecutor(clients) as pool:
            return list(pool.map(lambda one: ask(ports[one[0]], one[1]), asked))
    finally:
        for process in servers + busy:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    corpora = sorted(path.parent for path in args.data.glob("*/questions.jsonl") if (path.parent / "documents").is_dir())
    if not corpora:
        sys.exit(f"no folder in {args.data} has both documents and questions.jsonl")
    asked = questions(corpora, args.questions)
    with tempfile.TemporaryDirectory() as folder:
        stores = {corpus.name: f"{folder}/{corpus.name}" for corpus in corpora}
        for corpus in corpora:
            command = [args.binary, "ingest", str(corpus / "documents"), "--data", stores[corpus.name]]
            subprocess.run(command, capture_output=True, check=False)
        alone = None
        for name, clients, loops in [("alone", 1, 0), ("8 clients", 8, 0), ("4 busy loops", 1, 4), ("both", 8, 4)]:
            told = run(args.binary, stores, asked, clients, loops)
            alone = alone or told
            same = sum(one[0] == other[0] for one, other in zip(alone, told))
            cut = sum(one[1] for one in told)
            unmarked = sum(one[0] != other[0] and not other[1] for one, other in zip(alone, told))
            times = sorted(one[2] for one in told)
            p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
            print(f"{name:12} {len(told)} asked, {same} the same, {cut} cut, {unmarked} differ unmarked, p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
