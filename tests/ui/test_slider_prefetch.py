"""What is sent ahead for a bar of sliders: which places, in which order, and within which bounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.packed import places_of
from viz_transformer.ui.components import slider_bar, slider_prefetch
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Slider, Values
from viz_transformer.views.codec import pack


def bar(*at: int, moved: int | None = None) -> Bar:
    sliders = [Slider(f"s{n}", "", tuple(float(value) for value in range(10 * (n + 1))), 0.0) for n in range(len(at))]
    return Bar("bar", tuple(sliders), at, slider_bar._places_nearby(sliders, at, moved))


def content_of(values: Values) -> dict[str, Any]:
    return dict(values)


def places_in(moving: BySliders) -> dict[str, Any]:
    """The content that the browser has for each place, the bar's own first."""
    return places_of(pack(slider_prefetch.places_of(moving, "view")))


@given(some.integers(0, 9), some.integers(0, 19), some.sampled_from([None, 0, 1]))
def test_each_slider_goes_everywhere_and_the_nearest_comes_first(first: int, second: int, moved: int | None) -> None:
    near = bar(first, second, moved=moved).nearby
    assert len(set(near)) == len(near) == 9 + 19
    assert all((a == first) != (b == second) for a, b in near)
    for place in range(2):
        away = [abs(one[place] - (first, second)[place]) for one in near]
        assert [far for far in away if far] == sorted(far for far in away if far)
    if moved is not None:
        assert near[0][moved] != (first, second)[moved]


@given(some.integers(0, 9), some.integers(0, 19))
def test_a_place_has_what_its_values_give(first: int, second: int) -> None:
    found = places_in(BySliders(bar(first, second), content_of))
    for place, data in found.items():
        a, b = map(float, place.split(","))
        assert data == {"s0": a, "s1": b}
    assert len(found) == 1 + 9 + 19


def test_equal_bodies_are_sent_once() -> None:
    moving = BySliders(bar(0, 0), lambda values: {"all": "the same"})
    assert len(slider_prefetch.places_of(moving, "view")["bodies"]) == 1
    assert len(places_in(moving)) == 1 + 9 + 19


def test_what_is_dear_is_left_out_but_for_the_place_itself() -> None:
    found = places_in(BySliders(bar(5, 5), content_of, is_cheap=lambda values: values["s0"] < 5))
    assert next(iter(found)) == "5,5"
    assert set(found) == {"5,5", *(f"{n},5" for n in range(5))}


@pytest.mark.parametrize(("limit", "value"), [("SECONDS", -1.0), ("BYTES", 0)])
def test_there_is_an_end_to_time_and_to_bytes(monkeypatch: pytest.MonkeyPatch, limit: str, value: float) -> None:
    monkeypatch.setattr(slider_prefetch, limit, value)
    assert list(places_in(BySliders(bar(1, 2), content_of))) == ["1,2"]


def test_where_the_browser_waits_nothing_else_is_packed() -> None:
    waiting = Bar("bar", bar(1).sliders, (1,))
    assert list(places_in(BySliders(waiting, content_of))) == ["1"]


def test_a_visitor_alone_has_all_the_time_and_several_share_a_part_of_a_core() -> None:
    now = 0.0
    spare = slider_prefetch.PrefetchBudget(lambda: now)
    for _ in range(5):
        assert spare.left("ada") == slider_prefetch.SECONDS  # whatever was taken
        spare.take(slider_prefetch.SECONDS)
    assert spare.left("bob") <= 0
    now = 0.5
    assert spare.left("eve") <= 0  # they have taken more than there is
    now = 3.5
    assert spare.left("eve") == pytest.approx(
        min(slider_prefetch.SECONDS, 3.5 * slider_prefetch.SHARE - 4 * slider_prefetch.SECONDS)
    )
    spare.take(1.0)
    now = 3.5 + slider_prefetch.THERE
    assert spare.left("ada") == slider_prefetch.SECONDS  # the others have gone


def test_without_time_there_is_what_is_kept_already(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def content(values: Values) -> dict[str, Any]:
        asked.append(values)
        return dict(values)

    monkeypatch.setattr(
        slider_prefetch.PrefetchBudget, "left", lambda spare, visitor: 60.0
    )  # enough, however busy the machine is
    places_in(BySliders(bar(2, 3), content, depends_on="test of what is kept"))
    asked.clear()
    monkeypatch.setattr(slider_prefetch.PrefetchBudget, "left", lambda spare, visitor: 0.0)
    found = places_in(BySliders(bar(2, 4), content, depends_on="test of what is kept"))
    assert asked == []
    assert set(found) == {"2,4", *(f"2,{n}" for n in range(20))}
