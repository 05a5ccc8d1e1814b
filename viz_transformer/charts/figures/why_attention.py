"""How long layers take."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
from numpy.typing import ArrayLike

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_altair import dressed, exact, rows_of, series_colour
from viz_transformer.charts.style import LAYERS, Theme, style_of

LABELS = {
    "title": "",
    "length": "length n",
    "time": "median, ms",
    "low": "first quartile, ms",
    "high": "third quartile, ms",
    "layer": "layer",
}


def layer_times(
    lengths: ArrayLike,
    times: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> alt.LayerChart:
    """Milliseconds over the length on two logarithmic axes, a line for each layer; half of its runs lie in the band.

    Args:
        lengths: (L,) from 1.
        times: name → (L,) first quartiles, medians and third quartiles, in ms, all above 0.
        labels: other words for "title", "length", "time", "low", "high", "layer".

    Raises:
        ValueError: there is no layer, a length or time is not above 0, or they are not as many.
    """
    said, style = checked.texts(LABELS, labels), style_of(theme)
    n = checked.array("lengths", lengths, 1)
    rows = []
    for name, quartiles in times.items():
        low, median, high = (checked.array(f"times of {name!r}", one, 1) for one in quartiles)
        checked.same_length(lengths=n, first_quartiles=low, medians=median, third_quartiles=high)
        if min(n.min(), low.min(), median.min(), high.min()) <= 0:
            raise ValueError(f"Lengths and times must be above 0; of {name!r} they are not all.")
        rows += [
            {"series": name, "length": a, "low": b, "time": c, "high": d}
            for a, b, c, d in zip(n.tolist(), low.tolist(), median.tolist(), high.tolist(), strict=True)
        ]
    if not rows:
        raise ValueError("There must be at least one layer.")
    base = alt.Chart(rows_of(rows)).encode(
        x=alt.X(
            "length:Q",
            title=said["length"],
            scale=alt.Scale(type="log", base=2, nice=False),
            axis=alt.Axis(values=n.tolist(), format="~g"),
        ),
        color=series_colour(times, [*LAYERS.values(), *style.series]),
    )
    milliseconds = alt.Scale(type="log", base=10)
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title=said["time"], scale=milliseconds), y2="high:Q")
    lines = base.mark_line(point=alt.OverlayMarkDef(size=50)).encode(
        y=alt.Y("time:Q", title=said["time"], scale=milliseconds, axis=alt.Axis(format="~g")),
        tooltip=[
            alt.Tooltip("series:N", title=said["layer"]),
            exact("length", said["length"]),
            exact("time", said["time"]),
            exact("low", said["low"]),
            exact("high", said["high"]),
        ],
    )
    figure: alt.LayerChart = dressed(alt.layer(band, lines), style, said["title"], height=360)
    return figure
