"""Sends a page, once for all of its components, their texts and the explanations of marked terms."""

from __future__ import annotations

import streamlit as st

from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.components.said import ON_THE_PAGE, all_known
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.streamlit_words import streamlit_words
from viz_transformer.views.terms import glossary


def send_texts() -> None:
    """Called once a run, before the page. Takes no room; Streamlit sends it again only in another language."""
    texts = all_known()
    st.session_state[ON_THE_PAGE] = set(texts)
    content = SharedPayload(tuple(texts), lambda: {"terms": glossary(), "texts": texts, "streamlit": streamlit_words()})
    _TEXTS.show(content, key="terms", view=NoView())


_TEXTS = Component("terms", NoView, stays=True)
