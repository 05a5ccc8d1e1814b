"""Types of layers against the length: what Table 1 says, and what was measured."""

from __future__ import annotations

import altair as alt
import pandas as pd

# Of the types of `experiments.layer_types`: told apart by colour-blind eyes, on light and on dark pages.
COLOURS = {
    "attention": "#2f7fc1",
    "recurrent": "#d55e00",
    "convolution": "#009e73",
    "dilated": "#b5489b",
    "restricted": "#a07d12",
}


def complexity_lines(
    terms: pd.DataFrame, marks: pd.DataFrame, kinds: dict[str, str], labels: dict[str, str]
) -> alt.LayerChart:
    """One line for each type on log-log axes, and upright rules.

    Args:
        terms: columns kind (a label), n, operations.
        marks: columns n, mark (what stands there: the chosen n, the crossing n = d).
        kinds: the labels by type, a key of COLOURS.
        labels: axis titles for "n" and "operations".
    """
    lines = (
        alt.Chart(terms)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=_length(labels["n"]),
            y=_logarithmic("operations", labels["operations"]),
            color=_colour(kinds),
            strokeDash=alt.StrokeDash("kind:N", sort=list(kinds.values()), legend=None),
            tooltip=["kind:N", alt.Tooltip("n:Q", format=",d"), alt.Tooltip("operations:Q", format=",.4g")],
        )
    )
    rules = alt.Chart(marks).mark_rule(strokeDash=[3, 3], color="#84888d").encode(x="n:Q", tooltip=["mark:N", "n:Q"])
    top = float(terms["operations"].max())  # the names stand one below the other, from the highest line on
    names = (
        alt.Chart(marks.assign(at=[top / 40**place for place in range(len(marks))]))
        .mark_text(align="left", dx=4, fontSize=13, baseline="top", color="#84888d", fontWeight="bold")
        .encode(x="n:Q", y="at:Q", text="mark:N")
    )
    return (lines + rules + names).properties(height=420)


def measured_lines(timings: pd.DataFrame, kinds: dict[str, str], labels: dict[str, str]) -> alt.LayerChart:
    """Each type's time over that of self-attention at the same length, and dashed the ratio of Table 1.

    Args:
        timings: columns kind (a label), n, ratio, expected.
        kinds: the labels by type, a key of COLOURS.
        labels: texts for "n", "ratio", "measured" and "table".
    """
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
    return (measured + expected).properties(height=420)


def _length(title: str) -> alt.X:
    return alt.X("n:Q", title=title, scale=alt.Scale(type="log", base=2), axis=alt.Axis(format=",d", labelFontSize=13))


def _logarithmic(field: str, title: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(format="~g", labelFontSize=13, tickCount=8, labelExpr=_POWERS),
    )


# 100 and 0.1 as such, larger and smaller ones as powers.
_POWERS = "datum.value >= 1e4 || datum.value < 1e-2 ? format(datum.value, '.0e') : format(datum.value, ',')"


def _colour(kinds: dict[str, str]) -> alt.Color:
    labels = list(kinds.values())
    return alt.Color(
        "kind:N",
        title=None,
        sort=labels,
        scale=alt.Scale(domain=labels, range=[COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(orient="top", labelLimit=0, labelFontSize=13, columns=2, symbolType="stroke"),
    )
