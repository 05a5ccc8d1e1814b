"""Sentences about what was typed. Text that a person typed is escaped: it is data, never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape

import streamlit as st

from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.controls import Texts
from viz_transformer.ui.text import _
from viz_transformer.ui.verbatim import verbatim


@contextmanager
def explain_text_errors() -> Iterator[None]:
    """Shows the sentence of a TextError and ends the page there; what was typed stays in its box."""
    try:
        yield
    except TextError as error:
        values = {name: verbatim(str(value)) for name, value in error.values.items()}
        sides = {"source": _("source"), "target": _("target")}
        if values.get("side") in sides:
            values["side"] = sides[values["side"]]
        st.error(_(error.template).format(**values))
        st.stop()


@contextmanager
def explain_errors() -> Iterator[None]:
    """The same for every ValueError of the package: its message is a sentence for a person."""
    with explain_text_errors():
        try:
            yield
        except TextError:
            raise
        except ValueError as error:
            st.error(verbatim(str(error)))
            st.stop()


def note_reading(translator: Translator, texts: Texts) -> None:
    """Says what the model reads where that is not what was typed: other characters, or none that it knows."""
    if (read_as := translator.read_as(texts.source)) != texts.source:
        _note(_("The model reads simplified characters:"), [read_as])
    unknown = dict.fromkeys(translator.encode_source(texts.source).unknown)
    if texts.target:
        unknown |= dict.fromkeys(translator.encode_target(texts.target).unknown)
    if unknown:
        _note(_("The model has never seen these characters and reads each of them as <unk>:"), unknown)


def _note(sentence: str, typed: Iterable[str]) -> None:
    pieces = " ".join(f"<b>{escape(piece)}</b>" for piece in typed)
    st.html(f'<div role="status" class="vt-note">{escape(sentence)} {pieces}</div>')
