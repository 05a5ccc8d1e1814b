"""Heads in words, as a list to choose from, and sets of heads in the link: `cross.1.2,cross.2.1`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.heads.knock_out import all_heads
from viz_transformer.heads import AttentionModule, HeadRef
from viz_transformer.ui.shared.choices import linked_choice, module_names
from viz_transformer.ui.shared.link import keep
from viz_transformer.views.linked import HEAD, HEADS
from viz_transformer.views.text import _


def head_title(head: HeadRef) -> str:
    """The full name of a head, for people."""
    return _("{module}, layer {layer}, head {head}").format(
        module=module_names()[head.module], layer=head.layer + 1, head=head.head + 1
    )


def both(config: TransformerConfig, size: Callable[[TransformerConfig], int]) -> str:
    """A size of the model's layers as text; "encoder / decoder" where it differs between them."""
    encoder, decoder = size(config), size(config.decoder)
    return f"{encoder:,}" if encoder == decoder else f"{encoder:,} / {decoder:,}"


def head_label(head: HeadRef) -> str:
    """Short: "cross 1.2" is layer 1, head 2."""
    return f"{short_module(head.module)} {head.layer + 1}.{head.head + 1}"


def short_module(module: AttentionModule) -> str:
    """The module in one word."""
    return {"encoder_self": _("encoder"), "decoder_self": _("decoder"), "cross": _("cross")}[module]


def heads_in_link(name: str, config: TransformerConfig) -> tuple[HeadRef, ...]:
    """The heads that the link lists under `name`, in the order of `all_heads`; what this model lacks is left out."""
    asked = HEADS.read(",".join(st.query_params.get_all(name)))  # links once had the parameter again for every head
    return tuple(head for head in all_heads(config) if head in asked)


def keep_heads_in_link(name: str, heads: Iterable[HeadRef]) -> None:
    """Writes a set of heads into the link; an empty set removes the parameter."""
    keep(name, HEADS, tuple(heads), ())


def choose_head(label: str, name: str, config: TransformerConfig, default: HeadRef) -> HeadRef:
    """One of the model's heads, from a list (in the link as `name`)."""
    by_code = {HEAD.write(head): head for head in all_heads(config)}
    titles = {code: head_title(head) for code, head in by_code.items()}
    first = HEAD.write(default)
    return by_code[linked_choice(label, name, titles, first if first in by_code else next(iter(by_code)), wide=True)]
