"""The lesson of the page Why attention that times real torch layers on this machine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from viz_transformer.charts.why_attention import ratio_plot
from viz_transformer.experiments.why_attention.layer_timing import (
    MAX_D,
    MAX_K,
    MAX_N,
    MAX_R,
    clamped,
    lengths_to_time,
    measure,
)
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, LayerType, Sizes, complexity
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.kept import Kept
from viz_transformer.ui.shared.lesson_controls import experiment, theory, this_model
from viz_transformer.ui.shared.models import compute_slots
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.why_attention.words import layer_names

Timings = Mapping[tuple[LayerType, int], float]


def timing(reading: Reading) -> None:
    """Seconds over the length, as ratios to self-attention."""
    theory()
    st.markdown(
        _(
            "Counting operations is not timing them. A recurrent layer does few operations, but one after the "
            "other; a matrix product of the same size does many at once. So a real recurrent layer falls "
            "behind the line that Table 1 predicts for it, and the shorter its steps are, the further it falls "
            "behind."
        )
    )
    experiment()
    sizes = _timed()
    this_model()
    _own(reading, sizes)


def _timed() -> Sizes:
    """Sliders, the measurement for them, its chart and its table."""
    bar = size_bar(
        [
            Size("upto", _("n: up to"), (16, 32, 64, 128, 256, 512, 1024), 512, MAX_N),
            Size("d", _("d: width"), (1, 8, 16, 32, 64, 128, 192, 256, 512), 128, MAX_D),
            Size("k", _("k: kernel width"), (1, 2, 3, 5, 7, 9), 3, MAX_K),
            Size("r", _("r: neighbours"), (1, 2, 4, 8, 16, 32, 64), 4, MAX_R),
        ],
        key="timing-sizes",
    )
    of = whole(bar.values)
    sizes = Sizes(of["upto"], of["d"], of["k"], of["r"])
    again = st.button(_("Measure again"), key="measure again")
    lengths = lengths_to_time(sizes.n)
    seconds = _measured(lengths, sizes, again=again)
    labels = {
        "title": _("Measured, and as Table 1 predicts"),
        "x": _("length n"),
        "y": _("time ÷ time of self-attention"),
        "table": _("{name}, Table 1"),
    }
    plot_view([ratio_plot(np.array(lengths, dtype=np.float64), _ratios(seconds, lengths, sizes), labels)], key="ratios")
    st.caption(
        _(
            "Solid: forward passes of nn.RNN, nn.Conv1d (plain, and with dilation k), attention over all n and "
            "over r neighbours, for one sequence in float32 on this server's CPU, the fastest of seven; each "
            "divided by self-attention at the same n. Dashed: the same ratio from the terms of Table 1. Other "
            "visitors share the machine, so a measurement under load can be far off: measure again."
        )
    )
    _table(seconds, lengths, sizes)
    return sizes


_TIMINGS: Kept[tuple[tuple[int, ...], Sizes], Timings] = Kept()  # of this server


def _measured(lengths: tuple[int, ...], sizes: Sizes, *, again: bool) -> Timings:
    """The measurement for these sizes; a new one under a progress bar, giving way to other visitors in between."""
    key = lengths, sizes
    if not again and (found := _TIMINGS.get(key)):
        return found
    seconds: dict[tuple[LayerType, int], float] = {}
    bar = st.progress(0.0)
    for one in measure(lengths, sizes, slot=lambda: compute_slots):
        seconds[one.kind, one.n] = one.seconds
        bar.progress(one.progress, _("{layer}, n = {n}").format(layer=layer_names()[one.kind], n=f"{one.n:,}"))
    bar.empty()
    return _TIMINGS.keep(key, seconds)


def _ratios(
    seconds: Timings, lengths: tuple[int, ...], sizes: Sizes
) -> dict[LayerType, tuple[str, np.ndarray, np.ndarray]]:
    """Each type's name, and over the lengths its ratio to self-attention: measured, and of the terms of Table 1."""
    found = {}
    for kind in LAYER_TYPES:
        at = [sizes._replace(n=n) for n in lengths]
        measured = np.array([seconds[kind, n] / seconds["attention", n] for n in lengths])
        found[kind] = (
            layer_names()[kind],
            measured,
            np.array([complexity(kind, s) / complexity("attention", s) for s in at]),
        )
    return found


def _table(seconds: Timings, lengths: tuple[int, ...], sizes: Sizes) -> None:
    number_table(
        "timings",
        _(
            "Measured with d = {d}, k = {k}, r = {r}: milliseconds for self-attention, the others as multiples of it"
        ).format(d=sizes.d, k=sizes.k, r=sizes.r),
        [_("length n"), _("self-attention, ms"), *(layer_names()[kind] for kind in LAYER_TYPES[1:])],
        [
            [
                f"{n:,}",
                f"{1000 * seconds['attention', n]:.3f}",
                *(
                    Cell(f"× {ratio:.2f}", "strong" if ratio < 1 else "")
                    for kind in LAYER_TYPES[1:]
                    for ratio in [seconds[kind, n] / seconds["attention", n]]
                ),
            ]
            for n in lengths
        ],
    )


def _own(reading: Reading, sizes: Sizes) -> None:
    n, d = len(reading.trace.source_tokens), reading.trace.config.d_model
    own = clamped(Sizes(n, d, sizes.k, sizes.r))
    seconds = _measured((own.n,), own, again=False)
    number_table(
        "own-timings",
        _("Layers of this model's width, d = {d}, over the {n} tokens of your sentence").format(d=own.d, n=own.n),
        [_("layer"), _("milliseconds"), _("÷ self-attention"), _("Table 1")],
        [
            [
                layer_names()[kind],
                f"{1000 * seconds[kind, own.n]:.3f}",
                f"{seconds[kind, own.n] / seconds['attention', own.n]:.2f}",
                f"{complexity(kind, own) / complexity('attention', own):.2f}",
            ]
            for kind in LAYER_TYPES
        ],
    )
