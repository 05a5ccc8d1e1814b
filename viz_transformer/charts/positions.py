"""The plots of the page on positions, made of arrays. `labels` has the texts, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from viz_transformer.charts.plots import Axis, Hue, Numbers, Plot, Series

Labels = Mapping[str, str]


def curve_plot(
    positions: Numbers, fine: Numbers, curves: Mapping[str, tuple[Numbers, Numbers]], labels: Labels
) -> Plot:
    """Dimensions of the encoding over the positions: points at whole positions on the curve through them.

    Args:
        positions, fine: (L,) whole positions, and (n,) closer ones for a smooth curve.
        curves: name → values at `positions` (L,) and at `fine` (n,); at most four, in pairs of sine and cosine.
        labels: "title", "x", "y".
    """
    hues: list[Hue] = ["query", "key", "other", "draw"]
    series = []
    for n, (name, (at_positions, at_fine)) in enumerate(curves.items()):
        series.append(Series(name, "line", fine, at_fine, hues[n], dashed=n % 2 == 1))
        series.append(Series(name, "points", positions, at_positions, hues[n]))
    axis = Axis(labels["y"], low=-1, high=1)
    return Plot("curves", labels["title"], Axis(labels["x"]), axis, series, is_wide=True)


def offset_plot(
    name: str,
    offsets: Numbers,
    lines: Mapping[str, Numbers],
    points: Mapping[str, Numbers],
    labels: Labels,
    at: tuple[str, int] | None = None,
) -> Plot:
    """A quantity against the offset between two positions: by a formula as lines, from vectors as points; (K,) each.

    Args:
        labels: "title", "x", "y".
        at: name and place of the chosen offset, which is marked on the first of `points`.
    """
    series = [Series(title, "line", offsets, values, "theory") for title, values in lines.items()]
    series += [Series(title, "points", offsets, values, "scaled") for title, values in points.items()]
    if at is not None:
        title, place = at
        chosen = slice(place, place + 1)
        series.append(Series(title, "points", offsets[chosen], next(iter(points.values()))[chosen], "key"))
    return Plot(name, labels["title"], Axis(labels["x"]), Axis(labels["y"]), series)


def kinds_plot(
    name: str,
    x: Numbers,
    kinds: Mapping[str, Numbers],
    labels: Labels,
    chance: float | None = None,
    high: float | None = None,
) -> Plot:
    """One line for each kind of positional encoding, over training steps or positions; NaN is left out.

    Args:
        kinds: up to three names → (n,) at x (n,).
        labels: "title", "x", "y", "chance".
        chance: what guessing would reach, drawn as a horizontal line.
        high: the y axis reaches to here.
    """
    hues: list[Hue] = ["scaled", "key", "draw"]
    series = [Series(kind, "line", x, values, hues[n], dashed=n == 1) for n, (kind, values) in enumerate(kinds.items())]
    if chance is not None:
        series.append(Series(labels["chance"], "line", x[[0, -1]], np.full(2, chance), "theory", dashed=True))
    return Plot(name, labels["title"], Axis(labels["x"]), Axis(labels["y"], low=0, high=high), series)


def change_plot(tokens: tuple[str, ...], groups: Mapping[str, Numbers], labels: Labels) -> Plot:
    """The change of each token's output, on a logarithmic axis.

    Args:
        groups: up to two names → (S,).
        labels: "title", "x", "y".
    """
    hues: list[Hue] = ["unscaled", "scaled"]
    places = np.arange(len(tokens), dtype=np.float64)
    series = [
        Series(group, "points", places, values, hues[n], texts=tokens)
        for n, (group, values) in enumerate(groups.items())
    ]
    return Plot("change", labels["title"], Axis(labels["x"], labels=tokens), Axis(labels["y"], log=10), series)
