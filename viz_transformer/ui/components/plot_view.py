"""Plots on canvases: curves, bars and points, read by pointer or arrow keys, each with its table and a PNG.

A canvas, since a rerun then repaints as quickly as one line of text; the same in SVG took several times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.charts.plots import Axis, Numbers, Plot
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.components.number_table import Table
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.views.terms import named_in
from viz_transformer.views.text import _


@dataclass(frozen=True, eq=False)
class Plots:
    """Plots side by side where there is room, then sentences that read them, then further plots, and tables.

    The tables are in the same component, as each element of Streamlit's own costs a rerun time.

    Attributes:
        notes: the first of them says what follows from the plots.
        below: plots that need not be on the first screen.

    Raises:
        ValueError: without plots, or where two have one name.
    """

    plots: Sequence[Plot]
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    below: Sequence[Plot] = ()

    def __post_init__(self) -> None:
        names = [plot.name for plot in (*self.plots, *self.below)]
        if not self.plots or len(set(names)) < len(names):
            raise ValueError(f"Plots need names of their own; these were {', '.join(names)}.")

    def content(self) -> dict[str, Any]:
        return {
            "plots": [_content(plot) for plot in self.plots],
            "tables": [table.content() for table in self.tables],
            "notes": list(self.notes),
            "below": [_content(plot) for plot in self.below],
        }


def plot_view(
    plots: Sequence[Plot],
    *,
    key: str,
    tables: Sequence[Table] = (),
    notes: Sequence[str] = (),
    below: Sequence[Plot] = (),
) -> None:
    """Shows plots that stay. See `Plots`."""
    _PLOTS.show(Plots(plots, tables, notes, below).content(), key=key, view=NoView())


def moving_plots(
    bar: Bar,
    plots_of: Callable[[Values], Plots],
    *,
    key: str,
    is_cheap: Callable[[Values], bool] = lambda values: True,
    depends_on: Hashable | None = None,
) -> None:
    """Shows the plots for a bar's values; those for values nearby are sent ahead.

    Args:
        plots_of, is_cheap, depends_on: see `BySliders`.
    """
    content = BySliders(bar, lambda values: plots_of(values).content(), is_cheap, depends_on)
    _PLOTS.show(content, key=key, view=NoView())


def _content(plot: Plot) -> dict[str, Any]:
    return {
        "name": plot.name,
        "title": plot.title,
        "x": _axis(plot.x),
        "y": _axis(plot.y),
        "isWide": plot.is_wide,
        "slugs": named_in(plot.title, plot.x.title, plot.y.title, *(one.name for one in plot.series)),
        "series": [
            {
                "name": one.name,
                "kind": one.kind,
                "hue": one.hue,
                "dashed": one.dashed,
                "x": _floats(one.x),
                "y": _floats(one.y),
                "error": None if one.error is None else _floats(one.error),
                "texts": list(one.texts),
            }
            for one in plot.series
        ],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    fields = asdict(axis)
    is_fixed = fields.pop("is_fixed")
    return {**fields, "isFixed": is_fixed}


def _floats(numbers: Numbers) -> NDArray[np.float64]:
    return np.asarray(numbers, dtype=np.float64)


def _labels() -> dict[str, str]:
    return {
        "hint": _("Point at the plot, or use the arrow keys: left and right along a series, up and down to another."),
        "hint_touch": _("Tap the plot to read it."),
        "hint_short": _("Point at the plot, or use the arrow keys."),
        "hint_short_touch": _("Tap the plot to read it."),
        "spoken": _("{title}. Horizontal axis: {x}. Vertical axis: {y}. Series: {series}. {hint}"),
        "point": _("{series}: {x_axis} {x}, {y_axis} {y}"),
        "range": _("{low} to {high}"),
        "error": _("{y} ± {error}"),
        "none": _("none"),
        "table": _("table"),
        "separator": _("; "),
    }


_PLOTS = Component("plot_view", NoView, _labels)
