"""The int8 judge on the rows kept for tuning → `calibration.json`, the figures that turn its logits into chances.

    python calibrate.py --work WORK --model ../models/judge/model.onnx --out ../models/judge/calibration.json
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

ANSWER, RANK, SUPPORT = 0, 1, 2
TOKENIZER = Path(__file__).parent.parent / "models" / "gte-small" / "tokenizer.json"
# What a question for yes or no begins with, and what may stand before it; `crates/models/src/judge/closed_question.rs` has the same.
OPENERS = (
    "am are aren can could couldn did didn do does doesn don had has hasn have haven is isn may might must shall should shouldn was wasn were weren"
    " will won would wouldn"
).split()
# "Can you tell me who …" asks for more than yes.
TELLING = "me us know say tell explain remember about".split()
QUESTION_WORDS = "who whom whose what which when where why how".split()
LEAD_INS = "and but or so then also".split()
CLS, SEP = 101, 102
LENGTH_MAX, QUESTION_MAX = 400, 120
ROWS_MAX = 6_000


class Int8Judge:
    """One pair at a time, as the product runs it."""

    def __init__(self, path: Path):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, first: np.ndarray, second: np.ndarray) -> list[float]:
        """Answerable, margin of the best span over none, relevant, supported, contradicted, silent: logits."""
        first = first[:QUESTION_MAX]
        second = second[: LENGTH_MAX - 3 - len(first)]
        ids = np.array([[CLS, *first, SEP, *second, SEP]], dtype=np.int64)
        types = np.array([[0] * (len(first) + 2) + [1] * (len(second) + 1)], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        answerable, relevant, support, span = self.session.run(["answerable", "relevant", "support", "span"], feed)
        inside = span[0, len(first) + 2 : -1]
        margin = inside.max(axis=0).sum() - span[0, 0].sum() if len(inside) else -20.0
        return [answerable[0, 0], margin, relevant[0, 0], *support[0]]


def closed_questions(questions: list[np.ndarray]) -> np.ndarray:
    """Which questions, in tokens, yes or no would answer."""
    number = Tokenizer.from_file(str(TOKENIZER)).token_to_id
    openers, lead_ins, telling, asking = ({number(word) for word in words} for words in (OPENERS, LEAD_INS, TELLING, QUESTION_WORDS))
    first = lambda tokens: next((token for token in tokens[:3] if token not in lead_ins), None)
    asks_to_tell = lambda tokens: any(a in telling and b in asking for a, b in zip(tokens[:8], tokens[1:8]))
    return np.array([first(tokens) in openers and not asks_to_tell(tokens) for tokens in questions])


def logistic(features: np.ndarray, labels: np.ndarray, ridge: float = 1e-3) -> np.ndarray:
    """Weights and bias by Newton's method; each class counts as much as the other."""
    x = np.c_[features, np.ones(len(features))]
    weight = np.where(labels == 1, 0.5 / max(1, (labels == 1).sum()), 0.5 / max(1, (labels == 0).sum()))
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (labels - p)) - ridge * beta
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(beta))
        step = np.linalg.solve(curve, gradient)
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    return beta


def temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature under which "supported or not" is likeliest."""
    best = (np.inf, 1.0)
    for t in np.arange(0.5, 6.0, 0.05):
        scaled = logits / t
        p = np.exp(scaled[:, 0]) / np.exp(scaled).sum(axis=1)
        p = np.clip(p, 1e-6, 1 - 1e-6)
        loss = -np.mean(np.where(labels == 1, np.log(p), np.log(1 - p)))
        best = min(best, (loss, float(t)))
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reads-headings", action="store_true", help="the weights have learnt to read headings")
    args = parser.parse_args()
    held = np.load(args.work / "rows.npz")
    rows = {name: held[name] for name in ("group", "task", "a", "b", "y", "relevant")}
    groups = json.loads((args.work / "rows.json").read_text())["groups"]
    tune = [number for number, name in enumerate(groups) if name.startswith("tune")]
    chosen = np.flatnonzero(np.isin(rows["group"], tune))
    chosen = np.random.default_rng(3).permutation(chosen)[:ROWS_MAX]
    tokens, offsets = held["tokens"].astype(np.int64), held["offsets"]
    judge = Int8Judge(args.model)
    text = lambda at: tokens[offsets[at] : offsets[at + 1]]
    with ThreadPoolExecutor(2) as pool:
        scores = np.array(list(pool.map(lambda n: judge(text(rows["a"][n]), text(rows["b"][n])), chosen)))
    y, task, relevant = rows["y"][chosen], rows["task"][chosen], rows["relevant"][chosen]
    names = np.array(groups)[rows["group"][chosen]]
    # Natural Questions' part to tune on holds answerable questions alone and would only move the bias.
    answer = (task == ANSWER) & (names != "tune/nq-open-oracle")
    # Two readings of one thing: fitted apart, the easy rows would decide which is believed; their mean is steadier.
    closed = closed_questions([text(at) for at in rows["a"][chosen]])
    is_open, is_closed = answer & ~closed, answer & closed
    head, bias = logistic(scores[is_open][:, :1] + scores[is_open][:, 1:2] / 2, y[is_open])
    # Yes and no stand nowhere in a passage: of such questions the head alone is believed.
    closed_slope, closed_bias = logistic(scores[is_closed][:, :1], y[is_closed])
    ranked = relevant >= 0
    slope, shift = (1.0, 0.0)
    if len(set(relevant[ranked])) == 2:
        slope, shift = logistic(scores[ranked][:, 2:3], relevant[ranked])
    support = task == SUPPORT
    found = {
        "reads_headings": args.reads_headings,
        "answerable": {"head": round(head, 4), "margin": round(head / 2, 4), "bias": round(bias, 4)},
        "closed": {"slope": round(closed_slope, 4), "bias": round(closed_bias, 4)},
        "relevant": {"slope": round(slope, 4), "bias": round(shift, 4)},
        "support_temperature": round(temperature(scores[support][:, 3:], y[support]), 2),
    }
    args.out.write_text(json.dumps(found, indent=2) + "\n")
    print(f"{answer.sum()} answer ({is_closed.sum()} for yes or no), {ranked.sum()} ranked, {support.sum()} claim rows")
    print(args.out.read_text())


if __name__ == "__main__":
    main()
