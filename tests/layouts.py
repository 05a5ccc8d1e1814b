"""Random models of `torch.nn.Transformer` and of the Annotated Transformer, and ours with the same weights.

Both are called like ours, `model(source_ids, target_ids) -> logits`, with padding 0, start 1 and end 2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from viz_transformer import Transformer, TransformerConfig

PAD = 0
SIZES: dict[str, Any] = {"d_model": 32, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 3, "d_ff": 40}
SOURCE_WORDS, TARGET_WORDS, MAX_LEN = 19, 23, 24


def waves(length: int, width: int) -> Tensor:
    """Sines and cosines interleaved, number by number."""
    table = np.zeros((length, width))
    for place in range(length):
        for n in range(width):
            angle = place / 10_000 ** (2 * (n // 2) / width)
            table[place, n] = math.cos(angle) if n % 2 else math.sin(angle)
    return torch.tensor(table, dtype=torch.float32)


@torch.no_grad()
def randomised(model: nn.Module, seed: int) -> None:
    """Every parameter random, so that a swapped bias or norm shows; some tokens are clearly the likeliest."""
    dice = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=dice)
        if parameter.dim() == 1:
            parameter.copy_(
                0.3 * noise + (1 if name.endswith((".a_2", "norm.weight", "1.weight", "2.weight", "3.weight")) else 0)
            )
        else:
            parameter.copy_(noise * parameter.shape[1] ** -0.5)


class OfTorch(nn.Module):
    """`torch.nn.Transformer` between embeddings and an output projection, as its users write it."""

    def __init__(self, activation: str, norm_first: bool) -> None:
        super().__init__()
        width = SIZES["d_model"]
        self.source, self.target = nn.Embedding(SOURCE_WORDS, width), nn.Embedding(TARGET_WORDS, width)
        self.transformer = nn.Transformer(
            width,
            SIZES["n_heads"],
            SIZES["n_encoder_layers"],
            SIZES["n_decoder_layers"],
            SIZES["d_ff"],
            activation=activation,
            norm_first=norm_first,
            batch_first=True,
        )
        self.output = nn.Linear(width, TARGET_WORDS)
        self.positions = waves(MAX_LEN, width)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        source = self.source(source_ids) * math.sqrt(SIZES["d_model"]) + self.positions[: source_ids.shape[1]]
        target = self.target(target_ids) * math.sqrt(SIZES["d_model"]) + self.positions[: target_ids.shape[1]]
        decoded = self.transformer(
            source,
            target,
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(target_ids.shape[1], dtype=torch.bool),
            src_key_padding_mask=source_ids == PAD,  # their masks: True = masked
            tgt_key_padding_mask=target_ids == PAD,
            memory_key_padding_mask=source_ids == PAD,
        )
        return self.output(decoded)


def from_torch(theirs: OfTorch, activation: Any, norm_first: bool) -> Transformer:
    """Our model with the weights of `theirs`, in which W_Q, W_K and W_V are one matrix."""
    state = theirs.state_dict()
    weights = {
        "source_embedding.tokens.weight": state.pop("source.weight"),
        "target_embedding.tokens.weight": state.pop("target.weight"),
        "output_projection.weight": state.pop("output.weight"),
        "output_projection.bias": state.pop("output.bias"),
    }
    parts = {
        "self_attn": "self_attention", "multihead_attn": "cross_attention", "linear1": "feed_forward.w_1",
        "linear2": "feed_forward.w_2", "out_proj": "w_o",
    }  # fmt: skip
    norms = {
        "encoder": ["self_attention", "feed_forward"],
        "decoder": ["self_attention", "cross_attention", "feed_forward"],
    }
    for name, tensor in state.items():
        _transformer, stack, *rest = name.split(".")
        if rest[0] == "norm":
            weights[f"{stack}_norm.{rest[1]}"] = tensor
            continue
        _layers, layer, part, *last = rest
        ours = f"{stack}_layers.{layer}"
        if part.startswith("norm"):
            weights[f"{ours}.add_{norms[stack][int(part[-1]) - 1]}.norm.{last[0]}"] = tensor
        elif last[0].startswith("in_proj"):
            for letter, third in zip("qkv", tensor.chunk(3), strict=True):
                weights[f"{ours}.{parts[part]}.w_{letter}.{last[0].removeprefix('in_proj_')}"] = third
        else:
            weights[".".join([ours, parts[part], *(parts.get(name, name) for name in last)])] = tensor
    return _filled(weights, activation=activation, norm_first=norm_first)


class OwnNorm(nn.Module):
    """LayerNorm as the Annotated Transformer writes it: it divides by the sample deviation (n - 1) plus ε."""

    def __init__(self) -> None:
        super().__init__()
        self.a_2, self.b_2 = nn.Parameter(torch.ones(SIZES["d_model"])), nn.Parameter(torch.zeros(SIZES["d_model"]))

    def forward(self, x: Tensor) -> Tensor:
        return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.b_2


class Heads(nn.Module):
    """Attention with W_Q, W_K, W_V and W_O in one list."""

    def __init__(self) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(SIZES["d_model"], SIZES["d_model"]) for _ in range(4))
        self.attn = torch.empty(0)  # the weights of the last pass

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        heads, d_k = SIZES["n_heads"], SIZES["d_model"] // SIZES["n_heads"]
        q, k, v = (
            linear(x).view(len(x), -1, heads, d_k).transpose(1, 2)
            for linear, x in zip(self.linears, (query, memory, memory), strict=False)
        )
        scores = (q @ k.transpose(-2, -1) / math.sqrt(d_k)).masked_fill(mask == 0, -1e9)
        self.attn = scores.softmax(-1)
        return self.linears[3]((self.attn @ v).transpose(1, 2).reshape(len(query), -1, SIZES["d_model"]))


class Sublayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = OwnNorm()


class FeedForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(SIZES["d_model"], SIZES["d_ff"]), nn.Linear(SIZES["d_ff"], SIZES["d_model"])

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.w_1(x).relu())


class Layer(nn.Module):
    """Pre-norm: x + Sublayer(norm(x))."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names
        for name in names:
            self.add_module(name, Heads())
        self.feed_forward = FeedForward()
        self.sublayer = nn.ModuleList(Sublayer() for _ in range(len(names) + 1))

    def forward(self, x: Tensor, masks: list[Tensor], memory: Tensor | None = None) -> Tensor:
        for name, mask, sublayer in zip(self.names, masks, self.sublayer, strict=False):
            normed = sublayer.norm(x)
            x = x + self.get_submodule(name)(normed, normed if name == "self_attn" else memory, mask)
        return x + self.feed_forward(self.sublayer[-1].norm(x))


class Stack(nn.Module):
    def __init__(self, count: int, names: list[str]) -> None:
        super().__init__()
        self.layers, self.norm = nn.ModuleList(Layer(names) for _ in range(count)), OwnNorm()


class Annotated(nn.Module):
    """The parameters of the Annotated Transformer (Rush et al.), by its names, and what it computes."""

    def __init__(self) -> None:
        super().__init__()
        width = SIZES["d_model"]
        self.encoder = Stack(SIZES["n_encoder_layers"], ["self_attn"])
        self.decoder = Stack(SIZES["n_decoder_layers"], ["self_attn", "src_attn"])
        self.src_embed = nn.Sequential(nn.ModuleDict({"lut": nn.Embedding(SOURCE_WORDS, width)}))
        self.tgt_embed = nn.Sequential(nn.ModuleDict({"lut": nn.Embedding(TARGET_WORDS, width)}))
        self.generator = nn.ModuleDict({"proj": nn.Linear(width, TARGET_WORDS)})
        self.positions = waves(MAX_LEN, width)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Log-probabilities, as its generator gives them."""
        source_mask = (source_ids != PAD)[:, None, None]
        target_mask = (target_ids != PAD)[:, None, None] & torch.ones(
            target_ids.shape[1], target_ids.shape[1]
        ).tril().bool()
        x = self._embedded(self.src_embed, source_ids)
        for layer in self.encoder.layers:
            x = layer(x, [source_mask])
        memory = self.encoder.norm(x)
        x = self._embedded(self.tgt_embed, target_ids)
        for layer in self.decoder.layers:
            x = layer(x, [target_mask, source_mask], memory)
        return self.generator["proj"](self.decoder.norm(x)).log_softmax(-1)

    def _embedded(self, embed: Any, ids: Tensor) -> Tensor:
        return embed[0]["lut"](ids) * math.sqrt(SIZES["d_model"]) + self.positions[: ids.shape[1]]


def from_annotated(theirs: Annotated) -> Transformer:
    """Our model with the weights of `theirs`, whose norms divide by the sample deviation (n - 1)."""
    names = {
        "src_embed.0.lut": "source_embedding.tokens", "tgt_embed.0.lut": "target_embedding.tokens",
        "generator.proj": "output_projection", "encoder.norm": "encoder_norm", "decoder.norm": "decoder_norm",
    }  # fmt: skip
    parts = {"self_attn": "self_attention", "src_attn": "cross_attention", "feed_forward": "feed_forward"}
    width = SIZES["d_model"]
    weights = {}
    for name, tensor in theirs.state_dict().items():
        module, _dot, last = name.rpartition(".")
        if last == "a_2":
            tensor, last = tensor * math.sqrt((width - 1) / width), "weight"
        last = "bias" if last == "b_2" else last
        if module in names:
            weights[f"{names[module]}.{last}"] = tensor
            continue
        stack, _layers, layer, part, *rest = module.split(".")
        kinds = ["self_attention", *(["cross_attention"] if stack == "decoder" else []), "feed_forward"]
        if part == "sublayer":
            ours = f"add_{kinds[int(rest[0])]}.norm"
        elif rest[0] == "linears":
            ours = f"{parts[part]}.w_{'qkvo'[int(rest[1])]}"
        else:
            ours = f"{parts[part]}.{rest[0]}"
        weights[f"{stack}_layers.{layer}.{ours}.{last}"] = tensor
    return _filled(weights, norm_first=True)


def _filled(weights: dict[str, Tensor], **options: Any) -> Transformer:
    config = TransformerConfig(
        source_vocab_size=SOURCE_WORDS,
        target_vocab_size=TARGET_WORDS,
        max_len=MAX_LEN,
        weight_tying="none",
        final_norms=True,
        output_bias=True,
        **SIZES,
        **options,
    )
    model = Transformer(config)
    model.load_state_dict(weights)  # strict: all of them, and no others
    return model.eval().requires_grad_(False)
