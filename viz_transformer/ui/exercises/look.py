"""The style of the page Exercises, on the screen and on paper."""

from __future__ import annotations

import streamlit as st

_CSS = """
<style>
.st-key-vt-exercise-answer { max-width: 40rem; flex-wrap: nowrap; }
.st-key-vt-exercise-answer .stFormSubmitButton { flex: none; }
@media (min-width: 641px) {
  .st-key-vt-exercises-list {
    max-height: calc(var(--vt-window, 100vh) - 13rem); min-height: 12rem; overflow-y: auto; flex-wrap: nowrap; }
}
.vt-sheet { max-width: 50rem; }
.vt-sheet :is(h1, h2) { font-size: 1.5rem; padding: 0; margin: 0; }
.vt-sheet h2 { font-size: 1.05rem; }
.vt-sheet p { margin: 0.3rem 0; overflow-wrap: anywhere; }
.vt-exercise { border-top: 1px solid color-mix(in srgb, currentColor 30%, transparent); padding: 0.75rem 0;
  break-inside: avoid; display: flow-root; }
.vt-qr { float: right; margin-left: 1rem; width: 5.5rem; }
.vt-room { height: 3.5rem; margin-right: 7rem; border-bottom: 1px dotted currentColor; }
@media print {
  .stAppHeader, .st-key-vt-language, .st-key-vt-exercises-screen, [data-testid="stStatusWidget"] { display: none; }
  html, body, #root, #root > div, .stApp, .stAppViewContainer, .stMain, .stMainBlockContainer {
    position: static; height: auto; min-height: 0; overflow: visible; display: block; background: white; }
  .stMainBlockContainer { padding: 0; max-width: none; }
  .stElementContainer { contain: none; }
  .vt-sheet { max-width: none; color: black; font-size: 10.5pt; }
}
</style>
"""


def apply_exercises_look() -> None:
    """Adds the style to the page: called once in every run."""
    st.html(_CSS)
