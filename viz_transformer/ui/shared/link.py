"""A view's state in the link of the page; views/linked.py says how it is spelled there.

The navigation opens a page without what the link of the page before says. The texts and the head that is shown come
along: `app.py` says by `arrive` that another page opens, and whoever has a use for them there asks `brought_along`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from viz_transformer.ui.shared.streamlit_private import read_link_again, this_run
from viz_transformer.views.linked import TRAVELS, Spelling, in_parameters, is_always, linked_fields, read_in

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
View = TypeVar("View", bound="DataclassInstance")
ABOUT = "what views are of"  # in the session: what the page's views are of, see `Component`; of each page anew
# Likewise
_KEPT, _BROUGHT, _PAGE, _ARRIVALS = "kept for other pages", "brought along", "page shown", "arrivals by history"


def read_history() -> None:
    """First of all in every run: what a link of the browser's history says, as it says it."""
    if came_by_history():
        read_link_again()


def arrive(page: str) -> None:
    """At the top of every run: if this is another page than before, what was kept there comes along.

    Who comes by Back, by Forward or by a scene of a lecture sees what that link says, and nothing comes along.
    """
    if came_by_history():
        st.session_state[_BROUGHT] = {}
        st.session_state[_ARRIVALS] = arrivals() + 1
    elif st.session_state.get(_PAGE, page) != page:
        st.session_state[_BROUGHT] = dict(st.session_state.get(_KEPT, {}))
    st.session_state[_PAGE] = page
    st.session_state.pop(ABOUT, None)


def came_by_history() -> bool:
    """Whether the browser opened another link of its history: then the link leads, whatever else is known."""
    run = this_run()
    return run is not None and run.is_history_navigation


def before_drawn(name: str) -> str | None:
    """What a control that Streamlit itself keeps in the link will hold; None where nothing has been said."""
    value = st.query_params.get(name)
    if value is None or not came_by_history():
        value = st.session_state.get(name, value)
    return None if value is None else str(value)


def arrivals() -> int:
    """How often the browser opened a link of its history in this session; see `came_by_history`."""
    return int(st.session_state.get(_ARRIVALS, 0))


def keep_for_other_pages(parameter: str, text: str) -> None:
    """Keeps a parameter in the session: the navigation clears the link."""
    st.session_state.setdefault(_KEPT, {})[parameter] = text


def brought_along(parameter: str) -> str | None:
    """What another page kept, once, and only where the link says nothing: from then on the link leads."""
    text: str | None = st.session_state.get(_BROUGHT, {}).pop(parameter, None)
    return None if parameter in st.query_params else text


def from_link(usual: View) -> View:
    """The view that the link asks for. What it does not say, or says wrongly, is as in `usual`."""
    _bring_along(
        parameter
        for name, (parameter, _spelling) in linked_fields(usual).items()
        if parameter in TRAVELS and is_always(usual, name)
    )
    return in_parameters(st.query_params, usual)


def _bring_along(parameters: Iterable[str]) -> None:
    for parameter in parameters:
        text = brought_along(parameter)
        if text is not None:
            st.query_params[parameter] = text
        if parameter in st.query_params:
            keep_for_other_pages(parameter, st.query_params[parameter])


def read(parameter: str, spelling: Spelling[Value], usual: Value) -> Value:
    """One parameter of the link; `usual` where it is missing or wrong."""
    return read_in(st.query_params, parameter, spelling, usual)


def keep_in_link(view: View, usual: View) -> None:
    """Writes a view into the link; what is as usual is left out of it, unless other pages look for it there."""
    for name, (parameter, spelling) in linked_fields(view).items():
        keep(parameter, spelling, getattr(view, name), *([] if is_always(view, name) else [getattr(usual, name)]))


def keep_travelling(view: View) -> None:
    """For other pages, what they look for of a view that the browser keeps in the link by itself."""
    for name, (parameter, spelling) in linked_fields(view).items():
        if parameter in TRAVELS and is_always(view, name):
            keep_for_other_pages(parameter, spelling.write(getattr(view, name)))


def keep(parameter: str, spelling: Spelling[Value], value: Value, *usual: Value) -> None:
    """Writes one parameter into the link, or leaves it out where it is as `usual`; without one it is always there."""
    if value in usual:
        st.query_params.pop(parameter, None)
    else:
        st.query_params[parameter] = spelling.write(value)
        if parameter in TRAVELS and not usual:
            keep_for_other_pages(parameter, spelling.write(value))
