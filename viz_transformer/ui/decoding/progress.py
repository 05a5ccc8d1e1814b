"""A search that is still running: its first level at once, a progress bar where it takes longer."""

from __future__ import annotations

from time import monotonic

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.decoding.search import run_search
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.views.decoding.tree import Search, Settings
from viz_transformer.views.text import _

FIRST_LEVEL_AFTER, BAR_AFTER = 0.2, 0.5  # seconds
_BEAT = 0.1  # seconds between two updates of the bar


def search_with_progress(model: ModelChoice, source: str, settings: Settings, max_len: int) -> Search:
    """`run_search`, with what is known so far on the screen.

    At every update Streamlit may give this run up, if the visitor has asked for something else meanwhile.
    """
    place = st.empty()
    started = updated = monotonic()
    bar: DeltaGenerator | None = None

    def show(so_far: Search) -> None:
        nonlocal updated, bar
        now = monotonic()
        if now - started >= FIRST_LEVEL_AFTER and bar is None:
            with place.container():
                bar = st.empty()
                _first_level(so_far)
        if bar is not None and now - started >= BAR_AFTER and now - updated >= _BEAT:
            updated = now
            bar.progress(_share(so_far, max_len), _words(so_far, max_len))

    search = run_search(model, source, settings, show, place)
    place.empty()
    return search


def _first_level(search: Search) -> None:
    number_table(
        "first-level",
        _("Step 1 of the running search"),
        [_("token"), _("log p"), _("becomes")],
        [[node.token, decimals(node.log_prob), _status(node.status)] for node in search.levels[0]],
    )


def _status(status: str) -> str:
    return {"live": _("live"), "finished": _("finished"), "pruned": _("not taken")}[status]


def _share(search: Search, max_len: int) -> float:
    """The share of the search that is done at least: by its length, or by how many hypotheses have finished."""
    finished = len(search.steps[-1].finished) / search.settings.beam.beam_size if search.steps else 0.0
    return min(1.0, max(len(search.levels) / max_len, finished))


def _words(search: Search, max_len: int) -> str:
    return _("step {step} of at most {limit}").format(step=len(search.levels), limit=max_len)
