"""How a stack treats its residual stream."""

from __future__ import annotations

import altair as alt
import pandas as pd

COLOURS = ("#2a9d8f", "#b5489b")


def depth_lines(stacks: pd.DataFrame, quantity: str, labels: dict[str, str]) -> alt.Chart:
    """One line for each variant over the layers, on a logarithmic axis.

    Args:
        stacks: columns layer (from 1), variant (a label), and `quantity`, above 0.
        labels: texts for "layer" and `quantity`.
    """
    return (
        alt.Chart(stacks)
        .mark_line(point=True)
        .encode(
            x=alt.X("layer:Q", title=labels["layer"], axis=alt.Axis(format="d", tickMinStep=1, labelFontSize=13)),
            y=alt.Y(
                f"{quantity}:Q",
                title=labels[quantity],
                scale=alt.Scale(type="log", nice=False, padding=10),
                axis=alt.Axis(labelFontSize=13),
            ),
            color=alt.Color(
                "variant:N",
                title=None,
                scale=alt.Scale(range=list(COLOURS)),
                legend=alt.Legend(orient="top", labelLimit=0, labelFontSize=13, symbolType="stroke"),
            ),
            strokeDash=alt.StrokeDash("variant:N", legend=None),
            tooltip=["variant:N", "layer:Q", alt.Tooltip(f"{quantity}:Q", title=labels[quantity], format=".4g")],
        )
        .properties(height=320)
    )
