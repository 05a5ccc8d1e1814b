"""What the lessons share: their frame, with theory, experiment and this model; and the model on a typed sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from viz_transformer.trace import Trace
from viz_transformer.ui.shared.controls import Texts, choose_model, choose_texts, link_note, texts_before_drawn
from viz_transformer.ui.shared.frame import Frame, Titled
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.ui.shared.reading import read, written
from viz_transformer.views.text import _


class Recorded(NamedTuple):
    """A model, a source text, and the pass over it and the model's own output."""

    model: ModelChoice
    source: str
    trace: Trace


@dataclass(frozen=True)
class Lesson(Titled):
    """A lesson and its three parts."""

    theory: Callable[[], None]
    experiment: Callable[[], None]
    model: Callable[[Recorded], None]


def show_lessons(title: str, lessons: Mapping[str, Lesson]) -> None:
    """Shows one part (in the link as `part`) of one of the page's lessons (`lesson`)."""
    parts = {"theory": _("Theory"), "experiment": _("Experiment"), "model": _("This model")}
    frame = Frame(title, lessons, "lesson", parts, "experiment")
    lesson = lessons[frame.view]
    if frame.part == "model":
        st.fragment(lesson.model)(_choose_recorded(frame))
    else:
        st.fragment(lesson.theory if frame.part == "theory" else lesson.experiment)()
    link_note()


def _choose_recorded(frame: Frame) -> Recorded:
    """A model and a source text (in the link as `model`, `source`), in the box of the first line."""
    asked, texts = texts_before_drawn()
    before = written(asked, Texts(texts.source, ""))
    said = " → ".join(text for text in (texts.source, before.output) if text)
    with frame.box(f"{asked.name} · {said}", before.refused, asked=(asked, texts.source)):
        model = choose_model()
        typed = choose_texts(model, has_target=False)
    return Recorded(model, typed.source, read(model, typed, before.encoded_of(model, typed)).trace)


def theory() -> None:
    """The heading of the first part of a lesson."""
    st.header(_("Theory"), anchor=False)


def experiment() -> None:
    """The heading of the second part."""
    st.header(_("Experiment"), anchor=False)


def this_model() -> None:
    """The heading of the last part."""
    st.header(_("This model"), anchor=False)
