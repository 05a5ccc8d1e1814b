"""What the charts of the lessons draw is what they were given: names, domains and every number."""

from __future__ import annotations

from typing import Any

import pandas as pd
from viz_transformer.charts.costs import GROUP_COLOURS, part_bars

from viz_transformer.charts.layer_types import COLOURS, complexity_lines, measured_lines
from viz_transformer.charts.norms import depth_lines


def data_of(chart: dict[str, Any], layer: int | None = None) -> pd.DataFrame:
    name = (chart if layer is None or "data" not in chart["layer"][layer] else chart["layer"][layer])["data"]["name"]
    return pd.DataFrame(chart["datasets"][name])


def test_bars_keep_the_order_and_the_numbers() -> None:
    parts = pd.DataFrame(
        {"part": ["b", "a"], "group": ["encoder", "other"], "total": [3.0, 1.0], "share": [0.75, 0.25]}
    )
    labels = {"part": "part", "total": "parameters", "share": "share", **{name: name for name in GROUP_COLOURS}}
    chart = part_bars(parts, labels).to_dict()
    assert chart["encoding"]["y"]["sort"] == ["b", "a"]
    assert chart["encoding"]["x"]["title"] == "parameters"
    assert list(data_of(chart)["total"]) == [3.0, 1.0]
    assert chart["encoding"]["color"]["scale"]["domain"] == list(GROUP_COLOURS)


def test_complexity_is_drawn_on_two_logarithmic_axes_with_its_marks() -> None:
    terms = pd.DataFrame({"kind": ["A", "A", "B"], "n": [1, 2, 1], "operations": [5.0, 20.0, 7.0]})
    marks = pd.DataFrame({"n": [8, 2], "mark": ["n = d = 8", "n = 2"]})
    kinds = {"attention": "A", "recurrent": "B"}
    chart = complexity_lines(terms, marks, kinds, {"n": "length n", "operations": "operations"}).to_dict()
    lines, rules, names = chart["layer"]
    assert lines["encoding"]["x"]["scale"]["type"] == lines["encoding"]["y"]["scale"]["type"] == "log"
    assert (lines["encoding"]["x"]["title"], lines["encoding"]["y"]["title"]) == ("length n", "operations")
    assert lines["encoding"]["color"]["scale"] == {
        "domain": ["A", "B"],
        "range": [COLOURS["attention"], COLOURS["recurrent"]],
    }
    assert data_of(chart, 0).equals(terms)
    assert list(data_of(chart, 1)["n"]) == [8, 2]
    assert list(data_of(chart, 2)["mark"]) == ["n = d = 8", "n = 2"]
    assert rules["encoding"]["x"]["field"] == names["encoding"]["x"]["field"] == "n"


def test_measured_and_expected_are_drawn_from_the_same_rows() -> None:
    timings = pd.DataFrame({"kind": ["A", "B"], "n": [16, 16], "ratio": [1.0, 3.0], "expected": [1.0, 8.0]})
    labels = {"n": "n", "ratio": "ratio", "measured": "measured", "table": "Table 1"}
    chart = measured_lines(timings, {"attention": "A", "recurrent": "B"}, labels).to_dict()
    measured, expected = chart["layer"]
    assert (measured["encoding"]["y"]["field"], expected["encoding"]["y"]["field"]) == ("ratio", "expected")
    assert "strokeDash" in expected["mark"] and "strokeDash" not in measured["mark"]
    assert pd.DataFrame(next(iter(chart["datasets"].values()))).equals(timings)


def test_depth_is_drawn_with_one_line_for_each_variant() -> None:
    stacks = pd.DataFrame(
        {"layer": [1, 2, 1, 2], "stream": [1.0, 1.0, 1.2, 1.9], "variant": ["post", "post", "pre", "pre"]}
    )
    chart = depth_lines(stacks, "stream", {"layer": "layer", "stream": "root mean square"}).to_dict()
    assert chart["encoding"]["y"]["title"] == "root mean square"
    assert data_of(chart).equals(stacks)
