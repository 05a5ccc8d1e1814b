"""What the lessons of the page Architecture work on, and the words that they share."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from viz_transformer.experiments.shapes import Lengths
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.controls import Texts
from viz_transformer.ui.models import ModelChoice
from viz_transformer.ui.text import _


@dataclass(frozen=True, eq=False)
class Lesson:
    """A model, the typed texts and their recorded pass."""

    model: ModelChoice
    translator: Translator
    texts: Texts
    trace: Trace

    @property
    def lengths(self) -> Lengths:
        """Tokens of source and target, as the model read them."""
        return Lengths(len(self.trace.source_tokens), len(self.trace.target_tokens))


def part_names() -> dict[str, str]:
    """The parts of the model, as `experiments.costs` has them."""
    return {
        "target_embedding": _("Target embedding"),
        "source_embedding": _("Source embedding"),
        "positions": _("Learned positions"),
        "encoder_self": _("Encoder self-attention"),
        "encoder_ffn": _("Encoder feed-forward"),
        "encoder_norm": _("Encoder LayerNorms"),
        "decoder_self": _("Decoder self-attention"),
        "cross": _("Cross-attention"),
        "decoder_ffn": _("Decoder feed-forward"),
        "decoder_norm": _("Decoder LayerNorms"),
        "output_projection": _("Output projection"),
    }


def theory() -> None:
    """The heading of the first part of a lesson."""
    st.subheader(_("Theory"), anchor=False)


def experiment() -> None:
    """The heading of the second part."""
    st.subheader(_("Experiment"), anchor=False)


def this_model() -> None:
    """The heading of the last part."""
    st.subheader(_("This model"), anchor=False)
