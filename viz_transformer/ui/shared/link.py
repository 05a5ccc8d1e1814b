"""A view's state in the link of the page; views/linked.py says how it is spelled there.

The link leads: where the session or a control has another value, the link's counts. When another page is opened, the
browser takes a part of the link along, see `kit/leave.ts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from viz_transformer.ui.shared.streamlit_private import begin_link, this_run
from viz_transformer.views.linked import TRAVELS, Spelling, in_parameters, is_always, linked_fields, read_in

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
View = TypeVar("View", bound="DataclassInstance")
ABOUT = "what views are of"  # in the session: the views' model and texts, see `Component`; each run begins without
_ARRIVALS = "arrivals by history"  # in the session: how often the browser opened another link


def arrive() -> None:
    """Called first of all in every run: keeps `TRAVELS` in the link, says it again and counts it where the browser
    opened it, clears `ABOUT`."""
    begin_link(TRAVELS)
    if came_by_history():
        st.query_params.update({})  # says the link again: a late message of the page before may have changed it
        st.session_state[_ARRIVALS] = arrivals() + 1
    st.session_state.pop(ABOUT, None)


def came_by_history() -> bool:
    """Whether this run opens another link: one of the browser's history, of the navigation or of a lecture."""
    run = this_run()
    return run is not None and run.is_history_navigation


def before_drawn(name: str) -> str | None:
    """The value that a control which Streamlit binds to the link will have; None where nothing has set one."""
    said = st.query_params.get(name)
    value = said if came_by_history() else st.session_state.get(name, said)
    return None if value is None else str(value)


def arrivals() -> int:
    """How often the browser opened another link in this session; see `came_by_history`."""
    return int(st.session_state.get(_ARRIVALS, 0))


def from_link(usual: View) -> View:
    """The view that the link asks for. What it does not say, or says wrongly, is as in `usual`."""
    return in_parameters(st.query_params, usual)


def read(parameter: str, spelling: Spelling[Value], usual: Value) -> Value:
    """One parameter of the link; `usual` where it is missing or wrong."""
    return read_in(st.query_params, parameter, spelling, usual)


def keep_in_link(view: View, usual: View) -> None:
    """Writes a view into the link; what is as usual is left out of it, unless other pages look for it there."""
    for name, (parameter, spelling) in linked_fields(view).items():
        keep(parameter, spelling, getattr(view, name), *([] if is_always(view, name) else [getattr(usual, name)]))


def keep(parameter: str, spelling: Spelling[Value], value: Value, *usual: Value) -> None:
    """Writes one parameter into the link, or leaves it out where it is as `usual`; without one it is always there."""
    if value in usual:
        st.query_params.pop(parameter, None)
    else:
        st.query_params[parameter] = spelling.write(value)
