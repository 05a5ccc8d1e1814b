"""The few rules that Streamlit's theme has no setting for."""

from __future__ import annotations

import re

import streamlit as st

# No "<" before a letter may stand in it: Streamlit's sanitiser would drop all of it.
_CSS = """
<style>
.stAppHeader { height: 3rem; min-height: 3rem; }
.stMainBlockContainer { padding: 3.5rem 2rem 2rem; }
/* The other language stands in the header, so that it costs no room. */
:has(> .st-key-vt-language), .st-key-terms { position: absolute; max-width: 0; }
.st-key-vt-language { position: fixed; top: 0.5rem; right: 3.25rem; z-index: 999991; width: auto;
  flex-flow: row-reverse nowrap; align-items: center; gap: 0.5rem; }
.st-key-vt-language > * { min-width: 2rem; }
.st-key-vt-language button { min-height: 2rem; padding: 0 0.25rem; }
/* A model is always chosen: to say that one is required would only be in the way. */
[data-testid="stWidgetLabelRequired"] { display: none; }
/* Chinese has no slanted letters: what is stressed gets dots below. */
:lang(zh) { line-break: strict; }
:lang(zh) em { font-style: normal; text-emphasis: filled dot; text-emphasis-position: under right; }
/* The line of title, views and chip; on a phone the views are a row of their own, to swipe. */
.st-key-vt-line { flex-wrap: nowrap; min-height: 2.5rem; }
.st-key-vt-line h1 { font-size: 1.25rem; padding: 0; white-space: nowrap; }
.st-key-vt-line .stButtonGroup { flex: none; }
.st-key-vt-line .stButtonGroup:has(button:nth-of-type(9)) button { padding-inline: 0.6rem; }
.st-key-vt-chip { flex: 1 1 0; min-width: 0; flex-wrap: nowrap; gap: 0.5rem; }
.st-key-vt-chip .stHtml { flex: 1 1 0; min-width: 0; }
.st-key-vt-chip .stPopover { flex: none; }
.st-key-vt-chip button { min-height: 2rem; padding: 0.15rem 0.5rem; white-space: nowrap; }
.vt-chip { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: end; }
/* A scene of a lecture asks its own question. */
.stMainBlockContainer:has(.st-key-scene) .st-key-vt-question { display: none; }
.vt-black { position: fixed; inset: 0; z-index: 1000002; background: #000; }
/* Where one is in a room: at the bottom, on every page, and below what is presented. */
.vt-room { position: fixed; inset: auto 0 0; z-index: 1000000; display: flex; flex-wrap: wrap; align-items: center;
  justify-content: center; gap: 0.25rem 0.6rem; min-height: 2.25rem; padding: 0.15rem 1rem; box-sizing: border-box;
  font-size: 0.9375rem; background: light-dark(#f3f1ea, #1e2329); border-top: 2px solid light-dark(#1f5f8b, #7fb8e0); }
.vt-room.away { border-top-color: #c98a00; background: light-dark(#f9efd9, #33290f); }
.vt-room button { min-height: 1.75rem; padding: 0 0.7rem; font: inherit; color: inherit; cursor: pointer;
  background: none; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); border-radius: 4px; }
.vt-room button[hidden] { display: none; }
.vt-room button:hover { border-color: currentColor; }
.vt-room button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
.vt-room button[aria-pressed="true"], .vt-room [data-testid="room-back"] { font-weight: 600; border-width: 2px;
  border-color: currentColor; }
.vt-room [data-testid="room-code"] { border-color: transparent; font-weight: 600; font-variant-numeric: tabular-nums;
  text-decoration: underline dotted; text-underline-offset: 0.2em; }
.stApp:has(> .vt-room) .stMainBlockContainer { padding-bottom: 3.5rem; }
/* On the stage it stands in the line of the title. */
.vt-stage .vt-room { inset: 0 11rem auto auto; min-height: 2.75rem; padding: 0; border: 0; background: none;
  zoom: calc(0.85 * var(--vt-zoom)); }
/* Terms, and what explains the one that is pointed at: in no component, for the text has to name it. */
.stMarkdown a[href^="#term-"] { color: inherit; text-decoration: underline dotted; text-decoration-thickness: 1px;
  text-underline-offset: 0.2em; cursor: help; }
.stMarkdown a[href^="#term-"]:hover { text-decoration-style: solid; }
a.vt-lit { background: color-mix(in srgb, currentColor 18%, transparent); outline: 2px solid currentColor;
  border-radius: 4px; }
.vt-scroll.vt-lit { outline: 2px solid currentColor; outline-offset: -2px; border-radius: 4px; }
.vt-term { position: fixed; z-index: 1000001; box-sizing: border-box; width: max-content;
  max-width: min(22rem, calc(100vw - 1rem)); padding: 0.5rem 0.75rem; border-radius: 4px;
  border: 1px solid color-mix(in srgb, currentColor 30%, transparent); font-size: 0.875rem; line-height: 1.45;
  box-shadow: 0 2px 12px rgba(0, 0, 0, 0.2); }
.vt-term[hidden] { display: none; }
.vt-term b { display: block; }
.st-key-vt-question :is([data-testid="stMarkdownContainer"], p) { font-size: 0.95rem; margin: 0; }
.stMainBlockContainer > .stVerticalBlock { gap: 0.5rem; }
@media (max-width: 1099px) {
  .st-key-vt-line { flex-wrap: wrap; }
  .st-key-vt-line > :has(> .stButtonGroup) { order: 3; flex: 1 1 100%; overflow: auto hidden; scrollbar-width: none; }
  .st-key-vt-line .stButtonGroup > div { flex-wrap: nowrap; }
  .st-key-vt-line > :has(> .st-key-vt-field) { order: 3; flex: 1 1 100%; }
}
@media (max-width: 640px) {
  /* The open menu is as wide as the screen; its « is where these stand. */
  .stApp:has(.stSidebar[data-collapsed="false"]) .st-key-vt-language { visibility: hidden; }
  .st-key-vt-hand { flex-direction: column; }
  .stMainBlockContainer { padding: 3.25rem 0.75rem 1rem; }
  [class*="st-key-vt-"][class*="-side"] { width: 100% !important; }
}
/* Where one is with the keyboard: Streamlit's own links above and the box that scrolls show nothing. */
[data-testid^="stTopNav"]:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
/* What stands below something that grows only moves, and is not painted anew. Not charts, which may fill the screen. */
.stElementContainer:not(:has(.stFullScreenFrame)) { contain: layout paint; overflow-clip-margin: 1rem; }
/* Where the system chooses the colours, what is chosen has a frame. */
@media (forced-colors: active) {
  :is([aria-checked="true"], [aria-pressed="true"], [aria-selected="true"], [aria-current="page"],
    label:has(input:checked)) { outline: 3px solid Highlight; outline-offset: -3px; }
}
[data-testid="stTooltipIcon"] button { min-width: 24px; min-height: 24px; }
.stMainBlockContainer .stHeading h2 { font-size: 1.75rem; line-height: 1.2; padding: 0.5rem 0 1rem; }
[data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
.vt-caption { font-size: 0.85rem; opacity: 0.75; margin: 0 0 0.25rem; }
.vt-output { font-size: 1.75rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.vt-note { border-left: 4px solid #c98a00; padding: 0.4rem 0.8rem; background: rgba(201, 138, 0, 0.12); }
.vt-strip { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.vt-strip span { border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: 4px;
  padding: 0.1rem 0.5rem; text-align: center; max-width: 100%; overflow-wrap: anywhere; }
.vt-strip small { display: block; font-size: 0.7rem; opacity: 0.7; font-variant-numeric: tabular-nums; }
/* On a phone what moves a picture stands right below it, and above what is said about it; where it moves many pictures,
   it stays in reach of a thumb until the last of them. */
@media (max-width: 640px) {
  [class*="st-key-vt-"] > :has(> [class*="-picture"]), [class*="st-key-vt-"] > * > [class*="-picture"] {
    display: contents; }
  [class*="st-key-vt-"] > * > [class*="-picture"] > * { flex: 1 1 100%; width: 100%; min-width: 0; }
  [class*="st-key-vt-"] > :has(> [class*="-side"]) { order: 1; flex: 1 1 100% !important; }
  [class*="-picture"] > :has(.stBidiComponent, .stVegaLiteChart, table) ~ * { order: 2; }
}
@media (max-width: 640px) and (min-height: 600px) {
  /* So does the button Train, from the first screen on. */
  .st-key-vt-training-run > :has(> [class*="-side"]), .st-key-vt-training-run-side { display: contents; }
  .st-key-vt-training-run-side > * { order: 1; flex: 1 1 100%; }
  .st-key-vt-training-run-side > .st-key-train { position: sticky; bottom: 0; z-index: 2; padding: 0.5rem 0;
    background: light-dark(#fdfcf9, #15181c); }
  :is(.st-key-vt-products, .st-key-vt-softmax, .st-key-vt-lengths, .st-key-vt-encoding, .st-key-vt-distance,
    .st-key-vt-order, .st-key-vt-architecture-norm) > :has(> [class*="-side"]) { position: sticky; bottom: 0;
    z-index: 2; background: light-dark(#fdfcf9, #15181c);
    border-top: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
}
/* Decoding: the side stays beside whatever of the long picture is on the screen; what is below the output scrolls. */
.st-key-vt-decoding > :has(> .st-key-vt-decoding-side) { position: sticky; top: 3.25rem; }
.st-key-vt-decoding-side { gap: 0.6rem; flex-wrap: nowrap; max-height: calc(var(--vt-window, 100vh) - 4rem); }
.st-key-vt-decoding-side > :has(> .st-key-vt-decoding-rest) { min-height: 0; overflow: hidden auto; }
.st-key-vt-decoding-output, .st-key-vt-decoding-rest { gap: 0.5rem; }
.st-key-vt-decoding-side .vt-output { font-size: 1.2rem; }
.st-key-vt-decoding-side .vt-output[tabindex] { max-height: 8rem; overflow-y: auto; }
.st-key-vt-decoding-side .vt-reading { font-size: 0.95rem; line-height: 1.4; margin: 0; }
.st-key-vt-decoding-side .vt-facts { font-size: 0.85rem; margin: 0; padding-left: 1.1rem; }
@media (max-width: 640px) {
  .st-key-vt-decoding > :has(> .st-key-vt-decoding-side) { position: static; flex: 1 1 100%; width: 100%; }
  .st-key-vt-decoding-side { max-height: none; }
}
/* Attention: how a number comes about, in words, wraps. */
.vt-table[data-testid$="-terms"] .text { white-space: normal; }
/* Masks: the triangle of teacher forcing is the picture. */
@media (min-width: 641px) {
  .vt-table:is([data-testid="triangle"], [data-testid="aligned"]) { width: 100%; }
  .vt-table[data-testid="triangle"] { font-size: 1.05rem; }
  .vt-table[data-testid="triangle"] :is(th, td) { padding-block: 0.4rem; }
}
/* Heads */
.vt-reads { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
.st-key-vt-knock-out-side [data-testid="knock-out-output"] td { font-size: 1.25rem; white-space: normal;
  overflow-wrap: anywhere; }
.st-key-vt-knock-out-side .vt-reads { min-height: 3.2em; }
.st-key-vt-knock-out-presets { gap: 0.4rem; }
.st-key-vt-knock-out-presets button { min-height: 2.1rem; padding: 0.1rem 0.6rem; }
@media (min-width: 641px) {
  .st-key-vt-knock-out-side .vt-scroll:has([data-testid="knock-out-tokens"]) {
    max-height: calc(var(--vt-window, 100vh) - 27rem); }
  .st-key-vt-measured-picture .vt-scroll { max-height: calc(var(--vt-window, 100vh) - 15rem); }
  .st-key-vt-effect-side .vt-scroll { max-height: calc(var(--vt-window, 100vh) - 27rem); }
}
/* Training */
[class*="st-key-vt-training-"] .stHeading h2, [class*="st-key-vt-"][class*="-side"] .stHeading h2 { font-size: 1rem;
  padding: 0; }
[class*="st-key-vt-"][class*="-side"] .stMarkdown p { font-size: 0.9rem; }
[class*="st-key-vt-"][class*="-side"] .stButton button { min-height: 2rem; padding: 0.1rem 0.6rem; }
/* Figure 1 is as high as the window leaves; what it needs in width, and the chosen box, go first. */
@media (min-width: 641px) {
  .st-key-vt-architecture-figure > :has(> [class*="-picture"]) {
    flex: 0 1 calc(max(24rem, var(--vt-window, 100vh) - 9.5rem) * 0.83 + 21rem); }
  .st-key-vt-architecture-figure > :has(> [class*="-side"]) { flex: 1 1 18rem; }
  .st-key-vt-architecture-figure-side { width: 100%; }
}
/* Dark where the text around is light: Streamlit's white is too faint on the light blue of the dark scheme. */
[data-testid^="stBaseButton-primary"] {
  color: oklch(from currentColor clamp(0.2, (0.6 - l) * 1000, 1) 0 0) !important; }
/* What a lecture closes with */
.vt-closing { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: start; }
.vt-closing ol { flex: 1 1 20rem; margin: 0; padding-left: 1.5rem; font-size: 1.125rem; line-height: 1.4; }
.vt-closing li { margin-bottom: 0.5rem; }
.vt-ways { display: flex; flex-direction: column; gap: 1rem; width: 8rem; }
.vt-ways a { display: grid; gap: 0.25rem; text-align: center; color: inherit; }
.vt-ways .vt-qr { float: none; width: 100%; height: auto; }
@media (min-width: 1100px) { .st-key-vt-line > :has(> .st-key-vt-field) { flex: 2 1 0; } }
</style>
"""


# A scene that is presented: its title, question and picture alone, so that the last row can read them.
_PRESENTED = """
<style>
.stAppHeader { display: none !important; }
:root:not(.vt-controls) :is(.st-key-vt-line, .st-key-vt-question,
  [class*="st-key-vt-"][class*="-side"]:not(:has(.st-key-KEY)),
  :has(> [class*="st-key-vt-"][class*="-side"]):not(:has([class*="-picture"], .st-key-KEY))) {
  display: none !important; }
/* The boxes of what stands in the header can be opened all the same. */
.st-key-vt-language { visibility: hidden; zoom: calc(1 / var(--vt-zoom, 1)); }
.vt-stage { --vt-around: 9.5rem; }
.vt-stage:not(.vt-controls) { --vt-stage: on; --vt-side-width: 0px; --vt-side-gap: 0px; }
.vt-stage .stMainBlockContainer { zoom: var(--vt-zoom); padding: 0.25rem 1rem 0; }
.vt-stage .stMainBlockContainer > .stVerticalBlock { height: 472px; overflow: hidden; }
.vt-controls .stMainBlockContainer > .stVerticalBlock { overflow: auto; }
.vt-stage .st-key-scene { contain: none; }
.vt-stage .vt-table { table-layout: fixed; width: 100%; font-size: 0.8125rem; }
.vt-stage .vt-table :is(th, td) { white-space: normal; overflow-wrap: anywhere; }
.vt-stage:not(.vt-controls) :has(> [class*="st-key-vt-"][class*="-side"]) {
  flex: 1 0 100% !important; width: 100% !important; }
.vt-stage .stCode code { font-size: 1.375rem !important; line-height: 1.5 !important; }
.vt-stage .katex-display { overflow: visible; }
.vt-stage .st-key-slip-code { padding-top: 2rem; }
.vt-stage .st-key-slip-results .vt-table { font-size: 0.9375rem; }
.vt-stage :is(.st-key-slip-results, .st-key-order-outputs) th:first-child { width: 18%; }
@media (max-aspect-ratio: 3/2) { .vt-stage .st-key-slip-results .vt-table { font-size: 0.8125rem; } }
.vt-stage .st-key-order-outputs th:nth-child(2) { width: 28%; }
ONLY
</style>
"""
# Of the page only its picture, and what holds it.
_ONLY = """
:root:not(.vt-controls) .stMainBlockContainer
  :is(.stElementContainer, .stVerticalBlock, [data-testid="stLayoutWrapper"]):not(
  :has(.st-key-KEY), .st-key-KEY, .st-key-KEY *,
  .st-key-scene, .st-key-scene *, .st-key-predict, .st-key-predict *, .st-key-vt-language,
  .st-key-vt-language *, :has(.st-key-vt-language)) { display: none !important; }"""


# In a frame on somebody's page: no header, and no room for one.
_EMBEDDED = """
<style>
.stAppHeader, .st-key-vt-language { display: none !important; }
.stMainBlockContainer { padding: 0.5rem 0.5rem 0; }
PARTS { display: none !important; }
VARIABLES
</style>
"""
HIDE_PARAMETER = "hide"
_HIDDEN = "hidden in the frame"  # in the session: the navigation clears the link
# What a frame may leave out → its CSS selector. The controls inside a picture learn of it by variables (`_NO_SIDE`).
PARTS = {
    "line": ".st-key-vt-line",
    "question": ".st-key-vt-question",
    "side": '[class*="st-key-vt-"][class*="-side"]',
    "text": '[data-testid="stCaptionContainer"], .vt-caption, .vt-reads, .vt-facts, .vt-reading',
    "boxes": ".stExpander",
}
_NO_SIDE = ":root { --vt-side: none; --vt-side-width: 0px; --vt-side-gap: 0px; }"


def apply_look() -> None:
    """Adds the styles. Called once at the top of every run."""
    st.html(_CSS)
    if st.query_params.get("present") == "1" and "scene" in st.query_params:  # see lecture/presenting.ts
        key = st.query_params.get("picture", "")
        is_key = re.fullmatch(r"[\w-]{1,40}", key)
        st.html(_PRESENTED.replace("ONLY", _ONLY if is_key else "").replace("KEY", key if is_key else "vt-nothing"))
    if st.context.is_embedded:
        hidden = hidden_parts()
        shown = _EMBEDDED.replace("PARTS", ", ".join(["#vt-nothing", *(PARTS[name] for name in hidden)]))
        st.html(shown.replace("VARIABLES", _NO_SIDE if "side" in hidden else ""))


def mark_menu(index: int) -> None:
    """Marks the navigation's menu that holds the page, which Streamlit marks only within the open menu."""
    menu = f'[data-testid="stTopNav"] > :nth-child({index + 1}) [data-testid="stTopNavSection"]'
    st.html(f"<style>{menu} {{ font-weight: 600; background: light-dark(#c2ba8e40, #adb7c240); }}</style>")


def hidden_parts() -> list[str]:
    """The parts that the link of a frame leaves out; unknown names are ignored."""
    asked = st.query_params.get(HIDE_PARAMETER, "").split(",")
    return [name for name in PARTS if name in asked]


def keep_hidden() -> None:
    """Once at the top of every run: what a frame leaves out it leaves out on every page."""
    if not st.context.is_embedded:
        return
    if HIDE_PARAMETER in st.query_params:
        st.session_state[_HIDDEN] = st.query_params[HIDE_PARAMETER]
    elif _HIDDEN in st.session_state:
        st.query_params[HIDE_PARAMETER] = st.session_state[_HIDDEN]
