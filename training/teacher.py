"""A larger reader that labels pairs for the judge: does this text answer the question, does it support the claim?

    python teacher.py pack MODEL.gguf --work WORK          here: what is needed of the model, in pieces that travel
    python teacher.py assemble --work WORK                 on the GPU, as all that follows
    python teacher.py tune --work WORK --out WORK --fold 0 --seconds 360
    python teacher.py label --work WORK --out WORK --fold 0

The model is Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), tuned with low-rank additions to its weights on rows of `prepare.py`. A teacher
of fold 0 learns from the rows of fold 1 and labels those of fold 0, and the other way round: all rows made from one passage are in
one fold, so no teacher labels what it has learnt from. Rows to tune on and to report on are learnt from by neither; both label them.
"""

import argparse
import json
import lzma
import math
import time
from pathlib import Path

import numpy as np

from ranking import auroc, digest, refused

LAYERS, WIDTH, HEADS, SHARED_HEADS, HEAD_WIDTH = 28, 1536, 12, 2, 128
RANK = 16
YES, NO = 9834, 902
LENGTH_MAX = 400
PIECE = 62 << 20
ASK = (
    "\n\nQuestion: {}\nDoes the text above state the answer to the question? Answer yes or no:",
    "\n\nQuestion: {}\nDoes the text above state the answer to the question? Answer yes or no:",
    "\n\nClaim: {}\nDoes the text above fully support the claim? Answer yes or no:",
    "\n\nSecond text: {}\nDo the two texts ask for or say the same? Answer yes or no:",
)
# How many rows of a group are learnt from, longest prefix first; the rest of the mix is only labelled.
LEARNT = {
    "answer/squad2": 9_000, "answer-human": 9_000, "answer/squad-train-para": 12_000, "answer/nq": 4_000, "answer": 3_000,
    "answer-built": 2_000, "retrieved": 5_000, "swapped": 2_000, "cut": 3_000, "kept-cut": 3_000, "kept-question": 500,
    "altered-question/squad2": 3_000, "altered-question": 1_000, "rank": 500, "altered-sentence": 800, "kept-sentence": 4_000,
    "silent": 2_000, "support/scifact": 4_000, "support/summedits": 6_000, "support/begin": 4_000, "support/factcheck-gpt": 3_000,
    "support/feverous": 4_000, "support/fever-symmetric": 4_000, "support/bump": 4_000, "support/conv-factual": 3_000,
    "support": 1_500, "authored": 6_000, "found": 1_000, "same": 0, "taught": 0, "tune": 0, "test": 0,
}  # fmt: skip


def learnt(group: str) -> int:
    return LEARNT[max((prefix for prefix in LEARNT if group.startswith(prefix)), key=len)]


def pack(args) -> None:
    """Quantised weights without the token table (the finer output table serves as both) in pieces, and the tokenizer."""
    import gguf
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
    from tokenizers.models import BPE

    args.work.mkdir(parents=True, exist_ok=True)
    reader, index, held = gguf.GGUFReader(args.model), [], []
    for tensor in reader.tensors:
        if tensor.name != "token_embd.weight":
            raw = np.ascontiguousarray(tensor.data).view(np.uint8).reshape(-1)
            shape = [int(size) for size in reversed(tensor.shape)]
            index.append({"name": tensor.name, "type": tensor.tensor_type.name, "shape": shape, "bytes": len(raw)})
            held.append(raw)
    blob = np.concatenate(held)
    for number, at in enumerate(range(0, len(blob), PIECE)):
        blob[at : at + PIECE].tofile(args.work / f"piece-{number:02}")
    (args.work / "index.json").write_text(json.dumps(index))
    field = lambda name: reader.fields[f"tokenizer.ggml.{name}"].contents()
    words, kinds = field("tokens"), field("token_type")
    merges = [tuple(merge.split(" ")) for merge in field("merges")]
    tokenizer = Tokenizer(BPE({word: at for at, word in enumerate(words)}, merges))
    pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(w, special=True, normalized=False) for w, kind in zip(words, kinds) if kind == 3])
    tokenizer.save(str(args.work / "teacher-tokenizer.json"))
    print(f"{len(blob)} bytes in {len(index)} tensors")


def assemble(args) -> None:
    """The pieces → `base.pt`, weights as bfloat16."""
    from concurrent.futures import ThreadPoolExecutor

    import gguf
    import torch

    blob = np.concatenate([np.fromfile(path, dtype=np.uint8) for path in sorted(args.work.glob("piece-*"))])
    index = json.loads((args.work / "index.json").read_text())
    ends = np.cumsum([tensor["bytes"] for tensor in index])

    def one(tensor, end):
        raw = blob[end - tensor["bytes"] : end]
        if tensor["type"] == "F32":
            value = raw.view(np.float32)
        else:
            value = gguf.dequantize(raw.reshape(tensor["shape"][0], -1), getattr(gguf.GGMLQuantizationType, tensor["type"]))
        return tensor["name"], torch.from_numpy(np.array(value, dtype=np.float32).reshape(tensor["shape"])).bfloat16()

    with ThreadPoolExecutor(14) as pool:
        torch.save(dict(pool.map(one, index, ends)), args.work / "base.pt")
    print(f"{len(index)} tensors, {ends[-1]} of {len(blob)} bytes")


def network(work: Path, compiled: bool):
    """The model as one function of token ids; low-rank additions are what learns."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    held = torch.load(work / "base.pt", map_location="cuda")

    class Dense(nn.Module):
        def __init__(self, name: str):
            super().__init__()
            self.register_buffer("weight", held[f"{name}.weight"], persistent=False)
            self.register_buffer("bias", held.get(f"{name}.bias"), persistent=False)
            out, inner = self.weight.shape
            self.down = nn.Parameter(torch.randn(RANK, inner, device="cuda") / math.sqrt(inner))
            self.up = nn.Parameter(torch.zeros(out, RANK, device="cuda"))

        def forward(self, x):
            if self.down is None:
                return F.linear(x, self.weight, self.bias)
            added = F.linear(F.linear(x, self.down.to(x.dtype)), self.up.to(x.dtype))
            return F.linear(x, self.weight, self.bias) + 2.0 * added

        def merge(self) -> None:
            """The addition becomes a part of the weight: nothing learns any more, and reading is faster."""
            self.weight = (self.weight.float() + 2.0 * self.up.detach() @ self.down.detach()).bfloat16()
            self.down = self.up = None

    def norm(x, weight):
        return F.rms_norm(x, (WIDTH,), weight, 1e-6)

    def turn(x, cosine, sine):
        first, second = x.chunk(2, dim=-1)
        return x * cosine + torch.cat((-second, first), dim=-1) * sine

    class Block(nn.Module):
        def __init__(self, number: int):
            super().__init__()
            name = lambda part: f"blk.{number}.{part}"
            self.q, self.k, self.v, self.o = (Dense(name(part)) for part in ("attn_q", "attn_k", "attn_v", "attn_output"))
            self.gate, self.up, self.down = (Dense(name(part)) for part in ("ffn_gate", "ffn_up", "ffn_down"))
            self.register_buffer("norm1", held[name("attn_norm.weight")], persistent=False)
            self.register_buffer("norm2", held[name("ffn_norm.weight")], persistent=False)

        def forward(self, x, cosine, sine):
            rows, length, _ = x.shape
            h = norm(x, self.norm1)
            split = lambda y, heads: y.view(rows, length, heads, HEAD_WIDTH).transpose(1, 2)
            q, k, v = turn(split(self.q(h), HEADS), cosine, sine), turn(split(self.k(h), SHARED_HEADS), cosine, sine), split(self.v(h), SHARED_HEADS)
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + self.o(seen.transpose(1, 2).reshape(rows, length, WIDTH))
            h = norm(x, self.norm2)
            return x + self.down(F.silu(self.gate(h)) * self.up(h))

    class Teacher(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block(number) for number in range(LAYERS))
            self.register_buffer("words", held["output.weight"], persistent=False)
            self.register_buffer("last", held["output_norm.weight"], persistent=False)
            angles = torch.outer(torch.arange(512, device="cuda"), 1e6 ** -(torch.arange(0, HEAD_WIDTH, 2, device="cuda") / HEAD_WIDTH))
            angles = torch.cat((angles, angles), dim=-1)
            self.register_buffer("cosine", angles.cos().bfloat16(), persistent=False)
            self.register_buffer("sine", angles.sin().bfloat16(), persistent=False)

        def forward(self, ids, ends):
            """ids [B, L], filled up on the right; the logit of yes over no after the last token of each row."""
            x, length = F.embedding(ids, self.words), ids.shape[1]
            for block in self.blocks:
                x = block(x, self.cosine[:length], self.sine[:length])
            x = norm(x[torch.arange(len(ids), device="cuda"), ends], self.last).float()
            return x @ (self.words[YES].float() - self.words[NO].float())

        def merge(self) -> None:
            for module in self.modules():
                if isinstance(module, Dense):
                    module.merge()

    teacher = Teacher()
    if compiled:
        for block in teacher.blocks:
            block.compile(dynamic=True)
    return teacher


class Pairs:
    """Rows as the teacher reads them: the text, then the question about it."""

    def __init__(self, work: Path):
        from tokenizers import Tokenizer

        held = np.load(work / "rows.npz")
        self.group, self.task, self.y, self.fold = (held[name] for name in ("group", "task", "y", "fold"))
        self.a, self.b = held["a"], held["b"]
        self.groups = json.loads((work / "rows.json").read_text())["groups"]
        with lzma.open(work / "texts.jsonl.xz", "rt", encoding="utf-8") as lines:
            self.texts = [json.loads(line) for line in lines]
        self.tokenizer = Tokenizer.from_file(str(work / "teacher-tokenizer.json"))

    def encode(self, numbers: np.ndarray) -> list[list[int]]:
        heads = self.tokenizer.encode_batch_fast([self.texts[at] for at in self.b[numbers]])
        asked = [ASK[task].format(self.texts[at]) for at, task in zip(self.a[numbers], self.task[numbers])]
        tails = [one.ids[-200:] for one in self.tokenizer.encode_batch_fast(asked)]
        return [head.ids[: LENGTH_MAX - len(tail)] + tail for head, tail in zip(heads, tails)]


def batches(ids: list[list[int]], tokens_max: int, rng=None) -> list[np.ndarray]:
    """Rows of like length together, in random order."""
    lengths = np.array([len(row) for row in ids])
    order = np.lexsort((rng.random(len(ids)) if rng else np.arange(len(ids)), -(-lengths // 16)))
    found, begin = [], 0
    for end in range(1, len(order) + 1):
        width = -(-lengths[order[min(end, len(order) - 1)]] // 16) * 16
        if end == len(order) or width * (end + 1 - begin) > tokens_max:
            found.append(order[begin:end])
            begin = end
    return [found[at] for at in rng.permutation(len(found))] if rng else found


def logits(teacher, ids: list[list[int]], chosen: np.ndarray):
    import torch

    width = -(-max(len(ids[at]) for at in chosen) // 16) * 16
    filled = np.zeros((len(chosen), width), dtype=np.int64)
    for row, at in enumerate(chosen):
        filled[row, : len(ids[at])] = ids[at]
    ends = torch.tensor([len(ids[at]) - 1 for at in chosen], device="cuda")
    return teacher(torch.from_numpy(filled).cuda(non_blocking=True), ends)


def score(teacher, ids: list[list[int]]) -> np.ndarray:
    import torch

    out = np.zeros(len(ids), dtype=np.float32)
    with torch.no_grad():
        for chosen in batches(ids, 65_536):
            out[chosen] = logits(teacher, ids, chosen).float().cpu().numpy()
    return out


def report(pairs: Pairs, numbers: np.ndarray, scores: np.ndarray, label: str) -> None:
    for group, name in enumerate(pairs.groups):
        own = pairs.group[numbers] == group
        y = pairs.y[numbers][own]
        if own.sum() > 20 and len(set(y)) == 2:
            print(f"{label} {name}: AUROC {auroc(scores[own], y):.4f}, refused where 15 % are lost {refused(scores[own], y, 0.15):.3f}, {own.sum()} rows")


def held_out(pairs: Pairs) -> np.ndarray:
    names = [name.startswith(("tune", "test")) for name in pairs.groups]
    return np.flatnonzero(np.array(names)[pairs.group])


def tune(args) -> None:
    """A teacher that learns from the other fold → `lora-FOLD-*.npz`."""
    import torch
    import torch.nn.functional as F

    rng = np.random.default_rng(args.fold + 1)
    torch.manual_seed(args.fold + 1)
    pairs, teacher = Pairs(args.work), network(args.work, args.compile)
    chosen = []
    for group, name in enumerate(pairs.groups):
        own = np.flatnonzero((pairs.group == group) & (pairs.fold != args.fold) & (pairs.y >= 0))
        chosen.append(rng.permutation(own)[: learnt(name) // 2])
    chosen = np.concatenate(chosen)
    ids, y = pairs.encode(chosen), torch.from_numpy(pairs.y[chosen]).float().cuda()
    print(f"{len(ids)} rows to learn from, {sum(map(len, ids))} tokens, {y.mean():.2f} of them so", flush=True)
    learning = [p for p in teacher.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=args.rate, weight_decay=0.0, betas=(0.9, 0.98), fused=True)
    began, step, seen, mean = time.time(), 0, 0, None
    while (done := (time.time() - began) / args.seconds) < 1:
        for batch in batches(ids, args.tokens, rng):
            done = (time.time() - began) / args.seconds
            if done >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = args.rate * min(1.0, done / 0.04 + 0.01) * 0.5 * (1 + math.cos(math.pi * done))
            loss = F.binary_cross_entropy_with_logits(logits(teacher, ids, batch), y[batch])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step, seen = step + 1, seen + len(batch)
            mean = loss.detach() if mean is None else 0.98 * mean + 0.02 * loss.detach()
            if step % 100 == 0:
                print(f"step {step}, {seen} rows, loss {mean.item():.3f}, {time.time() - began:.0f} s", flush=True)
    save(teacher, args)
    teacher.merge()
    numbers = held_out(pairs)
    numbers = numbers[: args.report] if args.report else numbers
    report(pairs, numbers, score(teacher, pairs.encode(numbers)), f"fold {args.fold}")


def save(teacher, args) -> None:
    """What was learnt, in files of a size that travels."""
    parts, size = [{}], 0
    for name, value in teacher.state_dict().items():
        value = value.half().cpu().numpy()
        if size + value.nbytes > 14 << 20:
            parts.append({})
            size = 0
        parts[-1][name] = value
        size += value.nbytes
    for folder in (args.work, args.out):
        for number, part in enumerate(parts):
            np.savez(folder / f"lora-{args.fold}-{number}.npz", **part)


def load(teacher, args) -> None:
    import torch

    state = {}
    for path in sorted(args.work.glob(f"lora-{args.fold}-*.npz")):
        state.update({name: torch.from_numpy(value).float() for name, value in np.load(path).items()})
    teacher.load_state_dict(state)


def label(args) -> None:
    """The word of a fold's teacher on the rows it has not learnt from → `labels-FOLD.npz`; what there is no time for stays unlabelled."""
    pairs, teacher = Pairs(args.work), network(args.work, args.compile)
    load(teacher, args)
    teacher.merge()
    began, rng = time.time(), np.random.default_rng(5)
    out = np.full(len(pairs.y), np.nan, dtype=np.float16)
    rest = np.setdiff1d(np.flatnonzero(pairs.fold == args.fold), held_out(pairs))
    rest = rest[rest >= args.after]
    kept = held_out(pairs) if args.after == 0 else rest[:0]
    # What nobody knows the label of comes first, then what is assumed, then what people labelled.
    rank = np.array([0 if n.startswith("taught") else 1 if not n.startswith(("answer", "support", "rank")) else 2 for n in pairs.groups])
    rest = rest[np.lexsort((rng.random(len(rest)), rank[pairs.group[rest]]))]
    for numbers in (kept, *np.array_split(rest, max(1, len(rest) // 20_000))):
        if time.time() - began > args.seconds:
            break
        out[numbers] = score(teacher, pairs.encode(numbers))
        print(f"{np.isfinite(out).sum()} rows, {time.time() - began:.0f} s", flush=True)
    np.savez_compressed(args.out / f"labels-{args.fold}{f'-{args.after}' if args.after else ''}.npz", logit=out, rows=digest(pairs.group, pairs.a, pairs.b))
    report(pairs, kept, out[kept].astype(np.float32), f"fold {args.fold}")
    for group, name in enumerate(pairs.groups):
        own = out[(pairs.group == group) & np.isfinite(out)]
        if len(own):
            print(f"{name}: {len(own)} labelled, {(own > 0).mean():.2f} so")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(required=True)
    for step in (pack, assemble, tune, label):
        own = steps.add_parser(step.__name__, help=step.__doc__)
        own.set_defaults(step=step)
        own.add_argument("--work", type=Path, required=True)
        if step is pack:
            own.add_argument("model", type=Path)
        if step in (tune, label):
            own.add_argument("--fold", type=int, choices=(0, 1), required=True)
            own.add_argument("--out", type=Path, required=True)
            own.add_argument("--after", type=int, default=0, help="label only rows from this one on, into a file beside the first labels")
            own.add_argument("--seconds", type=float, default=360)
            own.add_argument("--compile", action="store_true")
        if step is tune:
            own.add_argument("--rate", type=float, default=2e-4)
            own.add_argument("--tokens", type=int, default=16_384, help="tokens of a batch")
            own.add_argument("--report", type=int, default=0, help="only so many rows are reported on")
    args = parser.parse_args()
    args.step(args)


if __name__ == "__main__":
    main()
