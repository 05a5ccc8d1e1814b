"""The contract of all components: when Python or the browser leads, what is sent again, and which answers count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.packed import unpacked
from tests.ui.conftest import Browser
from viz_transformer.ui.components import component as contract
from viz_transformer.ui.components.component import ByView, Component
from viz_transformer.ui.components.said import ON_THE_PAGE, all_known, know, named
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Slider, Values
from viz_transformer.ui.shared import text
from viz_transformer.views.linked import CELL, INDEX, OrNone, clamped, link_for_browser, linked
from viz_transformer.views.text import ENGLISH, catalogues
from viz_transformer.views.trace_view import default_labels


@dataclass(frozen=True)
class Place:
    """A head's layer, and a cell."""

    layer: int = linked("layer", INDEX, 0, always=True)
    cell: tuple[int, int] | None = linked("cell", OrNone(CELL), None)


CONTENT = {"values": np.arange(4.0, dtype=np.float32)}
COMPONENT = Component("matrix_view", Place, labels=lambda: {"hint": "point"})


def shown(browser: Browser, view: Place, component: Component[Place] = COMPONENT, content: Any = CONTENT) -> Place:
    return component.show(content, key="k", view=view, fit=lambda one: clamped(one, layer=3, cell=(2, 2)))


def test_the_message_holds_the_request_and_the_content(browser: Browser) -> None:
    assert shown(browser, Place(1)) == Place(1)
    assert browser.request["view"] == {"layer": 1, "cell": None}
    labels = browser.request["labels"]
    assert labels["hint"] == "point"
    assert {"full_screen", "save_png", "save_svg", "save_copy", "save_csv"} <= set(labels)  # of every picture
    assert (browser.request["panel"], browser.request["key"]) == ("matrix_view", "k")
    assert unpacked(browser.message["content"].tobytes())["values"].tolist() == [0, 1, 2, 3]


def test_labels_that_are_on_the_page_are_only_named(browser: Browser) -> None:
    shown(browser, Place(1))
    whole = browser.request["labels"]
    browser.state[ON_THE_PAGE] = texts = all_known()
    shown(browser, Place(1))
    assert texts[browser.request["labels"]] == whole


def test_labels_in_two_languages_have_two_names_and_the_same_order_in_every_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    know(default_labels)
    known = {}
    for name in ("en", "zh", "en"):
        monkeypatch.setattr(text, "_catalogue", lambda name=name: catalogues().get(name, ENGLISH))
        texts = all_known()
        assert list(texts) == list(known.setdefault(name, texts))
        assert texts[named(default_labels)[0]]["layer"] == {"en": "Layer", "zh": "层"}[name]
    shared = known["en"].keys() & known["zh"].keys()
    assert all(known["en"][name] == known["zh"][name] for name in shared)
    assert named(default_labels)[0] not in known["zh"]


def test_a_run_that_asks_for_the_same_sends_the_same_bytes(browser: Browser) -> None:
    for _run in range(3):
        shown(browser, Place(1))
    assert len(set(browser.sent)) == 1


def test_what_is_packed_once_is_worked_out_once_for_all_it_depends_on(browser: Browser) -> None:
    asked: list[str] = []

    def content(name: str) -> SharedPayload:
        return SharedPayload(("a test of once", name), lambda: asked.append(name) or {"name": name})

    for name in ("one", "other", "one", "other"):
        shown(browser, Place(1), content=content(name))
        assert unpacked(browser.message["content"].tobytes()) == {"name": name}
    assert asked == ["one", "other"]


def test_what_the_browser_settled_on_is_the_view_and_is_not_sent_back(browser: Browser) -> None:
    shown(browser, Place(1))
    browser.settle(layer=2, cell=[1, 0])
    assert COMPONENT.committed("k") == Place(2, (1, 0))
    assert shown(browser, Place(1)) == Place(2, (1, 0))  # a page that keeps no state asks for the same again
    assert shown(browser, Place(2, (1, 0))) == Place(2, (1, 0))  # one that keeps it asks for what was committed
    assert len(set(browser.sent)) == 1


def test_asking_for_something_new_goes_there(browser: Browser) -> None:
    shown(browser, Place(1))
    browser.settle(layer=2)
    assert shown(browser, Place(0)) == Place(0)
    assert browser.request["view"]["layer"] == 0
    assert COMPONENT.committed("k") is None  # of the revision before


def test_other_content_goes_where_it_is_asked_or_stays(browser: Browser) -> None:
    other = {"values": np.zeros(4, np.float32)}
    shown(browser, Place(1))
    browser.settle(layer=2)
    assert shown(browser, Place(1), content=other) == Place(1)
    staying = Component("matrix_view", Place, stays=True)
    shown(browser, Place(1), staying)
    browser.settle(layer=2)
    assert shown(browser, Place(1), staying, other) == Place(2)


def test_what_is_asked_and_what_is_committed_are_fitted_to_the_content(browser: Browser) -> None:
    assert shown(browser, Place(99, (5, 0))) == Place(2, (1, 0))
    assert browser.request["view"] == {"layer": 2, "cell": [1, 0]}
    browser.settle(layer=77)
    assert shown(browser, Place(99, (5, 0))) == Place(2, (1, 0))


@pytest.mark.parametrize(
    "forged", [{"layer": -1}, {"layer": 1e400}, {"cell": [1]}, {"cell": "x"}, {"layer": None}, {"layer": True}]
)
def test_a_forged_view_counts_as_none(browser: Browser, forged: dict[str, Any]) -> None:
    shown(browser, Place(1))
    browser.settle(**forged)
    assert COMPONENT.committed("k") is None
    assert shown(browser, Place(1)) == Place(1)


@pytest.mark.parametrize("state", [None, {}, {"view": None}, {"view": []}, {"view": {"revision": "other", "layer": 1}}])
def test_a_state_of_another_kind_counts_as_none(browser: Browser, state: Any) -> None:
    shown(browser, Place(1))
    browser.state["k"] = state
    assert COMPONENT.committed("k") is None


def linked_view(browser: Browser, usual: Place, component: Component[Place] = COMPONENT) -> Place:
    return component.show_linked(CONTENT, key="k", usual=usual, fit=lambda one: clamped(one, layer=3, cell=(2, 2)))


def test_the_link_leads_and_hears_where_a_person_settled(browser: Browser) -> None:
    browser.parameters |= {"layer": "2", "cell": "9-9"}
    assert linked_view(browser, Place()) == Place(1, (1, 1))
    browser.settle(layer=2, cell=None)
    assert browser.parameters == {"layer": "3"}
    assert linked_view(browser, Place()) == Place(2)
    assert len(set(browser.sent)) == 1  # what was committed comes back by the link and changes nothing


def test_back_in_the_browsers_history_goes_back(browser: Browser) -> None:
    linked_view(browser, Place())
    browser.settle(layer=2)
    linked_view(browser, Place())
    browser.parameters["layer"] = "1"
    assert linked_view(browser, Place()) == Place(0)


def test_a_view_that_the_browser_keeps_in_the_link_tells_it_how(browser: Browser) -> None:
    component = Component("matrix_view", Place, keeps_link=True)
    linked_view(browser, Place(1), component)
    assert browser.request["link"] == link_for_browser(Place(1))
    browser.settle(layer=2)
    assert browser.parameters == {}


def test_while_the_content_stays_a_link_that_the_browser_keeps_is_not_sent_back(browser: Browser) -> None:
    component = Component("matrix_view", Place, keeps_link=True)
    linked_view(browser, Place(1), component)
    browser.parameters["layer"] = "3"  # written by the browser; by now it may be elsewhere
    assert linked_view(browser, Place(1), component) == Place(1)
    assert len(set(browser.sent)) == 1
    other = {"values": np.zeros(4, np.float32)}
    assert component.show_linked(other, key="k", usual=Place(1)) == Place(2)
    assert browser.request["view"]["layer"] == 2


def test_content_may_depend_on_the_view_and_only_another_subject_moves_it(browser: Browser) -> None:
    def shown(subject: bytes, asked: Place) -> Any:
        content = ByView(subject, lambda view: {"layer": view.layer})
        view = COMPONENT.show(content, key="k", view=asked, fit=lambda one: clamped(one, layer=3))
        assert unpacked(browser.message["content"].tobytes()) == {"layer": view.layer}
        return view.layer, browser.request["revision"]

    layer, first = shown(b"one", Place(1))
    assert layer == 1
    browser.settle(layer=9)
    assert shown(b"one", Place(1)) == (2, first)  # other content, and the browser stays where it is
    layer, second = shown(b"two", Place(1))
    assert layer == 1
    assert second != first


SLIDER = Slider("n", "n", tuple(float(n) for n in range(5)), 0.0)


def test_along_a_bar_each_place_has_a_body_and_equal_ones_travel_once(browser: Browser) -> None:
    def content_of(values: Values) -> dict[str, Any]:
        return {"half": int(values["n"]) // 2}

    bar = Bar("bar", (SLIDER,), (2,), nearby=((1,), (3,), (4,)))
    component = Component("matrix_view", Place, stays=True)
    component.show(BySliders(bar, content_of), key="k", view=Place())
    message = browser.message
    assert (message["bar"], message["at"]) == ("bar", "2")
    for place, n in message["places"].items():
        assert unpacked(message["bodies"][n].tobytes()) == {"half": int(place) // 2}
    assert message["places"].keys() == {"1", "2", "3", "4"}
    assert len(message["bodies"]) == 3  # of 2 and 3 the same


def test_what_is_dear_is_not_computed_before_it_is_asked_for(browser: Browser) -> None:
    asked: list[float] = []

    def content_of(values: Values) -> dict[str, Any]:
        asked.append(values["n"])
        return {}

    bar = Bar("bar", (SLIDER,), (2,), nearby=((3,), (4,)))
    COMPONENT.show(BySliders(bar, content_of, is_cheap=lambda values: values["n"] < 4), key="k", view=Place())
    assert asked == [2, 3]


def test_two_sessions_have_revisions_of_their_own(browser: Browser) -> None:
    shown(browser, Place())
    first = browser.request["revision"]
    browser.state.clear()
    shown(browser, Place())
    assert browser.request["revision"] != first


def test_it_says_what_is_the_first_of_a_session(browser: Browser) -> None:
    """The browser may still show the view of an earlier session, whose server has died: then the browser leads."""
    shown(browser, Place())
    assert browser.request["isFirst"]
    shown(browser, Place())
    assert browser.sent[-1] == browser.sent[-2]
    shown(browser, Place(layer=1))
    assert not browser.request["isFirst"]


def test_what_the_browser_has_opened_is_not_taken_for_what_it_knows_better(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "came_by_history", lambda: True)
    shown(browser, Place())
    assert not browser.request["isFirst"]
