"""What the lessons share: theory, experiment, this model; and the model on a typed sentence."""

from __future__ import annotations

import streamlit as st

from viz_transformer.trace import Trace
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import choose_model, examples_of
from viz_transformer.ui.shared.models import ModelChoice, load_translator, recorded_trace
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading
from viz_transformer.ui.shared.text import _


def choose_part() -> str:
    """One of "theory", "experiment", "model" (in the link as `part`)."""
    parts = {"theory": _("Theory"), "experiment": _("Experiment"), "model": _("This model")}
    return linked_choice(_("Part"), "part", parts, "experiment")


def choose_recorded() -> tuple[ModelChoice, str, Trace]:
    """A model, a source text (in the link as `model`, `source`), and the pass over it and the model's own output."""
    model = choose_model()
    translator = load_translator(model.name, model.device)
    source = st.text_input(_("Source"), value=examples_of(translator.card)[0], key="source", bind="query-params") or ""
    with explain_text_errors():
        read = note_reading(translator, [source])
        return model, source, recorded_trace(model, *read)


def theory() -> None:
    """The heading of the first part of a lesson."""
    st.subheader(_("Theory"), anchor=False)


def experiment() -> None:
    """The heading of the second part."""
    st.subheader(_("Experiment"), anchor=False)


def this_model() -> None:
    """The heading of the last part."""
    st.subheader(_("This model"), anchor=False)
