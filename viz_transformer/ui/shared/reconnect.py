"""What a page does when its server was gone: another process answers, which has never heard of it."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st


@st.fragment(run_every=timedelta(days=1))
def ask_again_after_a_lost_connection() -> None:
    """Shows nothing. A page that has a fragment with a clock asks for a new run as soon as it is connected again.

    Without one, Streamlit's browser asks for nothing until somebody clicks, and then for a fragment of a session that
    is no more: the click is lost. The new run finds what was on the screen in the link.
    """
