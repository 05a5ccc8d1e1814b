"""Positional encodings: as curves, as a matrix, and as a path in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.checked import Floats
from viz_transformer.charts.figures.with_altair import dressed as dressed_chart
from viz_transformer.charts.figures.with_altair import exact, rows_of, series_colour
from viz_transformer.charts.figures.with_plotly import EXACT, dressed, in_template, verbatim
from viz_transformer.charts.style import Theme, style_of

LABELS = {"title": "", "position": "position", "dimension": "dimension", "value": "PE"}
PATH_LABELS = {
    "title": "",
    "position": "position",
    "pair": "dimensions {first} and {second}",
    "sine": "PE(pos, 2i)",
    "cosine": "PE(pos, 2i + 1)",
}
SINES_FIRST_LABELS = {"sine": "PE(pos, i)", "cosine": "PE(pos, d_model/2 + i)"}
MOST_CURVES = 8


def position_curves(
    encoding: ArrayLike,
    dimensions: Sequence[int] = (0, 1, 2, 3),
    *,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> alt.Chart:
    """Some dimensions of the encoding over the positions, a point at each position.

    Args:
        encoding: (L, d_model), a row for each position from 0.
        dimensions: at most eight columns of it, from 0.
        labels: other words for "title", "position", "dimension", "value".

    Raises:
        ValueError: the shape is another, or there is no such dimension.

    Source: Vaswani et al. 2017, §3.5.
    """
    matrix, said, style = checked.array("encoding", encoding, 2), checked.texts(LABELS, labels), style_of(theme)
    _check_columns("dimensions", dimensions, matrix.shape[1])
    if len(dimensions) > MOST_CURVES:
        raise ValueError(f"At most {MOST_CURVES} curves can be told apart; these are {len(dimensions)}.")
    names = [f"{said['dimension']} {n}" for n in dimensions]
    rows = [
        {"series": name, "position": position, "value": float(matrix[position, n])}
        for name, n in zip(names, dimensions, strict=True)
        for position in range(len(matrix))
    ]
    chart = (
        alt.Chart(rows_of(rows))
        .mark_line(point=alt.OverlayMarkDef(size=30))
        .encode(
            x=alt.X("position:Q", title=said["position"], scale=alt.Scale(nice=False)),
            y=alt.Y("value:Q", title=said["value"]),
            color=series_colour(names, style.series),
            tooltip=[
                alt.Tooltip("series:N", title=said["dimension"]),
                alt.Tooltip("position:Q", title=said["position"]),
                exact("value", said["value"]),
            ],
        )
    )
    figure: alt.Chart = dressed_chart(chart, style, said["title"], height=300)
    return figure


def position_matrix(
    encoding: ArrayLike, *, labels: Mapping[str, str] | None = None, theme: Theme = "light"
) -> go.Figure:
    """The whole encoding: a row for each position, a column for each dimension, both from 0.

    Args:
        encoding: (L, d_model), in any unit; the scale is centred at 0 and ends at the largest absolute value.
        labels: other words for "title", "position", "dimension", "value".

    Raises:
        ValueError: the shape is another, or a number is not finite.

    Source: Vaswani et al. 2017, §3.5.
    """
    matrix, said, style = checked.array("encoding", encoding, 2), checked.texts(LABELS, labels), style_of(theme)
    extent = float(np.abs(matrix).max()) or 1.0
    position, dimension, value = (in_template(said[word]) for word in ("position", "dimension", "value"))
    figure = go.Figure(
        go.Heatmap(
            z=matrix,
            zmin=-extent,
            zmax=extent,
            colorscale=[*style.diverging],
            colorbar={"title": {"text": verbatim(said["value"])}, "thickness": 14, "outlinewidth": 0},
            hovertemplate=f"{position} %{{y}}<br>{dimension} %{{x}}<br>{value} %{{z:{EXACT}}}<extra></extra>",
        )
    )
    figure.update_xaxes(title=verbatim(said["dimension"]), showgrid=False, zeroline=False)
    figure.update_yaxes(title=verbatim(said["position"]), showgrid=False, zeroline=False, autorange="reversed")
    return dressed(figure, style, said["title"], height=440)


def position_path(
    encoding: ArrayLike,
    pairs: Sequence[int] = (0, 1, 2),
    *,
    sines_first: bool = False,
    fine: tuple[ArrayLike, ArrayLike] | None = None,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """The path of a position through three pairs of dimensions, in space, a point at each whole position.

    The vertical axis is the position; the two horizontal axes are the sine and the cosine of a pair. Pair i turns by
    ω_i radians from one position to the next, on a circle of radius 1 where the encoding is sinusoidal.

    Args:
        encoding: (L, d_model), d_model even; a row for each position from 0.
        pairs: three values of i, from 0.
        sines_first: where the numbers of pair i are. False: in the columns 2i and 2i + 1, as in the paper. True: in the
            columns i and d_model/2 + i, all sines before all cosines, as in Marian; see `TransformerConfig`.
        fine: for a smooth line: (n,) increasing positions, fractions among them, and (n, d_model) their encodings.
            None draws straight lines between whole positions.
        labels: other words for "title", "position", "pair" (with {first} and {second}), "sine", "cosine".

    Raises:
        ValueError: the shape is another, d_model is odd, or there are not three such pairs.

    Source: Vaswani et al. 2017, §3.5.
    """
    words = PATH_LABELS | (SINES_FIRST_LABELS if sines_first else {})
    matrix, said, style = checked.array("encoding", encoding, 2), checked.texts(words, labels), style_of(theme)
    if matrix.shape[1] % 2:
        raise ValueError(f"d_model must be even, two numbers for each pair; it is {matrix.shape[1]}.")
    _check_columns("pairs", pairs, matrix.shape[1] // 2)
    if len(pairs) != 3:
        raise ValueError(f"pairs must be three; these are {len(pairs)}.")
    positions = np.arange(len(matrix))
    at, line = (positions, matrix) if fine is None else _fine(*fine, width=matrix.shape[1])
    figure = go.Figure()
    for i, colour in zip(pairs, style.series, strict=False):
        sine, cosine = (i, matrix.shape[1] // 2 + i) if sines_first else (2 * i, 2 * i + 1)
        name = said["pair"].format(first=sine, second=cosine)
        group = {"legendgroup": str(i), "name": verbatim(name)}
        figure.add_scatter3d(
            x=line[:, sine], y=line[:, cosine], z=at, mode="lines", line={"width": 4, "color": colour},
            hoverinfo="skip", showlegend=False, **group,
        )  # fmt: skip
        figure.add_scatter3d(
            x=matrix[:, sine], y=matrix[:, cosine], z=positions, mode="markers", marker={"size": 4, "color": colour},
            hovertemplate=f"{in_template(said['position'])} %{{z}}<br>PE(%{{z}}, {sine}) = %{{x:{EXACT}}}"
            f"<br>PE(%{{z}}, {cosine}) = %{{y:{EXACT}}}<extra></extra>", **group,
        )  # fmt: skip
    figure.update_scenes(
        xaxis_title=verbatim(said["sine"]),
        yaxis_title=verbatim(said["cosine"]),
        zaxis_title=verbatim(said["position"]),
        aspectmode="manual",
        aspectratio={"x": 1, "y": 1, "z": 1.2},
        camera={"eye": {"x": 1.7, "y": 1.7, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.1}},
    )
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"})
    return dressed(figure, style, said["title"], height=560)


def _fine(positions: ArrayLike, encoding: ArrayLike, width: int) -> tuple[Floats, Floats]:
    at, line = checked.array("positions of fine", positions, 1), checked.array("encodings of fine", encoding, 2)
    if line.shape != (len(at), width):
        raise ValueError(f"fine must have encodings of shape {(len(at), width)}; theirs is {line.shape}.")
    return at, line


def _check_columns(name: str, columns: Sequence[int], count: int) -> None:
    if not columns or len(set(columns)) < len(columns) or not all(0 <= n < count for n in columns):
        raise ValueError(f"{name} must be different numbers from 0 to {count - 1}; they were {list(columns)}.")
