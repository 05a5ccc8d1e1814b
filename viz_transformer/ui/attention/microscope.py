"""The pinned cell unfolded: every number between a query, a key and the context vector."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from viz_transformer.analysis.measures import entropy
from viz_transformer.charts.attention import term_bars
from viz_transformer.experiments.attention.steps import (
    CellTerms,
    HeadStages,
    cell_terms,
    row_softmaxes,
    similarity,
)
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.views.head_sheet import Axes
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_PLACES = 6  # decimals, so that sums come out right to the four decimals of the matrices


def microscope(head: HeadStages, axes: Axes, cell: tuple[int, int] | None, *, key: str) -> None:
    """Everything about one cell (query, key) of one head; a sentence where none is pinned."""
    st.header(_("The pinned cell, term by term"), anchor=False)
    if cell is None:
        st.caption(_("Pin a cell of a matrix above to see where its number comes from."))
        return
    i, j = cell
    terms = cell_terms(head, i, j)
    query, key_name = (
        _("{index} «{token}»").format(index=place + 1, token=tokens[place])
        for place, tokens in ((i, axes.query_tokens), (j, axes.key_tokens))
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        number_table(
            f"{key}-terms",
            _("From query {query} and key {key} to the weight").format(query=query, key=key_name),
            [_("step"), _("number"), _("how")],
            _rows(terms, i + 1, j + 1),
        )
        st.caption(
            _(
                "All numbers are float32, with about seven significant digits: a sum taken in another order may "
                "differ in the last digit."
            )
        )
    with right:
        near = similarity(head.q[i], head.k[j])
        number_table(
            f"{key}-similarity",
            _("The score as lengths and an angle: q · k = |q| |k| cos ∠"),
            [_("quantity"), _("number")],
            [
                ["|q|", number(near.query_norm)],
                ["|k|", number(near.key_norm)],
                ["cos ∠", number(near.cosine)],
                ["∠", f"{near.degrees:.2f}°"],
                ["|q| |k| cos ∠", number(near.query_norm * near.key_norm * near.cosine)],
            ],
        )
    closed_box(_("The products that add up to the score"), lambda: _bars(head, terms, i, j), key=f"{key}-products-open")
    _row_view(head, axes, i, key)
    closed_box(
        _("All dimensions, and what this key adds to the context vector"),
        lambda: _dimensions(terms, head, i, j, key),
        key=f"{key}-open",
    )


def number(value: float) -> str:
    """The number with six decimals, in scientific notation where it is very small or very large."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{_PLACES}f}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.{_PLACES}e}"
    return text.replace("-", "−")


def _rows(terms: CellTerms, i: int, j: int) -> list[list[str | Cell]]:
    masked = number(terms.masked)
    total = _("sum of the {d} products below: {sum}").format(
        d=len(terms.products), sum=number(float(terms.products.sum()))
    )
    steps = [
        (_("score {i}, {j}").format(i=i, j=j), terms.score, total),
        ("÷ √dₖ", terms.scaled, f"{number(terms.score)} / {number(terms.divisor)}"),
        (_("+ mask"), terms.masked, f"{number(terms.scaled)} + {'0' if terms.is_allowed else '(−∞)'}"),
        (
            "exp",
            terms.exponential,
            _("exp({masked} − {row_max}): subtracting the row's maximum changes nothing and avoids overflow").format(
                masked=masked, row_max=_in_brackets(number(terms.row_max))
            ),
        ),
        (_("denominator"), terms.denominator, _("sum of the row's exponentials")),
        (_("weight"), terms.weight, f"{number(terms.exponential)} / {number(terms.denominator)}"),
    ]
    return [[name, number(value), Cell(how, "text")] for name, value, how in steps]


def _in_brackets(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _bars(head: HeadStages, terms: CellTerms, i: int, j: int) -> None:
    st.markdown(explained("One product for each dimension:"))
    frame = pd.DataFrame(
        {
            "dimension": np.arange(1, len(terms.products) + 1),
            "first": head.q[i].astype(float),
            "second": head.k[j].astype(float),
            "term": terms.products,
        }
    )
    labels = {"dimension": _("dimension d"), "first": "q", "second": "k", "term": _("q · k")}
    st.altair_chart(term_bars(frame, labels))


def _row_view(head: HeadStages, axes: Axes, i: int, key: str) -> None:
    st.markdown(explained("**The row's softmax** before and after scaling and masking"))
    rows = row_softmaxes(head, i)
    matrix_view(
        [
            Matrix(
                _("Row {row}").format(row=i + 1),
                rows,
                rows=_("softmax of"),
                columns=axes.keys,
                row_labels=["QKᵀ", "QKᵀ/√dₖ", _("masked")],
                column_labels=list(axes.key_tokens),
                mask=np.stack([np.ones_like(head.mask[i]), np.ones_like(head.mask[i]), head.mask[i]]),
                scale_name=_("weight"),
                name=f"{key}-row",
                is_pinnable=False,
            )
        ],
        key=f"{key}-row",
    )
    bits = entropy(rows)
    st.caption(
        _(
            "Entropy: {unscaled:.4f} bits without scaling, {scaled:.4f} with it, {weights:.4f} with the mask too."
        ).format(unscaled=bits[0], scaled=bits[1], weights=bits[2])
    )
    if head.query_input is not None:
        st.caption(_("The last row was recorded; the two above it are the softmax of the recorded scores."))


def _dimensions(terms: CellTerms, head: HeadStages, i: int, j: int, key: str) -> None:
    st.caption(
        _("Summed over all keys, weight × v is the context of query {i}. This is the contribution of key {j}.").format(
            i=i + 1, j=j + 1
        )
    )
    n = min(len(terms.products), len(terms.value))  # by hand V may be narrower or wider than Q and K
    columns = [_("dimension"), "q", "k", "q · k", "v", _("weight × v"), _("context")]
    rows = [
        [
            str(d + 1),
            *(
                number(float(column[d]))
                for column in (head.q[i], head.k[j], terms.products, terms.value, terms.contribution, terms.context)
            ),
        ]
        for d in range(n)
    ]
    rows += [
        [str(d + 1), "", "", "", *(number(float(c[d])) for c in (terms.value, terms.contribution, terms.context))]
        for d in range(n, len(terms.value))
    ]
    rows += [
        [str(d + 1), *(number(float(c[d])) for c in (head.q[i], head.k[j], terms.products)), "", "", ""]
        for d in range(n, len(terms.products))
    ]
    number_table(f"{key}-dimensions", _("Query {i}, key {j}").format(i=i + 1, j=j + 1), columns, rows)
