"""What changes along the steps of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_altair import dressed, exact, rows_of, series_colour
from viz_transformer.charts.style import Theme, style_of

LABELS = {"title": "", "step": "training step", "value": "loss, nats per token", "run": "curve"}
FEW = 100  # steps: a curve of no more has a dot at each of them


def training_curves(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    log: bool = False,
    height: int = 300,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> alt.Chart:
    """Losses, accuracies or learning rates over the steps, a line for each curve.

    Args:
        curves: name → (n,) steps and (n,) numbers, all in one unit, which `labels` names. Numbers that are not finite,
            as of a run that diverged, are left out, and on a logarithmic axis also those that are not above 0.
        log: whether the y axis is logarithmic; a linear one includes 0.
        height: in px.
        labels: other words for "title", "step", "value" (with the unit) and "run".

    Raises:
        ValueError: there is no curve or no number to show, or a curve's steps and numbers differ in length.
    """
    said, style = checked.texts(LABELS, labels), style_of(theme)
    rows, longest = [], 0
    for name, (steps, values) in curves.items():
        x = checked.array(f"steps of {name!r}", steps, 1)
        y = checked.array(f"numbers of {name!r}", values, 1, is_finite=False)
        checked.same_length(steps=x, numbers=y)
        shown = np.isfinite(y) & ((y > 0) if log else True)
        longest = max(longest, len(x))
        rows += [
            {"series": name, "step": step, "value": value}
            for step, value in zip(x[shown].tolist(), y[shown].tolist(), strict=True)
        ]
    if not rows:
        raise ValueError("There must be a curve with a number that can be shown.")
    scale = alt.Scale(type="log") if log else alt.Scale(zero=True)
    point: Any = alt.OverlayMarkDef(size=30) if longest <= FEW else "transparent"
    chart = (
        alt.Chart(rows_of(rows))
        .mark_line(point=point)
        .encode(
            x=alt.X("step:Q", title=said["step"], scale=alt.Scale(nice=False)),
            y=alt.Y("value:Q", title=said["value"], scale=scale, axis=alt.Axis(format="~g")),
            color=series_colour(curves, style.series),
            tooltip=[
                alt.Tooltip("series:N", title=said["run"]),
                exact("step", said["step"]),
                exact("value", said["value"]),
            ],
        )
    )
    figure: alt.Chart = dressed(chart, style, said["title"], height=height)
    return figure
