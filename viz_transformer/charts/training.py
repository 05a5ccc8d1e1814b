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
    """The share of tokens predicted right, along the steps of several runs; those to compare with are dashed.

    Args:
        labels: "title", "x", "y".
    """
    series = [
        Series(name, "line", steps, shares, _HUES[n % len(_HUES)], dashed=name in shipped)
        for n, (name, (steps, shares)) in enumerate({**own, **shipped}.items())
    ]
    y = Axis(labels["y"], low=0, high=1)
    return Plot("accuracy", labels["title"], Axis(labels["x"]), y, series, is_wide=True)


def loss_curve(curve: pd.DataFrame, labels: dict[str, str]) -> alt.Chart:
    """Training and held-out loss over the steps of a run.

    Args:
        curve: columns step, loss, valid_loss; losses in nats a token.
        labels: texts for "step", "loss", "training" and "held_out".
    """
    named = curve.rename(columns={"loss": labels["training"], "valid_loss": labels["held_out"]})
    long = named.melt("step", [labels["training"], labels["held_out"]], var_name="series", value_name="nats")
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title=labels["step"]),
            y=alt.Y("nats:Q", title=labels["loss"], scale=alt.Scale(zero=True)),
            color=alt.Color("series:N", title=None, legend=alt.Legend(orient="top", labelLimit=0)),
            tooltip=["series:N", "step:Q", alt.Tooltip("nats:Q", format=".4f")],
        )
        .properties(height=260)
    )
    return chart


def rate_curve(rates: pd.DataFrame, labels: dict[str, str], height: int = 280) -> alt.Chart:
    """Learning rates over the steps of a run.

    Args:
        rates: columns step, rate, series (a text for the legend).
        labels: texts for "step" and "rate".
    """
    chart: alt.Chart = (
        alt.Chart(rates)
        .mark_line()
        .encode(
            x=alt.X("step:Q", title=labels["step"]),
            y=alt.Y("rate:Q", title=labels["rate"], axis=alt.Axis(format=".2~e")),
            color=alt.Color("series:N", title=None, legend=alt.Legend(orient="top", labelLimit=0, columns=1)),
            tooltip=["series:N", "step:Q", alt.Tooltip("rate:Q", format=".3e", title=labels["rate"])],
        )
        .properties(height=height)
    )
    return chart


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
