"""The lines of several runs in one picture."""

from __future__ import annotations

import numpy as np
import pytest

from viz_transformer.charts.training import accuracy_plot

SHIPPED = ("copy", "reverse", "sort")
LABELS = {"title": "Title", "x": "x", "y": "y"}


@pytest.mark.parametrize("own", range(6))
def test_every_line_has_a_hue_of_its_own(own: int) -> None:
    curve = np.array([0.0, 1.0]), np.array([0.0, 0.5])
    names = [f"own {number}" for number in range(own)]
    plot = accuracy_plot(dict.fromkeys(names, curve), dict.fromkeys(SHIPPED, curve), LABELS)
    assert [one.name for one in plot.series] == [*names, *SHIPPED]
    assert [one.dashed for one in plot.series] == [False] * own + [True] * len(SHIPPED)
    assert len({one.hue for one in plot.series}) == len(plot.series)
