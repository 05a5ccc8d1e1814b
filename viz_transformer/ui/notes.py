"""Sentences about what was typed. Text that a person typed is escaped: it is data, never markup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import streamlit as st

from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.controls import Texts
from viz_transformer.ui.text import _


@contextmanager
def explain_text_errors() -> Iterator[None]:
    """Shows the sentence of a TextError and ends the page there; what was typed stays in its box."""
    try:
        yield
    except TextError as error:
        sides = {"source": _("source"), "target": _("target")}
        values = {name: sides.get(str(value), value) for name, value in error.values.items()}
        st.error(_(error.template).format(**values))
        st.stop()


def note_unknown(translator: Translator, texts: Texts) -> None:
    """Names the pieces of the texts that the model's vocabularies lack."""
    unknown = dict.fromkeys(translator.encode_source(texts.source).unknown)
    if texts.target:
        unknown |= dict.fromkeys(translator.encode_target(texts.target).unknown)
    if unknown:
        pieces = " ".join(f"<b>{escape(piece)}</b>" for piece in unknown)
        sentence = _("The model has never seen these characters and reads each of them as <unk>:")
        st.html(f'<div role="status" style="{_NOTE}">{escape(sentence)} {pieces}</div>')


_NOTE = "border-left: 4px solid #c98a00; padding: 0.4rem 0.8rem; background: rgba(201, 138, 0, 0.12)"
