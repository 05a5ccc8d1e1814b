"""Any config: sliders for the sizes of a Transformer, with the paper's two models. All of it is in the link."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import get_args

import streamlit as st

from viz_transformer.config import MAX_LAYERS, MAX_SIZE, TransformerConfig, WeightTying
from viz_transformer.experiments.costs import PAPER_BASE, PAPER_BIG
from viz_transformer.ui.choices import linked_choice
from viz_transformer.ui.linked_sizes import linked_size
from viz_transformer.ui.text import _

_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192)
_NAMES = ("d_model", "heads", "layers", "d_ff", "vocab", "norm", "tying")
_MAX_WIDTH = 16_384


def choose_config(own: TransformerConfig) -> TransformerConfig | None:
    """The config of the sliders, which begin at the model's `own`; None, with a sentence, where there is no such model.

    In the link as `d_model`, `heads`, `layers`, `d_ff`, `vocab`, `norm`, `tying`; what is not there is the model's
    own, which may have stacks of two depths and two vocabularies.
    """
    with st.container(horizontal=True):
        st.button(_("This model"), on_click=_forget, key="preset own")
        st.button(_("The paper's base"), on_click=_set, args=(PAPER_BASE,), key="preset base")
        st.button(_("The paper's big"), on_click=_set, args=(PAPER_BIG,), key="preset big")
    first, second, third = st.columns(3)
    with first:
        d_model = linked_size("d_model", "d_model", _WIDTHS, own.d_model, highest=_MAX_WIDTH, help=_("Width."))
        d_ff = linked_size("d_ff", "d_ff", _WIDTHS, own.d_ff, highest=4 * _MAX_WIDTH, help=_("Width inside FFN."))
    with second:
        heads = linked_size(
            "h", "heads", _WIDTHS[:16], own.n_heads, highest=1024, help=_("Heads: must divide d_model.")
        )
        layers = linked_size(
            "N", "layers", (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96), own.n_encoder_layers, highest=MAX_LAYERS,
            help=_("Layers of each stack."),
        )  # fmt: skip
    with third:
        vocabulary = linked_size(
            "V", "vocab", (14, 100, 1000, 4000, 8000, 16_000, 32_000, 37_000, 50_000, 100_000, 250_000),
            own.target_vocab_size, highest=MAX_SIZE, help=_("Tokens of the vocabulary; of both, once it is moved."),
        )  # fmt: skip
        norms = {"post": _("post-norm"), "pre": _("pre-norm")}
        norm = linked_choice(_("LayerNorm"), "norm", norms, "pre" if own.norm_first else "post")
    tyings = {
        "all": _("both embeddings and the output"),
        "target": _("target embedding and output"),
        "none": _("nothing"),
    }
    tying = linked_choice(_("One matrix shared by (weight tying)"), "tying", tyings, own.weight_tying)
    asked = st.query_params
    try:
        return replace(
            own,
            d_model=d_model,
            n_heads=heads,
            d_ff=d_ff,
            n_encoder_layers=layers if "layers" in asked else own.n_encoder_layers,
            n_decoder_layers=layers if "layers" in asked else own.n_decoder_layers,
            source_vocab_size=vocabulary if "vocab" in asked else own.source_vocab_size,
            target_vocab_size=vocabulary,
            pad_id=0,
            norm_first=norm == "pre",
            weight_tying=next(name for name in get_args(WeightTying) if name == tying),
        )
    except ValueError as error:
        st.error(escape(str(error)))
        return None


def config_line(config: TransformerConfig) -> str:
    """The sizes in one line."""
    return _(
        "d_model {d_model} · h {heads} · d_k {d_k} · N {encoder} + {decoder} · d_ff {d_ff} · "
        "vocabulary {source} → {target} · {norm}"
    ).format(
        d_model=f"{config.d_model:,}",
        heads=config.n_heads,
        d_k=f"{config.d_k:,}",
        encoder=config.n_encoder_layers,
        decoder=config.n_decoder_layers,
        d_ff=f"{config.d_ff:,}",
        source=f"{config.source_vocab_size:,}",
        target=f"{config.target_vocab_size:,}",
        norm=_("pre-norm") if config.norm_first else _("post-norm"),
    )


def _set(config: TransformerConfig) -> None:
    sizes = (config.d_model, config.n_heads, config.n_encoder_layers, config.d_ff, config.target_vocab_size)
    values = dict(zip(_NAMES, (*map(str, sizes), "post", config.weight_tying), strict=True))
    st.query_params.update(values)


def _forget() -> None:
    for name in _NAMES:
        st.query_params.pop(name, None)
