"""Who a tab was before it was loaded anew or closed: its runs, and the models that it trained, are found again.

The browser keeps the visitor's secret; no other browser has it, and no link.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from viz_transformer.ui.components.component import Component
from viz_transformer.ui.shared.training_session import come_back, own_runs, visitor
from viz_transformer.views.linked import TEXT, OrNone, linked

_ASKED = "visitor that this tab was"


@dataclass(frozen=True)
class TabView:
    """The secret that the tab holds; None where it has said nothing."""

    visitor: str | None = linked(None, OrNone(TEXT), None)


def remember_visitor() -> None:
    """Takes no room. The tab says once who it was; where nothing is left of that, it is somebody new."""
    _TAB.show(
        {"visitor": visitor(), "asked": st.session_state.get(_ASKED, ""), "has_runs": bool(own_runs())},
        key="tab",
        view=TabView(),
        on_change=_come_back,
    )


def _come_back() -> None:
    committed = _TAB.committed("tab")
    if committed is not None and committed.visitor:
        st.session_state[_ASKED] = committed.visitor
        come_back(committed.visitor)


_TAB = Component("tab", TabView, stays=True)
