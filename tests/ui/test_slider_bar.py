"""A bar of sliders: what the link says, what is written into it, and what a browser may say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.packed import received
from tests.ui.conftest import Browser
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Bar, Slider, choice, place_in, steps

SLIDERS = [
    Slider("size", "Size", (1.0, 2.0, 4.0, 1024.0), 2.0),
    Slider("mean", "Mean", steps(-1, 1, 0.1), 0.0),
    choice("kind", "Kind", {"one": "the first", "two": "the second"}, "two"),
]
DEFAULT = (1, 10, 1)


def shown(browser: Browser) -> Bar:
    return slider_bar(SLIDERS, key="k")


def test_a_bar_opens_where_the_link_is_and_writes_where_it_rests(browser: Browser) -> None:
    assert shown(browser).at == DEFAULT
    browser.settle(places=[3, 4, 0], awaited=False)
    assert browser.parameters == {"size": "1024", "mean": "-0.6", "kind": "one"}
    assert shown(browser).values == {"size": 1024, "mean": -0.6, "kind": 0}
    assert len(set(browser.sent)) == 1  # the browser is there already
    browser.parameters["size"] = "3.9"
    assert shown(browser).at == (2, 4, 0)
    assert browser.request["view"]["places"] == [2, 4, 0]
    assert browser.parameters["size"] == "4"  # the link says what is shown


def test_all_that_a_slider_can_be_is_said_in_its_order(browser: Browser) -> None:
    shown(browser)
    _request, content = received(browser.sent[-1])
    texts = {one["name"]: one["texts"] for one in content["sliders"]}
    assert texts["size"] == ["1", "2", "4", "1,024"]
    assert (texts["mean"][0], texts["mean"][10], texts["mean"][-1]) == ("−1.0", "0.0", "1.0")
    assert texts["kind"] == ["the first", "the second"]
    assert [one["isChoice"] for one in content["sliders"]] == [False, False, True]


@pytest.mark.parametrize(
    ("values", "unit", "texts"),
    [
        ((0, 0.5, 1), 1, ["0.0", "0.5", "1.0"]),
        ((0, 5, 30), 0.01, ["0.00", "0.05", "0.30"]),
        ((1, 1024), 1, ["1", "1,024"]),
        ((0.0001, 0.001, 10), 1, ["0.0001", "0.001", "10"]),
        ((-1.5, 2), 1, ["−1.5", "2.0"]),
    ],
)
def test_numbers_have_equally_many_decimals(values: tuple[float, ...], unit: float, texts: list[str]) -> None:
    assert Slider("s", "", values, values[0], unit=unit).texts == texts


def test_what_stands_behind_more_and_what_needs_a_choice_is_said(browser: Browser) -> None:
    degrees = Slider("nu", "ν", steps(1, 3, 1), 2.0, is_more=True, needs=("kind", "one"))
    slider_bar([*SLIDERS, degrees], key="k")
    _request, content = received(browser.sent[-1])
    assert [one["isMore"] for one in content["sliders"]] == [False, False, False, True]
    assert [one["needs"] for one in content["sliders"]] == [None, None, None, [2, 0]]
    assert [one["usual"] for one in content["sliders"]] == [1, 10, 1, 1]


def test_while_a_view_waits_nothing_is_sent_ahead_and_the_slider_stays(browser: Browser) -> None:
    assert shown(browser).nearby
    browser.settle(places=[3, 10, 1], awaited=True)
    assert (bar := shown(browser)).nearby == () and bar.at == (3, 10, 1)
    browser.settle(places=[3, 10, 1], awaited=False)
    near = shown(browser).nearby
    assert near[0][0] != 3  # the slider that moved is likeliest to move on
    assert len(set(browser.sent)) == 1


@pytest.mark.parametrize("places", [[], [1], [0, 0, 0, 0], "123", None, [0, 0, 1.5], [-1, 0, 0], [True, 0, 0], {}])
def test_forged_places_change_nothing(browser: Browser, places: Any) -> None:
    shown(browser)
    browser.settle(places=places, awaited=False)
    assert shown(browser).at == DEFAULT


def test_places_beyond_the_end_are_the_end(browser: Browser) -> None:
    shown(browser)
    browser.settle(places=[99, 0, 7], awaited=False)
    assert shown(browser).at == (3, 0, 1)


@given(some.text() | some.floats().map(str))
def test_whatever_the_link_says_is_a_place(text: str) -> None:
    for slider in SLIDERS:
        assert 0 <= place_in(slider, {slider.name: text}) < len(slider.values)


@pytest.mark.parametrize(
    ("text", "place"), [("3", 1), ("3.1", 2), ("-5", 0), ("1e99", 3), ("0x2", 1), ("", 1), ("nan", 1), ("4", 2)]
)
def test_a_number_becomes_the_nearest_step(text: str, place: int) -> None:
    assert place_in(SLIDERS[0], {"size": text}) == place
