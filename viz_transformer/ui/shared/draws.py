"""Random pairs q, k, shared by all visitors: for the page Scaling, and for questions of a lecture about it."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import streamlit as st

from viz_transformer.experiments.scaling.saturation import Scores, draw_scores
from viz_transformer.experiments.scaling.variance import Draws, DrawSettings, draw, draw_in_chunks
from viz_transformer.ui.shared.byte_cache import Kept, kept
from viz_transformer.ui.shared.scheduler import in_turn, scheduler
from viz_transformer.views.text import _

_BAR_AFTER = 0.3  # seconds
_AS_LONG_AS_A_TOKEN = 50_000  # numbers take about as long to draw as a token takes through a model
_DRAWS: Kept[DrawSettings, Draws] = Kept()


def drawn(settings: DrawSettings) -> Draws:
    """The draws; where they take long, under a progress bar.

    At each update of the bar Streamlit gives this run up, if the visitor has asked for something else by then.
    """
    settings = as_read(settings)
    place = st.empty()  # always, so that what comes after it keeps its place
    if found := _DRAWS.get(settings):
        return found
    started = monotonic()
    draws = None
    for done, draws in in_turn(draw_in_chunks(settings), settings.draws * settings.d_k / _AS_LONG_AS_A_TOKEN, place):
        if draws is None and monotonic() - started > _BAR_AFTER:
            words = _("{done} of {all} pairs drawn").format(done=f"{done:,}", all=f"{settings.draws:,}")
            place.progress(done / settings.draws, words)
    place.empty()
    assert draws is not None  # the last chunk's
    return _DRAWS.keep(settings, draws)


def drawn_at_once(settings: DrawSettings) -> Draws:
    """The draws, without a progress bar: for settings that are drawn quickly, or are kept."""
    settings = as_read(settings)
    return _DRAWS.get(settings) or draw(settings)


def as_read(settings: DrawSettings) -> DrawSettings:
    """The settings, with the default degrees of freedom unless Student's t is drawn, which alone reads them."""
    return settings if settings.distribution == "student" else replace(settings, degrees=DrawSettings().degrees)


@kept()
def scores_by_size(seed: int) -> Scores:
    """What `draw_scores` draws: a sixteenth of a second, and 400 KB for each of the hundred seeds."""
    with scheduler.short():
        return draw_scores(seed)
