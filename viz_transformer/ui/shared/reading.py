"""What most pages begin with: a model, a text, and the pass that was recorded over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from viz_transformer.experiments.architecture.shapes import Lengths
from viz_transformer.tokenizers import EncodedText
from viz_transformer.trace import Trace
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.controls import (
    Texts,
    absent_model,
    choose_model,
    choose_texts,
    offer_sentences,
    texts_before_drawn,
)
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.link import ABOUT
from viz_transformer.ui.shared.models import ModelChoice, load_translator, own_output, recorded_trace
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading, sentence_of
from viz_transformer.views.text import _


@dataclass(frozen=True, eq=False)
class Reading:
    """A model, the typed texts and the pass over them."""

    model: ModelChoice
    translator: Translator
    texts: Texts
    encoded: Sequence[EncodedText]  # the source, and the target where there is one

    @property
    def trace(self) -> Trace:
        """The pass, as long as it is kept, or else computed again: a page that stays open does not hold it."""
        return recorded_trace(self.model, *self.encoded)

    @property
    def lengths(self) -> Lengths:
        """Tokens of source and target, as the model read them."""
        return Lengths(len(self.trace.source_tokens), len(self.trace.target_tokens))


def choose_reading(frame: Frame) -> Reading:
    """The model and the texts of the chip (in the link); a text that cannot be read ends the page with a sentence."""
    with chip(frame) as before:
        model = choose_model()
        texts = choose_texts(model, frame.field)
    return read(model, texts, before.encoded_of(model, texts))


def read(model: ModelChoice, texts: Texts, encoded: Sequence[EncodedText] = ()) -> Reading:
    """The reading of these texts, in `encoded` if known; one that cannot be read ends the page with a sentence."""
    translator = load_translator(model.name, model.device)
    offer_sentences(texts.source)
    with explain_text_errors():
        encoded = note_reading(translator, [texts.source], texts.target, encoded)
        reading = Reading(model, translator, texts, encoded)
        _ = reading.trace  # computed here, so that whatever is wrong with the texts is said
        return reading


@dataclass(frozen=True)
class Written:
    """What a model reads of texts, and what it makes of them.

    Attributes:
        encoded: the source, and the target where there is one; nothing where it cannot read them.
        output: what it writes, or the target that it is given.
        refused: a sentence, in Markdown, why the model cannot read them, or is not here; else "".
    """

    model: ModelChoice
    texts: Texts
    encoded: Sequence[EncodedText]
    output: str
    refused: str

    def encoded_of(self, model: ModelChoice, texts: Texts) -> Sequence[EncodedText]:
        """`encoded` if it is of these, else nothing: a client may send one text in its link and another in a box."""
        return self.encoded if (model, texts) == (self.model, self.texts) else ()


@contextmanager
def chip(frame: Frame, how: str = "") -> Iterator[Written]:
    """The box in which model, source and target are chosen; beside its button stands which these are.

    Args:
        how: in which way the output was found, where the page shows others, too.
    """
    before = written(*texts_before_drawn())
    model, texts, output, refused = before.model, before.texts, before.output, before.refused
    st.session_state[ABOUT] = {"model": model.name, "source": texts.source, "target": output}
    if how and output and not texts.target:
        output = _("{how}: {output}").format(how=how, output=output)
    if frame.field:  # the source stands there; the page says below it what is wrong with it
        said = " → ".join(text for text in (model.name, output) if text)
        refused = refused if before.encoded else ""
    else:
        said = f"{model.name} · " + " → ".join(text for text in (texts.source, output) if text)
    with frame.box(said, refused, asked=(model, texts)):
        yield before


def written(model: ModelChoice, texts: Texts) -> Written:
    """What the model makes of the texts."""
    try:
        translator = load_translator(model.name, model.device)
        source = translator.encode_source(texts.source)
        if texts.target:
            encoded, output = [source, translator.encode_target(texts.target)], texts.target
        else:
            encoded, output = [source], translator.decode(own_output(model, source))
        return Written(model, texts, encoded, output, absent_model())
    except TextError as error:
        return Written(model, texts, [], "", sentence_of(error))
