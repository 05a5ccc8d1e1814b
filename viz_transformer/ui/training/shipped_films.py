"""The films of the shipped models: how their heads formed."""

from __future__ import annotations

import streamlit as st

from viz_transformer.training.snapshots import SNAPSHOTS, Film, read_film
from viz_transformer.translator import model_folder, shipped_models
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.training.film_view import film_view


def filmed_models() -> list[str]:
    """The shipped models that have a film; `copy`, the easiest to read, first."""
    names = [name for name in shipped_models() if (model_folder(name) / SNAPSHOTS).is_file()]
    return sorted(names, key=lambda name: (name != "copy", name))


@kept()
def shipped_film(name: str) -> Film:
    """Read once, for everybody."""
    return read_film(model_folder(name))


def show_shipped_films() -> None:
    """One slider through the training of a shipped model."""
    st.markdown(
        _(
            "The heads of a shipped model **while it was trained**: a film of snapshots, recorded on fixed "
            "sentences with the correct target as input. Move the slider or press play: every head changes "
            "with it."
        )
    )
    names = filmed_models()
    chosen = linked_choice(_("Run"), "run", {name: name for name in names}, names[0])
    show_film(chosen, in_link=True)


def show_film(name: str, *, in_link: bool = False) -> None:
    """The film of one shipped model."""
    film = shipped_film(name)
    film_view(film, key="film", steps=film.snapshots[-1].step, in_link=in_link)
