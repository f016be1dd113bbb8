"""Rows of token ids → the judge's weights. One GPU, two stages: wide, then the mix it is meant for.

    python train.py --work WORK --out OUT --seconds 600 420

The time is shared out between the stages, so that the learning rate always ends at zero; with the same rows, seed
and number of steps (`--steps`) a run repeats.
"""

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from model import start_from
from ranking import digest, figures_of, held_apart, line_of, tuned_mean
from sets import LATER
from weights import saved

ANSWER, RANK, SUPPORT, SAME = 0, 1, 2, 3
CLS, SEP = 101, 102
LENGTH_MAX = 400
QUESTION_MAX = 120
LINE_STEPS, REPORT_STEPS = 250, 3_000
START = Path(__file__).parent.parent / "models" / "gte-small" / "model.onnx"

# How often a row of a group is seen in an epoch of each stage, longest prefix first.
RATES = {
    "answer-human/squad2": (2.0, 2.0),
    "answer/squad2": (1.5, 1.5),
    "answer-human": (2.0, 1.5),
    "answer/nq-open-oracle": (2.0, 3.0),
    "answer/qasrl-gs": (1.0, 0.2),
    "answer/qamr": (1.0, 0.4),
    "answer/cosmosqa-ni": (0.5, 0.0),
    "answer/mocha-ni": (0.5, 0.0),
    "answer/boolq-ni": (0.0, 0.0),
    "answer-built/qamr": (1.0, 0.4),
    "answer": (1.0, 0.8),
    "kept-question": (0.7, 0.5),
    "rank/medquad": (1.0, 0.7),
    "rank": (1.0, 0.4),
    "retrieved/nq": (1.5, 2.0),
    "retrieved/boolq": (1.0, 1.0),
    "retrieved": (1.0, 0.7),
    "swapped/nq": (1.0, 1.0),
    "swapped": (0.5, 0.5),
    "cut/nq": (1.0, 1.5),
    "cut": (0.5, 0.3),
    "kept-cut/nq": (1.0, 2.0),
    "kept-cut": (0.5, 0.3),
    "altered-question": (0.7, 0.3),
    "altered-sentence": (0.4, 0.3),
    "kept-sentence": (0.4, 0.3),
    "silent": (1.0, 0.5),
    "support/begin": (1.0, 0.7),
    "support/factcheck-gpt": (1.0, 1.5),
    "support/scifact": (3.0, 4.0),
    "support/summedits": (3.0, 4.0),
    "support/fever-symmetric": (2.0, 2.0),
    "support/feverous-programfc": (1.5, 1.5),
    "support/bump": (2.0, 3.0),
    "support/conv-factual": (1.0, 1.0),
    "support/evidence-inference-v2": (1.0, 0.8),
    "support": (1.0, 0.7),
    "taught/found": (1.0, 1.0),
    "taught/written-question": (1.0, 0.7),
    "taught/written-claim": (2.0, 2.0),
    "taught/claim": (1.5, 2.0),
    "taught/stitched": (0.7, 0.5),
    "taught/more-found": (0.7, 0.6),
    "taught/asked/near": (1.5, 1.5),
    "taught": (1.0, 1.0),
    "authored/question": (4.0, 5.0),
    "authored/follow-up": (4.0, 4.0),
    "authored/claim": (4.0, 5.0),
    "authored/chained": (2.0, 2.0),
    "answer-human/squad2-train": (1.0, 1.0),
    "answer/squad2-train": (1.2, 1.2),
    "answer/condaqa": (0.3, 0.3),
    "answer-human/condaqa": (2.0, 2.0),
    "support/condaqa": (0.7, 0.7),
    "answer/repliqa": (2.0, 3.0),
    "answer-human/repliqa": (2.0, 3.0),
    "answer-built/repliqa": (1.0, 1.5),
    "answer/musique": (0.7, 0.7),
    "answer-built/musique": (0.7, 0.7),
    "support/fool-me-twice": (2.0, 2.0),
    "support/expertqa": (1.5, 2.0),
    "support/factcg": (1.5, 1.5),
    "found": (0.7, 0.7),
    "same": (0.5, 0.5),
    "tune": (0.0, 0.0),
    "test": (0.0, 0.0),
}
# Where the passage answers at length, rows count for more: squad's short answers made the judge forget such passages.
for _name in ("doqa-ni", "qasper-ni", "selqa", "policyqa"):
    RATES[f"answer/{_name}"] = (1.5, 1.5)
RATES["rank/selqa"] = RATES["rank/medquad"] = (1.0, 1.0)
# How much the word of the judge that training begins with counts beside the label (`--hold`), longest prefix first: much where the sets
# are the ones it had, where a rule assumed a label or there is none, nothing where the label is what it never learnt.
HELD_SHARE = {
    "answer": 0.5,
    "answer-human": 0.3,
    "kept-question": 0.5,
    "rank": 0.3,
    "retrieved": 0.5,
    "swapped": 0.5,
    "cut": 0.5,
    "kept-cut": 0.5,
    "altered-question": 0.4,
    "altered-sentence": 0.2,
    "kept-sentence": 0.2,
    "silent": 0.2,
    "support": 0.4,
    "taught": 1.0,
    "found": 0.5,
    "authored": 0.0,
    "same": 0.0,
    "tune": 0.0,
    "test": 0.0,
    **{f"{kind}/{name}": 0.0 for kind in ("answer", "answer-human", "answer-built", "support") for name in LATER},
}
PAIR_MARGIN, PAIR_SHARE = 2.0, 0.5
# How much the teacher's word counts beside the label, longest prefix first: little where people labelled, much where a rule assumed.
TEACHER_SHARE = {
    "answer": 0.5,
    "answer-built": 0.7,
    "kept-question": 0.5,
    "rank": 0.0,
    "retrieved": 0.7,
    "swapped": 0.6,
    "cut": 0.6,
    "kept-cut": 0.5,
    "altered-question": 0.7,
    "altered-sentence": 0.3,
    "kept-sentence": 0.3,
    "silent": 0.3,
    "support": 0.5,
    "taught": 1.0,
    "authored": 0.3,
    "found": 0.7,
    "same": 0.0,
    "tune": 0.0,
    "test": 0.0,
}


def by_prefix(table: dict, group: str):
    return table[max((prefix for prefix in table if group.startswith(prefix)), key=len)]


def labels_of(path: Path, held) -> np.ndarray:
    """The teacher's logits of every row, from labels of these rows or of the first of them; not a number where it has said nothing."""
    labels = np.load(path)
    told = len(labels["logit"])
    if str(labels["rows"]) != digest(*(held[name][:told] for name in ("group", "a", "b"))):
        raise SystemExit(f"{path} labels other rows than those of rows.npz: label them anew")
    logit = np.full(len(held["y"]), np.nan, dtype=np.float32)
    logit[:told] = labels["logit"]
    return logit


def targets(work: Path, held, groups: list[str], without_teacher: bool) -> np.ndarray:
    """What each row is to be read as, 0 to 1: its label, the teacher's word, or both; below 0 where there is neither."""
    target = held["y"].astype(np.float32)
    files = [] if without_teacher else sorted(work.glob("labels-*.npz"))
    for path in files:
        logit = labels_of(path, held)
        share = np.array([by_prefix(TEACHER_SHARE, group) for group in groups], dtype=np.float32)[held["group"]]
        share = np.where(held["y"] < 0, 1.0, share) * np.isfinite(logit)
        told = 1 / (1 + np.exp(-np.nan_to_num(logit)))
        target = np.where(share > 0, share * told + (1 - share) * np.maximum(target, 0), target)
    return target


def units(pair: np.ndarray) -> np.ndarray:
    """What is kept together: the rows of a pair, and every other row alone."""
    alone = np.flatnonzero(pair < 0)
    unit = pair.astype(np.int64)
    unit[alone] = pair.max(initial=-1) + 1 + np.arange(len(alone))
    return unit


def in_units(times: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every row so many times, in random order, except that those of a unit are side by side; a row's copies are apart."""
    numbers = np.repeat(np.arange(len(times)), times)
    copy = np.arange(len(numbers)) - np.repeat(np.cumsum(times) - times, times)
    drawn = rng.random((unit.max() + 1, copy.max(initial=0) + 1))
    return numbers[np.argsort(drawn[unit[numbers], copy], kind="stable")]


def split(chunk: np.ndarray, widths: np.ndarray, unit: np.ndarray, tokens_max: int) -> list[np.ndarray]:
    """Rows, the shortest first, in batches of so many tokens at most; a unit is cut only where it fills a batch alone."""
    found, begin = [], 0
    for end in range(1, len(chunk) + 1):
        width = -(-int(widths[min(end, len(chunk) - 1)]) // 16) * 16
        if end == len(chunk):
            found.append(chunk[begin:])
        elif width * (end + 1 - begin) > tokens_max:
            whole = begin + int(np.searchsorted(unit[begin:end] == unit[end], True)) if unit[end] == unit[end - 1] else end
            at = whole if whole > begin else end
            found.append(chunk[begin:at])
            begin = at
    return found


class Rows:
    """Every row on the GPU; a batch is put together there."""

    def __init__(self, work: Path, device: str, without_teacher: bool = False, part: float = 1.0):
        held = np.load(work / "rows.npz")
        self.groups = json.loads((work / "rows.json").read_text())["groups"]
        self.group = held["group"]
        self.target = targets(work, held, self.groups, without_teacher)
        # A part of the data is a part of its passages, so that what is left out is left out whole.
        drawn = np.random.default_rng(7).random(held["b"].max() + 1)[held["b"]]
        self.target = np.where(drawn < part, self.target, -1.0).astype(np.float32)
        offsets = held["offsets"]
        lengths = np.diff(offsets)
        self.a_length = np.minimum(lengths[held["a"]], QUESTION_MAX)
        self.b_length = np.minimum(lengths[held["b"]], LENGTH_MAX - 3 - self.a_length)
        self.length = self.a_length + self.b_length + 3
        put = lambda values: torch.from_numpy(np.ascontiguousarray(values).astype(np.int64)).to(device)
        self.tokens = put(held["tokens"])
        self.a_at, self.b_at = put(offsets[held["a"]]), put(offsets[held["b"]])
        self.a_len, self.b_len = put(self.a_length), put(self.b_length)
        self.fields = {name: put(held[name]) for name in ("task", "y", "relevant", "sub", "start", "end", "soft")}
        self.fields["target"] = torch.from_numpy(self.target).to(device)
        self.device = device
        pair = held["pair"] if "pair" in held else np.full(len(self.group), -1)
        self.unit = units(pair)
        self.fields["pair"] = put(pair)
        # Rows of a unit are put in order by the longest of them, so that they stay together.
        self.unit_length = np.zeros(self.unit.max() + 1, dtype=np.int64)
        np.maximum.at(self.unit_length, self.unit, self.length)

    def hold(self, said: np.ndarray, numbers: np.ndarray) -> None:
        """Mixes what the first judge said (logits as of `score`) into the targets of these rows."""
        share = np.array([by_prefix(HELD_SHARE, name) for name in self.groups], dtype=np.float32)[self.group[numbers]]
        is_support = self.fields["task"].cpu().numpy()[numbers] == SUPPORT
        logit = np.where(is_support, said[numbers, 3], said[numbers, 0])
        told = 1 / (1 + np.exp(-np.clip(logit, -20, 20)))
        share = np.where(self.target[numbers] < 0, 1.0, share)
        self.target[numbers] = share * told + (1 - share) * np.maximum(self.target[numbers], 0)
        self.fields["target"] = torch.from_numpy(self.target).to(self.device)

    def held_numbers(self) -> np.ndarray:
        """Rows beside whose label the first judge's word counts."""
        share = np.array([by_prefix(HELD_SHARE, name) for name in self.groups])[self.group]
        task = self.fields["task"].cpu().numpy()
        return np.flatnonzero((share > 0) & (task != RANK) & (task != SAME))

    def epoch(self, stage: int, rng: np.random.Generator) -> np.ndarray:
        """Row numbers of one epoch, each as often as its group's rate says, in random order, those of a unit side by side."""
        rates = np.array([by_prefix(RATES, name)[stage] for name in self.groups])[self.group]
        rates = np.where(self.target < 0, 0.0, rates)
        times = np.floor(rates + rng.random(len(rates))).astype(np.int64)
        return in_units(times, self.unit, rng)

    def batches(self, numbers: np.ndarray, tokens_max: int, rng=None):
        """Batches of rows of like length, in random order."""
        found = []
        for at in range(0, len(numbers), 32_768):
            chunk = numbers[at : at + 32_768]
            chunk = chunk[np.lexsort((self.unit[chunk], self.unit_length[self.unit[chunk]]))]
            found += split(chunk, self.unit_length[self.unit[chunk]], self.unit[chunk], tokens_max)
        order = range(len(found)) if rng is None else rng.permutation(len(found))
        return [found[at] for at in order]

    def batch(self, numbers: np.ndarray):
        width = -(-int(self.length[numbers].max()) // 16) * 16
        rows = torch.from_numpy(numbers).to(self.device)
        at = torch.arange(width, device=self.device)[None, :]
        a_len, b_len = self.a_len[rows, None], self.b_len[rows, None]
        is_a, is_b = (at >= 1) & (at <= a_len), (at >= a_len + 2) & (at < a_len + 2 + b_len)
        from_a = self.tokens[(self.a_at[rows, None] + at - 1).clamp(0, len(self.tokens) - 1)]
        from_b = self.tokens[(self.b_at[rows, None] + at - a_len - 2).clamp(0, len(self.tokens) - 1)]
        ids = torch.where(is_a, from_a, torch.where(is_b, from_b, 0))
        is_sep = (at == a_len + 1) | (at == a_len + b_len + 2)
        ids = torch.where(at == 0, CLS, torch.where(is_sep, SEP, ids))
        types = (at >= a_len + 2).long()
        fields = {name: values[rows] for name, values in self.fields.items()}
        return ids, types, at < a_len + b_len + 3, is_b, fields, self.a_len[rows] + 2, self.b_len[rows]


def span_loss(span, is_b, fields, shift, b_len):
    """Minus the log of the span's probability; the first token stands for "no answer here"."""
    is_answer = fields["task"] == ANSWER
    has_span = (fields["start"] >= 0) & (fields["end"] < b_len) & (fields["y"] == 1)
    counts = is_answer & (has_span | (fields["y"] == 0))
    allowed = is_b.clone()
    allowed[:, 0] = True
    logs = F.log_softmax(span.float().masked_fill(~allowed[:, :, None], -1e4), dim=1)
    at = torch.arange(span.shape[1], device=span.device)[None, :]
    first = torch.where(has_span, fields["start"] + shift, 0)[:, None]
    last = torch.where(has_span, fields["end"] + shift, 0)[:, None]
    soft = ((fields["soft"] == 1) & has_span)[:, None]
    inside = (at >= first) & (at <= last)
    start = torch.where(soft, inside, at == first)
    end = torch.where(soft, inside, at == last)
    loss = -(logs[:, :, 0].masked_fill(~start, -1e4).logsumexp(1) + logs[:, :, 1].masked_fill(~end, -1e4).logsumexp(1))
    return (loss * counts).sum() / len(counts)


def pair_loss(score, fields):
    """Of the rows of a pair the good ones are to score above the bad ones by a margin; each bad one counts once."""
    pair, y = fields["pair"], fields["y"]
    meets = (pair[:, None] == pair[None, :]) & (pair >= 0)[:, None] & (y == 0)[:, None] & (y == 1)[None, :]
    short = F.softplus(PAIR_MARGIN - (score[None, :] - score[:, None]))
    return ((short * meets).sum(1) / meets.sum(1).clamp(min=1)).sum()


def loss_of(judge, batch):
    ids, types, is_token, is_b, fields, shift, b_len = batch
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=ids.is_cuda):
        answerable, relevant, support, same, span = judge(ids, types, is_token)
    target = fields["target"]
    rows = len(target)
    is_answer, is_support = fields["task"] == ANSWER, fields["task"] == SUPPORT
    answer_loss = F.binary_cross_entropy_with_logits(answerable.float(), target, reduction="none")
    same_loss = F.binary_cross_entropy_with_logits(same.float(), target, reduction="none")
    has_rank = fields["relevant"] >= 0
    rank_loss = F.binary_cross_entropy_with_logits(relevant.float(), fields["relevant"].clamp(min=0).float(), reduction="none")
    logs = F.log_softmax(support.float(), dim=1)
    unsupported = logs[:, 1:].logsumexp(1)
    support_loss = -(target * logs[:, 0] + (1 - target) * unsupported)
    # Of what is not supported some rows say how: contradicted, or not told.
    kind = unsupported - logs.gather(1, fields["sub"].clamp(min=1)[:, None])[:, 0]
    support_loss = support_loss + (fields["sub"] >= 1) * (1 - target) * kind
    supported = logs[:, 0] - unsupported
    score = torch.where(is_support, supported, answerable.float())
    return (
        (answer_loss * is_answer).sum() / rows
        + (same_loss * (fields["task"] == SAME)).sum() / rows
        + PAIR_SHARE * pair_loss(score, fields) / rows
        + 0.5 * (rank_loss * has_rank).sum() / rows
        + (support_loss * is_support).sum() / rows
        + 0.35 * span_loss(span, is_b, fields, shift, b_len)
    )


def score(judge, rows: Rows, numbers: np.ndarray) -> np.ndarray:
    """Answerable, span over null, relevant, supported, same: one line a row."""
    judge.eval()
    out = np.zeros((len(rows.group), 5), dtype=np.float32)
    with torch.no_grad():
        for chunk in rows.batches(numbers, 65_536):
            ids, types, is_token, is_b, *_ = rows.batch(chunk)
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=ids.is_cuda):
                answerable, relevant, support, same, span = judge(ids, types, is_token)
            inside = span.float().masked_fill(~is_b[:, :, None], -1e4).amax(1).sum(1) - span[:, 0].float().sum(1)
            supported = support[:, 0].float() - support[:, 1:].float().logsumexp(1)
            out[chunk] = torch.stack([answerable.float(), inside, relevant.float(), supported, same.float()], 1).cpu().numpy()
    judge.train()
    return out


def figures(judge, rows: Rows, most: int | None = None) -> dict[str, dict]:
    """What the judge makes of the groups kept to tune on or to report on."""
    numbers = held_apart(rows.groups, rows.group, most)
    scores = score(judge, rows, numbers)
    columns = (rows.group, rows.fields["task"].cpu().numpy(), rows.fields["y"].cpu().numpy())
    return figures_of(rows.groups, *(column[numbers] for column in columns), scores[numbers])


def report(judge, rows: Rows, label: str, most: int | None = None) -> dict[str, dict]:
    found = figures(judge, rows, most)
    print("\n    ".join([label, *(line_of(name, row) for name, row in sorted(found.items()))]), flush=True)
    return found


def leaning(trained: dict, start: dict, share: float) -> dict:
    """Weights between those that training ended with and those it began with."""
    return {name: value if name.startswith("same.") else (1 - share) * value + share * start[name] for name, value in trained.items()}


def run_stage(judge, rows: Rows, stage: int, args, seed: int) -> None:
    """Learns until the stage's time is over; the rate rises, then falls to nothing."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    decayed = [p for p in judge.parameters() if p.requires_grad and p.ndim > 1]
    others = [p for p in judge.parameters() if p.requires_grad and p.ndim == 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    peak = args.rates[stage]
    optimizer = torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.98), fused=rows.device == "cuda")
    judge.train()
    compiled = torch.compile(judge, dynamic=True) if args.compile else judge
    seconds, steps_max = args.seconds[stage], args.steps[stage] if args.steps else None
    began, step, seen = time.time(), 0, 0
    while True:
        for numbers in rows.batches(rows.epoch(stage, rng), args.tokens, rng):
            done = (time.time() - began) / seconds if steps_max is None else step / steps_max if steps_max else 1.0
            if done >= 1:
                print(f"stage {stage + 1}: {step} steps, {seen} rows, {time.time() - began:.0f} s", flush=True)
                return
            warm = min(1.0, done / 0.04 + 1e-3)
            for group in optimizer.param_groups:
                group["lr"] = peak * warm * 0.5 * (1 + math.cos(math.pi * done))
            loss = loss_of(compiled, rows.batch(numbers))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(decayed + others, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step, seen = step + 1, seen + len(numbers)
            if step % LINE_STEPS == 0:
                print(f"stage {stage + 1} step {step} rows {seen} loss {loss.item():.3f} {time.time() - began:.0f} s", flush=True)
            if step % REPORT_STEPS == 0:
                report(judge, rows, f"  after {step}", args.report_rows)


def save(judge, out: Path) -> None:
    """Halves of floats, without the token table that never changed, in files of a size that travels."""
    out.mkdir(parents=True, exist_ok=True)
    held = {k: v.detach().half().cpu().numpy() for k, v in judge.state_dict().items() if not k.startswith("words")}
    parts, size = [{}], 0
    for name, value in held.items():
        if size + value.nbytes > 14 << 20:
            parts.append({})
            size = 0
        parts[-1][name] = value
        size += value.nbytes
    for number, part in enumerate(parts):
        np.savez(out / f"judge-{number}.npz", **part)


def add_weights(held: dict, folder: Path, share: float) -> None:
    """Adds the weights saved in a folder, times a share."""
    for name, value in saved(folder).items():
        held[name] = held.get(name, 0.0) + share * value


def load_mean(judge, folders: list[Path], device: str) -> None:
    """Gives the judge the mean of the weights saved in these folders."""
    held: dict = {}
    for folder in folders:
        add_weights(held, folder, 1 / len(folders))
    state = judge.state_dict()
    state.update({name: torch.from_numpy(value).to(device) for name, value in held.items()})
    judge.load_state_dict(state)


def end(judge, rows: Rows, args, before: dict, after: dict, leans: float = 0.0) -> None:
    """Saves the weights and, beside them, `report.json`."""
    save(judge, args.out)
    told = {name: value for name, value in vars(args).items() if not isinstance(value, Path) and name != "average"}
    counts = np.bincount(rows.group, minlength=len(rows.groups)).tolist()
    text = json.dumps({"arguments": told, "leans": leans, "rows": dict(zip(rows.groups, counts)), "before": before, "after": after}, indent=1)
    (args.out / "report.json").write_text(text + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, nargs=2, default=[600, 420], help="time of each stage")
    parser.add_argument("--steps", type=int, nargs=2, help="steps of each stage, instead of time")
    parser.add_argument("--rates", type=float, nargs=2, default=[2e-4, 8e-5])
    parser.add_argument("--tokens", type=int, default=32_768, help="tokens of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--checkpoint", type=Path, help="the first stage's end is kept here, and taken from here")
    parser.add_argument("--start", type=Path, help="the second stage alone, from the weights of this folder")
    parser.add_argument("--begin-with", type=Path, default=START, help="the embedder's model.onnx, or an earlier judge's")
    parser.add_argument("--part", type=float, default=1.0, help="learn from this share of the passages, for a learning curve")
    parser.add_argument("--without-teacher", action="store_true", help="labels alone, to see what the teacher gives")
    parser.add_argument("--hold", action="store_true", help="beside the labels, what the judge that training begins with says: see HELD_SHARE")
    parser.add_argument("--lean", type=float, nargs="+", default=[0.0], help="of these shares of the first weights in the last, the best on the parts to tune on is saved")
    parser.add_argument("--report-rows", type=int, help="of every group that is reported on, so many rows at most")
    parser.add_argument("--average", type=Path, nargs="+", help="no training: the mean of these folders' weights")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    rows = Rows(args.work, device, args.without_teacher, args.part)
    judge = start_from(args.begin_with).to(device)
    if args.average:
        load_mean(judge, args.average, device)
        end(judge, rows, args, {}, report(judge, rows, "average", args.report_rows))
        return
    before = report(judge, rows, f"before, {args.begin_with.parent.name}", args.report_rows)
    if args.hold:
        numbers = rows.held_numbers()
        rows.hold(score(judge, rows, numbers), numbers)
        print(f"{len(numbers)} rows hold to the first judge's word", flush=True)
    first = {name: value.detach().clone() for name, value in judge.state_dict().items()}
    if args.start:
        load_mean(judge, [args.start], device)
    elif args.checkpoint and args.checkpoint.exists():
        judge.load_state_dict(torch.load(args.checkpoint, map_location=device))
    else:
        run_stage(judge, rows, 0, args, args.seed)
        if args.checkpoint:
            torch.save(judge.state_dict(), args.checkpoint)
        report(judge, rows, "stage 1", args.report_rows)
    judge.train_as_int8()
    run_stage(judge, rows, 1, args, args.seed + 1)
    last = {name: value.detach().clone() for name, value in judge.state_dict().items()}
    best = None
    for share in args.lean:
        judge.load_state_dict(leaning(last, first, share))
        found = report(judge, rows, f"after, {share:.0%} of the first weights", args.report_rows)
        if best is None or tuned_mean(found) > tuned_mean(best[1]):
            best = share, found
    judge.load_state_dict(leaning(last, first, best[0]))
    print(f"saved with {best[0]:.0%} of the first weights", flush=True)
    end(judge, rows, args, before, best[1], best[0])


if __name__ == "__main__":
    main()
