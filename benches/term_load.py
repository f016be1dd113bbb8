"""How sixty look-ups of unknown terms at once fare against a large vocabulary, and others beside them.

Makes a vocabulary of 200,000 concepts with two labels each by seed, imports it, starts `vouch serve` on loopback and asks
for sixty terms that nobody defines, on a server that has just started and once more with other terms.

    python3 benches/term_load.py target/release/vouch
"""

import http.client
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

CONCEPTS = 200_000
AT_ONCE = 60
DEADLINE = 120
SKOS = "http://www.w3.org/2004/02/skos/core#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def word(draw, syllables):
    return "".join(draw.choice("bcdfghjklmnprstvwz") + draw.choice("aeiou") for _ in range(syllables))


def write_vocabulary(path):
    draw = random.Random(7)
    with path.open("w") as file:
        for number in range(CONCEPTS):
            concept = f"<http://terms.example/{number}>"
            first, second = (f"{word(draw, 3)} {word(draw, 2)}" for _ in range(2))
            file.write(f"{concept} <{TYPE}> <{SKOS}Concept> .\n")
            file.write(f'{concept} <{SKOS}prefLabel> "{first} {number}"@en .\n')
            file.write(f'{concept} <{SKOS}altLabel> "{second}"@en .\n')
            file.write(f'{concept} <{SKOS}definition> "Thing {number}."@en .\n')


def get(port, path):
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, (time.monotonic() - started) * 1e3


def round_of(port, draw):
    terms = [word(draw, 4) + "x" for _ in range(AT_ONCE)]
    answers = []
    threads = [threading.Thread(target=lambda term=term: answers.append(get(port, f"/v1/terms?term={term}"))) for term in terms]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    beside = [get(port, "/healthz")[1]]
    while any(thread.is_alive() for thread in threads):
        beside.append(get(port, "/healthz")[1])
        time.sleep(0.01)
    took = time.monotonic() - started
    times = sorted(ms for _, ms in answers)
    well = sum(status == 200 for status, _ in answers)
    print(f"{well} of {AT_ONCE} answered within {took:.2f} s, p50 {times[len(times) // 2]:.0f} ms, /healthz at most {max(beside):.0f} ms")


def main():
    binary, port = sys.argv[1], 18_437
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = pathlib.Path(folder) / "terms.nt"
        write_vocabulary(vocabulary)
        data = ["--data", str(pathlib.Path(folder) / "data")]
        subprocess.run([binary, "vocab", "import", str(vocabulary), *data], check=True, timeout=DEADLINE)
        server = subprocess.Popen([binary, "serve", "--listen", f"127.0.0.1:{port}", *data], stderr=subprocess.DEVNULL)
        try:
            for _ in range(DEADLINE * 10):
                try:
                    get(port, "/healthz")
                    break
                except OSError:
                    time.sleep(0.1)
            draw = random.Random(3)
            for _ in range(2):
                round_of(port, draw)
        finally:
            server.terminate()
            server.wait(timeout=DEADLINE)


main()
