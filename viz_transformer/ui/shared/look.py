"""The few rules that Streamlit's theme has no setting for."""

from __future__ import annotations

import streamlit as st

# Without "<" and a letter, which would make Streamlit's sanitiser drop all of it.
_CSS = """
<style>
.stMainBlockContainer { padding-top: 3.5rem; }
/* What stands below something that grows only moves, and is not painted anew. Not charts, which may fill the screen. */
.stElementContainer:not(:has(.stFullScreenFrame)) { contain: layout paint; overflow-clip-margin: 1rem; }
.vt-caption { font-size: 0.85rem; opacity: 0.75; margin: 0 0 0.25rem; }
.vt-output { font-size: 1.75rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.vt-note { border-left: 4px solid #c98a00; padding: 0.4rem 0.8rem; background: rgba(201, 138, 0, 0.12); }
.vt-strip { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.vt-strip span { border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: 4px;
  padding: 0.1rem 0.5rem; text-align: center; max-width: 100%; overflow-wrap: anywhere; }
.vt-strip small { display: block; font-size: 0.7rem; opacity: 0.7; font-variant-numeric: tabular-nums; }
</style>
"""


def apply_look() -> None:
    """Once at the top of every run."""
    st.html(_CSS)
