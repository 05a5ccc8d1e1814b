"""The sentences of views in the reader's language, by gettext."""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from viz_transformer.sentences import DOMAIN, LOCALE, SaidError, SentenceError

# Each language's own name for itself, and its tag in HTML, by which a browser chooses fonts and voices.
LANGUAGES = {"en": ("English", "en"), "zh": ("中文", "zh-Hans")}
ENGLISH = gettext.NullTranslations()

_of_reader: Callable[[], gettext.NullTranslations] = lambda: ENGLISH  # noqa: E731 — replaced by `ask_for_language`
_chosen: ContextVar[gettext.NullTranslations | None] = ContextVar("language", default=None)


def _(message: str) -> str:
    """`message` in the language of the reader; English where it is not translated."""
    return spoken().gettext(message)


def sentence(error: Exception) -> str:
    """What an error says, in that language where it is one of this package's."""
    return error.said(_) if isinstance(error, SaidError) else str(error)


def in_a_row(*sentences: str) -> str:
    """Sentences as one text: after a Chinese full stop there is no space."""
    said = ""
    for sentence in sentences:
        said += sentence if not said or said[-1] in "。？！" else f" {sentence}"
    return said


def spoken() -> gettext.NullTranslations:
    """The catalogue of the reader's language; a language always has the same object."""
    return _chosen.get() or _of_reader()


def language() -> str:
    """The reader's language, one of `LANGUAGES`."""
    catalogue = spoken()
    return next((name for name, one in catalogues().items() if one is catalogue), "en")


def ask_for_language(of_reader: Callable[[], gettext.NullTranslations]) -> None:
    """Sets the function that says which catalogue the reader wants; `speaking` overrides it."""
    global _of_reader
    _of_reader = of_reader


@contextmanager
def speaking(name: str | None) -> Iterator[None]:
    """A context in which all texts are in this language, one of `LANGUAGES`; None changes nothing.

    Raises:
        ValueError: for another one.
    """
    if name is not None and name not in LANGUAGES:
        raise SentenceError("The language must be one of {names}, not {name}.", names=", ".join(LANGUAGES), name=name)
    before = _chosen.set(_chosen.get() if name is None else catalogues().get(name, ENGLISH))
    try:
        yield
    finally:
        _chosen.reset(before)


@cache
def catalogues() -> dict[str, gettext.NullTranslations]:
    """What `assets/locale` holds, by language: LANGUAGE/LC_MESSAGES/viz_transformer.mo."""
    folders = (path.parent.parent for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return {folder.name: gettext.translation(DOMAIN, LOCALE, [folder.name]) for folder in folders}
