"""Plots over the layers of a stack: how its residual stream and its gradients grow or shrink."""

from __future__ import annotations

from collections.abc import Mapping

from viz_transformer.charts.plots import Axis, Hue, Numbers, Plot, Series


def depth_plot(
    name: str,
    title: str,
    layers: Numbers,
    variants: Mapping[str, Numbers],
    labels: Mapping[str, str],
    *,
    log: bool = True,
) -> Plot:
    """One line for each of up to three variants over the layers.

    Args:
        layers: (N,) from 1.
        variants: name → (N,), above 0 where the axis is logarithmic.
        labels: "x", "y".
    """
    hues: list[Hue] = ["scaled", "other", "unscaled"]
    series = []
    for n, (variant, values) in enumerate(variants.items()):
        series.append(Series(variant, "line", layers, values, hues[n], dashed=n > 0))
        series.append(Series(variant, "points", layers, values, hues[n]))
    return Plot(name, title, Axis(labels["x"]), Axis(labels["y"], log=10 if log else 0), series)
