"""Plotly and Altair figures beside the arrays that they were made of: every number, every token."""

from __future__ import annotations

import html
import itertools
import json
import math
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import viz_transformer as vt
from viz_transformer import charts
from viz_transformer.charts.figures.with_plotly import verbatim
from viz_transformer.charts.style import LAYERS, SEQUENTIAL, STYLES
from viz_transformer.layers import sinusoidal_encoding

ROOT = Path(__file__).resolve().parents[2]
random = np.random.default_rng(0)
HOSTILE = ["<s>", "$x$", "<s>", "&lt;", "%{x}", "2020-01-01"]


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def rows_of(chart: Any, layer: int | None = None) -> list[dict[str, Any]]:
    """The table that a chart, or a layer of it, is drawn from; it has to be a valid chart."""
    spec = chart.to_dict()
    data = spec["data"] if layer is None else spec["layer"][layer]["data"]
    values = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return json.loads(json.dumps(values, allow_nan=False))


def test_a_matrix_has_every_number_and_every_token() -> None:
    weights = softmax(random.standard_normal((6, 6)).astype(np.float32))
    mask = np.tril(np.ones((6, 6), dtype=bool))
    figure = charts.head_matrix(weights, HOSTILE, HOSTILE, mask=mask)
    numbers, hidden = figure.data
    assert np.asarray(numbers.z).dtype == np.float32
    np.testing.assert_array_equal(numbers.z, np.where(mask, weights, np.nan))
    np.testing.assert_array_equal(np.isfinite(hidden.z), ~mask)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert [html.unescape(text) for text in axis.ticktext] == HOSTILE
        assert list(axis.tickvals) == [*range(6)]
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_masked_cells_are_hatched_and_no_others() -> None:
    mask = random.random((4, 5)) < 0.5
    figure = charts.head_matrix(np.full((4, 5), 0.2), ["r"] * 4, ["c"] * 5, mask=mask)
    points = np.array(re.findall(r"[ML]([-\d.]+),([-\d.]+)", figure.layout.shapes[0].path), dtype=float)
    middles = points.reshape(-1, 2, 2).mean(axis=1)  # of each line
    cells = {(round(y), round(x)) for x, y in np.round(middles / 0.25) * 0.25 if x == round(x) and y == round(y)}
    assert cells == {(int(i), int(j)) for i, j in np.argwhere(~mask)}
    assert not charts.head_matrix(np.full((2, 2), 0.5), ["a", "b"], ["a", "b"]).layout.shapes


def test_scores_lie_on_a_scale_that_is_centred_and_clamps_nothing() -> None:
    scores = np.array([[1.5, -np.inf], [-7.25, 3.0]], dtype=np.float32)
    figure = charts.head_matrix(scores, ["a", "b"], ["a", "b"], kind="scores")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-7.25, 7.25)
    np.testing.assert_array_equal(figure.data[0].z, np.where(np.isinf(scores), np.nan, scores))


def test_a_grid_has_every_head_at_its_place_on_one_scale() -> None:
    layers = [softmax(random.standard_normal((heads, 3, 4))) for heads in (2, 3)]
    figure = charts.head_grid(layers, ["a"] * 3, ["b"] * 4, first=1)
    assert [one.coloraxis for one in figure.data] == ["coloraxis"] * 5
    shown = iter(figure.data)
    for layer, heads in enumerate(layers, start=1):
        for head, matrix in enumerate(heads, start=1):
            cells = next(shown)
            np.testing.assert_array_equal(cells.z, matrix)
            assert cells.hovertemplate.startswith(f"layer {layer}, head {head}<br>")
    assert [one.text for one in figure.layout.annotations] == ["head 1", "head 2", "head 3", "layer 1", "layer 2"]


def test_entropies_are_a_point_for_each_head() -> None:
    entropies = {"cross": [np.array([0.5, 1.25]), np.array([2.0])], "encoder_self": [[0.0, 3.0]]}
    rows = rows_of(charts.entropy_by_layer(entropies))
    assert {(row["series"], row["layer"], row["head"]): row["entropy"] for row in rows} == {
        ("cross-attention", 0, 0): 0.5,
        ("cross-attention", 0, 1): 1.25,
        ("cross-attention", 1, 0): 2.0,
        ("encoder self-attention", 0, 0): 0.0,
        ("encoder self-attention", 0, 1): 3.0,
    }


def test_positions_as_curves_matrix_and_path() -> None:
    encoding = random.standard_normal((7, 8)).astype(np.float32)
    rows = rows_of(charts.position_curves(encoding, (1, 6)))
    assert {(row["series"], row["position"]): row["value"] for row in rows} == {
        (f"dimension {n}", position): float(encoding[position, n]) for n in (1, 6) for position in range(7)
    }
    np.testing.assert_array_equal(charts.position_matrix(encoding).data[0].z, encoding)
    fine = np.linspace(0, 6, 20), random.standard_normal((20, 8))
    lines = charts.position_path(encoding, (0, 1, 3), fine=fine).data
    for i, line, points in zip((0, 1, 3), lines[::2], lines[1::2], strict=True):
        for drawn, at, of in ((points, np.arange(7), encoding), (line, *fine)):
            np.testing.assert_array_equal(drawn.x, of[:, 2 * i])
            np.testing.assert_array_equal(drawn.y, of[:, 2 * i + 1])
            np.testing.assert_array_equal(drawn.z, at)


@pytest.mark.parametrize("sines_first", [False, True])
def test_a_path_goes_round_a_circle_however_the_encoding_is_laid_out(sines_first: bool) -> None:
    encoding: Any = sinusoidal_encoding(torch.arange(9), 8, sines_first=sines_first)
    points = charts.position_path(encoding, sines_first=sines_first).data[1::2]
    for i, one in enumerate(points):
        angles = np.arange(9) / 10_000 ** (2 * i / 8)
        np.testing.assert_allclose(np.stack([one.x, one.y]), [np.sin(angles), np.cos(angles)], atol=1e-6)


def test_histograms_count_every_score_beside_the_normal_density() -> None:
    d_k, scores = 16, random.standard_normal((3, 50)) * 4
    chart = charts.score_histograms(scores, d_k, bins=10)
    bars, curves = rows_of(chart, 0), rows_of(chart, 1)
    drawn = chart.to_dict()["layer"][0]
    assert drawn["mark"]["type"] == "rect"
    assert {side: drawn["encoding"][side]["field"] for side in ("x", "x2", "y", "y2")} == {
        "x": "low", "x2": "high", "y": "density", "y2": "floor",
    }  # fmt: skip
    for name, values in {"q·k": scores.ravel(), "q·k / √d_k": scores.ravel() / 4}.items():
        own = [row for row in bars if row["series"] == name]
        assert sum(row["count"] for row in own) == scores.size
        for row in own:
            is_last = row is own[-1]
            within = (values >= row["low"]) & ((values <= row["high"]) if is_last else (values < row["high"]))
            assert row["count"] == within.sum()
            assert row["floor"] == 0
        assert sum(row["density"] * (row["high"] - row["low"]) for row in own) == pytest.approx(1)
    for name, deviation in {"N(0, 16): q·k": 4, "N(0, 1): q·k / √d_k": 1}.items():
        own = [row for row in curves if row["series"] == name]
        for row in own:
            z = row["x"] / deviation
            expected = math.exp(-0.5 * z * z) / (deviation * math.sqrt(2 * math.pi))
            assert row["density"] == pytest.approx(expected, rel=1e-9)
        assert min(row["x"] for row in own) <= -4 * deviation


@pytest.fixture(scope="module")
def steps() -> list[vt.DecodingStep]:
    return list(vt.load("zh-en", "cpu").beam_search("我爱你。", beam_size=3))


@pytest.mark.parametrize("area", ["leaves", "probability"])
def test_a_tree_has_every_candidate_and_its_areas_add_up(steps: list[vt.DecodingStep], area: Any) -> None:
    tree = charts.beam_tree(charts.beam_rows(steps), area=area).data[0]
    candidates = [one for step in steps for one in step.candidates]
    assert [html.unescape(text) for text in tree.labels[1:]] == [one.token for one in candidates]
    assert [one[1:] for one in tree.customdata[1:]] == [
        [f"{one.log_prob:.9g}", f"{one.total_log_prob:.9g}", f"{one.score:.9g}"] for one in candidates
    ]
    height = dict(zip(tree.ids, tree.values, strict=True))
    totals = dict(zip(tree.ids[1:], (one.total_log_prob for one in candidates), strict=True))
    children: dict[str, list[str]] = {}
    for name, parent in zip(tree.ids, tree.parents, strict=True):
        children.setdefault(parent, []).append(name)
    for name in tree.ids:
        below = sum(height[child] for child in children.get(name, []))
        assert height[name] >= below
        if area == "leaves":
            assert height[name] == (below or 1)
        elif name != "start":
            assert height[name] == pytest.approx(math.exp(totals[name]), rel=1e-5)  # where log p are float32
    # The way up from a node spells its hypothesis.
    parents = dict(zip(tree.ids, tree.parents, strict=True))
    token_ids = dict(zip(tree.ids[1:], (one.token_id for one in candidates), strict=True))
    paths = set()
    for name, one in zip(tree.ids[1:], candidates, strict=True):
        path = []
        while one.status == "finished" and name != "start":
            path.append(token_ids[name])
            name = parents[name]
        paths.add(tuple(reversed(path)))
    assert {tuple(one.ids) for one in steps[-1].finished} <= paths


def test_curves_times_and_sizes_have_every_number() -> None:
    steps, losses = np.arange(1, 5), np.array([3.5, np.nan, 2.25, 1.125])
    rows = rows_of(charts.training_curves({"<b>": (steps, losses), "$x$": ([2], [0.5])}))
    assert [(row["series"], row["step"], row["value"]) for row in rows] == [
        ("<b>", 1, 3.5), ("<b>", 3, 2.25), ("<b>", 4, 1.125), ("$x$", 2, 0.5),
    ]  # fmt: skip
    quartiles = [0.5, 1.5], [0.75, 2.0], [1.0, 2.5]
    rows = rows_of(charts.layer_times([16, 32], {"self-attention": quartiles}))
    assert [[row[name] for row in rows] for name in ("low", "time", "high")] == [*map(list, quartiles)]
    tree = charts.part_sizes({"encoder": {"a": 3, "<s>": 4, "none": 0}, "decoder": {"a": 5}}).data[0]
    assert dict(zip(tree.ids, tree.values, strict=True)) == {"all": 12, "0": 7, "0.0": 3, "0.1": 4, "1": 5, "1.0": 5}
    assert [html.unescape(text) for text in tree.labels] == ["model", "encoder", "a", "<s>", "decoder", "a"]


@given(st.text(max_size=20))
def test_no_text_is_markup_to_plotly(text: str) -> None:
    """Plotly reads "<", entities and pairs of "$"; with these written as entities it shows what was given."""
    written = verbatim(text)
    assert not re.search(r"[<>$\n]|&(?!(?:lt|gt|amp|#36);)", written)
    assert html.unescape(written) == text.replace("\n", "⏎")


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6))
def test_equal_tokens_keep_their_own_places(tokens: list[str]) -> None:
    matrix = np.arange(len(tokens) ** 2, dtype=np.float32).reshape(len(tokens), -1)
    figure = charts.head_matrix(matrix, tokens, tokens, kind="scores")
    assert len(set(figure.layout.xaxis.tickvals)) == len(figure.layout.xaxis.ticktext) == len(tokens)
    np.testing.assert_array_equal(figure.data[0].z, matrix)


ROW = {"id": "0", "parent": "", "token": "a", "log_prob": -1, "total_log_prob": -1, "score": -1, "status": "live"}
WRONG: dict[str, Callable[[], Any]] = {
    "a text for each of 2 places; it has 1": lambda: charts.head_matrix(np.eye(2), ["a"], ["a", "b"]),
    "a list of texts": lambda: charts.head_matrix(np.eye(2), "ab", ["a", "b"]),
    "2 axes and not be empty; its shape is \\(2,\\)": lambda: charts.head_matrix(np.ones(2), ["a"], ["b"]),
    "must be numbers": lambda: charts.head_matrix([["x"]], ["a"], ["b"]),
    "True = may attend; it has int64": lambda: charts.head_matrix(np.eye(1), ["a"], ["b"], mask=[[1]]),
    "from 0 to 1, and these from 2 to 2": lambda: charts.head_matrix([[2.0]], ["a"], ["b"]),
    "1 numbers that may be attended to": lambda: charts.head_matrix([[np.nan]], ["a"], ["b"]),
    "'weights' or 'scores'": lambda: charts.head_matrix([[1.0]], ["a"], ["b"], kind="x"),
    "colour is none of them": lambda: charts.head_matrix([[1.0]], ["a"], ["b"], labels={"colour": "c"}),
    "'light' or 'dark'": lambda: charts.head_matrix([[1.0]], ["a"], ["b"], theme="x"),
    "all with the same T and S": lambda: charts.head_grid([np.ones((1, 1, 1)), np.ones((1, 1, 2))], ["a"], ["b"]),
    "there are none": lambda: charts.entropy_by_layer({}),
    "No entropy is below 0": lambda: charts.entropy_by_layer({"cross": [[-1.0]]}),
    "from 0 to 1; they were \\[2\\]": lambda: charts.position_curves(np.ones((3, 2)), [2]),
    "At most 8 curves": lambda: charts.position_curves(np.ones((3, 10)), range(9)),
    "must be finite; 1 of": lambda: charts.position_matrix([[np.inf]]),
    "d_model must be even": lambda: charts.position_path(np.ones((3, 7))),
    "three; these are 1": lambda: charts.position_path(np.ones((3, 8)), [0]),
    "fine must have encodings": lambda: charts.position_path(np.ones((3, 8)), fine=([0.5], np.ones((2, 8)))),
    "d_k must be a whole number": lambda: charts.score_histograms([1.0], 0),
    "lacks parent": lambda: charts.beam_tree([{"id": "0"}]),
    "'0' is not": lambda: charts.beam_tree([ROW, ROW]),
    "'9', of '0', does not": lambda: charts.beam_tree([{**ROW, "parent": "9"}]),
    "is 'gone'": lambda: charts.beam_tree([{**ROW, "status": "gone"}]),
    "at least one row": lambda: charts.beam_tree([]),
    "2 steps, 1 numbers": lambda: charts.training_curves({"a": ([1, 2], [1])}),
    "a curve with a number": lambda: charts.training_curves({"a": ([1], [np.nan])}),
    "must be above 0": lambda: charts.layer_times([1], {"a": ([0], [1], [1])}),
    "of 'a' is -1": lambda: charts.part_sizes({"g": {"a": -1}}),
    "larger than 0": lambda: charts.part_sizes({"g": {"a": 0}}),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_arguments_get_a_sentence(sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as error:
        WRONG[sentence]()
    assert str(error.value).endswith(".")


def test_the_colours_are_those_of_the_app() -> None:
    colour = (ROOT / "frontend/src/kit/colour.ts").read_text(encoding="utf-8")
    paint = (ROOT / "frontend/src/plots/paint.ts").read_text(encoding="utf-8")

    def hexes(text: str) -> tuple[str, ...]:
        return tuple(
            f"#{int(r):02x}{int(g):02x}{int(b):02x}" for r, g, b in re.findall(r"\[(\d+), (\d+), (\d+)\]", text)
        )

    def table(name: str) -> str:
        return re.search(rf"const {name} = (.*?);", colour, re.DOTALL)[1]

    assert hexes(table("SEQUENTIAL")) == SEQUENTIAL
    assert dict(re.findall(r'(\w+): "(#\w+)"', paint)) == LAYERS
    look = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    for theme, style in STYLES.items():
        assert hexes(re.search(rf"{theme}: (.*)", table("DIVERGING"))[1]) == style.diverging
        assert hexes(re.search(rf"{theme}: (.*)", table("HEADS"))[1]) == style.series
        assert (style.text, style.background) == (look[theme]["textColor"], look[theme]["backgroundColor"])
        assert style.grid == look[theme]["borderColor"]


def test_light_and_dark_figures_are_of_their_theme() -> None:
    for theme, style in STYLES.items():
        figure = charts.head_matrix(np.eye(2), ["a", "b"], ["a", "b"], theme=theme)
        assert figure.layout.template.layout.paper_bgcolor == style.background
        assert (
            charts.training_curves({"a": ([1], [1])}, theme=theme).to_dict()["config"]["background"] == style.background
        )


def test_the_libraries_are_loaded_when_a_figure_is_asked_for() -> None:
    code = (
        "import sys, viz_transformer; from viz_transformer import charts; from viz_transformer.charts import plots;"
        "print([name for name in ('plotly', 'altair') if name in sys.modules]); charts.head_matrix;"
        "print([name for name in ('plotly', 'altair') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:2] == ["[]", "['plotly']"]


def test_a_missing_library_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.split(".")[0] == "plotly" or name.startswith("viz_transformer.charts.figures"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'viz-transformer[charts]'")):
        _ = charts.head_matrix


def test_all_is_what_there_is() -> None:
    assert charts.__all__ == sorted(charts.__all__) == sorted(itertools.chain(*charts._MODULES.values()))
    assert isinstance(charts.part_sizes({"a": {"b": 1}}), go.Figure)
    with pytest.raises(AttributeError, match="no attribute 'figure'"):
        _ = charts.figure
