"""Makes invisible characters visible, so that nobody who reads a token is deceived about it.

All texts and tokens pass through here before they are shown: HTML by `escape`, Markdown by `verbatim`, and the content
of components as it is packed. What a model reads has only those that its vocabulary knows; see `without_unseen`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

_LEFT = "\t\n\r"  # shown as white space
# A joiner between two parts of an emoji is not invisible: it makes them one picture.
_IN_EMOJI = re.compile(r"(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])")


def visible(text: str) -> str:
    """The text with a marker, such as ⟨U+202E⟩, for each control, format or unassigned character in it."""
    return _replaced(text, text, lambda sign: f"⟨U+{ord(sign):04X}⟩")


def without_unseen(text: str, unseen: str) -> str:
    """The text without those characters of `unseen` for which `visible` has a marker."""
    return _replaced(text, unseen, lambda _sign: "")


def left_out(typed: str, read: str) -> list[str]:
    """The characters that nobody sees and that are more often in `typed` than in `read`, each once, in order."""
    return [sign for sign in dict.fromkeys(typed) if typed.count(sign) > read.count(sign) and _is_unseen(sign)]


def _replaced(text: str, signs: str, other: Callable[[str], str]) -> str:
    if signs.isprintable():
        return text
    unseen = {sign for sign in set(signs) if _is_unseen(sign)}
    if not unseen:  # a line break, or a space of another width
        return text
    joined = {match.start() for match in _IN_EMOJI.finditer(text)}
    return "".join(other(sign) if sign in unseen and n not in joined else sign for n, sign in enumerate(text))


def escape(text: str) -> str:
    """HTML that shows the text as it is, quotes and all."""
    return html.escape(visible(text))


def _is_unseen(sign: str) -> bool:
    # Cc controls; Cf bidi, zero width, tags; Cs surrogates; Co private, Cn unassigned; Zl, Zp line, paragraph breaks.
    return sign not in _LEFT and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
