"""The browser component for kernel regression: scattered points, the estimate, and its attention matrix.

The query and the kernel's width are dragged in the browser, which works the weights out as
`experiments.why_attention.kernel_regression` does; Python hears only where a person came to rest, for the link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from viz_transformer.experiments.why_attention.kernel_regression import X_MAX, Points, curve
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.views.linked import Number, linked
from viz_transformer.views.text import _

WIDTHS = (0.02, 5.0)
CURVE = 121  # places at which the curve behind the points is drawn


@dataclass(frozen=True)
class KernelView:
    """The query, from 0 to X_MAX, and the width of the kernel, within WIDTHS."""

    query: float = linked("query", Number(0.0, X_MAX, digits=3), 2.4)
    width: float = linked("width", Number(*WIDTHS), 0.35)


def kernel_view(bar: Bar, points_of: Callable[[Values], Points], *, key: str) -> None:
    """Shows the points of a bar's values with a kernel."""
    behind = curve(np.linspace(0, X_MAX, CURVE)).astype(np.float32)

    def content(values: Values) -> dict[str, Any]:
        points = points_of(values)
        return {"x": points.x, "y": points.y, "curve": behind, "xMax": X_MAX, "widths": WIDTHS}

    _KERNEL.show_linked(BySliders(bar, content, depends_on=()), key=key, usual=KernelView())


def _labels() -> dict[str, str]:
    return {
        "plot": _("Points, the curve behind them (dashed), the estimate (green), the kernel around the query (blue)"),
        "matrix": _("Attention matrix"),
        "picture": _("Kernel regression as attention: query x = {query}, kernel width σ = {width}"),
        "query": _("Query x = {value}; or drag in the picture"),
        "width": _("Kernel width σ = {value}"),
        "readout": _(
            "At x = {query} the estimate is {value}, an average over effectively {count} points (1 / Σ "
            "weight²). The heaviest is point {point} (key {x}, value {y}), with weight {weight}."
        ),
        "copies": _("So it nearly copies the nearest value."),
        "averages": _("So it is nearly the mean of all values."),
        "smooths": _("So it smooths over the neighbours of the query."),
        "keys": _("key: point, in order of x →"),
        "queries": _("query x"),
        "weight": _("weight"),
        "x_axis": _("x: the query, and the key of each point"),
        "y_axis": _("y: value"),
    }


_KERNEL = Component("kernel_view", KernelView, _labels)
