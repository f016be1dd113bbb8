"""How others fare beside two claims made to be slow.

Starts `vouch serve` over a small folder of its own, on loopback, and measures /healthz and /v1/ask first alone and then
beside two clients that post slow claims of 225 kB to /v1/check again and again.

    python3 benches/check_load.py target/release/vouch
"""

import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

BYTES = 225_000
SECONDS = 20
DEADLINE = 60


def slow_bodies():
    stops = "a" + '."' * (BYTES // 2)
    words = "".join(f"of Zq{n:06} " for n in range(BYTES // 11))
    figures = "".join(f"{n:06} km " for n in range(BYTES // 10))
    sentences = "The mast is not high. " * (BYTES // 22)
    quoted = "It is 7 km, 8.5 km, 9 kg and 12 % long, \"as it was said here\"."
    return {
        "stops in the claim": (stops, "The mast is high."),
        "stops in the evidence": ("Mira Holt built it in 1931.", stops),
        "names": (words[:7_900].replace("Zq0", "Zx0"), words),
        "equal sentences": (sentences[:7_000] + "The lamp is high.", sentences),
        "figures": (quoted, figures),
    }


def call(port, method, path, body=None, timeout=DEADLINE):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    began = time.monotonic()
    try:
        connection.request(method, path, body, {"content-type": "application/json"} if body else {})
        response = connection.getresponse()
        response.read()
        return response.status, time.monotonic() - began
    finally:
        connection.close()


def quantile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] * 1e3


def others(port, until):
    """Times of /healthz and of /v1/ask until a moment."""
    health, asks = [], []

    def ask():
        number = 0
        while not until():
            number += 1
            body = json.dumps({"query": f"How many days of paid annual leave do staff have in year {number}?"})
            asks.append(call(port, "POST", "/v1/ask", body)[1])

    asker = threading.Thread(target=ask)
    asker.start()
    while not until():
        status, took = call(port, "GET", "/healthz")
        assert status == 200, status
        health.append(took)
        time.sleep(0.005)
    asker.join()
    return health, asks


def told(name, health, asks, slow=()):
    text = f"{name:<24} /healthz p50 {quantile(health, .5):7.1f} p99 {quantile(health, .99):7.1f} ms   "
    text += f"/v1/ask p50 {quantile(asks, .5):7.1f} p95 {quantile(asks, .95):7.1f} ms"
    if slow:
        text += f"   slow claims: {len(slow)}, p50 {quantile(slow, .5):8.1f} max {max(slow) * 1e3:8.1f} ms"
    print(text, flush=True)


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        docs = pathlib.Path(folder, "docs")
        docs.mkdir()
        text = "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over.\n"
        (docs / "leave.md").write_text(text)
        subprocess.run([binary, "ingest", "docs"], cwd=folder, check=True, capture_output=True)
        serve = [binary, "serve", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(serve, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            line = next(line for line in server.stderr if "Listening on http://" in line)
            threading.Thread(target=lambda: [None for _ in server.stderr], daemon=True).start()
            port = int(line.split("http://")[1].split(",")[0].strip().rsplit(":", 1)[1])
            call(port, "POST", "/v1/ask", json.dumps({"query": "How many days of leave do staff have?"}))
            end = time.monotonic() + seconds
            told("alone", *others(port, lambda: time.monotonic() > end))
            for name, (claim, evidence) in slow_bodies().items():
                body = json.dumps({"claim": claim, "evidence": [evidence]})
                end = time.monotonic() + seconds
                slow = []

                def post():
                    while time.monotonic() < end:
                        slow.append(call(port, "POST", "/v1/check", body)[1])

                posters = [threading.Thread(target=post) for _ in range(2)]
                for poster in posters:
                    poster.start()
                figures = others(port, lambda: time.monotonic() > end)
                for poster in posters:
                    poster.join()
                told(name, *figures, slow)
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
