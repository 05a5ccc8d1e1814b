"""The lesson of the page Why attention that draws what a layer sees, and how far a signal has to go."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.why_attention.layer_types import Sizes, layer_cost
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.why_attention.paths_view import MAX_DRAWN, paths_view
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


def paths(reading: Reading) -> None:
    """Receptive fields and paths, then the distances that this model's heads bridge."""
    _drawings()
    this_model()
    _distances(reading)


@st.fragment
def _drawings() -> None:
    picture, side = picture_and_side("why-paths")
    with side:
        bar = size_bar(
            [
                Size("drawn", _("n: positions shown"), (1, 2, 4, 8, 12, 16, 20, 24), 16, MAX_DRAWN),
                Size("k", _("k: kernel width"), (1, 2, 3, 4, 5, 7, 9, 15), 3, 1024),
                Size("r", _("r: neighbours"), (1, 2, 4, 8, 16), 4, 65_536),
            ],
            key="path-sizes",
        )
        theory()
        st.markdown(
            explained(
                "The inputs that an output can depend on are its receptive field. The number of connections "
                "between an input and an output is the length of the path that a signal, and its gradient, must "
                "take. A recurrent layer sees everything, but along a long path; a convolution sees k positions "
                "and needs several layers; attention sees everything in one step."
            )
        )
    with picture:
        paths_view(bar, _sizes, key="paths")


def _sizes(values: Values) -> Sizes:
    of = whole(values)
    return Sizes(of["drawn"], 1, of["k"], of["r"])


def _distances(reading: Reading) -> None:
    config, count = reading.trace.config, len(reading.trace.source_tokens)
    places = np.arange(count)
    apart = np.abs(places[:, None] - places[None])  # (S, S)
    rows = []
    for layer in range(config.n_encoder_layers):
        weights = reading.trace.attention("encoder_self", layer).weights  # (H, S, S)
        for head in range(config.n_heads):
            mean = float((weights[head] * apart).sum(axis=1).mean())
            heaviest = apart[places, weights[head].argmax(axis=1)]
            rows.append([f"{layer + 1}.{head + 1}", decimals(mean, 2), str(int(heaviest.max()))])
    number_table(
        "distances",
        _("How many tokens the encoder's heads bridge in one step, recorded in this pass"),
        [
            _("layer.head"),
            _("mean distance, weighted"),
            _("greatest distance from a query to its strongest key"),
        ],
        rows,
    )
    own = Sizes(count, config.d_model, 3, 1)
    recurrent, dilated = layer_cost("recurrent", own).path, layer_cost("dilated", own).path
    st.markdown(
        explained(
            "Your sentence has {count} tokens. Its first and its last token are one connection apart in every "
            "layer of this encoder, {recurrent} apart in a recurrent layer, and {dilated} apart in dilated "
            "convolutions with k = {k}."
        ).format(count=count, recurrent=recurrent, dilated=dilated, k=own.k)
    )
