"""Invisible characters of a text are shown as markers, and visible text stays as it is."""

from __future__ import annotations

import json
import unicodedata
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.packed import unpacked
from tests.ui.conftest import Browser
from viz_transformer import load
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.shared.choices import numbered
from viz_transformer.ui.shared.verbatim import CUT, verbatim
from viz_transformer.visible import escape, visible

UNSEEN = {
    "\u202e": "⟨U+202E⟩",
    "\u200b": "⟨U+200B⟩",
    "\U000e0068": "⟨U+E0068⟩",
    "\0": "⟨U+0000⟩",
    "\x1b": "⟨U+001B⟩",
    "\x7f": "⟨U+007F⟩",
    "\x9b": "⟨U+009B⟩",
    "\u00ad": "⟨U+00AD⟩",
    "\ufeff": "⟨U+FEFF⟩",
    "\ud800": "⟨U+D800⟩",
    "\ue000": "⟨U+E000⟩",
    "\uffff": "⟨U+FFFF⟩",
    "\u2028": "⟨U+2028⟩",
}


@pytest.mark.parametrize(("sign", "marker"), UNSEEN.items())
def test_what_nobody_sees_has_a_marker(sign: str, marker: str) -> None:
    assert visible(f"a{sign}b") == f"a{marker}b"
    assert escape(f"<{sign}") == f"&lt;{marker}"
    assert unescape(verbatim(f"a{sign}").replace(CUT, "")) == f"a{marker}"


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ASTRONAUT = "\U0001f469\U0001f3fd\u200d\U0001f680"
RAINBOW = "\U0001f3f3\ufe0f\u200d\U0001f308"


@pytest.mark.parametrize(
    "text",
    [
        "你好,世界!",
        "naïve — «x»",
        "a\tb\nc\r\n",
        "\u3000",
        "\xa0",
        "שלום",
        "e\u0301",
        FAMILY,
        ASTRONAUT,
        RAINBOW,
        "<&>",
    ],
)
def test_what_everybody_sees_has_none(text: str) -> None:
    assert visible(text) == text


@given(some.text())
def test_nothing_unseen_is_left_and_nothing_else_changes(text: str) -> None:
    shown = visible(text)
    left = {unicodedata.category(sign) for sign in shown if sign not in "\t\n\r\u200d"}
    assert not left & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert [sign for sign in shown if sign in text] or not text or "⟨U+" in shown
    assert visible(shown) == shown
    json.dumps(shown).encode()


def test_a_component_gets_the_marker_and_no_half_character(browser: Browser) -> None:
    content = {"labels": ["3\u200b", {"text": "\ud800"}]}
    Component("matrix_view", NoView).show(content, key="k", view=NoView())
    assert unpacked(browser.message["content"].tobytes()) == {"labels": ["3⟨U+200B⟩", {"text": "⟨U+D800⟩"}]}


def test_what_a_model_reads_stays_as_it_was_typed() -> None:
    read = load("copy", "cpu").encode_source("3\u200b 1\u202e")
    assert "".join(read.unknown) == "\u200b\u202e"
    assert [visible(token) for token in read.tokens] == ["3", "⟨U+200B⟩", "1", "⟨U+202E⟩"]
    assert numbered(read.tokens)[1] == "2 \u200b"
