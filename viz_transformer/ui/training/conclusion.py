"""What follows from a run: its numbers beside those of the whole model."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import streamlit as st

from viz_transformer.training.run import Run
from viz_transformer.ui.shared.training_session import own_runs
from viz_transformer.ui.training.settings import is_whole, missing_parts, name_of
from viz_transformer.ui.training.shipped_films import filmed_models, shipped_film
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

ALIKE = 0.05  # shares that differ by no more count as equal
GOOD = 0.9


class Scores(NamedTuple):
    """The shares of tokens right by teacher forcing and of sequences right by generation; and whose they are."""

    token_accuracy: float
    exact_match: float
    whose: str


def show_conclusion(run: Run) -> None:
    """One sentence on a run that is over."""
    if run.status == "done" and isfinite(run.numbers["valid_loss"]):
        st.markdown(conclusion_of(run, whole_scores(run)))


def whole_scores(run: Run) -> Scores | None:
    """Those of the visitor's last whole run on this task; else of the shipped model, after about as many steps."""
    task = run.settings.task
    for other in reversed(own_runs()):
        if other is not run and other.status == "done" and other.settings.task == task and is_whole(other.settings):
            whose = _("the whole model of your run {number}").format(number=other.number)
            return Scores(other.numbers["token_accuracy"], other.numbers["exact_match"], whose)
    if task not in filmed_models():
        return None
    shot = min(shipped_film(task).snapshots, key=lambda one: abs(one.step - run.step))
    whose = _("the shipped whole model at step {step}").format(step=shot.step)
    return Scores(shot.numbers["token_accuracy"], shot.numbers["exact_match"], whose)


def conclusion_of(run: Run, whole: Scores | None) -> str:
    """Reads the numbers of a run, compares, and says what follows."""
    accuracy, exact = run.numbers["token_accuracy"], run.numbers["exact_match"]
    words = explained("**{name}**, {steps} steps: token accuracy {accuracy}, exact match {exact} on {count}").format(
        name=_capital(name_of(run.settings)),
        steps=run.step,
        accuracy=f"{accuracy:.1%}",
        exact=f"{exact:.1%}",
        count=run.count,
    )
    if whole is not None:
        words += _("; {whose}: {accuracy} and {exact}").format(
            whose=whole.whose, accuracy=f"{whole.token_accuracy:.1%}", exact=f"{whole.exact_match:.1%}"
        )
    return f"{words}. {_follows(run, whole)}"


def _follows(run: Run, whole: Scores | None) -> str:
    accuracy, exact = run.numbers["token_accuracy"], run.numbers["exact_match"]
    parts = missing_parts(run.settings)
    if is_whole(run.settings):
        return (
            _("So it has learned the task: leave a part out and compare.")
            if exact >= GOOD
            else _("So it has not learned the task yet: give it more steps before you compare.")
        )
    what = _(", ").join(parts) if parts else _("several heads")
    if whole is not None and whole.exact_match < GOOD and exact < GOOD:
        return _("Neither writes whole sequences reliably yet, so it is too early to compare them.")
    if accuracy >= GOOD and exact < accuracy - 0.5:
        return _(
            "So from a correct prefix it predicts nearly every token, but it cannot write by itself: what it has "
            "learned to rely on is missing then."
        )
    if run.settings.slip != "none":
        return _follows_from_slip(exact, whole)
    if exact >= GOOD or (whole is not None and exact >= whole.exact_match - ALIKE):
        return _("So this task can be learned without {what}.").format(what=what)
    if accuracy >= GOOD:
        return _("So most tokens are right, but without {what} few sequences are right from start to end.").format(
            what=what
        )
    return _("So without {what} it has not learned the task in the same number of steps.").format(what=what)


def _follows_from_slip(exact: float, whole: Scores | None) -> str:
    if exact >= GOOD or (whole is not None and exact >= whole.exact_match - ALIKE):
        return _("So it has learned the task all the same: numbers that look right do not rule this slip out.")
    return _("So with this slip it has not learned the task in the same number of steps.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
