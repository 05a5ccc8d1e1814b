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
from viz_transformer import TextError, load
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.shared.choices import numbered
from viz_transformer.ui.shared.verbatim import CUT, verbatim
from viz_transformer.visible import escape, left_out, visible, without_unseen

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


@pytest.mark.parametrize("sign", sorted(UNSEEN.keys() - {"\ud800", "\u2028"}))  # half a character; white space
@pytest.mark.parametrize(
    ("model", "text"), [("copy", "3{} 1{}"), ("en-de", "I{} love{} you."), ("zh-en", "我{}爱你。{}")]
)
def test_a_model_reads_nothing_that_nobody_sees(model: str, text: str, sign: str) -> None:
    translator = load(model, "cpu")
    typed, seen = text.format(sign, sign), text.format("", "")
    for encode in (translator.encode_source, translator.encode_target):
        assert encode(typed) == encode(seen)
        assert left_out(typed, encode(typed).text) == [sign]
    assert translator.translate(typed) == translator.translate(seen)


@pytest.mark.parametrize("emoji", [FAMILY, ASTRONAUT, RAINBOW])
def test_what_joins_an_emoji_is_read_with_it(emoji: str) -> None:
    read = load("en-de", "cpu").encode_source(f"I love {emoji}\u200d.")
    assert read.text == f"I love {emoji}."
    assert "\u200d" in read.unknown
    assert left_out(f"{emoji}\u200d", emoji) == ["\u200d"]


def test_what_a_vocabulary_knows_is_read() -> None:
    """A joiner is a letter's neighbour in Persian, for instance, and then its vocabulary has it."""
    assert without_unseen("می\u200cروم\u200b", "\u200b") == "می\u200cروم"
    assert left_out("می\u200cروم\u200b", "می\u200cروم") == ["\u200b"]


def test_a_text_of_nothing_but_unseen_signs_is_empty() -> None:
    with pytest.raises(TextError, match="empty"):
        load("copy", "cpu").encode_source("\u200b")


def test_unseen_options_stay_as_they_are_until_they_are_shown() -> None:
    assert numbered(["3", "\u200b"])[1] == "2 \u200b"
