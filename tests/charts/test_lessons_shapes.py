"""What the charts of the lessons draw is what they were given: names, axes and every number."""

from __future__ import annotations

import numpy as np

from viz_transformer.charts.architecture import depth_plot
from viz_transformer.charts.why_attention import complexity_plot, ratio_plot

N = np.array([1.0, 2.0, 4.0])
LABELS = {"title": "title", "x": "length n", "y": "operations", "table": "{name}, Table 1"}


def test_complexity_is_drawn_on_two_logarithmic_axes_with_its_marks() -> None:
    plot = complexity_plot(N, {"attention": ("A", N**2), "recurrent": ("B", 7 * N)}, {"n = 3": 3}, LABELS)
    assert (plot.x.log, plot.y.log, plot.x.title, plot.y.title) == (2, 10, "length n", "operations")
    np.testing.assert_array_equal(plot["A"].y, N**2)
    np.testing.assert_array_equal(plot["B"].x, N)
    assert [one.hue for one in plot.series] == ["attention", "recurrent", "draw"]
    assert (plot["n = 3"].x.tolist(), plot["n = 3"].y.tolist()) == ([3, 3], [1, 28])


def test_measured_and_expected_are_drawn_in_one_hue() -> None:
    plot = ratio_plot(N, {"attention": ("A", N / N, N / N), "dilated": ("B", N, 8 * N)}, LABELS)
    line, points, table = [one for one in plot.series if one.name.startswith("B")]
    assert [one.hue for one in (line, points, table)] == ["dilated"] * 3
    assert [one.dashed for one in (line, points, table)] == [False, False, True]
    np.testing.assert_array_equal(line.y, N)
    np.testing.assert_array_equal(points.y, N)
    np.testing.assert_array_equal(plot["B, Table 1"].y, 8 * N)


def test_depth_is_drawn_with_one_line_for_each_variant() -> None:
    plot = depth_plot("stream", "title", N, {"post": N / N, "pre": N}, {"x": "layer", "y": "root mean square"})
    assert (plot.name, plot.y.log, plot.y.title) == ("stream", 10, "root mean square")
    np.testing.assert_array_equal(plot["post"].y, N / N)
    np.testing.assert_array_equal(plot["pre"].y, N)
    assert plot["pre"].hue != plot["post"].hue
