"""All that this app reaches for inside of Streamlit, since nothing public does it.

Any version may change it. Each is looked at before it is used, and where it is not what it was, the app runs without
it: the server's log and /readyz say which, and what that means (`missing`). Nothing else in the app imports what
Streamlit keeps to itself; what its page is told stands in `viz_transformer/server/index.py` and
`frontend/src/first.ts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib import import_module
from inspect import signature
from math import isfinite
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, urlencode

import streamlit as st

if TYPE_CHECKING:
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ClientState_pb2 import ClientState as ClientState


@dataclass(frozen=True)
class Private:
    """One module of Streamlit's.

    Attributes:
        module: its name.
        use: what it is for.
        public: what was tried first.
        without: what happens where it is not what it was.
        is_known: whether all that is used of it is there; it may raise where it is not.
    """

    module: str
    use: str
    public: str
    without: str
    is_known: Callable[[Any], bool]

    @cached_property
    def found(self) -> Any | None:
        """The module; None where it is not what it was."""
        try:
            module = import_module(self.module)
            return module if self.is_known(module) else None
        except Exception:  # whatever its next version raises
            return None


class Control(Protocol):
    """What is used of what Streamlit knows of a control."""

    value_type: str
    fragment_id: str | None


class Run(Protocol):
    """What is used of the context of a visitor's run."""

    session_id: str
    query_string: str
    is_history_navigation: bool
    fragment_ids_this_run: list[str] | None
    context_info: object
    session_state: Any


def _knows_messages(module: ModuleType) -> bool:
    kinds = module.BackMsg.DESCRIPTOR.fields_by_name
    asked = kinds["rerun_script"].message_type.fields_by_name
    states = asked["widget_states"].message_type.fields_by_name
    return "clear_cache" in kinds and "widgets" in states and {*_ASKED} <= {*asked}


def _knows_runs(module: ModuleType) -> bool:
    get = module.get_script_run_ctx
    context = import_module(get.__module__).ScriptRunContext
    state = import_module("streamlit.runtime.state").SafeSessionState
    return {*Run.__annotations__} <= _fields(context) and _takes(get, "suppress_warning") and _takes(state.query_params)


def _knows_links(module: ModuleType) -> bool:
    link = module.QueryParams
    return (
        "_query_params" in _fields(link)
        and _takes(link._send_query_param_msg)
        and _takes(link.populate_from_query_string, "query_string")
        and _takes(link.set_initial_query_params_from_current)
        and _takes(link.get_binding_for_param, "param_key")
        and _takes(link.unbind_widget, "widget_id")
        and _takes(link.set_with_no_forward_msg, "key", "val")
    )


def _knows_values(module: ModuleType) -> bool:
    return (
        {"states", "widget_metadata"} <= _fields(module.WStates)
        and _takes(module.WStates.__getitem__, "k")
        and {"deserializer", "value_type", "bind", "fragment_id"} <= _fields(module.WidgetMetadata)
        and "_new_widget_state" in _fields(module.SessionState)
        and _fields(module.Serialized) == _fields(module.Value) == {"value"}
        and [*signature(module.parse_url_param).parameters] == ["value", "value_type"]
        and callable(module.SessionState.on_script_will_rerun)
    )


def _fields(of: Any) -> set[str]:
    return {one.name for one in fields(of)}


def _takes(call: Callable[..., Any], *names: str) -> bool:
    """Whether it can be called with these alone."""
    parameters = [one for one in signature(call).parameters.values() if one.name != "self"]
    return [one.name for one in parameters][: len(names)] == [*names] and all(
        one.default is not one.empty for one in parameters[len(names) :]
    )


_ASKED = ("query_string", "widget_states", "page_script_hash", "fragment_id", "is_history_navigation")
MESSAGES = Private(
    "streamlit.proto.BackMsg_pb2",
    use="To read what a browser says before Streamlit does: see `Connection`.",
    public="Middleware of `st.App` sees the bytes; only this says what they mean.",
    without="anybody can clear what all visitors share, megabytes in a field are taken, and a click on a page that has "
    "just been left opens it again",
    is_known=_knows_messages,
)
RUNS = Private(
    "streamlit.runtime.scriptrunner",
    use="Whether a run came by Back or Forward, and whether it is the same run, or visitor, as before.",
    public="`st.context` and `st.session_state` say neither of a run.",
    without="Back keeps what the page shows, each sentence asks for the language, and all visitors share the time for "
    "what is sent ahead of a slider",
    is_known=_knows_runs,
)
LINKS = Private(
    "streamlit.runtime.state.query_params",
    use="To hear at once what a run makes of the link, to read a link anew after Back, and to keep in it what other "
    "pages look for.",
    public="`st.query_params` may not be set where a control is bound to it, and does not reach those that begin; what "
    "no control of a page holds leaves the link; what middleware sees of the link comes a moment too late for the next "
    "click.",
    without="of two choices in quick succession the first is undone, and another page's link, also after Back, lacks "
    "some of what it shows",
    is_known=_knows_links,
)
VALUES = Private(
    "streamlit.runtime.state.session_state",
    use="To ignore values of the wrong type, numbers that are none, and what a closed box says on after the link has "
    "changed; to hear when a run has taken over what its controls say, before which the next click would cut it off.",
    public="Middleware sees a value without its control, and of a run its begin and its end alone; no setting refuses "
    "any value.",
    without="who forges a message or a link may get an error in place of their page, of two choices in quick "
    "succession one may be undone, and after Back a closed box may bring back what it held",
    is_known=_knows_values,
)
ALL = (MESSAGES, RUNS, LINKS, VALUES)


def missing() -> list[str]:
    """What is not as this app knows it, and what that means, each in one line."""
    return [f"Streamlit {st.__version__} has changed {one.module}: {one.without}." for one in ALL if one.found is None]


def read_message(data: bytes) -> BackMsg | None:
    """What a browser says; None where that cannot be read."""
    if MESSAGES.found is None:
        return None
    try:
        message: BackMsg = MESSAGES.found.BackMsg.FromString(data)
    except Exception:  # of the wire's own kind; Streamlit answers it
        return None
    return message


def this_run() -> Run | None:
    """The run of a visitor that this thread is in."""
    if RUNS.found is None:
        return None
    run: Run | None = RUNS.found.get_script_run_ctx(suppress_warning=True)
    return run


def begin_link(stays: Iterable[str]) -> None:
    """At the top of every run, before any control is drawn: what the link says of `stays` it says on, where this run
    has no control for it."""
    run = this_run()
    if run is not None and LINKS.found is not None:
        with run.session_state.query_params() as link:
            for name in stays:
                _unbind(link, name)


def _unbind(link: Any, name: str) -> None:
    if bound := link.get_binding_for_param(name):
        link.unbind_widget(bound.widget_id)


@cache
def open_whole_links() -> None:
    """Once a process: from now on the link of another page is what the browser opened.

    Streamlit takes out of it what controls of the page before had there, too, and writes what is left into the
    browser's.
    """
    if LINKS.found is None:
        return
    link = LINKS.found.QueryParams
    read = link.populate_from_query_string

    def whole(self: Any, query: str, valid_script_hashes: object = None) -> None:
        if valid_script_hashes is not None:
            for name, _ in parse_qsl(query, keep_blank_values=True):
                _unbind(self, name)
        read(self, query)

    link.populate_from_query_string = whole


def write_bound(values: Mapping[str, str]) -> None:
    """Into the link, what controls that are bound to it are about to hold.

    Of what is set before a control is drawn, Streamlit writes only what it had in a run before the last.
    """
    run = this_run()
    if run is not None and LINKS.found is not None and values:
        with run.session_state.query_params() as link:
            for name, value in values.items():
                link.set_with_no_forward_msg(name, value)
            link.set_initial_query_params_from_current()
            link._send_query_param_msg()


@cache
def tell_links(hear: Callable[[str], None]) -> None:
    """Once a process: from now on `hear` is told what any run makes of its link, inside of the run."""
    if LINKS.found is None:
        return
    link = LINKS.found.QueryParams
    send = link._send_query_param_msg

    def told(self: Any) -> None:
        hear(urlencode(self._query_params, doseq=True))
        send(self)

    link._send_query_param_msg = told


@cache
def tell_taken_over(hear: Callable[[], None]) -> bool:
    """Once a process: from now on `hear` is told, inside of a run, that the run has taken over what its controls say,
    and has called what is to be called of each. Whether that can be."""
    if VALUES.found is None:
        return False
    state = VALUES.found.SessionState
    take_over = state.on_script_will_rerun

    def told(self: Any, *args: Any, **more: Any) -> None:
        try:
            take_over(self, *args, **more)
        finally:
            hear()

    state.on_script_will_rerun = told
    return True


@cache
def let_link_lead(is_browser: Callable[[Mapping[str, Control]], bool]) -> None:
    """Once a process: from now on a text or a choice that the link says otherwise is none, nor is what is said of other
    controls with a request for a fragment.

    A browser writes into its link what a person types or chooses, before it says it. But of a control that is not on
    the screen, since its box is closed, it does not hear what Back or the page has made of it, and says on what it was.
    So it does, with any request, of a control of which it has not heard yet; who chooses there asks for the page.

    Args:
        is_browser: whether this run is asked for by one that writes its link; told all controls, by their ids.
    """
    if VALUES.found is None:
        return
    state = VALUES.found.SessionState
    take_over = state.on_script_will_rerun

    def led(self: Any, said: Any, *args: Any, **more: Any) -> None:
        overtaken: dict[str, tuple[str, Any]] = {}  # id → key, and what the link says
        if said is not None and is_browser(self._new_widget_state.widget_metadata):
            said = _of_fragments(self, said)
            overtaken = {one.id: now for one in said.widgets if (now := _said_by_link(self, one)) is not None}
            said = type(said)(widgets=[one for one in said.widgets if one.id not in overtaken])
        take_over(self, said, *args, **more)
        for key, value in overtaken.values():
            self[key] = value  # what is set the browser is told, and hears once the control is on the screen again

    state.on_script_will_rerun = led


def _of_fragments(state: Any, said: Any) -> Any:
    """What is said of the controls of the fragments that run; where the page runs, all."""
    run = this_run()
    if run is None or not run.fragment_ids_this_run:
        return said
    fragments, controls = {*run.fragment_ids_this_run}, state._new_widget_state.widget_metadata
    return type(said)(
        widgets=[one for one in said.widgets if (known := controls.get(one.id)) and known.fragment_id in fragments]
    )


def _said_by_link(state: Any, said: Any) -> tuple[str, Any] | None:
    """The key of a control, and what the link says of it; None where that is what the browser says."""
    control = state._new_widget_state.widget_metadata.get(said.id)
    if control is None or control.bind != "query-params" or said.WhichOneof("value") != "string_value":
        return None
    link = state.query_params
    key = key_of(said.id)
    now = control.deserializer(link.get(key))
    return None if control.deserializer(said.string_value) == now else (key, now)


def key_of(id: str) -> str:
    """The key that a control was given: an id is «$$ID-<hash>-<key>»."""
    return id.split("-", maxsplit=2)[-1]


@cache
def refuse_forged_values() -> None:
    """Once a process.

    Streamlit hands a page whatever a client says of a control: a number for a text, half a range, text that is no
    JSON, infinity for a whole number. A value of another kind than the control's, and one that it cannot read, become
    the control's own.
    """
    if VALUES.found is None:
        return
    state = VALUES.found
    read, parse = state.WStates.__getitem__, state.parse_url_param

    def checked(self: Any, name: str) -> Any:
        sent, control = self.states.get(name), self.widget_metadata.get(name)
        if not isinstance(sent, state.Serialized) or control is None:
            return read(self, name)
        try:
            if sent.value.WhichOneof("value") in (None, control.value_type):
                return read(self, name)
        except Exception:  # whatever a control raises over what it cannot read
            pass
        own = control.deserializer(None)
        self.states[name] = state.Value(own)
        return own

    def finite(value: str | list[str], value_type: str) -> Any:
        """What a link says for a control; a ValueError, for Streamlit nothing said, where it is no number."""
        said = parse(value, value_type)
        if not all(isfinite(one) for one in (said if isinstance(said, list) else [said]) if isinstance(one, float)):
            raise ValueError("not a number")
        return said

    state.WStates.__getitem__ = checked
    state.parse_url_param = finite
