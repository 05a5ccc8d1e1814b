"""Weight, contribution and effect of each key on one axis, and against each other."""

from __future__ import annotations

import altair as alt
import pandas as pd

from viz_transformer.charts.style import SHARES

QUANTITIES = ("weight", "contribution", "effect")


def share_bars(keys: pd.DataFrame, labels: dict[str, str]) -> alt.Chart:
    """Three bars for each key: its weight, contribution and effect, each divided by the row's sum of absolute values.

    Args:
        keys: columns key (a label, unique), weight, contribution, effect.
        labels: texts for "key", "share", "number" and for the three quantities.
    """
    numbers = keys.set_index("key")[list(QUANTITIES)]
    shares = numbers / numbers.abs().sum().where(lambda total: total > 0, 1.0)
    long = shares.reset_index().melt("key", var_name="quantity", value_name="share")
    long["number"] = numbers.reset_index().melt("key", var_name="quantity", value_name="number")["number"]
    long["quantity"] = long["quantity"].map(labels)
    names = [labels[name] for name in QUANTITIES]
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("key:N", title=labels["key"], sort=list(keys["key"]), axis=alt.Axis(labelAngle=-40)),
            xOffset=alt.XOffset("quantity:N", sort=names),
            y=alt.Y("share:Q", title=labels["share"]),
            color=alt.Color(
                "quantity:N",
                title=None,
                scale=alt.Scale(domain=names, range=list(SHARES)),
                legend=alt.Legend(orient="top", labelLimit=0, columns=1),
            ),
            tooltip=[
                alt.Tooltip("key:N", title=labels["key"]),
                alt.Tooltip("quantity:N", title=" "),
                alt.Tooltip("number:Q", title=labels["number"], format=".6f"),
            ],
        )
        .properties(height=380)
    )
    return chart


def effect_scatter(cells: pd.DataFrame, quantity: str, labels: dict[str, str]) -> alt.LayerChart:
    """One point for each cell: its weight or contribution on the x axis, its effect on the y axis, and a line at 0.

    Args:
        cells: columns cell (a label), weight, contribution, effect.
        quantity: "weight" or "contribution".
        labels: texts for "cell" and the three quantities.
    """
    points = (
        alt.Chart(cells)
        .mark_circle(size=70, opacity=0.75, color=SHARES[QUANTITIES.index(quantity)])
        .encode(
            x=alt.X(f"{quantity}:Q", title=labels[quantity], scale=alt.Scale(zero=True, padding=12)),
            y=alt.Y("effect:Q", title=labels["effect"], scale=alt.Scale(padding=12)),
            tooltip=[alt.Tooltip("cell:N", title=labels["cell"])]
            + [alt.Tooltip(f"{name}:Q", title=labels[name], format=".6f") for name in QUANTITIES],
        )
    )
    zero = alt.Chart(pd.DataFrame({"effect": [0.0]})).mark_rule(strokeWidth=1, opacity=0.6).encode(y="effect:Q")
    chart: alt.LayerChart = (points + zero).properties(height=260)
    return chart
