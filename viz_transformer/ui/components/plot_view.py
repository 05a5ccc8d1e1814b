"""Plots on canvases: curves, bars and points, read by pointer or arrow keys, each with its table and a PNG.

A canvas, since a rerun then repaints as quickly as one line of text; the same in SVG took several times as long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from viz_transformer.charts.plots import Numbers, Plot
from viz_transformer.ui.components.ahead import with_places_nearby
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.shared.text import _


@dataclass(frozen=True)
class Table:
    """Texts below the plots, in the same component, as each element of Streamlit's own costs a rerun time.

    Attributes:
        name: its test id.
        columns: one heading for each cell of a row, that of the row's name too.
    """

    name: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Plots:
    """Plots side by side where there is room, then tables and sentences."""

    plots: Sequence[Plot]
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


def plot_view(plots: Sequence[Plot], *, key: str, tables: Sequence[Table] = (), notes: Sequence[str] = ()) -> None:
    """Shows plots that stay.

    Raises:
        ValueError: without plots, where two have one name, or a table's row does not fit its columns.
    """
    component("plot_view")(key=key, data=_pack(Plots(plots, tables, notes)))


def moving_plots(
    bar: Bar, plots_of: Callable[[Values], Plots], *, key: str, is_cheap: Callable[[Values], bool] = lambda values: True
) -> None:
    """Shows the plots of a bar's values, and of those nearby as soon as its sliders go there.

    Args:
        plots_of, is_cheap: see `with_places_nearby`.

    Raises:
        ValueError: see `plot_view`.
    """
    data = with_places_nearby(bar, lambda values: _pack(plots_of(values)), is_cheap=is_cheap)
    component("plot_view")(key=key, data=data)


def _pack(shown: Plots) -> bytes:
    plots, tables, notes = shown.plots, shown.tables, shown.notes
    if not plots or len({plot.name for plot in plots}) < len(plots):
        raise ValueError(f"Plots need names of their own; these were {', '.join(plot.name for plot in plots)}.")
    for table in tables:
        for row in table.rows:
            if len(row) != len(table.columns):
                raise ValueError(f"{table.name} has {len(table.columns)} columns, but a row has {len(row)} cells.")
    content = {
        "labels": _labels(),
        "plots": [_plot_fields(plot) for plot in plots],
        "tables": [asdict(table) for table in tables],
        "notes": list(notes),
    }
    return frame(content)


def _plot_fields(plot: Plot) -> dict[str, Any]:
    return {
        "name": plot.name,
        "title": plot.title,
        "x": asdict(plot.x),
        "y": asdict(plot.y),
        "series": [
            {
                "name": one.name,
                "kind": one.kind,
                "hue": one.hue,
                "dashed": one.dashed,
                "x": _plain(one.x),
                "y": _plain(one.y),
                "error": None if one.error is None else _plain(one.error),
                "texts": list(one.texts),
            }
            for one in plot.series
        ],
    }


def _plain(numbers: Numbers) -> list[float | None]:
    """JSON has no NaN and no infinity: None stands for both."""
    values = np.asarray(numbers, dtype=np.float64)
    if np.isfinite(values).all():
        return list(values.tolist())
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _labels() -> dict[str, str]:
    return {
        "hint": _("Point at the plot, or use the arrow keys: left and right along a series, up and down to another."),
        "spoken": _("{title}. Across: {x}. Upwards: {y}. Series: {series}. {hint}"),
        "point": _("{series}: {x_axis} {x}, {y_axis} {y}"),
        "range": _("{low} to {high}"),
        "error": _("{y} ± {error}"),
        "none": _("none"),
        "table": _("table"),
        "png": _("save PNG"),
        "separator": _("; "),
    }
