"""A whole training run as figures to read numbers from."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import streamlit as st

from viz_transformer import charts
from viz_transformer.training.snapshots import Film
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.figures import show_altair, theme_of_page
from viz_transformer.views.text import _


def run_figures(film: Film, *, key: str, in_link: bool = False) -> None:
    """A box with the losses and the learning rates of every recorded step."""
    if any(isfinite(point["loss"]) for point in film.curve):
        closed_box(_("Losses and learning rates of the whole run"), lambda: _fill(film, key), key=key, in_link=in_link)


def _fill(film: Film, key: str) -> None:
    steps: Sequence[float] = [point["step"] for point in film.curve]
    rates = [point["learning_rate"] for point in film.curve]
    losses = {_("training, with label smoothing and dropout"): (steps, [point["loss"] for point in film.curve])}
    held_out = [(one.step, one.numbers["valid_loss"]) for one in film.snapshots if "valid_loss" in one.numbers]
    if held_out:
        losses[_("held-out")] = [step for step, _loss in held_out], [loss for _step, loss in held_out]
    left, right = st.columns(2)
    step, run = _("training step"), _("curve")
    labels = {"step": step, "run": run, "value": _("loss, nats per token")}
    with left:
        show_altair(charts.training_curves(losses, labels=labels, theme=theme_of_page()), key=f"{key}-loss")
    labels["value"] = _("learning rate")
    with right:
        shown = {_("learning rate"): (steps, rates)}
        show_altair(charts.training_curves(shown, labels=labels, theme=theme_of_page()), key=f"{key}-rate")
