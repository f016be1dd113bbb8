"""Planted contradictions and the pairs that `vouch-bench contradictions --pairs` wrote of them -> the weights of verdict.rs.

    python contradictions.py --planted planted.jsonl --pairs pairs.jsonl [--pairs alarms.jsonl]

A pair is a contradiction where it joins a planted sentence with the sentence it was written against; every other pair is taken
for none, save those of a planted sentence with other sentences of the same document, which are left out. Prints the weights, and
how many of the planted sentences five-fold cross-validation finds at each rate of alarms.
"""

import argparse
import collections
import hashlib
import json
import re

import numpy as np

SAME = 0.6
STRENGTH = 3.0
FOLDS = 5


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def label(pair, planted):
    """1, 0, or None where it cannot be said; and what the pair belongs to."""
    sides = list(zip(pair["documents"], pair["sentences"]))
    own = [side for side in sides if side[0] in planted]
    if not own:
        return 0, min(pair["documents"])
    if len(own) == 2:
        return None, ""
    (name, sentence), (document, said) = own[0], next(side for side in sides if side[0] not in planted)
    one = planted[name]
    if not one["contradiction"]:
        return 0, name
    is_meant = document == one["document"]
    if sentence.split() != one["sentence"].split():
        return (None if is_meant else 0), name
    original, said = words(one["original"]), words(said)
    share = len(original & said) / max(1, min(len(original), len(said)))
    if is_meant:
        return (1 if share >= SAME else None), name
    return (1 if share >= 0.9 else 0 if share < 0.5 else None), name


def fit(rows, truth):
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    weights = np.zeros(scaled.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chance - truth) + STRENGTH * np.r_[weights[:-1], 0]
        bend = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + STRENGTH * np.eye(len(weights))
        weights = weights - np.linalg.solve(bend, slope)
    own = weights[:-1] / spread
    return own, weights[-1] - (mean * own).sum()


def log_odds(chance):
    chance = min(max(chance, 1e-4), 1 - 1e-4)
    return float(np.log(chance / (1 - chance)))


def folds(pairs):
    return np.array([int(hashlib.md5(pair["of"].encode()).hexdigest(), 16) % FOLDS for pair in pairs])


def report(pairs, rows, truth, planted):
    scores, part = np.zeros(len(truth)), folds(pairs)
    for fold in range(FOLDS):
        weights, bias = fit(rows[part != fold], truth[part != fold])
        scores[part == fold] = rows[part == fold] @ weights + bias
    for least in (1.0, 0.5, 0.0, -0.2, -0.5, -1.0):
        told = [(pair, true) for pair, true, score in zip(pairs, truth, scores) if score >= least]
        found = collections.Counter(planted[of]["kind"] for of in {pair["of"] for pair, true in told if true})
        near = {pair["of"] for pair, true in told if not true and pair["of"] in planted}
        near = {of for of in near if not planted[of]["contradiction"]}
        alarms = sum(not true and pair["of"] not in planted for pair, true in told)
        print(f"from {least}: found {dict(found)}, near misses flagged {len(near)}, alarms {alarms}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planted", required=True)
    parser.add_argument("--pairs", required=True, action="append")
    args = parser.parse_args()
    with open(args.planted) as lines:
        planted = {f"planted-{one['id']}": one for one in map(json.loads, lines)}
    pairs, seen = [], set()
    for path in args.pairs:
        with open(path) as lines:
            for pair in map(json.loads, lines):
                key = tuple(sorted(zip(pair["documents"], pair["sentences"])))
                pair["y"], pair["of"] = label(pair, planted)
                if pair["y"] is not None and key not in seen:
                    seen.add(key)
                    pairs.append(pair)
    names = sorted(pairs[0]["figures"])
    rows = np.array([[pair["figures"][name] for name in names] for pair in pairs])
    truth = np.array([pair["y"] for pair in pairs], float)
    print("by words:")
    report(pairs, rows, truth, planted)
    weights, bias = fit(rows, truth)
    print(json.dumps({"bias": bias, **dict(zip(names, weights))}, indent=1))
    read = [at for at, pair in enumerate(pairs) if pair["supported"]]
    pairs, truth = [pairs[at] for at in read], truth[read]
    readings = np.array([sorted(map(log_odds, pair["supported"])) for pair in pairs])
    rows = np.c_[rows[read], readings]
    print("read by the judge:")
    report(pairs, rows, truth, planted)
    weights, bias = fit(rows, truth)
    print(json.dumps({"bias": bias, **dict(zip(names + ["lesser", "greater"], weights))}, indent=1))


if __name__ == "__main__":
    main()
