"""Pictures of a training run."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from viz_transformer.charts.plots import Axis, Hue, Numbers, Plot, Series

Curves = Mapping[str, tuple[Numbers, Numbers]]  # name → (n,) steps, (n,) shares
# All of different colours.
_HUES: tuple[Hue, ...] = (
    "query", "key", "other", "unscaled", "draw", "convolution", "dilated", "restricted",
)  # fmt: skip


def accuracy_plot(own: Curves, shipped: Curves, labels: Mapping[str, str]) -> Plot:
    """Token accuracy over the steps of several runs; the shipped models, for comparison, are dashed.

    Args:
        labels: "title", "x", "y".
    """
    series = [
        Series(name, "line", steps, shares, _HUES[n % len(_HUES)], dashed=name in shipped)
        for n, (name, (steps, shares)) in enumerate({**own, **shipped}.items())
    ]
    y = Axis(labels["y"], low=0, high=1)
    return Plot("accuracy", labels["title"], Axis(labels["x"]), y, series, is_wide=True)


def rates_plot(name: str, steps: Numbers, rates: Numbers, labels: Mapping[str, str]) -> Plot:
    """A schedule of learning rates.

    Args:
        steps, rates: (n,); the largest rate must be among them.
        labels: "title", "x", "y".
    """
    series = [Series(labels["title"], "line", steps, rates, "query")]
    return Plot(name, labels["title"], Axis(labels["x"], low=0), Axis(labels["y"], low=0), series, is_wide=True)


def target_bars(target: pd.DataFrame, labels: dict[str, str]) -> alt.Chart:
    """One bar for each token of a vocabulary: its target probability.

    Args:
        target: columns token (unique), probability, is_label.
        labels: texts for "token" and "probability".
    """
    chart: alt.Chart = (
        alt.Chart(target)
        .mark_bar()
        .encode(
            x=alt.X("token:N", title=labels["token"], sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=False)),
            y=alt.Y("probability:Q", title=labels["probability"], scale=alt.Scale(domain=[0, 1])),
            opacity=alt.condition("datum.is_label", alt.value(1.0), alt.value(0.5)),
            tooltip=["token:N", alt.Tooltip("probability:Q", format=".5f", title=labels["probability"])],
        )
        .properties(height=240)
    )
    return chart
