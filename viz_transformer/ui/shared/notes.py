"""Sentences about what was typed. Text that a person typed is escaped: it is data, never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from viz_transformer.chinese import NOT_ITS_WORDS, ONLY, WITHOUT_OPENCC, can_simplify, foreign_words
from viz_transformer.sentences import Word
from viz_transformer.tokenizers import EncodedText
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.other_language import is_another_language
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, sentence
from viz_transformer.visible import escape, left_out, without_unseen


@contextmanager
def explain_text_errors() -> Iterator[None]:
    """Shows the sentence of a TextError and ends the page there; what was typed stays in its box."""
    try:
        yield
    except TextError as error:
        st.error(sentence_of(error))
        st.stop()


def sentence_of(error: TextError) -> str:
    """Its sentence, in Markdown, with what was typed verbatim."""
    values = {
        name: _(value) if isinstance(value, Word) else verbatim(str(value)) for name, value in error.values.items()
    }
    return _(error.template).format(**values)


@contextmanager
def explain_errors() -> Iterator[None]:
    """The same for every ValueError of the package: its message is a sentence for a person."""
    with explain_text_errors():
        try:
            yield
        except TextError:
            raise
        except ValueError as error:
            st.error(verbatim(sentence(error)))
            st.stop()


def note_reading(
    translator: Translator, sources: Sequence[str], target: str = "", encoded: Sequence[EncodedText] = ()
) -> Sequence[EncodedText]:
    """Says what the model reads where that is not what was typed: another language, other characters, unknown ones.

    Args:
        encoded: what would be returned, where that is known already.

    Returns:
        What it reads of each source, and of the target where there is one.
    """
    read = encoded or [
        *map(translator.encode_source, sources),
        *([translator.encode_target(target)] if target else []),
    ]
    typed = [*sources, *([target] if target else [])]
    _note_language(translator, sources, read)
    note_left_out(typed, read)
    simplified = [
        one.text
        for one, text in zip(read, sources, strict=False)
        if one.text != without_unseen(text, "".join(left_out(text, one.text)))
    ]
    if simplified:
        note(_("The model reads simplified characters:"), simplified)
    unknown = dict.fromkeys(piece for one in read for piece in one.unknown)
    if unknown:
        note(_("The model has never seen these characters and reads each of them as <unk>:"), unknown)
        if translator.reads_chinese and not can_simplify():
            note(_(WITHOUT_OPENCC))
    return read


def note_left_out(typed: Sequence[str], read: Sequence[EncodedText]) -> None:
    """Names the signs that nobody sees and that the model does not read."""
    signs = dict.fromkeys(sign for text, one in zip(typed, read, strict=True) for sign in left_out(text, one.text))
    if signs:
        note(_("These characters are invisible, and the model does not know them. They were left out:"), signs)


def _note_language(translator: Translator, sources: Sequence[str], read: Sequence[EncodedText]) -> None:
    """Says so where a text, or a word of it, is not in the language that the model reads: it will write noise."""
    language = translator.card.get("source_language")
    if language not in ONLY:
        return
    foreign = [foreign_words(text, language) for text in sources]
    others = [
        text
        for text, (_words, are_most) in zip(sources, foreign, strict=True)
        if are_most or is_another_language(text, language)
    ]
    if others:
        note(_(ONLY[language]), others if len(sources) > 1 else [])
    words = [
        word
        for one, (found, are_most) in zip(read, foreign, strict=False)
        for word in found
        if not (are_most or word in one.tokens or set(word) & set("".join(one.unknown)))
    ]
    if words:
        note(_(NOT_ITS_WORDS[language]), dict.fromkeys(words))


def note(sentence: str, typed: Iterable[str] = ()) -> None:
    """A sentence, and after it texts that a person typed, escaped."""
    pieces = " ".join(f"<bdi><b>{escape(piece)}</b></bdi>" for piece in typed)
    st.html(f'<div role="status" class="vt-note">{escape(sentence)} {pieces}</div>')
