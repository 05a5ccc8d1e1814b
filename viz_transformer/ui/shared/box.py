"""Boxes that begin closed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


@st.fragment
def closed_box(title: str, fill: Callable[[], None], *, key: str) -> None:
    """A box to open; until then nothing in it is computed, and nothing sent."""
    box = st.expander(title, key=key, on_change="rerun")
    if box.open:
        with box:
            fill()
