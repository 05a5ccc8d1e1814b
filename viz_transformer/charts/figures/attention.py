"""Heads as matrices: one of them, or all of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.checked import Bools, Floats
from viz_transformer.charts.figures.with_plotly import EXACT, dressed, in_template, verbatim
from viz_transformer.charts.style import SEQUENTIAL, Style, Theme, style_of

Kind = Literal["weights", "scores"]
MATRIX_LABELS = {
    "title": "",
    "query": "query",
    "key": "key",
    "weights": "weight",
    "scores": "score",
    "masked": "masked",
}
GRID_LABELS = {**MATRIX_LABELS, "layer": "layer", "head": "head"}


def head_matrix(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    mask: ArrayLike | None = None,
    kind: Kind = "weights",
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """One head: a row for each query, a column for each key, masked cells hatched; the recorded number on hover.

    Args:
        values: (T, S) weights, or scores in any unit; scores may be -inf where the mask hides them.
        rows, columns: T and S tokens, shown exactly as they are; equal tokens keep rows and columns of their own.
        mask: (T, S) bools, True = may attend.
        kind: weights go by one sequential scale from 0 to 1, scores by a diverging one that is centred at 0.
        labels: other words for "title", "query", "key", "weights", "scores", "masked".

    Raises:
        ValueError: shapes do not fit, a number is not finite where the mask allows it, or a weight is not in 0 … 1.

    Source: Vaswani et al. 2017, equation 1.
    """
    matrix = checked.array("values", values, 2, is_finite=False)
    said, style = checked.texts(MATRIX_LABELS, labels), style_of(theme)
    seen = _seen(matrix, checked.allowed(mask, matrix.shape), kind)
    figure = go.Figure(_cells(matrix, seen, kind, said))
    figure.update_layout(coloraxis=_scale([matrix[seen]], kind, said[kind], style), shapes=_hatches(seen, style))
    figure.update_xaxes(_axis(checked.tokens("columns", columns, matrix.shape[1]), said["key"]))
    figure.update_yaxes(_axis(checked.tokens("rows", rows, matrix.shape[0]), said["query"]), autorange="reversed")
    figure.update_xaxes(scaleanchor="y", constrain="domain")
    figure.update_yaxes(constrain="domain")
    return dressed(figure, style, said["title"], height=max(320, min(900, 160 + 28 * len(matrix))))


def head_grid(
    values: Sequence[ArrayLike],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    mask: ArrayLike | None = None,
    kind: Kind = "weights",
    first: int = 0,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """All heads of a module on one scale: a row for each layer, a column for each head.

    Args:
        values: for each layer (H, T, S), as in `head_matrix`; layers may have different numbers of heads.
        rows, columns, mask, kind: as in `head_matrix`, the same for all heads.
        first: the number that the first layer and the first head get.
        labels: as in `head_matrix`, and "layer", "head".

    Raises:
        ValueError: as `head_matrix`.
    """
    layers = [checked.array(f"values[{n}]", one, 3, is_finite=False) for n, one in enumerate(values)]
    if not layers or len({one.shape[1:] for one in layers}) > 1:
        raise ValueError("values must have (H, T, S) numbers for each layer, all with the same T and S.")
    said, style, shape = checked.texts(GRID_LABELS, labels), style_of(theme), layers[0].shape[1:]
    may = checked.allowed(mask, shape)
    across, down = max(len(one) for one in layers), len(layers)
    figure = make_subplots(
        down,
        across,
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.02 / across**0.5,
        vertical_spacing=0.06 / down,
        column_titles=[verbatim(f"{said['head']} {first + n}") for n in range(across)],
        row_titles=[verbatim(f"{said['layer']} {first + n}") for n in range(down)],
    )
    seen_numbers = []
    for layer, heads in enumerate(layers):
        for head, matrix in enumerate(heads):
            seen = _seen(matrix, may, kind)
            seen_numbers.append(matrix[seen])
            place = f"{said['layer']} {first + layer}, {said['head']} {first + head}"
            cells = _cells(matrix, seen, kind, said, place)
            figure.add_traces(cells, rows=layer + 1, cols=head + 1)
            for hatch in _hatches(seen, style):
                figure.add_shape(hatch, row=layer + 1, col=head + 1)
    figure.update_layout(coloraxis=_scale(seen_numbers, kind, said[kind], style))
    figure.update_xaxes(_axis(checked.tokens("columns", columns, shape[1])), showticklabels=False, ticks="")
    figure.update_yaxes(
        _axis(checked.tokens("rows", rows, shape[0])), showticklabels=False, ticks="", autorange="reversed"
    )
    return dressed(figure, style, said["title"], height=max(320, min(1200, 90 + 170 * down)))


def _seen(matrix: Floats, may: Bools, kind: Kind) -> Bools:
    """(T, S): which cells have a number to show."""
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be 'weights' or 'scores'; it was {kind!r}.")
    seen = may & ~np.isneginf(matrix) if kind == "scores" else may
    numbers = matrix[seen]
    if not np.isfinite(numbers).all():
        raise ValueError(f"{int((~np.isfinite(numbers)).sum())} numbers that may be attended to are not finite.")
    if kind == "weights" and numbers.size and not (numbers.min() >= 0 and numbers.max() <= 1 + 1e-5):
        raise ValueError(
            f"Weights lie from 0 to 1, and these from {numbers.min():.9g} to {numbers.max():.9g}: "
            "for other numbers say kind='scores'."
        )
    return seen


def _cells(matrix: Floats, seen: Bools, kind: Kind, said: Mapping[str, str], place: str = "") -> list[go.Heatmap]:
    """A heatmap of the numbers and, where some are masked, one that says so on hover. Both axes count from 0."""
    query, key, name, masked = (in_template(said[word]) for word in ("query", "key", kind, "masked"))
    where = (f"{in_template(place)}<br>" if place else "") + f"{query} %{{pointNumber[0]}}: %{{y}}"
    where += f"<br>{key} %{{pointNumber[1]}}: %{{x}}<br>"
    common: dict[str, Any] = {"hoverongaps": False, "xgap": 1, "ygap": 1}
    numbers = go.Heatmap(
        z=np.where(seen, matrix, np.float32("nan")).astype(matrix.dtype),
        coloraxis="coloraxis",
        hovertemplate=f"{where}{name} %{{z:{EXACT}}}<extra></extra>",
        **common,
    )
    if seen.all():
        return [numbers]
    hidden = go.Heatmap(
        z=np.where(seen, np.float32("nan"), np.float32(0)),
        colorscale=["rgba(0,0,0,0)", "rgba(0,0,0,0)"],
        showscale=False,
        hovertemplate=f"{where}{masked}<extra></extra>",
        **common,
    )
    return [numbers, hidden]


def _scale(numbers: Sequence[Floats], kind: Kind, name: str, style: Style) -> dict[str, Any]:
    """The colour axis that all matrices of a figure share; no number lies beyond its ends."""
    extent = max((float(np.abs(one).max()) for one in numbers if one.size), default=1.0)
    low, high = (0.0, max(1.0, extent)) if kind == "weights" else (-(extent or 1.0), extent or 1.0)
    stops = [*(SEQUENTIAL if kind == "weights" else style.diverging)]
    bar = {"title": {"text": verbatim(name)}, "thickness": 14, "outlinewidth": 0}
    return {"colorscale": stops, "cmin": low, "cmax": high, "colorbar": bar}


def _axis(tokens: Sequence[str], title: str = "") -> dict[str, Any]:
    """A numeric axis with tokens as tick texts: equal tokens stay apart, and none is read as a number, date or tag."""
    return {
        "type": "linear",
        "tickmode": "array",
        "tickvals": [*range(len(tokens))],
        "ticktext": [verbatim(token) for token in tokens],
        "title": verbatim(title),
        "showgrid": False,
        "zeroline": False,
    }


def _hatches(seen: Bools, style: Style) -> list[dict[str, Any]]:
    """Three slanted lines on each masked cell, all of them one path."""
    lines = [
        f"M{column + a:g},{row + b:g}L{column + b:g},{row + a:g}"
        for row, column in np.argwhere(~seen)
        for a, b in ((-0.5, 0.5), (-0.5, 0.0), (0.0, 0.5))
    ]
    if not lines:
        return []
    return [{"type": "path", "path": "".join(lines), "line": {"width": 1, "color": style.text}, "opacity": 0.35}]
