"""Makes invisible characters visible, so that nobody who reads a token is deceived about it.

Only what is shown changes, never what a model reads. All texts and tokens pass through here before they are shown: HTML
by `escape`, Markdown by `verbatim`, and the content of components as it is packed.
"""

from __future__ import annotations

import html
import re
import unicodedata

_LEFT = "\t\n\r"  # shown as white space
# A joiner between two parts of an emoji is not invisible: it makes them one picture.
_IN_EMOJI = re.compile(r"(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])")


def visible(text: str) -> str:
    """The text with a marker, such as ⟨U+202E⟩, for each control, format or unassigned character in it."""
    if text.isprintable():
        return text
    unseen = {sign for sign in set(text) if _is_unseen(sign)}
    if not unseen:  # a line break, or a space of another width
        return text
    joined = {match.start() for match in _IN_EMOJI.finditer(text)}
    return "".join(
        f"⟨U+{ord(sign):04X}⟩" if sign in unseen and n not in joined else sign for n, sign in enumerate(text)
    )


def escape(text: str) -> str:
    """HTML that shows the text as it is, quotes and all."""
    return html.escape(visible(text))


def _is_unseen(sign: str) -> bool:
    # Cc controls; Cf bidi, zero width, tags; Cs surrogates; Co private, Cn unassigned; Zl, Zp line, paragraph breaks.
    return sign not in _LEFT and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
