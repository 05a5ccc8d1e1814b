"""The lesson of the page Architecture on the feed-forward network: position by position."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz_transformer.experiments.architecture.position_wise import Floats, PositionWise, position_wise
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.shared.choices import linked_choice, linked_number
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

MOVED = 1e-4  # what is less is rounding


def feed_forward(reading: Reading) -> None:
    """Change one position, permute all of them, and use a convolution in its place."""
    config, tokens = reading.trace.config, reading.trace.source_tokens
    if not config.has_feed_forward:
        _explain()
        this_model()
        st.markdown(
            explained(
                "This model has no feed-forward layers, only attention. Choose another model at the top for the "
                "experiment."
            )
        )
        return
    changes, beside_changes = picture_and_side("architecture-ffn")
    with beside_changes:
        layer = linked_number(_("Encoder layer"), "layer", config.n_encoder_layers)
        st.markdown(
            explained(
                "Sizes: {d_model} → {d_ff} → {d_model}, activation {activation}. Both pictures show this model on"
                " your sentence, with the same colour scale."
            ).format(d_model=config.d_model, d_ff=f"{config.d_ff:,}", activation=config.activation)
        )
        _explain()
    this_model()
    permuted, beside_permuted = picture_and_side("architecture-order")
    with beside_permuted:
        names = {"reverse": _("reversed"), "rotate": _("shifted by one"), "swap": _("first and last swapped")}
        chosen = linked_choice(_("Permutation of the source positions"), "order", names, "reverse", column=True)
    order = _orders(len(tokens))[chosen]
    with scheduler.short():
        result = position_wise(reading.translator.model, reading.trace, layer, order)
    with changes:
        _moved(result, tokens)
    with permuted:
        _permutation(result, [tokens[place] for place in order], tokens)
        _checks(result)


def _explain() -> None:
    theory()
    st.markdown(
        explained(
            "FFN(x) = activation(x W₁ + b₁) W₂ + b₂, with the same weights at every position: a convolution of "
            "width 1. With ReLU, as in the paper, that is max(0, x W₁ + b₁) W₂ + b₂: what is below 0 becomes 0. So it "
            "commutes with any permutation of the positions. Positions do not exchange information here; that happens "
            "only in attention."
        )
    )


def _moved(result: PositionWise, tokens: Sequence[str]) -> None:
    """How far each output moves when one token's vector is doubled."""
    most = float(max(result.ffn_change.max(), result.attention_change.max()))
    matrix_view(
        [
            _changes(_("feed-forward"), result.ffn_change, tokens, most, "ffn-change"),
            _changes(_("self-attention"), result.attention_change, tokens, most, "attention-change"),
        ],
        key="changes",
    )
    reached = [int((change > MOVED).sum(axis=0).max()) for change in (result.ffn_change, result.attention_change)]
    st.markdown(
        explained(
            "Doubling a token changes at most {ffn} of the {count} outputs of the feed-forward, its own, and up "
            "to {attention} of the outputs of self-attention: {follows}."
        ).format(
            ffn=reached[0],
            attention=reached[1],
            count=len(tokens),
            follows=_("only attention carries something from one token to another")
            if reached[1] > reached[0]
            else _("with a single token there is no other token to carry anything to"),
        )
    )


def _checks(result: PositionWise) -> None:
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
    st.markdown(
        explained(
            "Permuting before or after the feed-forward changes the result by {difference}, which is only "
            "rounding: the feed-forward does not know where a token stands."
        ).format(difference=decimals(result.permutation_difference))
        if result.permutation_difference < 1e-3
        else explained(
            "Permuting before or after the feed-forward changes the result by {difference}, more than rounding "
            "explains."
        ).format(difference=decimals(result.permutation_difference))
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


def _changes(title: str, values: Floats, tokens: Sequence[str], most: float, name: str) -> Matrix:
    return Matrix(
        title,
        values,
        rows=_("output"),
        columns=_("doubled token"),
        row_labels=tokens,
        column_labels=tokens,
        scale_name=_("distance"),
        extent=most,
        is_pinnable=False,
        name=name,
    )


def _cell(value: float) -> Cell:
    return Cell(decimals(value), "strong" if value > 1e-3 else "")
