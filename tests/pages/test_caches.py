"""Caches that all visitors share, and messages that any client may send: the app in Streamlit's own runtime."""

from __future__ import annotations

import secrets

import streamlit as st

from tests.visitor import site
from viz_transformer.ui.shared.models import _shipped
from viz_transformer.ui.shared.training_session import training_runs


@st.cache_data
def drawn() -> str:
    return secrets.token_hex()


def test_no_client_can_empty_the_caches_of_all() -> None:
    """Also fails if a new version of Streamlit handles the message where our server does not drop it."""
    with site() as app:
        app.visitor().open("", {"model": "copy"})
        assert not app.faults
        model, queue, number = _shipped("copy", "cpu"), training_runs(), drawn()
        app.visitor().say(clear_cache=True)
        assert _shipped("copy", "cpu") is model
        assert training_runs() is queue
        assert drawn() == number
