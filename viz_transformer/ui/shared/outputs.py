"""A model's output, as pages show it."""

from __future__ import annotations

from collections.abc import Sequence

from viz_transformer.translator import Translator
from viz_transformer.views.text import _


def written_text(translator: Translator, ids: Sequence[int]) -> str:
    """An output as text; one without the end token was stopped at the maximum length, and says so."""
    text = translator.target_tokenizer.decode(ids)
    return text if translator.model.config.end_id in ids else text + " " + _("(stopped at the maximum length)")
