"""The logic of the page Why attention, without a browser."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import matrices_in
from tests.pages.helpers import open_page
from tests.pages.test_architecture import html_of, leads_of, sent_to, table, texts_of
from viz_transformer.experiments.why_attention.kernel_regression import curve, scattered
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, Sizes, connections, layer_cost
from viz_transformer.ui.why_attention.words import layer_names

LESSONS = {"table": 3, "timing": 2, "paths": 2, "lookup": 3}  # and their components
QUICK = {"upto": "16", "d": "8"}  # a measurement that takes no time


def run(**query: str) -> AppTest:
    return open_page("pages/why_attention.py", **query)


@pytest.mark.parametrize("model", vt.shipped_models())
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_opens_for_every_model(model: str, lesson: str) -> None:
    app = run(model=model, lesson=lesson, **(QUICK if lesson == "timing" else {}))
    assert not app.error
    assert [heading.value for heading in app.subheader] == ["Theory", "Experiment", "This model"]
    assert len(app.get("bidi_component")) == LESSONS[lesson]


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(1, 1, 1, 1),
        Sizes(100, 64, 5, 8),
        Sizes(65_536, 16_384, 1024, 65_536),
        Sizes(7, 3, 2, 1000),
    ],
)
def test_table_1_has_the_numbers_of_the_formulas(sizes: Sizes) -> None:
    app = run(model="copy", **{name: str(value) for name, value in sizes._asdict().items()})
    assert not app.error
    for row, kind in zip(table(app, "table-1"), LAYER_TYPES, strict=True):
        cost = layer_cost(kind, sizes)
        assert (row[2], row[5]) == (f"{cost.complexity:,}", f"{cost.sequential:,}")
        assert row[7] == ("never" if cost.path is None else f"{cost.path:,}")


def test_sizes_out_of_range_are_clamped_and_wrong_ones_ignored() -> None:
    app = run(model="copy", n="99999999", d="0", k="x", r="-1")
    assert "n = 65,536, d = 1, k = 3, r = 1" in leads_of(app)


def test_the_table_ends_on_the_model() -> None:
    app = run(model="copy", source="3 1 4")
    config = vt.load("copy", "cpu").model.config
    assert table(app, "own-table")[0] == [
        "4",
        f"{4 * 4 * config.d_model:,}",
        f"{4 * config.d_model**2:,}",
        f"{4 / config.d_model:.3f}",
    ]


def test_a_measurement_is_shown_as_ratios_and_kept_until_it_is_asked_for_again() -> None:
    app = run(model="copy", lesson="timing", **QUICK)
    (first,) = table(app, "timings")
    assert first[0] == "16"
    assert float(first[1]) > 0
    assert all(cell.startswith("× ") for cell in first[2:])
    (ratios,) = sent_to(app, 1)["plots"]
    measured = {series["name"]: series["y"] for series in ratios["series"]}
    assert measured["Self-attention"] == [1]
    assert [f"× {measured[name][0]:.2f}" for name in list(layer_names().values())[1:]] == first[2:]
    assert table(run(model="copy", lesson="timing", **QUICK), "timings") == [first]
    assert len(table(app, "own-timings")) == len(LAYER_TYPES)
    app.button(key="measure again").click().run()
    assert not app.exception
    assert len(table(app, "timings")) == 1


def test_what_is_measured_has_its_limits() -> None:
    app = run(model="copy", lesson="timing", upto="16", d="1", k="1", r="1")
    assert "d = 1, k = 1, r = 1" in html_of(app)


@pytest.mark.parametrize(("drawn", "k", "r"), [("1", "1", "1"), ("16", "3", "4"), ("24", "2", "2"), ("5", "9999", "9")])
def test_the_drawings_are_the_graphs(drawn: str, k: str, r: str) -> None:
    content = sent_to(run(model="copy", lesson="paths", drawn=drawn, k=k, r=r), 1)
    sizes = Sizes(int(drawn), 1, min(int(k), 1024), int(r))
    for kind, shown in zip(LAYER_TYPES, content["kinds"], strict=True):
        graph = connections(kind, sizes, 8)
        assert [tuple(edge) for edge in shown["edges"]] == list(graph.edges)
        assert (shown["n"], shown["levels"]) == (graph.n, graph.levels)
        if (layer_cost(kind, sizes).layers or 1) > 8:
            assert "are drawn" in shown["cut"]


def test_the_ends_of_a_path_come_from_the_link() -> None:
    view = sent_to(run(model="copy", lesson="paths"), 1)["view"]
    assert view == {"input": 0, "output": 23}  # the browser goes to the last
    view = sent_to(run(model="copy", lesson="paths", **{"from": "3", "to": "9"}), 1)["view"]
    assert view == {"input": 2, "output": 8}


def test_the_points_are_those_of_the_seed_and_the_kernel_that_of_the_link() -> None:
    content = sent_to(run(model="copy", lesson="lookup", points="7", noise="0", seed="5", query="1.5", width="0.2"), 1)
    points = scattered(7, 0.0, 5)
    assert content["x"] == points.x.tolist()
    np.testing.assert_allclose(content["y"], curve(points.x))
    assert content["view"] == {"query": 1.5, "width": 0.2}


@pytest.mark.parametrize(("query", "width"), [("-1", "0"), ("1e99", "1e99"), ("nan", "inf"), ("<b>", "")])
def test_any_kernel_in_the_link_is_clamped_or_ignored(query: str, width: str) -> None:
    view = sent_to(run(model="copy", lesson="lookup", query=query, width=width, points="1"), 1)["view"]
    assert 0 <= view["query"] <= 6 and 0.02 <= view["width"] <= 5


def test_a_head_of_the_model_is_kernel_times_factor() -> None:
    app = run(model="copy", lesson="lookup", source="3 1 4", module="cross", layer="2", head="3")
    recorded, _gaussian, product, factors = matrices_in(app.get("bidi_component")[2].proto.bytes)
    expected = vt.load("copy", "cpu").trace("3 1 4").attention("cross", 1).weights[2]
    assert recorded.tolist() == expected.tolist()
    np.testing.assert_allclose(product, expected, atol=1e-6)
    assert factors.max() == 1


@pytest.mark.parametrize("lesson", ["table", "paths", "lookup"])
def test_typed_text_is_data_and_never_markup(lesson: str) -> None:
    app = run(model="zh-en", source="<img src=x> $x$ _a_ </td> 你", lesson=lesson)
    assert not app.error
    assert "<img" not in html_of(app) + texts_of(app)


def test_nothing_typed_gives_a_sentence() -> None:
    assert "empty" in run(model="copy", source=" ").error[0].value
