#!/usr/bin/env python3
"""A client of `vouch serve`: asks a question and prints every verified sentence as it comes.

    python3 crates/app/examples/client.py                                  starts a server over two short documents
    python3 crates/app/examples/client.py --url http://127.0.0.1:8080 "When is leave paid out?"

With --url it asks a server that runs already; VOUCH_KEY is the key, where the server wants one. Only the standard library
is needed. Without --url the server is built with cargo, or is the binary that --vouch names.
"""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
QUESTION = "How long does a crossing with the ferry take?"
TIMEOUT_S = 60


def events(url, question):
    """The events of one answer, in order, each a dictionary whose `event` is its name."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if "VOUCH_KEY" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["VOUCH_KEY"]
    body = json.dumps({"query": question}).encode()
    request = urllib.request.Request(url + "/v1/ask/stream", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
        for line in response:
            if line.startswith(b"data:"):
                yield json.loads(line[len(b"data:"):])


def ask(url, question):
    """Prints an answer as it comes; says whether there was one."""
    print(question)
    for event in events(url, question):
        # What has been told is verified and never taken back, so it can be printed at once.
        if event["event"] == "sentence":
            print(event["text"].strip(), flush=True)
        elif event["event"] == "citation":
            cited = event["citation"]
            print(f"    [^{cited['marker']}] {cited['document_name']} ({cited['source_id']}): {cited['snippet']}")
        elif event["event"] == "error":
            print(f"failed ({event['code']}): {event['message']}")
            return False
        elif event["event"] == "done":
            reply = event["reply"]
            if reply["refused"]:
                print(f"refused ({reply['refusal_reason']}): {reply['answer']}")
            return not reply["refused"]
    print("failed: the stream ended before the reply")
    return False


@contextlib.contextmanager
def own_server(vouch):
    """A server over the examples' documents; ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        data = ["--data", os.path.join(folder, "store")]
        subprocess.run([*vouch, "ingest", str(HERE / "documents"), *data], check=True, stdout=subprocess.DEVNULL)
        serve = [*vouch, "serve", "--listen", "127.0.0.1:0", *data]
        server = subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            for line in server.stderr:
                if "http://" in line:
                    yield "http://" + line.split("http://")[1].split(",")[0].strip()
                    return
            raise SystemExit("the server ended before it listened")
        finally:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--url", help="a server that runs already")
    parser.add_argument("--vouch", help="the binary that serves where no --url is given [default: cargo run]")
    given = parser.parse_args()
    manifest = str(HERE.parent / "Cargo.toml")
    vouch = [given.vouch] if given.vouch else ["cargo", "run", "--quiet", "--manifest-path", manifest, "--"]
    try:
        with contextlib.nullcontext(given.url.rstrip("/")) if given.url else own_server(vouch) as url:
            return 0 if ask(url, given.question) else 1
    except urllib.error.HTTPError as error:
        # What went wrong has a stable code and a sentence.
        problem = json.loads(error.read())
        print(f"failed ({problem['code']}): {problem['detail']}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"cannot reach the server: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
