"""Bars for what the parts of a model cost."""

from __future__ import annotations

import altair as alt
import pandas as pd

# Encoder, cross-attention, decoder, and what is neither: the hues of the app.
GROUP_COLOURS = {"encoder": "#3b7fb5", "cross": "#8a63c9", "decoder": "#c9722a", "other": "#84888d"}


def part_bars(parts: pd.DataFrame, labels: dict[str, str]) -> alt.Chart:
    """One bar for each part, in the order of the table.

    Args:
        parts: columns part (a label, unique), group (a key of GROUP_COLOURS), total, share (of the sum, 0 to 1).
        labels: texts for "part", "total", "share" and for the groups.
    """
    named = parts.assign(group=parts["group"].map(labels))
    return (
        alt.Chart(named)
        .mark_bar()
        .encode(
            y=alt.Y("part:N", title=None, sort=list(parts["part"]), axis=alt.Axis(labelLimit=0, labelFontSize=13)),
            x=alt.X("total:Q", title=labels["total"], axis=alt.Axis(format="~s", labelFontSize=13, tickCount=5)),
            color=alt.Color(
                "group:N",
                title=None,
                scale=alt.Scale(domain=[labels[name] for name in GROUP_COLOURS], range=list(GROUP_COLOURS.values())),
                legend=alt.Legend(orient="top", labelLimit=0, columns=2),
            ),
            tooltip=[
                alt.Tooltip("part:N", title=labels["part"]),
                alt.Tooltip("total:Q", title=labels["total"], format=",d"),
                alt.Tooltip("share:Q", title=labels["share"], format=".1%"),
            ],
        )
        .properties(height=alt.Step(26))
    )
