"""The logic of the page Why attention, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import matrices_in
from tests.pages.helpers import open_page
from tests.pages.test_architecture import html_of, leads_of, sent_to, table, texts_of
from viz_transformer.experiments.why_attention import layer_timing
from viz_transformer.experiments.why_attention.kernel_regression import curve, scattered
from viz_transformer.experiments.why_attention.layer_timing import Timing
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, Sizes, connections, layer_cost
from viz_transformer.ui.why_attention import timing
from viz_transformer.ui.why_attention.timing import Timings
from viz_transformer.ui.why_attention.words import layer_names

LESSONS = {"table": 3, "timing": 2, "paths": 2, "lookup": 3}  # lesson -> number of its components
QUICK = {"upto": "16", "d": "8"}  # a measurement that takes no time


def run(**query: str) -> AppTest:
    return open_page("pages/why_attention.py", **query)


@pytest.mark.parametrize("model", vt.shipped_models())
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_opens_for_every_model(model: str, lesson: str) -> None:
    app = run(model=model, lesson=lesson, **(QUICK if lesson == "timing" else {}))
    assert not app.error
    assert [heading.value for heading in app.header] == ["Theory", "This model"]
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


@pytest.mark.parametrize(("n", "d"), [(64, 512), (512, 512), (4096, 512), (1, 1)])
def test_the_table_says_which_of_the_two_takes_fewer_operations_and_whose_path_is_shorter(n: int, d: int) -> None:
    said = sent_to(run(model="copy", n=str(n), d=str(d)), 0)["conclusion"]
    attention, recurrent = n * n * d, n * d * d
    times = f"{max(attention, recurrent) / min(attention, recurrent):,.1f} times"
    assert (f"{times} fewer" in said, f"{times} as many" in said) == (attention < recurrent, attention > recurrent)
    assert ("both take" in said) == (attention == recurrent)
    assert f"1 against {n:,} connections" in said


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
    (ratios,) = sent_to(app, 0)["plots"]
    measured = {series["name"]: series["y"] for series in ratios["series"]}
    assert measured["Self-attention"] == [1]
    assert [f"× {measured[name][0]:.2f}" for name in list(layer_names().values())[1:]] == [
        cell.partition(" (")[0] for cell in first[2:]
    ]
    assert table(run(model="copy", lesson="timing", **QUICK), "timings") == [first]
    assert len(table(app, "own-timings")) == len(LAYER_TYPES)
    app.button(key="measure again").click().run()
    assert not app.exception
    assert len(table(app, "timings")) == 1


def timings_of(recurrent: float, spread: float, load: float | None) -> Timings:
    """As if self-attention took a millisecond, and half of all runs lay within a factor of `spread` of the median."""
    of = {
        (kind, n): Timing(kind, n, seconds, seconds / spread, seconds * spread, 1.0)
        for kind in LAYER_TYPES
        for n in (4, 16)
        for seconds in [1e-3 * (recurrent if kind == "recurrent" else 1)]
    }
    return Timings(of, load)


@pytest.mark.parametrize(
    ("recurrent", "spread", "load", "said", "about_load"),
    [
        (9.0, 1.01, 0.2, "it falls behind", "this server had 0.2 active processes per core: it was free."),
        (0.1, 1.01, 0.2, "faster than its number of operations suggests", "it was free"),
        (0.5, 1.05, None, ": as its number of operations suggests.", ""),  # d / n
        (9.0, 3.0, 4.6, "the runs spread too far", "this server had 4.6 active processes per core: it was busy"),
    ],
)
def test_a_measurement_says_under_what_load_it_was_made_and_concludes_nothing_from_noise(
    monkeypatch: pytest.MonkeyPatch, recurrent: float, spread: float, load: float | None, said: str, about_load: str
) -> None:
    measured = timings_of(recurrent, spread, load)
    monkeypatch.setattr(timing, "_measured", lambda *_arguments, **_again: measured)
    app = run(model="copy", source="3 1 4", lesson="timing", upto="16", d="8")
    assert said in texts_of(app) and about_load in texts_of(app)
    assert ("active processes per core" in texts_of(app)) == (load is not None)
    assert ("ratios below are unsteady" in texts_of(app)) == (spread > 2)
    (row,) = table(app, "timings")
    ends = f"({recurrent / spread**2:.2f} to {recurrent * spread**2:.2f})"
    assert row[2] == f"× {recurrent:.2f}" + (f" {ends}" if spread > 2 else "")


def test_what_is_measured_has_its_limits() -> None:
    app = run(model="copy", lesson="timing", upto="16", d="1", k="1", r="1")
    assert "d = 1, k = 1, r = 1" in html_of(app)


@pytest.mark.parametrize(("drawn", "k", "r"), [("1", "1", "1"), ("16", "3", "4"), ("24", "2", "2"), ("5", "9999", "9")])
def test_the_drawings_are_the_graphs(drawn: str, k: str, r: str) -> None:
    content = sent_to(run(model="copy", lesson="paths", drawn=drawn, k=k, r=r), 0)
    sizes = Sizes(int(drawn), 1, min(int(k), 1024), int(r))
    assert sorted(shown["id"] for shown in content["kinds"]) == sorted(LAYER_TYPES)
    for shown in content["kinds"]:
        kind = shown["id"]
        graph = connections(kind, sizes, 8)
        assert [tuple(edge) for edge in shown["edges"]] == list(graph.edges)
        assert (shown["n"], shown["levels"]) == (graph.n, graph.levels)
        if (layer_cost(kind, sizes).layers or 1) > 8:
            assert "are drawn" in shown["cut"]


def test_the_ends_of_a_path_come_from_the_link() -> None:
    view = sent_to(run(model="copy", lesson="paths"), 0)["view"]
    assert view == {"input": 0, "output": 23}  # the browser limits it to the last output
    view = sent_to(run(model="copy", lesson="paths", **{"from": "3", "to": "9"}), 0)["view"]
    assert view == {"input": 2, "output": 8}


def test_the_points_are_those_of_the_seed_and_the_kernel_that_of_the_link() -> None:
    content = sent_to(run(model="copy", lesson="lookup", points="7", noise="0", seed="5", query="1.5", width="0.2"), 0)
    points = scattered(7, 0.0, 5)
    assert content["x"] == points.x.tolist()
    np.testing.assert_allclose(content["y"], curve(points.x))
    assert content["view"] == {"query": 1.5, "width": 0.2}


@pytest.mark.parametrize(("query", "width"), [("-1", "0"), ("1e99", "1e99"), ("nan", "inf"), ("<b>", "")])
def test_any_kernel_in_the_link_is_clamped_or_ignored(query: str, width: str) -> None:
    view = sent_to(run(model="copy", lesson="lookup", query=query, width=width, points="1"), 0)["view"]
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


def test_a_class_that_asks_at_a_time_gets_one_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Separate measurements would have different numbers, and would slow one another down."""
    begun, may_end, measured = Event(), Event(), []

    def measure_slowly(lengths: tuple[int, ...], sizes: Sizes) -> Iterator[Timing]:
        measured.append(sizes)
        begun.set()
        assert may_end.wait(60)
        yield from layer_timing.measure(lengths, sizes)

    monkeypatch.setattr(timing, "measure", measure_slowly)
    with ThreadPoolExecutor() as visitors:
        ask = partial(timing._measured, (4,), Sizes(4, 4, 3, 2), again=False)
        first = visitors.submit(ask)
        assert begun.wait(60)
        others = [visitors.submit(ask) for _ in range(3)]
        wait(others, timeout=0.3)  # a wrong second measurement would have begun by now
        may_end.set()
        assert {id(one.result()) for one in (first, *others)} == {id(timing._TIMINGS.get(((4,), Sizes(4, 4, 3, 2))))}
    assert len(measured) == 1
