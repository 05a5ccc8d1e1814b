"""The browser component for kernel regression: scattered points, the estimate, and its attention matrix.

The query and the kernel's width are dragged in the browser, which works the weights out as
`experiments.kernel_regression` does; Python hears where a person came to rest, for the link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import isfinite

import numpy as np
import streamlit as st

from viz_transformer.experiments.why_attention.kernel_regression import X_MAX, Points, curve
from viz_transformer.ui.components.ahead import with_places_nearby
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import committed_fields, settle
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.shared.text import _

WIDTHS = (0.02, 5.0)


@dataclass(frozen=True)
class Kernel:
    """The query, from 0 to X_MAX, and the width of the kernel, within WIDTHS."""

    query: float = 2.4
    width: float = 0.35


def kernel_view(
    bar: Bar, points_of: Callable[[Values], Points], kernel: Kernel, *, key: str, on_change: Callable[[], None]
) -> None:
    """Shows the points of a bar's values with a kernel.

    Args:
        kernel: what the link asks for.
        on_change: called before the run that another choice starts; it keeps `committed_kernel(key)` in the link.
    """
    sent = settle(key, kernel, committed_kernel(key))
    request = {"key": key, "revision": sent.revision, "view": asdict(sent.shown), "labels": _labels()}
    grid = np.linspace(0, X_MAX, 121)
    fixed = {"curveX": grid.tolist(), "curveY": curve(grid).tolist(), "xMax": X_MAX, "widths": WIDTHS}

    def pack(values: Values) -> bytes:
        points = points_of(values)
        return frame({"x": points.x.tolist(), "y": points.y.tolist()})

    head = frame(request) + frame(fixed)
    component("kernel_view", css="lessons")(
        key=key, data=with_places_nearby(bar, pack, head=head), on_view_change=on_change
    )


def committed_kernel(key: str) -> Kernel | None:
    """What a person chose in the component `key`, or None before that."""
    raw = committed_fields(key)
    try:
        return None if raw is None else _within(float(raw["query"]), float(raw["width"]))
    except (KeyError, TypeError, ValueError):
        return None


def kernel_in_link() -> Kernel:
    """`query` and `width` of the link, clamped; the defaults where it has no numbers."""
    usual = Kernel()
    return _within(_number("query", usual.query), _number("width", usual.width))


def keep_kernel_in_link(key: str) -> None:
    """Writes what a person chose into the link."""
    kernel = committed_kernel(key)
    if kernel is not None:
        st.query_params.update({"query": f"{kernel.query:.2f}", "width": f"{kernel.width:.4g}"})


def _number(name: str, default: float) -> float:
    try:
        value = float(st.query_params.get(name, ""))
    except ValueError:
        return default
    return value if isfinite(value) else default


def _within(query: float, width: float) -> Kernel:
    low, high = WIDTHS  # to the digits that the link keeps, so that a link opens what it was copied from
    return Kernel(round(max(0.0, min(query, X_MAX)), 2), float(f"{max(low, min(width, high)):.4g}"))


def _labels() -> dict[str, str]:
    return {
        "plot": _("Points, the curve behind them (dashed), the estimate (green), the kernel around the query (blue)"),
        "matrix": _("Attention matrix"),
        "query": _("Query x = {value}; drag in the picture too"),
        "width": _("Kernel width σ = {value}"),
        "readout": _(
            "At x = {query} the estimate is {value}, an average over about {count} points (1 / Σ weight²). The "
            "heaviest is point {point} (key {x}, value {y}): weight {weight}."
        ),
        "keys": _("key: point, by its x →"),
        "queries": _("query x"),
        "weight": _("weight"),
        "x_axis": _("x: key of a point, query"),
        "y_axis": _("y: value"),
    }
