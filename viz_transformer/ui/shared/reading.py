"""What most pages begin with: a model, a text, and the pass that was recorded over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from viz_transformer.experiments.architecture.shapes import Lengths
from viz_transformer.trace import Trace
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.controls import Texts, absent_model, choose_model, choose_texts, texts_before_drawn
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.models import ModelChoice, load_translator, own_output, recorded_trace
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading, sentence_of


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


def choose_reading(frame: Frame) -> Reading:
    """The model and the texts of the chip (in the link); a text that cannot be read ends the page with a sentence."""
    with chip(frame):
        model = choose_model()
        texts = choose_texts(model)
    return read(model, texts)


def read(model: ModelChoice, texts: Texts) -> Reading:
    """The pass over the texts; one that cannot be read ends the page with a sentence."""
    translator = load_translator(model.name, model.device)
    with explain_text_errors():
        encoded = note_reading(translator, [texts.source], texts.target)
        return Reading(model, translator, texts, recorded_trace(model, *encoded))


@contextmanager
def chip(frame: Frame) -> Iterator[None]:
    """The box in which model, source and target are chosen; beside its button stands which these are."""
    model, texts = texts_before_drawn()
    output, refused = written(model, texts)
    read = " → ".join(text for text in (texts.source, output) if text)
    with frame.box(f"{model.name} · {read}", refused, asked=(model, texts)):
        yield


def written(model: ModelChoice, texts: Texts) -> tuple[str, str]:
    """What the model writes, or the target that it is given; and the sentence why it cannot or is not here."""
    try:
        translator = load_translator(model.name, model.device)
        if texts.target:
            translator.encode_target(texts.target)
            translator.encode_source(texts.source)
            return texts.target, absent_model()
        return translator.decode(own_output(model, texts.source)), absent_model()
    except TextError as error:
        return "", sentence_of(error)
