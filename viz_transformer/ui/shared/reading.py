"""What most pages begin with: a model, a text, and the pass that was recorded over it."""

from __future__ import annotations

from dataclasses import dataclass

from viz_transformer.experiments.architecture.shapes import Lengths
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.shared.controls import Texts, choose_model, choose_texts
from viz_transformer.ui.shared.models import ModelChoice, load_translator, recorded_trace
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading


@dataclass(frozen=True, eq=False)
class Reading:
    """A model, the typed texts and the pass over them."""

    model: ModelChoice
    translator: Translator
    texts: Texts
    trace: Trace

    @property
    def lengths(self) -> Lengths:
        """Tokens of source and target, as the model read them."""
        return Lengths(len(self.trace.source_tokens), len(self.trace.target_tokens))


def choose_reading() -> Reading:
    """Controls for the model and the texts (in the link); a text that cannot be read ends the page with a sentence."""
    model = choose_model()
    texts = choose_texts(model)
    translator = load_translator(model.name, model.device)
    with explain_text_errors():
        read = note_reading(translator, [texts.source], texts.target)
        return Reading(model, translator, texts, recorded_trace(model, *read))
