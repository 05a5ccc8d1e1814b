"""Which exercises a visitor has solved. The browser keeps it over a reload, a lost connection, and in another tab."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import streamlit as st

from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.ui.components.component import Component
from viz_transformer.views.linked import Text, linked
from viz_transformer.views.text import _

_KEY, _SOLVED = "progress", "exercises solved"  # of the component, and in the session


@dataclass(frozen=True)
class Progress:
    """The slugs of the solved exercises, with commas between them."""

    solved: str = linked(None, Text(longest=4_000), "")


def solved() -> AbstractSet[str]:
    """The slugs of the exercises that are solved, as far as Python has heard of them."""
    known: AbstractSet[str] = st.session_state.setdefault(_SOLVED, set())
    return known


def solve(slug: str) -> None:
    """An exercise was just solved."""
    st.session_state[_SOLVED] = {*solved(), slug}


def show_progress() -> None:
    """What the browser keeps, as a file and from one; and, once a session, it tells Python what is solved."""

    def hear() -> None:
        if kept := _PROGRESS.committed(_KEY):
            st.session_state[_SOLVED] = {slug for slug in kept.solved.split(",") if slug in BY_SLUG}

    asked = Progress(",".join(slug for slug in BY_SLUG if slug in solved()))
    _PROGRESS.show({}, key=_KEY, view=asked, on_change=hear)


def _labels() -> dict[str, str]:
    return {
        "stays": _("What you solve and predict stays in this browser."),
        "save": _("Save it as a file"),
        "open": _("Open a saved file"),
        "forget": _("Forget what I did"),
        "forget_really": _("Forget all of it? This cannot be undone."),
        "opened": _("Opened: {solved} exercises solved, {others} other answers and places in lectures."),
        "not_ours": _("{name} is not a file that was saved here."),
        "not_kept": _("This browser stores nothing: what you have done is lost when you leave."),
    }


_PROGRESS = Component("progress", Progress, _labels)
