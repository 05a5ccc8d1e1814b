"""Scores before and after they are divided by √d_k, beside what theory expects of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_altair import dressed, exact, rows_of
from viz_transformer.charts.style import Theme, style_of

LABELS = {
    "title": "",
    "score": "score",
    "density": "density",
    "count": "how many",
    "from": "from",
    "to": "to",
    "before": "q·k",
    "after": "q·k / √d_k",
    "theory": "N(0, {variance:g})",
}
POINTS = 241  # of a curve


def score_histograms(
    scores: ArrayLike,
    d_k: int,
    *,
    bins: int = 40,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> alt.LayerChart:
    """The densities of q·k and of q·k / √d_k on one axis, each under the normal density that theory expects.

    Where the components of q and k are independent, with mean 0 and variance 1, q·k has mean 0 and variance d_k; the
    curves are N(0, d_k) and N(0, 1). A trained model need not follow them; the figure shows how far it departs.

    Args:
        scores: q·k of any shape, before the division; leave masked ones out.
        d_k: the size of q and k.
        bins: the number of bins of each histogram, equally wide, from its smallest to its largest score.
        labels: other words for "title", "score", "density", "count", "from", "to", "before", "after", and "theory"
            with a place for {variance}.

    Raises:
        ValueError: there is no score or one that is not finite; d_k or bins is below 1.

    Source: Vaswani et al. 2017, §3.2.1, footnote 4.
    """
    before = checked.array("scores", np.ravel(np.asarray(scores)), 1).astype(np.float64)
    for name, number in {"d_k": d_k, "bins": bins}.items():
        if not isinstance(number, int | np.integer) or number < 1:
            raise ValueError(f"{name} must be a whole number from 1; it was {number!r}.")
    said, style = checked.texts(LABELS, labels), style_of(theme)
    bars, curves = [], []
    names: dict[str, str] = {}
    for which, values, variance, hue in (
        ("before", before, float(d_k), style.unscaled),
        ("after", before / math.sqrt(d_k), 1.0, style.scaled),
    ):
        theory = f"{said['theory'].format(variance=variance)}: {said[which]}"
        names |= {said[which]: hue, theory: hue}
        counts, edges = np.histogram(values, bins)
        density = counts / (len(values) * np.diff(edges))
        bars += [
            {"series": said[which], "low": low, "high": high, "count": count, "density": height, "floor": 0}
            for low, high, count, height in zip(
                edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), density.tolist(), strict=True
            )
        ]
        reach = max(4 * math.sqrt(variance), float(np.abs(values).max()))
        x = np.linspace(-reach, reach, POINTS)
        y = np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        curves += [{"series": theory, "x": a, "density": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    colour = alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=[*names], range=[*names.values()]),
        legend=alt.Legend(orient="top", labelLimit=0, columns=2),
    )
    histogram = (
        alt.Chart(rows_of(bars))
        .mark_rect(opacity=0.45)  # mark_bar would draw a bar from `low` to `high` horizontally
        .encode(
            x=alt.X("low:Q", title=said["score"], scale=alt.Scale(zero=False)),
            x2="high:Q",
            y=alt.Y("density:Q", title=said["density"]),
            y2="floor:Q",
            color=colour,
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                exact("low", said["from"]),
                exact("high", said["to"]),
                alt.Tooltip("count:Q", title=said["count"]),
                exact("density", said["density"]),
            ],
        )
    )
    theory_lines = (
        alt.Chart(rows_of(curves))
        .mark_line(strokeWidth=2.5)
        .encode(
            x="x:Q",
            y="density:Q",
            color=colour,
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                exact("x", said["score"]),
                exact("density", said["density"]),
            ],
        )
    )
    figure: alt.LayerChart = dressed(alt.layer(histogram, theory_lines), style, said["title"], height=340)
    return figure
