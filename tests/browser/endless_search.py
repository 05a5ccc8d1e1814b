"""The page Decoding with one slot for searches, and one source, «慢», of which the search never ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import streamlit as st

from viz_transformer.translator import Translator
from viz_transformer.ui.decoding import search as decoding_search
from viz_transformer.ui.shared import scheduler as scheduling
from viz_transformer.views.decoding.tree import Search, Settings


@st.cache_resource
def make_one_search_endless() -> None:
    grow_search = decoding_search.grow_search

    def endless(translator: Translator, source: str, settings: Settings) -> Iterator[Search]:
        for search in grow_search(translator, source, settings):
            yield search
        while source == "慢":
            Event().wait(0.01)  # what a step takes
            yield search

    decoding_search.grow_search = endless  # type: ignore[assignment]
    scheduling.scheduler = scheduling.Scheduler(1)


make_one_search_endless()
st.navigation([st.Page(Path(__file__).resolve().parents[2] / "pages" / "decoding.py", title="Decoding")]).run()
