"""Types of layers against the length: what Table 1 says, and what was measured."""

from __future__ import annotations

import altair as alt
import pandas as pd

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5489b", "#8a6d1d")  # told apart by colour-blind eyes, light and dark


def complexity_lines(terms: pd.DataFrame, marks: pd.DataFrame, labels: dict[str, str]) -> alt.LayerChart:
    """One line for each type on log-log axes, and upright rules.

    Args:
        terms: columns kind (a label), n, operations.
        marks: columns n, mark (what stands there: the chosen n, the crossing n = d).
        labels: axis titles for "n" and "operations".
    """
    kinds = list(dict.fromkeys(terms["kind"]))
    lines = (
        alt.Chart(terms)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=_length(labels["n"]),
            y=_logarithmic("operations", labels["operations"]),
            color=_colour(kinds),
            strokeDash=alt.StrokeDash("kind:N", sort=kinds, legend=None),
            tooltip=["kind:N", alt.Tooltip("n:Q", format=",d"), alt.Tooltip("operations:Q", format=",.4g")],
        )
    )
    rules = alt.Chart(marks).mark_rule(strokeDash=[3, 3], opacity=0.8).encode(x="n:Q", tooltip=["mark:N", "n:Q"])
    names = (
        alt.Chart(marks)
        .mark_text(align="left", dx=4, fontSize=13, baseline="top")
        .encode(x="n:Q", y="at:Q", text="mark:N")
    )
    # The names need a place on the axis of numbers: one above the other, below the highest line.
    top = float(terms["operations"].max())
    named = names.properties(data=marks.assign(at=[top / 40**place for place in range(len(marks))]))
    return (lines + rules + named).properties(height=380)


def measured_lines(timings: pd.DataFrame, labels: dict[str, str]) -> alt.LayerChart:
    """Each type's time over that of self-attention at the same length, and dashed the ratio of Table 1.

    Args:
        timings: columns kind (a label), n, ratio, expected.
        labels: texts for "n" and "ratio".
    """
    kinds = list(dict.fromkeys(timings["kind"]))
    base = alt.Chart(timings).encode(x=_length(labels["n"]), color=_colour(kinds))
    tooltip = [
        "kind:N",
        alt.Tooltip("n:Q", format=",d"),
        alt.Tooltip("ratio:Q", title=labels["measured"], format=".3g"),
        alt.Tooltip("expected:Q", title=labels["table"], format=".3g"),
    ]
    measured = base.mark_line(point=True, strokeWidth=2.5).encode(
        y=_logarithmic("ratio", labels["ratio"]), tooltip=tooltip
    )
    expected = base.mark_line(strokeDash=[4, 4], opacity=0.7).encode(
        y=_logarithmic("expected", labels["ratio"]), tooltip=tooltip
    )
    return (measured + expected).properties(height=380)


def _length(title: str) -> alt.X:
    return alt.X(
        "n:Q", title=title, scale=alt.Scale(type="log", base=2), axis=alt.Axis(format=",d", labelFontSize=13)
    )


def _logarithmic(field: str, title: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", labelFontSize=13, tickCount=8),
    )


def _colour(kinds: list[str]) -> alt.Color:
    return alt.Color(
        "kind:N",
        title=None,
        sort=kinds,
        scale=alt.Scale(domain=kinds, range=list(COLOURS[: len(kinds)])),
        legend=alt.Legend(orient="top", labelLimit=0, labelFontSize=13, columns=3, symbolType="stroke"),
    )
