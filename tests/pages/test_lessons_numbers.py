"""The logic of the pages Scaling and Positions, without a browser: every lesson and part, and extreme links."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.packed import listed, received
from tests.pages.helpers import html_of, open_page
from viz_transformer.experiments.positions.encoding import encoding
from viz_transformer.experiments.scaling.gaussian_lengths import length_density
from viz_transformer.experiments.scaling.variance import DrawSettings, draw, estimate_variance

LESSONS = {"scaling": ("products", "softmax", "lengths"), "positions": ("encoding", "distance", "order")}
PARTS = ("theory", "experiment", "model")


def run(page: str, **query: str) -> AppTest:
    return open_page(f"pages/{page}.py", **query)


def sent(app: AppTest) -> list[dict[str, Any]]:
    """What each plot view got, arrays as lists."""
    sent = [component.proto.bytes for component in app.get("bidi_component")]
    contents = [
        listed(received(data)[1]) for data in sent if data[4:8] == bytes(4)
    ]  # matrix_view.py has another format
    return [content for content in contents if "plots" in content]


def plot_of(app: AppTest, name: str) -> dict[str, dict[str, Any]]:
    """The series of a plot by their names."""
    shown = [plot for content in sent(app) for plot in (*content["plots"], *content["below"])]
    (plot,) = [plot for plot in shown if plot["name"] == name]
    return {series["name"]: series for series in reversed(plot["series"])}


def notes_of(app: AppTest) -> str:
    return " ".join(note for content in sent(app) for note in content["notes"])


def table_of(app: AppTest, name: str) -> list[list[str]]:
    (table,) = [table for content in sent(app) for table in content["tables"] if table["name"] == name]
    return [[cell["text"] for cell in row] for row in table["rows"]]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("page", "lesson"), [(page, lesson) for page in LESSONS for lesson in LESSONS[page]])
def test_every_part_of_every_lesson_opens_from_its_link(page: str, lesson: str, part: str) -> None:
    app = run(page, lesson=lesson, part=part, model="copy")
    assert not app.error
    assert app.button_group(key="choice of lesson").value == lesson
    assert app.button_group(key="choice of part").value == part
    assert sent(app) or "vt-table" in html_of(app)


@pytest.mark.parametrize("page", LESSONS)
def test_a_page_opens_with_an_experiment_that_ran(page: str) -> None:
    app = run(page)
    assert app.title[0].value == page.title()
    assert sent(app)[0]["plots"]


def test_division_by_d_k_is_shown_beside_the_one_by_its_root() -> None:
    app = run("scaling", part="theory", dk="16", draws="300", seed="7")
    products = draw(DrawSettings(16, 300, seed=7)).products
    for divisor, expected in (("√d_k", "1"), ("d_k", "0.0625")):
        variance = (products / (4 if divisor == "√d_k" else 16)).var(ddof=1)
        cells = rf"<bdi>variance of q·k / {divisor}</bdi></th><td><bdi>(.*?) ± .*?</bdi></td><td><bdi>(.*?)</bdi>"
        ((shown, theory),) = re.findall(cells, html_of(app))
        assert float(shown) == pytest.approx(variance, abs=5e-4)
        assert theory == expected


@pytest.mark.parametrize(("near", "first"), [("big", "large"), ("went − go + see", "saw")])
def test_words_are_added_and_taken_away(near: str, first: str) -> None:
    app = run("positions", model="en-de", lesson="encoding", part="model", neighbours="true", near=near)
    assert not app.error
    assert html_of(app).split('data-testid="neighbours"')[1].split('<th scope="row"><bdi>')[1].startswith(f"{first}<")
    app.text_input(key="near").set_value("big + <b>").run()
    assert "tokens here" in app.error[0].value and "<b>" not in app.error[0].value
    app.text_input(key="near").set_value("").run()  # then it is a word of the sentence
    assert not app.error


def test_the_histogram_is_of_the_draw_that_the_link_asks_for() -> None:
    app = run("scaling", dk="16", draws="300", dist="uniform", mean="0.5", sd="2", rho="-0.3", seed="7")
    settings = DrawSettings(16, 300, "uniform", 5.0, 0.5, 2.0, -0.3, 7)
    products = draw(settings).products
    for name, values in (("q·k", products), ("q·k / √d_k", products / 4)):
        bars = plot_of(app, "product")[name]
        np.testing.assert_allclose(bars["y"], np.histogram(values, bars["x"], density=True)[0])
    variance = estimate_variance(products)
    assert table_of(app, "moments")[1][1] == f"{variance.value:.3f} ± {variance.error:.3f}"
    assert "assumption fails" in notes_of(app)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"dk": "1"}, "the shape is not normal"),
        ({"dk": "1", "dist": "rademacher"}, "the shape is not normal"),
        ({"draws": "1"}, "no variance"),
        ({"draws": "1", "dk": "1", "dist": "student", "nu": "1"}, "infinite variance"),
        ({"dist": "student", "nu": "2"}, "infinite variance"),
        ({"dist": "student", "nu": "4"}, "fourth moment is infinite"),
        ({"dist": "student", "nu": "5"}, "σ² ν / (ν − 2) = 1.667"),
        ({"sd": "0"}, "same number in every draw"),
        ({"rho": "1", "dist": "rademacher"}, "assumption fails"),
        ({"dist": "student", "nu": "1", "draws": "3000"}, "beyond the edges of this plot"),
    ],
    ids=str,
)
def test_extreme_draws_have_a_picture_and_a_sentence(query: dict[str, str], said: str) -> None:
    app = run("scaling", **query)
    assert said in notes_of(app)
    assert plot_of(app, "product")["q·k"]["y"]
    run("scaling", part="theory", **query)


@pytest.mark.parametrize("page", LESSONS)
@pytest.mark.parametrize(
    "query",
    [
        {"dk": "1e9", "draws": "-5", "dist": "<b>", "mean": "nan", "sd": "inf", "rho": "x", "seed": "²"},
        {"lesson": "softmax", "dk": "0", "keys": "1e400"},
        {"lesson": "lengths", "d": "0", "draws": "1"},
        {"lesson": "nothing", "part": "nowhere"},
        {"lesson": "encoding", "dm": "0", "len": "1", "base": "0", "pair": "999", "other": "-1"},
        {"lesson": "distance", "dm": "2", "len": "1", "k": "1e9"},
        {"lesson": "order", "part": "model", "order": "?", "seed": "-1", "model": "copy"},
        {"lesson": "distance", "part": "model", "shift": "99999", "model": "copy"},
    ],
    ids=str,
)
def test_a_wrong_link_gives_a_right_page(page: str, query: dict[str, str]) -> None:
    assert not run(page, **query).error


def axes_of(app: AppTest) -> tuple[float, float]:
    (plot,) = [plot for content in sent(app) for plot in content["plots"] if plot["name"] == "product"]
    assert plot["x"]["isFixed"]
    return plot["x"]["low"], plot["x"]["high"]


def test_both_histograms_stand_on_one_axis_which_d_k_does_not_move() -> None:
    app = run("scaling", dk="16")
    assert {"q·k", "q·k / √d_k", "N(0, 16)", "N(0, 1)"} == set(plot_of(app, "product"))
    assert axes_of(app) == axes_of(run("scaling", dk="1024")) == (-40, 40)
    low, high = axes_of(run("scaling", dk="64", mean="1"))  # a mean grows with d_k: the axis goes along
    assert low < -60 and high > 60


@pytest.mark.parametrize("d_k", [4, 64, 1024])
def test_the_sentences_read_the_numbers_that_are_shown(d_k: int) -> None:
    products = draw(DrawSettings(d_k, 1000)).products
    said = notes_of(run("scaling", dk=str(d_k)))
    assert f"from {products.std(ddof=1):.2f} to {products.std(ddof=1) / d_k**0.5:.2f}" in said
    app = run("scaling", lesson="softmax", dk=str(d_k))
    numbers = [float(cell.split()[0]) for row in table_of(app, "saturation")[:2] for cell in row[2:4]]
    (largest, gradient), (scaled_largest, scaled_gradient) = numbers[:2], numbers[2:]
    assert f"is {largest:.3f} on average and the norm of the Jacobian {gradient:.3f}" in notes_of(app)
    assert f"they are {scaled_largest:.3f} and {scaled_gradient:.3f}" in notes_of(app)
    assert ("little difference" in notes_of(app)) == (gradient > 0.75 * scaled_gradient) == (d_k == 4)


def test_a_number_between_the_steps_becomes_the_nearest() -> None:
    assert "d_k = 96" in str(table_of(run("scaling", dk="100"), "moments"))
    assert "d_k = 1024" in str(table_of(run("scaling", dk="99999"), "moments"))


def test_one_key_and_one_component() -> None:
    app = run("scaling", lesson="softmax", keys="1", dk="1")
    assert "A single key always has weight 1" in notes_of(app)
    for name in ("dot", "scaled", "additive"):
        (bars,) = plot_of(app, name).values()
        assert bars["y"] == [1.0]
    assert all(value == 0 for value in plot_of(app, "gradient")["q·k / √d_k"]["y"])


@pytest.mark.parametrize("d", [1, 64, 1024])
def test_the_curve_of_the_lengths_is_the_density(d: int) -> None:
    curve = plot_of(run("scaling", lesson="lengths", d=str(d)), "lengths")["2r·f(r²)"]
    np.testing.assert_allclose(curve["y"], length_density(np.array(curve["x"]), d))


def test_an_odd_d_model_has_a_sentence_and_a_picture() -> None:
    app = run("positions", dm="7")
    assert "must be even" in html_of(app)
    assert "asked for 7" in html_of(app)
    assert app.query_params["dm"] == "6"  # the link says what is shown, and the sentence goes with the next run
    assert "must be even" not in html_of(app.run())
    assert "must be even" not in html_of(run("positions", dm="8"))


def test_the_curves_are_the_encoding() -> None:
    app = run("positions", dm="16", base="100", len="24", pair="1", other="5")
    curves = plot_of(app, "curves")
    assert list(curves) == ["dimension 11", "dimension 10", "dimension 3", "dimension 2"]
    for n in (2, 3, 10, 11):
        np.testing.assert_allclose(curves[f"dimension {n}"]["y"][::8], encoding(24, 16, 100)[:, n], atol=1e-12)


def test_the_model_writes_with_and_without_scaling() -> None:
    app = run("scaling", lesson="softmax", part="model", model="copy", source="1 2 3")
    assert html_of(app).count("1 2 3") >= 1
    assert "not scaled" in html_of(app)


@pytest.mark.parametrize("order", ["reversed", "swapped", "shuffled"])
def test_a_bag_of_words_is_the_same_in_every_order(order: str) -> None:
    app = run("positions", lesson="order", part="model", model="copy", source="3 1 4 1 5", order=order)
    points = plot_of(app, "change")
    assert max(points["positions off"]["y"]) < 1e-5
    assert max(points["with positions"]["y"]) > 1e-3


@pytest.mark.parametrize("place", [("scaling", "softmax"), ("positions", "encoding"), ("positions", "order")])
@pytest.mark.parametrize("source", ["", " ", "1", "<s> $x$ <i> 1", "1 " * 17])
def test_any_source_is_read_or_refused_with_a_sentence(place: tuple[str, str], source: str) -> None:
    page, lesson = place
    app = run(page, lesson=lesson, part="model", model="copy", source=source)
    refused = not source.strip() or len(source) > 30
    assert bool(app.error) == refused
    assert "<i>" not in html_of(app)
    assert ("never seen" in html_of(app)) == ("$" in source)
