"""The plots of the page on scaling, made of arrays. `labels` has the texts, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from viz_transformer.charts.plots import Axis, Hue, Numbers, Plot, Series

Labels = Mapping[str, str]

_MECHANISMS: dict[str, Hue] = {"dot": "unscaled", "scaled": "scaled", "additive": "other"}


def density_plot(
    name: str, title: str, edges: Numbers, density: Numbers, curves: Mapping[str, Numbers], x: Numbers, labels: Labels
) -> Plot:
    """A histogram under density curves, the first of them solid, the others dashed.

    Args:
        edges, density: (bins + 1,) and (bins,).
        curves: name → (n,) densities at x (n,).
        labels: "draw" for the bars, "x" and "y" for the axes.
    """
    lines = [
        Series(name, "line", x, curve, "theory" if n == 0 else "key", dashed=n > 0)
        for n, (name, curve) in enumerate(curves.items())
    ]
    bars = Series(labels["draw"], "bars", edges, density, "draw")
    return Plot(name, title, Axis(labels["x"]), Axis(labels["y"], low=0), [bars, *lines])


def compared_densities_plot(
    name: str,
    title: str,
    bars: Mapping[str, tuple[Numbers, Numbers]],
    curves: Mapping[str, Numbers],
    x: Numbers,
    reach: float,
    labels: Labels,
) -> Plot:
    """The histograms of q·k and of q·k / √d_k on one axis from -reach to reach, each with its curve.

    Args:
        bars: name → edges (bins + 1,) and density (bins,): of q·k, then of q·k / √d_k.
        curves: name → (n,) densities at x (n,), in the same order; a third and a fourth are dashed.
        labels: "x" and "y" for the axes.
    """
    hues: list[Hue] = ["unscaled", "scaled"]
    series = [Series(one, "bars", *at, hues[n]) for n, (one, at) in enumerate(bars.items())]
    series += [
        Series(one, "line", x, curve, hues[n % 2], dashed=n > 1) for n, (one, curve) in enumerate(curves.items())
    ]
    across = Axis(labels["x"], low=-reach, high=reach, is_fixed=True)
    return Plot(name, title, across, Axis(labels["y"], low=0), series, is_wide=True)


def variance_plot(
    sizes: Numbers, variances: Numbers, errors: Numbers, products: Numbers | None, title: str, labels: Labels
) -> Plot:
    """Variance against d_k on two logarithmic axes: of q·k, and of q·k / √d_k, each with the theory's line.

    Args:
        sizes, variances, errors: (n,) d_k, drawn variance of q·k, and its standard error.
        products: (n,) the theory's variance of q·k; None where it is infinite.
        labels: "unscaled", "scaled", "theory" with {name} in it, "x", "y".
    """
    series = [
        Series(labels["unscaled"], "points", sizes, variances, "unscaled", error=errors),
        Series(labels["scaled"], "points", sizes, variances / sizes, "scaled", error=errors / sizes),
    ]
    if products is not None:
        both: list[tuple[str, Numbers, Hue]] = [
            (labels["unscaled"], products, "unscaled"),
            (labels["scaled"], products / sizes, "scaled"),
        ]
        series += [Series(labels["theory"].format(name=name), "line", sizes, line, hue) for name, line, hue in both]
    return Plot("variance", title, Axis(labels["x"], log=2), Axis(labels["y"], log=10), series)


def weight_plot(name: str, title: str, weights: Numbers, labels: Labels) -> Plot:
    """Softmax weights (n,) of the keys 1 … n as bars from 0 to 1. labels: "x", "y", and "draw" for the bars."""
    n = len(weights)
    edges = np.arange(n + 1) + 0.5
    hue = _MECHANISMS.get(name, "other")
    bars = Series(labels["draw"], "bars", edges, weights, hue)
    return Plot(name, title, Axis(labels["x"]), Axis(labels["y"], low=0, high=1), [bars])


def saturation_plot(
    name: str,
    title: str,
    sizes: Numbers,
    measured: Mapping[str, Numbers],
    at: int,
    labels: Labels,
    high: float | None = None,
) -> Plot:
    """One measure of the softmax against d_k for each mechanism, with error bars.

    Args:
        measured: "dot", "scaled", "additive" → (2, n): mean and standard error at each of sizes (n,).
        at: the place of the chosen d_k; its points are marked.
        labels: texts of the three mechanisms, "x", "y", "here" for the marked points.
        high: the y axis reaches to here.
    """
    series = [
        Series(
            labels[mechanism], "line", sizes, mean, _MECHANISMS[mechanism], error=error, dashed=mechanism == "additive"
        )
        for mechanism, (mean, error) in measured.items()
    ]
    here = np.array([mean[at] for mean, _error in measured.values()])
    series.append(Series(labels["here"], "points", np.full(len(here), sizes[at]), here, "draw"))
    return Plot(name, title, Axis(labels["x"], log=2), Axis(labels["y"], low=0, high=high), series)


def shell_plot(sizes: Numbers, means: Numbers, deviations: Numbers, title: str, labels: Labels) -> Plot:
    """The length of Gaussian vectors against d: E‖x‖ with ± one standard deviation, and √d.

    labels: "mean", "root", "x", "y".
    """
    return Plot(
        "shell",
        title,
        Axis(labels["x"], log=2),
        Axis(labels["y"], log=10),
        [
            Series(labels["root"], "line", sizes, np.sqrt(sizes), "theory"),
            Series(labels["mean"], "points", sizes, means, "scaled", error=deviations),
        ],
    )


def places_plot(
    name: str,
    title: str,
    places: tuple[str, ...],
    groups: Mapping[str, tuple[Numbers, Numbers, tuple[str, ...]]],
    line: tuple[str, float] | None,
    labels: Labels,
    *,
    log: bool,
    hues: tuple[Hue, Hue] = ("scaled", "draw"),
    span: tuple[float, float] | None = None,
) -> Plot:
    """Points of one or two groups above named places, side by side, and a level line.

    Args:
        groups: name → x (n,) indices of places, y (n,), n texts.
        line: name and height of the level line, or None.
        labels: "x", "y".
        log: whether the y axis is logarithmic.
        hues: of the groups.
        span: the y axis reaches at least from here to there, so that plots that are compared may share it.
    """
    low, high = span or (None if log else 0, None)
    shift = np.linspace(-0.14, 0.14, len(groups)) if len(groups) > 1 else np.zeros(1)
    series = [
        Series(group, "points", x + shift[n], y, hues[n], texts=texts)
        for n, (group, (x, y, texts)) in enumerate(groups.items())
    ]
    if line is not None:
        ends = np.array([-0.5, len(places) - 0.5])
        series.append(Series(line[0], "line", ends, np.full(2, line[1]), "theory", dashed=True))
    return Plot(
        name,
        title,
        Axis(labels["x"], labels=places),
        Axis(labels["y"], log=10 if log else 0, low=low, high=high),
        series,
    )
