"""All of Streamlit's internals that this app uses, since no public API does the job.

Any version of Streamlit may change them. Each module is checked before it is used, and if it has changed, the app runs
without it: the server's log and /readyz say which, and what that means (`missing`). Nothing else in the app imports
Streamlit's internals; what is added to Streamlit's page stands in `viz_transformer/server/index.py` and
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
    """One internal module of Streamlit.

    Attributes:
        module: its name.
        use: what it is for.
        public: why the public API does not do it.
        without: what happens where the module has changed.
        is_known: whether all that is used of it is there; it may raise where it is not.
    """

    module: str
    use: str
    public: str
    without: str
    is_known: Callable[[Any], bool]

    @cached_property
    def found(self) -> Any | None:
        """The module; None where it has changed."""
        try:
            module = import_module(self.module)
            return module if self.is_known(module) else None
        except Exception:  # whatever its next version raises
            return None


class Control(Protocol):
    """The part of Streamlit's metadata of a control that this app uses."""

    value_type: str
    fragment_id: str | None


class Run(Protocol):
    """The part of a run's context in Streamlit that this app uses."""

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
    """The modules that have changed, and what that means, each in one line."""
    return [f"Streamlit {st.__version__} has changed {one.module}: {one.without}." for one in ALL if one.found is None]


def read_message(data: bytes) -> BackMsg | None:
    """A browser's message; None where it cannot be read."""
    if MESSAGES.found is None:
        return None
    try:
        message: BackMsg = MESSAGES.found.BackMsg.FromString(data)
    except Exception:  # an error of protobuf; Streamlit answers the message
        return None
    return message


def this_run() -> Run | None:
    """The visitor's run that this thread belongs to; None outside of one."""
    if RUNS.found is None:
        return None
    run: Run | None = RUNS.found.get_script_run_ctx(suppress_warning=True)
    return run


def begin_link(stays: Iterable[str]) -> None:
    """Called at the top of every run, before any control is drawn: the parameters `stays` remain in the link, even if
    this run has no control for them."""
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
    """Called once a process: from now on a page that is opened gets the whole link that the browser opened.

    Streamlit would remove the parameters that controls of the page before were bound to, and write what is left into
    the browser's link.
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
    """Writes into the link what controls that are bound to it are about to hold.

    If a value is set before its control is drawn, Streamlit writes it only where an earlier run had that control.
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
    """Called once a process: from now on `hear` is told, inside of the run, each link that a run makes."""
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
    """Called once a process: from now on `hear` is called inside of each run, once it has taken over its controls'
    values and called their callbacks. Returns whether that is possible."""
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
    """Called once a process: from now on the browser's value of a text or a choice is ignored where the link has
    another, and so are, in a request for a fragment, the values of controls outside of it.

    A browser writes what a person types or chooses into its link before it sends it. But while a control is not on the
    screen, since its box is closed, the browser does not learn the value that Back or the page has given it, and keeps
    sending the old one. The same goes, in any request, for a control of whose new value it has not heard yet; a person
    who does choose there asks for the whole page.

    Args:
        is_browser: is given all controls, by their ids; whether a browser that writes its link asked for this run.
    """
    if VALUES.found is None:
        return
    state = VALUES.found.SessionState
    take_over = state.on_script_will_rerun

    def led(self: Any, said: Any, *args: Any, **more: Any) -> None:
        overtaken: dict[str, tuple[str, Any]] = {}  # id → key and the link's value
        if said is not None and is_browser(self._new_widget_state.widget_metadata):
            said = _of_fragments(self, said)
            overtaken = {one.id: now for one in said.widgets if (now := _said_by_link(self, one)) is not None}
            said = type(said)(widgets=[one for one in said.widgets if one.id not in overtaken])
        take_over(self, said, *args, **more)
        for key, value in overtaken.values():
            self[key] = value  # Streamlit sends a set value; the browser takes it once the control is on the screen

    state.on_script_will_rerun = led


def _of_fragments(state: Any, said: Any) -> Any:
    """The values of controls in the fragments that run; all values where the whole page runs."""
    run = this_run()
    if run is None or not run.fragment_ids_this_run:
        return said
    fragments, controls = {*run.fragment_ids_this_run}, state._new_widget_state.widget_metadata
    return type(said)(
        widgets=[one for one in said.widgets if (known := controls.get(one.id)) and known.fragment_id in fragments]
    )


def _said_by_link(state: Any, said: Any) -> tuple[str, Any] | None:
    """A control's key and its value in the link; None where the browser sent the same, or the link does not hold it."""
    control = state._new_widget_state.widget_metadata.get(said.id)
    if control is None or control.bind != "query-params":
        return None
    if not said.WhichOneof("value") == control.value_type == "string_value":  # else it is forged, or a number
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
    """Called once a process: from now on widget values of the wrong type are ignored.

    Streamlit hands a page whatever a client sends for a control: a number for a text, half a range, text that is no
    JSON, infinity for a whole number. In place of a value of the wrong type, or one that the control cannot read, the
    page gets the control's default.
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
        """A control's value in the link; a ValueError, on which Streamlit ignores it, where a number is not finite."""
        said = parse(value, value_type)
        if not all(isfinite(one) for one in (said if isinstance(said, list) else [said]) if isinstance(one, float)):
            raise ValueError("not a number")
        return said

    state.WStates.__getitem__ = checked
    state.parse_url_param = finite
