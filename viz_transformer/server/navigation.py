"""Whose the folder `pages/` is."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException


def announce_navigation() -> None:
    """Before the first run: app.py has the pages.

    Until it has heard of `st.navigation`, Streamlit takes `pages/` for automatic pages, and runs the first page asked
    for alone. Called without pages it has heard, and then complains.
    """
    with suppress(StreamlitAPIException):
        st.navigation([])
