"""A bar chart of the products that add up to one number of attention."""

from __future__ import annotations

import altair as alt
import pandas as pd

from viz_transformer.charts.style import NEGATIVE, POSITIVE


def term_bars(terms: pd.DataFrame, labels: dict[str, str]) -> alt.LayerChart:
    """One bar for each dimension, positive and negative apart in colour, 0 marked.

    Args:
        terms: columns dimension (from 1), first, second, and term, which is their product.
        labels: axis and tooltip titles for those four names.
    """
    tooltip = [alt.Tooltip("dimension:O", title=labels["dimension"])] + [
        alt.Tooltip(f"{name}:Q", title=labels[name], format=".6f") for name in ("first", "second", "term")
    ]
    bars = (
        alt.Chart(terms)
        .mark_bar()
        .encode(
            x=alt.X(
                "dimension:O",
                title=labels["dimension"],
                axis=alt.Axis(labelOverlap=True, labelAngle=0),
            ),
            y=alt.Y("term:Q", title=labels["term"]),
            color=alt.condition("datum.term < 0", alt.value(NEGATIVE), alt.value(POSITIVE)),
            tooltip=tooltip,
        )
    )
    zero = alt.Chart(pd.DataFrame({"term": [0.0]})).mark_rule(strokeWidth=1, opacity=0.6).encode(y="term:Q")
    chart: alt.LayerChart = (bars + zero).properties(height=190)
    return chart
