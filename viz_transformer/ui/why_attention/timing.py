"""The lesson of the page Why attention that times real torch layers on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from viz_transformer import charts
from viz_transformer.charts.why_attention import ratio_plot
from viz_transformer.experiments.why_attention.layer_timing import (
    MAX_D,
    MAX_K,
    MAX_N,
    MAX_R,
    REPEATS,
    STEADY,
    Ratio,
    Timing,
    clamped,
    lengths_to_time,
    load,
    measure,
    ratio,
)
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, LayerType, Sizes, complexity
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.byte_cache import Kept
from viz_transformer.ui.shared.figures import show_altair, theme_of_page
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import in_turn
from viz_transformer.ui.why_attention.words import layer_names
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

BUSY = 1.0  # processes per core; above it they wait for one another


@dataclass(frozen=True)
class Timings:
    """What was measured, and how busy the machine was then; see `load`."""

    of: Mapping[tuple[LayerType, int], Timing]
    load: float | None

    def ratio(self, kind: LayerType, n: int) -> Ratio:
        """Its time as a ratio to that of self-attention at the same length."""
        return ratio(self.of[kind, n], self.of["attention", n])

    def milliseconds(self, kind: LayerType, n: int) -> str:
        return f"{1000 * self.of[kind, n].seconds:.3f}"


def timing(reading: Reading) -> None:
    """Seconds over the length, as ratios to self-attention."""
    sizes = _timed()
    this_model()
    _own(reading, sizes)


def _timed() -> Sizes:
    """Sliders, the measurement for them, its chart and its table."""
    picture, side = picture_and_side("why-timing")
    with side:
        bar = size_bar(
            [
                Size("upto", _("n: up to"), (16, 32, 64, 128, 256, 512, 1024), 512, MAX_N),
                Size("d", _("d: width"), (1, 8, 16, 32, 64, 128, 192, 256, 512), 128, MAX_D),
                Size("k", _("k: kernel width"), (1, 2, 3, 5, 7, 9), 3, MAX_K),
                Size("r", _("r: neighbours"), (1, 2, 4, 8, 16, 32, 64), 4, MAX_R),
            ],
            key="timing-sizes",
        )
        again = st.button(_("Measure again"), key="measure again")
        theory()
        st.markdown(
            explained(
                "Counting operations is not timing them. A recurrent layer does few operations, but one after the "
                "other; a matrix product of the same size does many at once. So a real recurrent layer falls "
                "behind the line that Table 1 predicts for it, and the shorter its steps are, the further it falls "
                "behind."
            )
        )
        st.caption(
            _(
                "Solid: forward passes of nn.RNN, nn.Conv1d (plain, and with dilation k), attention over all n and "
                "over r neighbours, for one sequence in float32 on this server's CPU, the median of {repeats} runs; "
                "each divided by self-attention at the same n. Dashed: the same ratio from the terms of Table 1."
            ).format(repeats=REPEATS)
        )
    of = whole(bar.values)
    sizes = Sizes(of["upto"], of["d"], of["k"], of["r"])
    lengths = lengths_to_time(sizes.n)
    with picture:
        timings = _measured(lengths, sizes, again=again)
        labels = {
            "title": _("Measured, and as Table 1 predicts"),
            "x": _("length n"),
            "y": _("time ÷ time of self-attention"),
            "table": _("{name}, Table 1"),
        }
        plot = ratio_plot(np.array(lengths, dtype=np.float64), _ratios(timings, lengths, sizes), labels)
        plot_view([plot], key="ratios")
        st.markdown(_conclusion(timings, sizes._replace(n=lengths[-1])))
        _say_load(timings, lengths)
        _table(timings, lengths, sizes)
        title = _("The times themselves, in milliseconds")
        closed_box(title, lambda: _milliseconds(timings, lengths), key="times", in_link=True)
    return sizes


_TIMINGS: Kept[tuple[tuple[int, ...], Sizes], Timings] = Kept()  # of this server


def _measured(lengths: tuple[int, ...], sizes: Sizes, *, again: bool) -> Timings:
    """The kept measurement for these sizes, or a new one under a progress bar, giving way to other visitors in between.

    A class that opens the page at the same time waits for one measurement and shares its numbers: two at once would
    slow each other down, and measure that, too.
    """
    key = lengths, sizes
    if not again and (found := _TIMINGS.get(key)):
        return found
    bar = st.progress(0.0)
    try:
        with _TIMINGS.turn(key):
            if not again and (found := _TIMINGS.get(key)):  # by whoever came first
                return found
            of: dict[tuple[LayerType, int], Timing] = {}
            for one in in_turn(measure(lengths, sizes), len(LAYER_TYPES) * sum(lengths), bar):
                of[one.kind, one.n] = one
                bar.progress(one.progress, _("{layer}, n = {n}").format(layer=layer_names()[one.kind], n=f"{one.n:,}"))
            return _TIMINGS.keep(key, Timings(of, load()))
    finally:
        bar.empty()


def _ratios(
    timings: Timings, lengths: tuple[int, ...], sizes: Sizes
) -> dict[LayerType, tuple[str, np.ndarray, np.ndarray]]:
    """Each type's name, and over the lengths its ratio to self-attention: measured, and of the terms of Table 1."""
    found = {}
    for kind in LAYER_TYPES:
        measured = np.array([timings.ratio(kind, n).value for n in lengths])
        found[kind] = (
            layer_names()[kind],
            measured,
            np.array([_predicted(kind, sizes._replace(n=n)) for n in lengths]),
        )
    return found


def _predicted(kind: LayerType, sizes: Sizes) -> float:
    return complexity(kind, sizes) / complexity("attention", sizes)


def _conclusion(timings: Timings, sizes: Sizes) -> str:
    """The recurrent layer at the greatest length: as Table 1 says, or behind it."""
    found, predicted = timings.ratio("recurrent", sizes.n), _predicted("recurrent", sizes)
    if not found.is_steady:
        follows = _("but the runs spread too far to conclude anything: measure again")
    elif found.low > predicted:
        follows = _("it falls behind, since its steps wait for one another")
    elif found.high < predicted:
        follows = _("here it is faster than its number of operations suggests")
    else:
        follows = _("as its number of operations suggests")
    return explained(
        "At n = {n} the recurrent layer takes {measured} times as long as self-attention (from {low} to {high}), where "
        "Table 1 predicts {predicted}: {follows}."
    ).format(
        n=f"{sizes.n:,}",
        measured=f"{found.value:.2f}",
        low=f"{found.low:.2f}",
        high=f"{found.high:.2f}",
        predicted=f"{predicted:.2f}",
        follows=follows,
    )


def _say_load(timings: Timings, lengths: tuple[int, ...]) -> None:
    """Under what load this was measured, and how much of it can be trusted."""
    if timings.load is not None:
        words = _("Measured while this server had {load} active processes per core")
        words += (
            _(": it was busy, which taking the median cannot correct.") if timings.load > BUSY else _(": it was free.")
        )
        st.caption(words.format(load=f"{timings.load:.1f}"))
    ratios = [timings.ratio(kind, n) for kind in LAYER_TYPES[1:] for n in lengths]
    unsteady = sum(not one.is_steady for one in ratios)
    if unsteady:
        st.caption(
            _(
                "{unsteady} of the {count} ratios below are unsteady: the brackets give the range in which they "
                "may lie, judged by the middle half of the runs, where it spans more than a factor of {steady}."
            ).format(unsteady=unsteady, count=len(ratios), steady=STEADY)
        )


def _cell(one: Ratio) -> Cell:
    if one.is_steady:
        return Cell(f"× {one.value:.2f}", "strong" if one.value < 1 else "")
    return Cell(
        _("× {value} ({low} to {high})").format(value=f"{one.value:.2f}", low=f"{one.low:.2f}", high=f"{one.high:.2f}")
    )


def _table(timings: Timings, lengths: tuple[int, ...], sizes: Sizes) -> None:
    number_table(
        "timings",
        _(
            "Measured with d = {d}, k = {k}, r = {r}: milliseconds for self-attention, the others as multiples of it"
        ).format(d=sizes.d, k=sizes.k, r=sizes.r),
        [_("length n"), _("self-attention, ms"), *(layer_names()[kind] for kind in LAYER_TYPES[1:])],
        [
            [
                f"{n:,}",
                timings.milliseconds("attention", n),
                *(_cell(timings.ratio(kind, n)) for kind in LAYER_TYPES[1:]),
            ]
            for n in lengths
        ],
    )


def _milliseconds(timings: Timings, lengths: tuple[int, ...]) -> None:
    """Medians, with the band in which half of the runs lie."""
    times = {}
    for kind in LAYER_TYPES:
        quartiles = [(one.low, one.seconds, one.high) for one in (timings.of[kind, n] for n in lengths)]
        low, median, high = 1000 * np.array(quartiles).T
        times[layer_names()[kind]] = low, median, high
    labels = {
        "length": _("length n"),
        "time": _("median, ms"),
        "low": _("first quartile, ms"),
        "high": _("third quartile, ms"),
        "layer": _("layer"),
    }
    show_altair(charts.layer_times(lengths, times, labels=labels, theme=theme_of_page()), key="times-figure")
    st.caption(_("The line is the median of the runs; half of them lie in the band around it."))


def _own(reading: Reading, sizes: Sizes) -> None:
    n, d = len(reading.trace.source_tokens), reading.trace.config.d_model
    own = clamped(Sizes(n, d, sizes.k, sizes.r))
    timings = _measured((own.n,), own, again=False)
    number_table(
        "own-timings",
        _("Layers of this model's width, d = {d}, over the {n} tokens of your sentence").format(d=own.d, n=own.n),
        [_("layer"), _("milliseconds"), _("÷ self-attention"), _("Table 1")],
        [
            [
                layer_names()[kind],
                timings.milliseconds(kind, own.n),
                _cell(timings.ratio(kind, own.n)),
                f"{_predicted(kind, own):.2f}",
            ]
            for kind in LAYER_TYPES
        ],
    )
    st.markdown(_conclusion(timings, own))
