"""The judge's weights → `model.onnx` in int8, in the shape of the embedder's graph with the heads on top.

    python export.py --work WORK/out --out ../models/judge

Every matrix product becomes int8 as in the embedder (7 bits, one scale an output channel, activations scaled as they
come); token table, biases, norms and heads stay as they are.
"""

import argparse
import hashlib
import re
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from weights import PLACES, WIDTH, saved

START = Path(__file__).parent.parent / "models" / "gte-small" / "model.onnx"
OUTPUTS = {"answerable": [1], "relevant": [1], "support": [3], "same": [1]}


def int8(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix [inputs, outputs] as 7-bit integers and one scale an output."""
    scale = np.maximum(np.abs(weight).max(axis=0), 1e-8).astype(np.float32) / 63
    return np.clip(np.rint(weight / scale), -63, 63).astype(np.int8), scale


def put(graph, name: str, value: np.ndarray) -> None:
    for tensor in graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(numpy_helper.from_array(value, name))
            return
    graph.initializer.append(numpy_helper.from_array(value, name))


def put_encoder(graph, state: dict) -> None:
    """Every weight of the encoder in its place in the embedder's graph."""
    put(graph, "embeddings.position_embeddings.weight", state["positions.weight"])
    put(graph, "embeddings.LayerNorm.weight", state["norm.weight"])
    put(graph, "embeddings.LayerNorm.bias", state["norm.bias"])
    quantised = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            place = re.search(r"encoder/layer\.\d+/.*(?=/MatMul)", node.name)
            if place:
                quantised[place[0].replace("/", ".")] = node.input[1]
    for number in range(12):
        for name, (ours, third) in PLACES.items():
            full = f"encoder.layer.{number}.{name}"
            rows = slice(None) if third is None else slice(third * WIDTH, (third + 1) * WIDTH)
            weight, bias = state[f"layers.{number}.{ours}.weight"], state[f"layers.{number}.{ours}.bias"]
            put(graph, full + ".bias", bias[rows])
            if weight.ndim == 1:
                put(graph, full + ".weight", weight)
                continue
            values, scale = int8(weight[rows].T)
            put(graph, quantised[full], values)
            put(graph, quantised[full].removesuffix("_quantized") + "_scale", scale)


def add_types(graph, state: dict) -> None:
    """The second text's tokens are told from the first's by what is added to them."""
    put(graph, "types", state["types.weight"])
    graph.input.append(helper.make_tensor_value_info("token_type_ids", TensorProto.INT64, ["batch_size", "sequence_length"]))
    words = next(node for node in graph.node if "word_row_scale" in node.input)
    made = words.output[0]
    words.output[0] = "word_rows"
    at = list(graph.node).index(words)
    graph.node.insert(at + 1, helper.make_node("Gather", ["types", "token_type_ids"], ["type_rows"]))
    graph.node.insert(at + 2, helper.make_node("Add", ["word_rows", "type_rows"], [made]))


def add_heads(graph, state: dict) -> None:
    hidden = graph.output[0].name
    del graph.output[:]
    put(graph, "zero", np.array(0, dtype=np.int64))
    put(graph, "root_half", np.array(np.sqrt(0.5), dtype=np.float32))
    put(graph, "one", np.array(1, dtype=np.float32))
    put(graph, "half", np.array(0.5, dtype=np.float32))
    node = lambda kind, inputs, output, **extra: graph.node.append(helper.make_node(kind, inputs, [output], **extra))
    node("Gather", [hidden, "zero"], "first", axis=1)
    for name, shape in OUTPUTS.items():
        if f"{name}.inner.weight" not in state:
            continue
        for part in ("inner", "outer"):
            put(graph, f"{name}.{part}.weight", np.ascontiguousarray(state[f"{name}.{part}.weight"].T))
            put(graph, f"{name}.{part}.bias", state[f"{name}.{part}.bias"])
        node("MatMul", ["first", f"{name}.inner.weight"], f"{name}.i")
        node("Add", [f"{name}.i", f"{name}.inner.bias"], f"{name}.x")
        node("Mul", [f"{name}.x", "root_half"], f"{name}.s")
        node("Erf", [f"{name}.s"], f"{name}.e")
        node("Add", [f"{name}.e", "one"], f"{name}.p")
        node("Mul", [f"{name}.x", f"{name}.p"], f"{name}.g")
        node("Mul", [f"{name}.g", "half"], f"{name}.gelu")
        node("MatMul", [f"{name}.gelu", f"{name}.outer.weight"], f"{name}.o")
        node("Add", [f"{name}.o", f"{name}.outer.bias"], name)
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch_size", *shape]))
    put(graph, "span.weight", np.ascontiguousarray(state["span.weight"].T))
    put(graph, "span.bias", state["span.bias"])
    node("MatMul", [hidden, "span.weight"], "span.o")
    node("Add", ["span.o", "span.bias"], "span")
    graph.output.append(helper.make_tensor_value_info("span", TensorProto.FLOAT, ["batch_size", "sequence_length", 2]))


def build(state: dict) -> bytes:
    model = onnx.load(START)
    put_encoder(model.graph, state)
    add_types(model.graph, state)
    add_heads(model.graph, state)
    model.doc_string = "Vouch's judge, int8 per channel; see CARD.md"
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder with judge-*.npz")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    data = build(saved(args.work))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "model.onnx").write_bytes(data)
    print(f"model.onnx: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
