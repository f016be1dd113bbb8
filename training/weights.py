"""The judge's weights in files: those of an int8 graph as floats, and those that training saved. Needs no torch."""

import re
from pathlib import Path

import numpy as np

WIDTH = 384
PLACES = {
    "attention.self.query": ("qkv", 0),
    "attention.self.key": ("qkv", 1),
    "attention.self.value": ("qkv", 2),
    "attention.output.dense": ("out", None),
    "intermediate.dense": ("up", None),
    "output.dense": ("down", None),
    "attention.output.LayerNorm": ("norm1", None),
    "output.LayerNorm": ("norm2", None),
}


def floats_of(path: Path) -> dict[str, np.ndarray]:
    """Every weight of the int8 embedder as floats, by its own name; matrices as [inputs, outputs]."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    held = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    found = {name: value for name, value in held.items() if value.dtype == np.float32}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in held:
            quantised = node.input[1]
            scale = held[quantised.removesuffix("_quantized") + "_scale"]
            place = re.search(r"encoder/layer\.\d+/.*(?=/MatMul)", node.name)[0].replace("/", ".")
            found[place + ".weight"] = held[quantised].astype(np.float32) * scale
    found["words"] = held["word_table"].astype(np.float32) * held["word_scale"]
    return found


def saved(folder: Path) -> dict[str, np.ndarray]:
    """What training saved in a folder, by name, as floats; the token table is not in it, for it never changes."""
    found = {}
    for part in sorted(folder.glob("judge-*.npz")):
        found.update({name: value.astype(np.float32) for name, value in np.load(part).items()})
    if not found:
        raise SystemExit(f"no judge-*.npz in {folder}")
    return found
