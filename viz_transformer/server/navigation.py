"""Tells Streamlit that app.py lists the pages, so that it takes none from the folder `pages/` by itself."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException


def announce_navigation() -> None:
    """Calls `st.navigation`; to be done before the first run.

    Until it has been called, Streamlit takes `pages/` for automatic pages, and runs the first page that is asked for
    alone, without app.py. A call without pages is enough, though Streamlit then raises an error.
    """
    with suppress(StreamlitAPIException):
        st.navigation([])
