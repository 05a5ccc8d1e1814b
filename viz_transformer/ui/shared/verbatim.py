"""A text that somebody gave, inside a sentence that Streamlit reads as Markdown."""

from __future__ import annotations

import re

from viz_transformer.visible import visible

# An empty element, which splits a text in two. Once the Markdown is parsed, Streamlit searches each text for icons,
# emoji, arrows and addresses, and there an escaped character counts like any other.
CUT = ":small[]"
_MARKUP = re.compile(r"[]#$&)*+.:<=>@[\\^_`{|}~-]")  # more than Markdown gives a meaning to does no harm
_SPACE = re.compile(r"^ | $|(?<= ) |[\t\n\r]")  # what could begin a line or a block, or be dropped


def verbatim(text: str) -> str:
    """Markdown that shows `text` as it is, with no markup, link, formula, icon or emoji made of it.

    Not for the text of a link, nor right behind a colon.
    """
    return _SPACE.sub(_entity, _MARKUP.sub(lambda sign: CUT + _entity(sign), visible(text)))


def _entity(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};"
