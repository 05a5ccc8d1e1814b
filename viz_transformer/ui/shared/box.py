"""Boxes that begin closed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


@st.fragment
def closed_box(title: str, fill: Callable[[], None], *, key: str, in_link: bool = False) -> None:
    """A box to open; until then nothing in it is computed, and nothing sent.

    Args:
        in_link: the link says where it is open, by a parameter named `key`.
    """
    box = st.expander(title, key=key, on_change="rerun", bind="query-params" if in_link else None)
    if box.open:
        with box:
            fill()
