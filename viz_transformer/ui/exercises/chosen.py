"""Which exercises a link is about: a lecturer's choice, or all."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.ui.shared.link import keep, read
from viz_transformer.views.linked import SomeOf
from viz_transformer.views.text import _

_CHOSEN = SomeOf(tuple(BY_SLUG))


def chosen() -> tuple[str, ...]:
    """The slugs that the link names; none where it names all."""
    return read("exercises", _CHOSEN, ())


def listed() -> tuple[str, ...]:
    """The slugs of the exercises that are offered, in the order of the catalogue."""
    named = chosen()
    return tuple(slug for slug in BY_SLUG if slug in named or not named)


def keep_chosen(slugs: Iterable[str]) -> None:
    """Puts them into the link."""
    keep("exercises", _CHOSEN, _CHOSEN.read(",".join(slugs)), ())


def say_chosen() -> None:
    """Where only some are offered, says so, with a way to the others."""
    if chosen():
        st.caption(_("The link that you opened contains only these exercises."))
        st.button(_("Show all {count}").format(count=len(BY_SLUG)), on_click=keep_chosen, args=((),))
