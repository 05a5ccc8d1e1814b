"""The lesson of the page Why attention on Table 1 of the paper."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from viz_transformer.charts.why_attention import complexity_plot
from viz_transformer.experiments.why_attention.layer_types import (
    LAYER_TYPES,
    MAX_WIDTH,
    LayerCost,
    LayerType,
    Sizes,
    complexity,
    layer_cost,
)
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.live_table import Tables, live_tables
from viz_transformer.ui.components.number_table import Cell, Table, number_table
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.why_attention.words import layer_names
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

LENGTHS = tuple(2**power for power in range(17))
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 512, 768, 1024, 2048, 4096)
KERNELS = (1, 2, 3, 4, 5, 7, 9, 15, 31, 63)
NEIGHBOURS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
MAX_LENGTH, MAX_KERNEL = 65_536, 1024
# As the paper prints them: complexity, sequential operations, longest path.
_ORDERS: dict[LayerType, tuple[str, str, str]] = {
    "attention": ("O(n²·d)", "O(1)", "O(1)"),
    "recurrent": ("O(n·d²)", "O(n)", "O(n)"),
    "convolution": ("O(k·n·d²)", "O(1)", "O(n / k)"),
    "dilated": ("O(k·n·d²)", "O(1)", "O(log_k n)"),
    "restricted": ("O(r·n·d)", "O(1)", "O(n / r)"),
}


def table(reading: Reading) -> None:
    """The table in numbers, and where its lines cross."""
    _any_sizes(reading)
    this_model()
    config = reading.trace.config
    n, longest = len(reading.trace.source_tokens), config.max_len
    own = {length: Sizes(length, config.d_model, 1, 1) for length in (n, longest)}
    number_table(
        "own-table",
        _(
            "One layer of this model's width, d = {d}: at the length of your sentence, and at the longest text "
            "it can read"
        ).format(d=config.d_model),
        [_("length n"), _("self-attention, n²·d"), _("recurrent, n·d²"), _("attention ÷ recurrent = n / d")],
        [
            [
                f"{length:,}",
                f"{complexity('attention', at):,}",
                f"{complexity('recurrent', at):,}",
                Cell(f"{length / config.d_model:.3f}", "strong" if length > config.d_model else ""),
            ]
            for length, at in own.items()
        ],
    )


@st.fragment
def _any_sizes(reading: Reading) -> None:
    """n, d, k and r (in the link by these names); n and d begin at the sentence's length and the model's width."""
    picture, side = picture_and_side("why-table")
    with side:
        bar = size_bar(
            [
                Size("n", _("n: length"), LENGTHS, len(reading.trace.source_tokens), MAX_LENGTH),
                Size("d", _("d: width"), WIDTHS, reading.trace.config.d_model, MAX_WIDTH),
                Size("k", _("k: kernel width"), KERNELS, 3, MAX_KERNEL),
                Size("r", _("r: neighbours"), NEIGHBOURS, 4, MAX_LENGTH),
            ],
            key="table-sizes",
        )
        _explain()
    with picture:
        live_tables(bar, _numbers, key="table-1", depends_on=())
        moving_plots(bar, _crossing, key="crossing", depends_on=())
        _formulas()


def _explain() -> None:
    theory()
    st.markdown(
        explained(
            "Table 1 of the paper compares three things: how many operations a layer takes, how many of them "
            "must wait for one another, and how many connections lie between the two positions that are "
            "farthest apart. Long paths are hard to learn through. Attention connects all pairs directly; the "
            "price is n². It is cheaper than a recurrent layer as long as **n < d**. The row for convolutions "
            "is for dilated ones; plain ones need n / k layers, as the text of the paper says."
        )
    )
    st.caption(
        _(
            "“Operations” is the term inside O(…), without its constant. Each step up a layer or along the "
            "sequence counts as one connection. Every layer looks back only, and k and r include the position "
            "itself."
        )
    )


def _formulas() -> None:
    """What each kind of layer computes, one below the other."""
    names = layer_names()
    formulas = {
        names["recurrent"]: r"\tanh(W x_t + U y_{t-1} + b)",
        _("Bidirectional"): r"[\overrightarrow{y}_t;\ \overleftarrow{y}_t]",
        names["convolution"]: r"\textstyle\sum_{j=0}^{k-1} W_j\, x_{t-j} + b",
        names["attention"]: r"\textstyle\sum_s \alpha_{ts}\, x_s W_V",
    }
    lines = [rf"\text{{{name}}} & y_t = {formula}" for name, formula in formulas.items()]
    st.latex(r"\begin{array}{ll}" + r"\\".join(lines) + r"\end{array}")
    st.markdown(
        explained(
            "In a recurrent layer, step t waits for step t − 1; a bidirectional one adds a second such layer, "
            "from the end to the start. A convolution weights its k positions with learned weights, the same "
            "everywhere; attention weights all positions by their content: α is computed from x, anew for each "
            "pair."
        )
    )


def _numbers(values: Values) -> Tables:
    sizes = Sizes(**whole(values))
    costs = {kind: layer_cost(kind, sizes) for kind in LAYER_TYPES}
    least = min(cost.complexity for cost in costs.values())
    table = Table(
        "table-1",
        _("Table 1 with n = {n}, d = {d}, k = {k}, r = {r}").format(
            n=f"{sizes.n:,}", d=f"{sizes.d:,}", k=f"{sizes.k:,}", r=f"{sizes.r:,}"
        ),
        [
            _("layer"),
            _("complexity"),
            _("operations"),
            _("× cheapest"),
            _("sequential"),
            _("here"),
            _("longest path"),
            _("connections"),
            _("layers needed"),
        ],
        [
            [
                layer_names()[kind],
                Cell(_ORDERS[kind][0], "text"),
                f"{cost.complexity:,}",
                Cell(f"{cost.complexity / least:,.1f}", "strong" if cost.complexity == least else ""),
                Cell(_ORDERS[kind][1], "text"),
                f"{cost.sequential:,}",
                Cell(_ORDERS[kind][2], "text"),
                _("never") if cost.path is None else f"{cost.path:,}",
                "–" if cost.layers is None else f"{cost.layers:,}",
            ]
            for kind, cost in costs.items()
        ],
    )
    return Tables([table], conclusion=_conclusion(sizes, costs))


def _conclusion(sizes: Sizes, costs: Mapping[LayerType, LayerCost]) -> str:
    """Attention against recurrence: which takes fewer operations, and how much shorter its path is."""
    attention, recurrent = costs["attention"], costs["recurrent"]
    fewer, more = sorted((attention.complexity, recurrent.complexity))
    if sizes.n == sizes.d:
        words = _(
            "With n = d = {n} self-attention and a recurrent layer both take {fewer} operations; but the "
            "path is {short} against {long} connections."
        )
    elif sizes.n < sizes.d:
        words = _(
            "n = {n} is below d = {d}: self-attention takes {times} times fewer operations than a recurrent layer, and "
            "its path is {short} against {long} connections."
        )
    else:
        words = _(
            "n = {n} is above d = {d}: self-attention takes {times} times as many operations as a recurrent "
            "layer, which buys it a path of {short} against {long} connections."
        )
    return words.format(
        n=f"{sizes.n:,}",
        d=f"{sizes.d:,}",
        times=f"{more / fewer:,.1f}",
        fewer=f"{fewer:,}",
        short=attention.path,
        long=f"{recurrent.path:,}",
    )


def _crossing(values: Values) -> Plots:
    sizes = Sizes(**whole(values))
    lengths = np.unique(np.geomspace(1, MAX_LENGTH, 33).round().astype(int))
    names = {**layer_names(), "convolution": _("Convolution, plain or dilated")}
    lines: dict[LayerType, tuple[str, np.ndarray]] = {
        kind: (names[kind], np.array([complexity(kind, sizes._replace(n=int(n))) for n in lengths], dtype=np.float64))
        for kind in LAYER_TYPES
        if kind != "dilated"
    }
    marks = {_("n = d = {d}").format(d=f"{sizes.d:,}"): sizes.d, _("n = {n}").format(n=f"{sizes.n:,}"): sizes.n}
    labels = {"title": _("Where the lines cross"), "x": _("length n"), "y": _("operations of one layer")}
    return Plots([complexity_plot(lengths.astype(np.float64), lines, marks, labels)])
