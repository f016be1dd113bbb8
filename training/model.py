"""The judge: gte-small's encoder and four heads on its first token, with spans over the rest.

The start is the embedder the project ships (`models/gte-small/model.onnx`, int8, taken back to floats) or an earlier
judge, so no other weights are needed. The token table stays as it is; everything else learns.
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from weights import PLACES, WIDTH, floats_of

LAYERS, HEADS, INNER, TOKENS_MAX = 12, 12, 1536, 512
HEAD_WIDTH = 64
SUPPORTED, CONTRADICTED, SILENT = 0, 1, 2


class FakeInt8(torch.autograd.Function):
    """A weight as its int8 copy will be: 7 bits, one scale an output row; the gradient passes unchanged."""

    @staticmethod
    def forward(ctx, weight):
        scale = weight.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / 63
        return torch.round(weight / scale) * scale

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class FakeUint8(torch.autograd.Function):
    """Activations as they will be rounded: 8 bits between the smallest and the largest value of each text."""

    @staticmethod
    def forward(ctx, x):
        low = x.amin(dim=(1, 2), keepdim=True).clamp(max=0).float()
        high = x.amax(dim=(1, 2), keepdim=True).clamp(min=0).float()
        scale = ((high - low) / 255).clamp(min=1e-8)
        return (torch.round(x.float() / scale) * scale).to(x.dtype)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Dense(nn.Linear):
    """A linear layer that can train as if it were already int8."""

    as_int8 = False

    def forward(self, x):
        if self.as_int8 and self.training:
            return F.linear(FakeUint8.apply(x), FakeInt8.apply(self.weight), self.bias)
        return F.linear(x, self.weight, self.bias)


class Layer(nn.Module):
    def __init__(self, dropout: float):
        super().__init__()
        self.qkv = Dense(WIDTH, 3 * WIDTH)
        self.out = Dense(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = Dense(WIDTH, INNER)
        self.down = Dense(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(batch, length, WIDTH)
        x = self.norm1(x + self.dropout(self.out(seen)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Head(nn.Module):
    def __init__(self, outputs: int):
        super().__init__()
        self.inner = nn.Linear(WIDTH, HEAD_WIDTH)
        self.outer = nn.Linear(HEAD_WIDTH, outputs)

    def forward(self, first):
        return self.outer(F.gelu(self.inner(first)))


class Judge(nn.Module):
    def __init__(self, vocabulary: int, dropout: float = 0.1):
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.words.weight.requires_grad_(False)
        self.positions = nn.Embedding(TOKENS_MAX, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)
        self.answerable = Head(1)
        self.relevant = Head(1)
        self.support = Head(3)
        self.same = Head(1)
        self.span = nn.Linear(WIDTH, 2)
        nn.init.zeros_(self.types.weight)

    def forward(self, ids, types, is_token):
        """ids, types [B, L]; is_token [B, L] bool. Logits: answerable, relevant [B], support [B, 3], same [B], span [B, L, 2]."""
        at = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(at) + self.types(types))
        x = self.dropout(x)
        mask = is_token[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        first = x[:, 0]
        return self.answerable(first)[:, 0], self.relevant(first)[:, 0], self.support(first), self.same(first)[:, 0], self.span(x)

    def train_as_int8(self) -> None:
        for module in self.modules():
            if isinstance(module, Dense):
                module.as_int8 = True


HEAD_NAMES = ("answerable.", "relevant.", "support.", "same.", "span.")


def start_from(path: Path, dropout: float = 0.1) -> Judge:
    """A judge with the embedder's weights and fresh heads, or with all that an earlier judge had learnt; a head it lacked is fresh."""
    held = floats_of(path)
    judge = Judge(held["words"].shape[0], dropout)

    def put(target, value):
        target.data.copy_(torch.from_numpy(np.array(value)))

    put(judge.words.weight, held["words"])
    put(judge.positions.weight, held["embeddings.position_embeddings.weight"])
    put(judge.norm.weight, held["embeddings.LayerNorm.weight"])
    put(judge.norm.bias, held["embeddings.LayerNorm.bias"])
    for number, layer in enumerate(judge.layers):
        for name, (ours, third) in PLACES.items():
            module = getattr(layer, ours)
            rows = slice(None) if third is None else slice(third * WIDTH, (third + 1) * WIDTH)
            weight = held[f"encoder.layer.{number}.{name}.weight"]
            put(module.weight[rows] if weight.ndim == 2 else module.weight, weight.T if weight.ndim == 2 else weight)
            put(module.bias[rows], held[f"encoder.layer.{number}.{name}.bias"])
    if "types" in held:
        put(judge.types.weight, held["types"])
        for name, parameter in judge.named_parameters():
            if name.startswith(HEAD_NAMES) and name in held:
                put(parameter, held[name].T)
    return judge
