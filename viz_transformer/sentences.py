"""Sentences for people: the package writes them in English, and what shows one may translate it.

`assets/locale` holds the languages, by gettext. What is extracted is whatever `_`, `explained`, `N_`, or one of the
errors here is called with; see the Makefile.
"""

from __future__ import annotations

import reprlib
import textwrap
from collections.abc import Callable

from viz_transformer.resources import resource

_LONGEST = 100  # the most characters of a value, or of a library's message, in a sentence
DOMAIN, LOCALE = "viz_transformer", resource("assets/locale")


def N_(message: str) -> str:
    """Marks a constant that is translated later, where it is shown."""
    return message


def brief(value: object) -> str:
    """The value as a program writes it, its middle left out where it is long."""
    short = reprlib.Repr()
    short.maxstring = _LONGEST
    return short.repr(value)


def reason(error: Exception) -> str:
    """What a library says, as the end of a sentence: in one line, not too long, without a full stop."""
    return textwrap.shorten(str(error), _LONGEST, placeholder="…").rstrip(".")


class Word(str):
    """A value in a sentence that is the package's own word, not the person's: it is translated, too."""


class SaidError(Exception):
    """An error that is a sentence for a person.

    Attributes:
        template, values: the sentence's parts, so that the template can be translated.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template, self.values = template, values

    def said(self, translated: Callable[[str], str]) -> str:
        """The sentence, translated: its template, and each `Word` and error among its values."""
        values = {name: _said(value, translated) for name, value in self.values.items()}
        return translated(self.template).format(**values) if values else translated(self.template)


class SentenceError(SaidError, ValueError):
    """A wrong value, and a sentence about it."""


def _said(value: object, translated: Callable[[str], str]) -> object:
    if isinstance(value, SaidError):
        return value.said(translated)
    return translated(value) if isinstance(value, Word) else value
