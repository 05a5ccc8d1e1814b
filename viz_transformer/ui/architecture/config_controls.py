"""Any config: sliders for the sizes of a Transformer, with the paper's two models. All of it is in the link."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from viz_transformer.config import MAX_LAYERS, MAX_SIZE, TransformerConfig, WeightTying
from viz_transformer.experiments.architecture.costs import PAPER_BASE, PAPER_BIG
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.sliders import Bar, Values, choice
from viz_transformer.ui.shared.head_names import both
from viz_transformer.views.text import _

_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192)
_LAYERS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96)
_VOCABULARIES = (14, 100, 1000, 4000, 8000, 16_000, 32_000, 36_000, 37_000, 41_000, 50_000, 100_000, 250_000)
_NAMES = ("d_model", "heads", "layers", "d_ff", "vocab", "norm", "tying")
_MAX_WIDTH = 16_384
_NORMS = ("post", "pre")
_TYINGS: tuple[WeightTying, ...] = ("all", "target", "none")


def config_bar(own: TransformerConfig, more: Size | None = None) -> Bar:
    """Shows sliders for a config, which begin at the model's `own`, and one `more`; see `config_of` for their values.

    In the link as `d_model`, `heads`, `layers`, `d_ff`, `vocab`, `norm`, `tying`. No slider adds a sub-layer, so a
    model that lacks one gets no buttons for the paper's models.
    """
    with st.container(horizontal=True):
        st.button(_("This model"), on_click=_forget, key="preset own")
        if own.sublayers == "both":
            st.button(_("The paper's base"), on_click=_set, args=(PAPER_BASE,), key="preset base")
            st.button(_("The paper's big"), on_click=_set, args=(PAPER_BIG,), key="preset big")
    d_ff = Size("d_ff", _("d_ff: inner width of the feed-forward"), _WIDTHS, own.d_ff, 4 * _MAX_WIDTH)
    return size_bar(
        [
            Size("d_model", _("d_model: width"), _WIDTHS, own.d_model, _MAX_WIDTH),
            Size("heads", _("h: heads; h divides d_model"), _WIDTHS[:16], own.n_heads, 1024),
            Size("layers", _("N: layers in each stack"), _LAYERS, own.n_encoder_layers, MAX_LAYERS),
            *([d_ff] if own.has_feed_forward else []),
            Size("vocab", _("V: tokens in each vocabulary"), _VOCABULARIES, own.target_vocab_size, MAX_SIZE),
            *([more] if more else []),
        ],
        key="config",
        choices=[
            choice("norm", _("LayerNorm"), _norm_names(), "pre" if own.norm_first else "post"),
            choice("tying", _("Weight tying: one matrix shared by"), _tying_names(), own.weight_tying),
        ],
    )


def config_of(own: TransformerConfig, values: Values) -> TransformerConfig:
    """The config that the sliders of `config_bar` are set to.

    A size that is still the model's own keeps the difference between its stacks, or between its two vocabularies.

    Raises:
        ValueError: where there is no such model; its message is a sentence for a person.
    """
    of = whole(values)
    heads, layers, d_ff, vocabulary = of["heads"], of["layers"], of.get("d_ff", own.d_ff), of["vocab"]
    return replace(
        own,
        d_model=of["d_model"],
        n_heads=heads,
        n_decoder_heads=own.n_decoder_heads if heads == own.n_heads else None,
        d_ff=d_ff,
        decoder_d_ff=own.decoder_d_ff if d_ff == own.d_ff else None,
        n_encoder_layers=layers,
        n_decoder_layers=own.n_decoder_layers if layers == own.n_encoder_layers else layers,
        source_vocab_size=own.source_vocab_size if vocabulary == own.target_vocab_size else vocabulary,
        target_vocab_size=vocabulary,
        pad_id=0,  # the special ids change no size; 0 is in any vocabulary
        start_id=0,
        end_id=0,
        unknown_id=0,
        norm_first=_NORMS[of["norm"]] == "pre",
        weight_tying=_TYINGS[of["tying"]],
    )


def config_line(config: TransformerConfig) -> str:
    """The sizes in one line."""
    return _(
        "d_model {d_model} · h {heads} · d_k {d_k} · N {encoder} + {decoder} · {feed_forward} · "
        "vocabulary {source} → {target} · {norm}"
    ).format(
        d_model=f"{config.d_model:,}",
        heads=both(config, lambda stack: stack.n_heads),
        d_k=both(config, lambda stack: stack.d_k),
        encoder=config.n_encoder_layers,
        decoder=config.n_decoder_layers,
        feed_forward=_("d_ff {d_ff}").format(d_ff=both(config, lambda stack: stack.d_ff))
        if config.has_feed_forward
        else _("no feed-forward"),
        source=f"{config.source_vocab_size:,}",
        target=f"{config.target_vocab_size:,}",
        norm=_norm_names()["pre" if config.norm_first else "post"],
    )


def _norm_names() -> dict[str, str]:
    return dict(zip(_NORMS, (_("post-norm"), _("pre-norm")), strict=True))


def _tying_names() -> dict[str, str]:
    texts = (_("both embeddings and the output projection"), _("target embedding and output projection"), _("nothing"))
    return dict(zip(_TYINGS, texts, strict=True))


def _set(config: TransformerConfig) -> None:
    sizes = (config.d_model, config.n_heads, config.n_encoder_layers, config.d_ff, config.target_vocab_size)
    values = dict(zip(_NAMES, (*map(str, sizes), "post", config.weight_tying), strict=True))
    st.query_params.update(values)


def _forget() -> None:
    for name in _NAMES:
        st.query_params.pop(name, None)
