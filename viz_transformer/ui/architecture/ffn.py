"""The lesson of the page Architecture on the feed-forward network: position by position."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz_transformer.experiments.architecture.position_wise import Floats, PositionWise, position_wise
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.components.sheets import Matrix
from viz_transformer.ui.shared.choices import linked_choice, linked_number
from viz_transformer.ui.shared.lesson_controls import experiment, theory, this_model
from viz_transformer.ui.shared.models import compute_slots
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.text import _


def feed_forward(reading: Reading) -> None:
    """Permute the positions, change one of them, and use a convolution in its place."""
    config, tokens = reading.trace.config, reading.trace.source_tokens
    theory()
    st.markdown(
        _(
            "FFN(x) = activation(x W₁ + b₁) W₂ + b₂, with the same weights at every position: a convolution of "
            "width 1. So it commutes with any permutation of the positions. Positions do not exchange "
            "information here; that happens only in attention."
        )
    )
    if not config.has_feed_forward:
        this_model()
        st.markdown(
            _(
                "This model has no feed-forward layers, only attention. Choose another model at the top for the "
                "experiment."
            )
        )
        return
    experiment()
    orders = _orders(len(tokens))
    left, right = st.columns([3, 2])
    with left:
        names = {"reverse": _("reversed"), "rotate": _("shifted by one"), "swap": _("first and last swapped")}
        order = orders[linked_choice(_("Permutation of the source positions"), "order", names, "reverse")]
    with right:
        layer = linked_number(_("Encoder layer"), "layer", config.n_encoder_layers)
    with compute_slots:
        result = position_wise(reading.translator.model, reading.trace, layer, order)
    _permutation(result, [tokens[place] for place in order], tokens)
    number_table(
        "ffn-checks",
        _("Largest difference between any two numbers"),
        [_("compared"), _("largest difference")],
        [
            [
                _("FFN of the permuted inputs, against the permuted outputs of the FFN"),
                _cell(result.permutation_difference),
            ],
            [_("FFN, against two convolutions of width 1 with its weights"), _cell(result.convolution_difference)],
            [_("FFN computed here, against what the pass recorded"), _cell(result.recorded_difference)],
        ],
    )
    this_model()
    st.markdown(
        _(
            "One token's vector is doubled on its way into a sub-layer of this model: how far does each output "
            "move? In the feed-forward, only that token's own output moves; in self-attention, so do the "
            "outputs of all tokens that attend to it. Sizes: {d_model} → {d_ff} → {d_model}, activation "
            "{activation}."
        ).format(d_model=config.d_model, d_ff=config.d_ff, activation=config.activation)
    )
    matrix_view(
        [
            _changes(_("feed-forward"), result.ffn_change, tokens, "ffn-change"),
            _changes(_("self-attention"), result.attention_change, tokens, "attention-change"),
        ],
        key="changes",
    )


def _orders(length: int) -> dict[str, list[int]]:
    places = list(range(length))
    return {
        "reverse": places[::-1],
        "rotate": places[-1:] + places[:-1],
        "swap": [*places[-1:], *places[1:-1], *places[: min(1, length - 1)]],
    }


def _permutation(result: PositionWise, permuted: Sequence[str], tokens: Sequence[str]) -> None:
    def outputs(title: str, values: Floats, labels: Sequence[str], name: str) -> Matrix:
        return Matrix(
            title,
            values,
            rows=_("source token"),
            columns=_("dimension"),
            row_labels=labels,
            scale="diverging",
            is_pinnable=False,
            name=name,
        )

    matrix_view(
        [
            outputs(_("FFN of the recorded inputs"), result.outputs, tokens, "outputs"),
            outputs(_("FFN of the permuted inputs"), result.permuted_outputs, permuted, "permuted"),
        ],
        key="permutation",
    )


def _changes(title: str, values: Floats, tokens: Sequence[str], name: str) -> Matrix:
    return Matrix(
        title,
        values,
        rows=_("output"),
        columns=_("doubled token"),
        row_labels=tokens,
        column_labels=tokens,
        scale_name=_("distance"),
        is_pinnable=False,
        name=name,
    )


def _cell(value: float) -> Cell:
    return Cell(decimals(value), "strong" if value > 1e-3 else "")
