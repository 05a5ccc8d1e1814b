"""The style of the page Exercises, on the screen and on paper."""

from __future__ import annotations

import streamlit as st

from viz_transformer.views.text import _

_CSS = """
<style>
.st-key-vt-exercise-answer { max-width: 40rem; flex-wrap: nowrap; }
.st-key-vt-exercise-answer .stFormSubmitButton { flex: none; }
@media (min-width: 641px) {
  .st-key-vt-exercises-list {
    max-height: max(12rem, var(--vt-window, 100vh) - 18rem); overflow-y: auto; flex-wrap: nowrap; }
  .st-key-vt-exercises-list label:has(:checked) { scroll-initial-target: nearest; } /* it opens at the chosen one */
}
:is(.vt-code, .vt-table) { counter-reset: line; margin: 0.3rem 0; padding: 0.5rem 0.75rem; max-width: 50rem;
  overflow-x: auto; background: color-mix(in srgb, currentColor 5%, transparent); font-size: 0.875rem; }
:is(.vt-code, .vt-table) span { display: block; min-height: 1.5em; line-height: 1.5; }
.vt-code span::before { counter-increment: line; content: counter(line); display: inline-block; width: 1.5rem;
  margin-right: 1rem; text-align: end; opacity: 0.6; }
.vt-sheet { max-width: 50rem; }
.vt-sheet :is(h1, h2) { font-size: 1.5rem; padding: 0; margin: 0; }
.vt-sheet h2 { font-size: 1.05rem; }
.vt-sheet p { margin: 0.3rem 0; overflow-wrap: anywhere; }
.vt-sheet .vt-strip span { padding: 0 0.3rem; font-size: 0.85em; line-height: 1.3; }
.vt-name { display: flex; align-items: end; gap: 0.5rem; height: 2.5rem; }
.vt-name i { flex: 1; border-bottom: 1px solid; }
.vt-name i:first-of-type { flex: 2; margin-right: 1rem; }
.vt-exercise { border-top: 1px solid color-mix(in srgb, currentColor 30%, transparent); padding: 0.75rem 0;
  break-inside: avoid; display: flow-root; }
.vt-qr { float: right; margin-left: 1rem; width: 5.5rem; }
.vt-working { height: 22mm; }
.vt-box { display: inline-block; width: 40mm; height: 9mm; border: 1px solid; vertical-align: middle; }
.vt-line { height: 9mm; margin-right: 7rem; border-bottom: 1px solid; }
.vt-grid { display: inline-table; border-collapse: collapse; margin: 0.3rem 1.5rem 0.3rem 0; font-size: 0.85em; }
.vt-grid caption { text-align: start; white-space: nowrap; }
.vt-grid th { font-weight: normal; padding: 0 0.3rem; }
.vt-grid td { border: 1px solid; min-width: 8mm; height: 7mm; }
.vt-grid tr:first-child td { border: 0; }
.vt-solutions { margin-top: 3rem; }
.vt-answer { break-inside: avoid; }
</style>
"""
# While the sheet is shown, nothing else is printed. What is around it no longer scrolls, so that all pages are.
_PAPER = """
<style>
@media print {
  body *:not(:has(.vt-sheet), .vt-sheet, .vt-sheet *) { display: none !important; }
  :has(.vt-sheet) { display: block !important; position: static !important; overflow: visible !important;
    contain: none !important; height: auto !important; min-height: 0 !important; max-width: none !important;
    padding: 0 !important; margin: 0 !important; background: white !important; color-scheme: light !important; }
  .vt-sheet { max-width: none; color: black; font-size: 10.5pt; }
  .vt-solutions { break-before: page; margin: 0; }
}
@page { margin: 18mm 16mm 20mm; @bottom-right { font: 9pt sans-serif; content: "NUMBER"; } }
</style>
"""


def apply_exercises_look() -> None:
    """Adds the style to the page: called once in every run."""
    st.html(_CSS)


def apply_paper_look() -> None:
    """Adds the style of the printed sheet. Browsers before Chromium 131 print it without page numbers."""
    number = _("Page {page} of {pages}").format(page='" counter(page) "', pages='" counter(pages) "')
    st.html(_PAPER.replace("NUMBER", number))
