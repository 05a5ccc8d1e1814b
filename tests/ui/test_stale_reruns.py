"""A page that has been left does not come back, and a choice that has been made is not undone."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState

from tests.packed import panel_of, received
from tests.visitor import site
from viz_transformer.ui.shared import choices
from viz_transformer.ui.shared.link import keep
from viz_transformer.ui.shared.stale_reruns import Known


def test_a_fragment_of_the_page_before_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("decoding", {"model": "copy"})
        runs: list[ClientState] = []

        def note(session: str, message: BackMsg) -> None:
            runs.append(message.rerun_script)

        monkeypatch.setattr(app.runtime, "handle_backmsg", note)
        overview, decoding = visitor.scripts["overview"], visitor.scripts["decoding"]
        of_decoding = ClientState(page_script_hash=decoding, fragment_id="f")
        asked = [
            of_decoding,  # of the first page, which the browser asked for by its path
            ClientState(page_script_hash=overview),
            of_decoding,  # late
            ClientState(page_script_hash=overview, fragment_id="g"),
            ClientState(page_script_hash=decoding),
            of_decoding,
        ]
        for one in asked:
            visitor.say(rerun_script=one)
        assert runs == asked[:2] + asked[3:]


def test_a_control_of_the_page_before_does_not_bring_it_back() -> None:
    with site() as app:
        visitor = app.visitor()

        def opened(page: str, widgets: dict[str, dict[str, bool]] | None = None) -> str:
            visitor.send(widgets, page_script_hash=visitor.scripts[page])
            return str(visitor.shown("heading")[0].body)

        visitor.open("decoding", {"model": "copy"})
        assert opened("overview") == "Overview"
        closed = {"the box": {"bool_value": False}}  # by the click that opened Overview
        assert opened("decoding", closed) == "Overview"
        assert opened("decoding") == "Decoding"


@pytest.mark.parametrize("opens", [True, False])
def test_a_language_that_is_chosen_on_the_page_before_is_that_of_the_new_one(opens: bool) -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("masks", {"lang": "en"})
        speak = next(name for name in visitor.kinds() if name.endswith("speak zh"))
        masks, scaling = visitor.scripts["masks"], visitor.scripts["scaling"]
        visitor.send(None, page_script_hash=scaling, query_string="lang=en", is_history_navigation=opens)
        visitor.send({speak: {"trigger_value": True}}, page_script_hash=masks, query_string="lang=en")
        assert str(visitor.shown("heading")[0].body) == "缩放"


@pytest.mark.parametrize("opens", [True, False])
def test_a_control_of_the_page_before_has_the_new_one_run_as_it_was_opened(opens: bool) -> None:
    known = Known()
    for page in ("a", "b"):
        known.mend(ClientState(page_script_hash=page, query_string="source=new", is_history_navigation=opens))
    states = {"widgets": [{"id": "$$ID-1-box"}]}
    late, later = (ClientState(page_script_hash="a", query_string="source=new", widget_states=states) for _ in range(2))
    assert known.mend(late)
    assert late == ClientState(page_script_hash="b", query_string="source=new", is_history_navigation=opens)
    known.mend(ClientState(page_script_hash="b", query_string="source=new"))
    assert known.mend(later)
    assert later == ClientState(page_script_hash="b", query_string="source=new")


def test_it_is_run_by_the_whole_link_also_where_the_browser_has_heard_of_a_part() -> None:
    """When a page opens, Streamlit first sends its link without the parameters of the controls of the page before."""
    known = Known()
    whole = "lang=en&model=copy&source=1"
    for page in ("a", "b"):
        known.mend(ClientState(page_script_hash=page, query_string=whole, is_history_navigation=True))
    known.links += ["lang=en", whole]
    late = ClientState(page_script_hash="a", query_string="lang=en", widget_states={"widgets": [{"id": "$$ID-1-box"}]})
    assert known.mend(late)
    assert late == ClientState(page_script_hash="b", query_string=whole, is_history_navigation=True)


@pytest.mark.parametrize("more", [{}, {"is_history_navigation": True}])
def test_who_has_shared_a_view_can_open_another_page(more: dict[str, bool]) -> None:
    """The browser sends the state of the header's share box along, since that box is on every page."""
    with site() as app:
        visitor = app.visitor()
        visitor.open("masks", {"model": "copy"})
        [box] = [one for one in visitor.shown("bidi_component") if panel_of(one.bytes) == "share"]
        request = received(box.bytes)[0]
        view = {**request["view"], "address": "http://a/masks", "revision": request["revision"]}
        states = {box.id: {"json_value": json.dumps({"view": view})}}
        visitor.send(states, page_script_hash=visitor.scripts["masks"])
        assert visitor.shown("heading")[0].body == "Masks"
        visitor.send(states, page_script_hash=visitor.scripts["decoding"], **more)
        assert visitor.shown("heading")[0].body == "Decoding"


def test_two_choices_within_one_run_are_both_kept() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("masks")
        ids = {radio.label: radio.id for radio in visitor.shown("radio")}
        known = visitor.link  # to the browser, which does not hear of the first choice before the second
        first = {ids["Attention module"]: {"string_value": "Cross-attention"}}
        visitor.send(first)
        after_first, visitor.link = visitor.link, known
        visitor.send({**first, ids["Mask"]: {"string_value": "causal"}})
        assert parse_qs(visitor.link) == parse_qs(after_first) | {"mask": ["causal"], "model": ["en-de"]}
        visitor.link = known
        visitor.send(is_history_navigation=True)  # Back
        assert {"Decoder self-attention", "combined"} <= {radio.raw_value for radio in visitor.shown("radio")}


def test_a_choice_is_not_cut_off_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second comes while the first is being written into the link."""

    def keep_slowly(*args: Any) -> None:
        time.sleep(0.2)
        keep(*args)

    monkeypatch.setattr(choices, "keep", keep_slowly)
    with site() as app:
        visitor = app.visitor()
        visitor.open("masks")
        ids = {radio.label: radio.id for radio in visitor.shown("radio")}
        states = {}
        for label, text in (("Attention module", "Cross-attention"), ("Mask", "causal"), ("True means", "masked")):
            states[ids[label]] = {"string_value": text}
            visitor.ask(states, query_string="")
        visitor.send(states, query_string="")
        assert parse_qs(visitor.link).items() >= {"module": ["cross"], "mask": ["causal"], "true": ["masked"]}.items()


def test_a_box_that_is_closed_as_the_browser_goes_back_does_not_undo_that() -> None:
    """Closing it sends the values of all controls, and the browser has no answer to Back yet: they are the old ones."""
    with site() as app:
        visitor = app.visitor()
        visitor.open("heads", {"model": "copy", "view": "arcs"})
        [tabs] = [one for one in visitor.shown("button_group") if "choice of view" in one.id]
        [box] = [one for one in visitor.shown("bidi_component") if panel_of(one.bytes) == "share"]
        before = "model=copy&view=arcs"
        chosen = {tabs.id: {"string_array_value": {"data": ["Query · key"]}}}
        visitor.send(chosen, query_string=before)
        assert parse_qs(visitor.link)["view"] == ["query-key"]
        visitor.told.clear()
        visitor.send(query_string=before, is_history_navigation=True)  # Back
        closed = {**chosen, box.id: {"json_value": "{}"}}
        visitor.send(closed, query_string=before, fragment_id=visitor.fragment_of(box.id))
        assert not any("query-key" in link for link in visitor.told)


@pytest.mark.parametrize("asked", ["stages", "cell-open"])
def test_a_box_and_a_stage_that_are_chosen_within_a_moment_are_both_heard_of(asked: str) -> None:
    """Streamlit's browser says both at once, and asks for the fragment of one of them."""
    with site() as app:
        visitor = app.visitor()
        visitor.open("attention", {"model": "copy", "stage": "softmax", "cell": "2-2"})
        stages, box = (next(id for id in visitor.controls if id.endswith(f"-{key}")) for key in ("stages", "cell-open"))
        [shown] = [one for one in visitor.shown("bidi_component") if one.id == stages]
        request = received(shown.bytes)[0]
        view = {**request["view"], "stage": 2, "revision": request["revision"]}
        states = {stages: {"json_value": json.dumps({"view": view})}, box: {"bool_value": True}}
        visitor.send(states, fragment_id=visitor.fragment_of({"stages": stages, "cell-open": box}[asked]))
        assert parse_qs(visitor.link)["stage"] == ["scores"]
        assert any("Query 2, key 2" in one.body for one in visitor.shown("html"))


def test_what_a_browser_says_again_of_other_controls_is_no_choice() -> None:
    known = Known()
    known.controls = {
        name: SimpleNamespace(value_type=kind, fragment_id=fragment)
        for name, kind, fragment in [
            ("tabs", "string_value", None),
            ("view", "json_value", "outer"),
            ("box", "bool_value", "inner"),
            ("button", "trigger_value", "inner"),
        ]
    }

    def fragment_run(fragment: str, **states: dict[str, object]) -> str:
        widgets = [{"id": name, **value} for name, value in states.items()]
        asked = ClientState(page_script_hash="a", fragment_id=fragment, widget_states={"widgets": widgets})
        assert known.mend(asked)
        return asked.fragment_id

    tabs, view, box = {"string_value": "one"}, {"json_value": "{}"}, {"bool_value": True}
    pressed = {"trigger_value": True}
    assert fragment_run("outer", tabs=tabs, view=view) == "outer"
    assert fragment_run("inner", tabs=tabs, view=view, box=box) == "inner"
    assert fragment_run("inner", tabs=tabs, view=view, box=box, button=pressed) == "inner"
    assert fragment_run("inner", tabs=tabs, view={"json_value": "[]"}, box=box, button=pressed) == ""
    assert fragment_run("outer", tabs=tabs, view=view, box=box, button=pressed) == ""
    assert fragment_run("outer", tabs={"string_value": "two"}, view=view, box=box) == ""
    assert fragment_run("outer", tabs={"string_value": "two"}, view=view, box=box) == "outer"


@pytest.mark.parametrize("begun", [True, False])
def test_of_a_link_whose_run_has_not_begun_the_next_run_is_by_that_link_too(begun: bool) -> None:
    """Streamlit would merge both into one run by the values of the controls, which belong to the link before."""
    known = Known()
    known.mend(ClientState(page_script_hash="a", query_string="view=arcs", is_history_navigation=True))
    told = ClientState(page_script_hash="a", query_string="view=arcs", fragment_id="f")
    assert known.mend(told, has_begun=begun)
    assert told.is_history_navigation is not begun


def test_the_example_that_a_model_brings_is_not_undone_by_what_the_browser_says_before_it_has_heard() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("decoding", {"model": "zh-en"})
        [box] = [one for one in visitor.shown("text_area") if one.label == "Source"]
        [models] = [one for one in visitor.shown("selectbox") if one.label == "Model"]

        def source(model: str, text: str, *, is_typed: bool = False) -> str:
            link = {name: values[-1] for name, values in parse_qs(visitor.link).items()} | {"model": model}
            visitor.link = urlencode(link | ({"source": text} if is_typed else {}))  # as the browser writes it
            visitor.send({models.id: {"string_value": model}, box.id: {"string_value": text}})
            [now] = [one for one in visitor.shown("text_area") if one.label == "Source"]
            return str(now.value if now.set_value else text)

        digits = "3 1 4 1 5 9 2 6"
        assert source("copy", box.default) == digits
        assert source("copy", box.default) == digits  # the box is closed meanwhile, say
        assert source("copy", digits) == digits
        assert source("copy", box.default, is_typed=True) == box.default  # now that it has heard
