"""The films of the shipped models: how their heads formed."""

from __future__ import annotations

import json

import streamlit as st

from viz_transformer.checkpoint import CARD
from viz_transformer.experiments.training.schedule import lowest_loss, smoothed_target
from viz_transformer.training.snapshots import SNAPSHOTS, Film, Snapshot, read_film
from viz_transformer.training.tasks import FILMED_UNSEEN, Task
from viz_transformer.translator import model_folder, shipped_models
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.training.figures import run_figures
from viz_transformer.ui.training.film_view import film_view
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


def filmed_models() -> list[str]:
    """The shipped models that have a film; `copy`, the easiest to read, first."""
    names = [name for name in shipped_models() if (model_folder(name) / SNAPSHOTS).is_file()]
    return sorted(names, key=lambda name: (name != "copy", name))


@kept()
def shipped_film(name: str) -> Film:
    """The film of a shipped model, read once for all visitors."""
    return read_film(model_folder(name))


def show_shipped_films() -> None:
    """One slider through the training of a shipped model, and what its curves say."""
    picture, side = picture_and_side("training-film")
    names = filmed_models()
    with side:
        name = linked_choice(_("Training run"), "run", {name: name for name in names}, names[0], column=True)
    with picture:
        _show_film(name, in_link=True)
    with side:
        st.markdown(
            explained(
                "The heads of a shipped model **while it was trained**: a film of snapshots, recorded on fixed "
                "sentences with the correct target as input. Move the slider or press play: every head changes "
                "with it."
            )
        )
        card = json.loads((model_folder(name) / CARD).read_text(encoding="utf-8"))
        say_losses(card["training"]["label_smoothing"] if card.get("task") else None)
    _conclude(shipped_film(name))
    run_figures(shipped_film(name), key="figures", in_link=True)


def show_shipped_film(task: str) -> None:
    """Shows, until one trains a model, the film of the shipped model of this task, or of `copy` if it has none."""
    _show_film(task if task in filmed_models() else "copy")
    st.caption(_("Until you train one: the film of the shipped model"))


def say_losses(smoothing: float | None) -> None:
    """Says why the two losses cannot be compared. `smoothing`: of a run on a toy task, else None."""
    st.caption(
        explained(
            "The training loss is measured with label smoothing and dropout, using the weights of each step; the "
            "held-out loss has neither, and uses averaged weights. So they cannot be compared."
        )
    )
    if smoothing:
        least = lowest_loss(smoothed_target(0, Task("copy").tokenizer().vocab_size, smoothing))
        st.caption(
            _(
                "With ε = {smoothing}, a training loss of {least} is already perfect; a held-out loss is perfect "
                "only at 0."
            ).format(smoothing=f"{smoothing:g}", least=f"{least:.2f}")
        )


def _show_film(name: str, *, in_link: bool = False) -> None:
    film = shipped_film(name)
    film_view(film, key="film", steps=film.snapshots[-1].step, count=FILMED_UNSEEN, in_link=in_link)


def _conclude(film: Film) -> None:
    """When most tokens were right, and when most sequences were."""
    tokens, sequences = (_first(film, name) for name in ("token_accuracy", "exact_match"))
    if tokens is None or sequences is None:
        return
    st.markdown(
        explained(
            "Half of the tokens are right from step {tokens} on, half of the sequences only from step {sequences}: a "
            "sequence is right when all of its tokens are, and the diagonals appear in between."
        ).format(tokens=tokens.step, sequences=sequences.step)
    )


def _first(film: Film, name: str) -> Snapshot | None:
    """The first snapshot at which more than half was right."""
    return next((one for one in film.snapshots if one.numbers.get(name, 0.0) > 0.5), None)
