"""Texts and tokens as they are, escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

_STYLE = """
<style>
.vt-caption { font-size: 0.85rem; opacity: 0.75; margin: 0 0 0.25rem; }
.vt-output { font-size: 1.75rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.vt-strip { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.vt-strip span { border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: 4px;
  padding: 0.1rem 0.5rem; text-align: center; max-width: 100%; overflow-wrap: anywhere; }
.vt-strip small { display: block; font-size: 0.7rem; opacity: 0.7; font-variant-numeric: tabular-nums; }
</style>
"""


def output_text(caption: str, text: str, language: str | None) -> None:
    """One text, large, verbatim; `language` lets screen readers speak it."""
    lang = f' lang="{escape(language)}"' if language else ""
    st.html(
        f'{_STYLE}<p class="vt-caption">{escape(caption)}</p>'
        f'<p class="vt-output" data-testid="output" dir="auto"{lang}>{escape(text)}</p>'
    )


def token_strip(caption: str, tokens: Sequence[str], ids: Sequence[int]) -> None:
    """Tokens in boxes with their vocabulary ids; T labels and T ids."""
    boxes = "".join(
        f'<span role="listitem"><bdi>{escape(token)}</bdi><small>{token_id}</small></span>'
        for token, token_id in zip(tokens, ids, strict=True)
    )
    st.html(
        f'{_STYLE}<p class="vt-caption">{escape(caption)}</p>'
        f'<div class="vt-strip" role="list" aria-label="{escape(caption)}">{boxes}</div>'
    )
