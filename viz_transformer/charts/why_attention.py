"""What each layer type costs by sequence length: by the paper's Table 1, and as measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from viz_transformer.charts.plots import Axis, LayerHue, Numbers, Plot, Series

Labels = Mapping[str, str]


def complexity_plot(
    lengths: Numbers, lines: Mapping[LayerHue, tuple[str, Numbers]], marks: Mapping[str, float], labels: Labels
) -> Plot:
    """Operations by sequence length on two logarithmic axes: one line for each layer type, and vertical lines.

    Args:
        lengths: (L,).
        lines: type → its name and (L,) operations.
        marks: name → the length n that a vertical line marks.
        labels: "title", "x", "y".
    """
    series = [
        Series(name, "line", lengths, operations, kind, dashed=n % 2 == 1)
        for n, (kind, (name, operations)) in enumerate(lines.items())
    ]
    every = np.concatenate([operations for _name, operations in lines.values()])
    ends = np.array([every.min(), every.max()])
    series += [Series(name, "line", np.full(2, float(n)), ends, "draw", dashed=True) for name, n in marks.items()]
    return Plot("crossing", labels["title"], Axis(labels["x"], log=2), Axis(labels["y"], log=10), series)


def ratio_plot(lengths: Numbers, ratios: Mapping[LayerHue, tuple[str, Numbers, Numbers]], labels: Labels) -> Plot:
    """Each type's time over that of self-attention at the same length, and dashed the ratio of Table 1.

    Args:
        lengths: (L,).
        ratios: type → its name, (L,) measured, (L,) expected.
        labels: "title", "x", "y", and "table" with a place for {name}.
    """
    series = []
    for kind, (name, measured, expected) in ratios.items():
        table = labels["table"].format(name=name)
        series.append(Series(name, "line", lengths, measured, kind))
        series.append(Series(name, "points", lengths, measured, kind))
        series.append(Series(table, "line", lengths, expected, kind, dashed=True))
    return Plot("ratios", labels["title"], Axis(labels["x"], log=2), Axis(labels["y"], log=10), series)
