"""Boxes that begin closed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


@st.fragment
def closed_box(title: str, fill: Callable[[], None], *, key: str, in_link: bool = False) -> None:
    """Shows a closed box; until a visitor opens it, nothing in it is computed or sent.

    Args:
        in_link: whether the link says that it is open, by a parameter named `key`.
    """
    box = st.expander(title, key=key, on_change="rerun", bind="query-params" if in_link else None)
    if box.open:
        with box:
            fill()
