"""What the lessons share: theory, experiment, this model; and the model and its source."""

from __future__ import annotations

import streamlit as st

from viz_transformer.ui.choices import linked_choice
from viz_transformer.ui.controls import choose_model, examples_of
from viz_transformer.ui.models import ModelChoice, load_translator
from viz_transformer.ui.text import _


def choose_part() -> str:
    """One of "theory", "experiment", "model" (in the link as `part`)."""
    parts = {"theory": _("Theory"), "experiment": _("Experiment"), "model": _("This model")}
    return linked_choice(_("Part"), "part", parts, "experiment")


def choose_model_and_source() -> tuple[ModelChoice, str]:
    """A model and a source text (in the link as `model`, `source`)."""
    model = choose_model()
    examples = examples_of(load_translator(model.name, model.device).card)
    source = st.text_input(_("Source"), value=examples[0], key="source", bind="query-params")
    return model, source or ""
