"""Names for attention: the three modules of the paper (§3.2.3), their layers and their heads."""

from __future__ import annotations

from numbers import Integral
from typing import Literal, NamedTuple, get_args

from viz_transformer.config import TransformerConfig
from viz_transformer.sentences import SentenceError

AttentionModule = Literal["encoder_self", "decoder_self", "cross"]
ATTENTION_MODULES: tuple[AttentionModule, ...] = get_args(AttentionModule)
DECODER_MODULES = tuple(module for module in ATTENTION_MODULES if module != "encoder_self")


class HeadRef(NamedTuple):
    """One head: its module, its layer from 0, its number from 0."""

    module: AttentionModule
    layer: int
    head: int

    def check(self, config: TransformerConfig) -> None:
        """Raises a ValueError where a model of this config has no such head."""
        check_layer(config, self.module, self.layer)
        last = stack_config(config, self.module).n_heads - 1
        if not isinstance(self.head, Integral) or not 0 <= self.head <= last:
            raise SentenceError("This model has heads 0 to {last}; there is no head {head}.", last=last, head=self.head)


def stack_config(config: TransformerConfig, module: AttentionModule) -> TransformerConfig:
    """The config of the module's stack: its `n_heads`, `d_k` and `score_divisor` are the module's."""
    return config if module == "encoder_self" else config.decoder


def n_layers(config: TransformerConfig, module: AttentionModule) -> int:
    """How many layers have this module; none in a model of feed-forward layers alone."""
    if not config.has_attention:
        return 0
    return config.n_encoder_layers if module == "encoder_self" else config.n_decoder_layers


def check_layer(config: TransformerConfig, module: AttentionModule, layer: int) -> None:
    """Raises a ValueError where a model of this config has no such attention module."""
    if module not in ATTENTION_MODULES:
        raise SentenceError(
            "The attention module must be one of {allowed}; it was {module!r}.",
            allowed=", ".join(ATTENTION_MODULES),
            module=module,
        )
    if not config.has_attention:
        raise SentenceError("This model has no attention: its layers are feed-forward only.")
    if not isinstance(layer, Integral) or not 0 <= layer < n_layers(config, module):
        raise SentenceError(
            "{module} attention has layers 0 to {last}; there is no layer {layer}.",
            module=module,
            last=n_layers(config, module) - 1,
            layer=layer,
        )


def hook_path(module: AttentionModule, layer: int) -> str:
    """Where in the model the hook points of one attention module are."""
    stack = "encoder_layers" if module == "encoder_self" else "decoder_layers"
    kind = "cross_attention" if module == "cross" else "self_attention"
    return f"{stack}.{layer}.{kind}"


def parse_hook_path(name: str) -> tuple[AttentionModule, int, str] | None:
    """The module, layer and stage of a hook point's name, or None where it is not inside an attention module."""
    stack, *rest = name.split(".")
    if (
        stack not in ("encoder_layers", "decoder_layers")
        or len(rest) != 3
        or rest[1] not in ("self_attention", "cross_attention")
    ):
        return None
    layer, kind, stage = rest
    if stack == "encoder_layers":
        return "encoder_self", int(layer), stage
    return ("cross" if kind == "cross_attention" else "decoder_self"), int(layer), stage
