"""Texts and tokens as they are, escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from viz_transformer.visible import escape


def output_text(caption: str, text: str, language: str | None, *, scrolls: bool = False) -> None:
    """One text, large, verbatim; `language` lets screen readers speak it. The keyboard can focus one that scrolls."""
    focus = ' tabindex="0"' if scrolls else ""
    lang = f' lang="{escape(language)}"' if language else ""
    st.html(
        f'<p class="vt-caption">{escape(caption)}</p>'
        f'<p class="vt-output" data-testid="output" dir="auto"{lang}{focus}>{escape(text)}</p>'
    )


def token_strip(caption: str, tokens: Sequence[str], numbers: Iterable[int]) -> str:
    """Tokens in boxes with their numbers, as HTML."""
    boxes = "".join(
        f'<span role="listitem"><bdi>{escape(token)}</bdi><small>{number}</small></span>'
        for token, number in zip(tokens, numbers, strict=True)
    )
    return (
        f'<p class="vt-caption">{escape(caption)}</p>'
        f'<div class="vt-strip" role="list" aria-label="{escape(caption)}">{boxes}</div>'
    )
