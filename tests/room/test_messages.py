"""What a client may say, and that whatever else it says is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from viz_transformer.room.messages import (
    Answer,
    Ask,
    End,
    Export,
    Hello,
    Lead,
    NonsenseError,
    Ping,
    Remove,
    Reveal,
    SetMode,
    SetRules,
    Show,
    parse,
    written,
)
from viz_transformer.room.question import Question

ASKED = {"id": "q-1_A", "kind": "cells", "size": 20_000, "title": "t" * 300}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NAMES = ["hello", "lead", "mode", "ask", "reveal", "export", "end", "answer", "ping", "rules", "show", "remove"]
FIELDS = [
    "seat",
    "secret",
    "text",
    "closed",
    "here",
    "read",
    "address",
    "views",
    "run",
    "id",
    "kind",
    "size",
    "columns",
    "title",
    "guess",
    "truth",
]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"hello": {"seat": None, "secret": None}}, Hello(None, None)),
        ({"hello": {"member": "as pages said that were loaded before seats were"}}, Hello(None, None)),
        ({"hello": {"seat": "s" * 100, "secret": "s" * 43}}, Hello("s" * 100, "s" * 43)),
        ({"rules": {"closed": True, "read": False}}, SetRules({"closed": True, "read": False})),
        ({"show": "q"}, Show("q")),
        ({"remove": {"id": "q", "text": "😀" * 60}}, Remove("q", "😀" * 60)),
        ({"lead": {"address": ""}}, Lead({"address": ""})),
        ({"lead": {"address": "why_attention?a=%2F&b=é'"}}, Lead({"address": "why_attention?a=%2F&b=é'"})),
        ({"lead": {"address": "a?" + "b" * 35_998}}, Lead({"address": "a?" + "b" * 35_998})),
        ({"lead": {"views": {"k" * 80: {"a": "b" * 7992}}}}, Lead({"views": {"k" * 80: {"a": "b" * 7992}}})),
        ({"lead": {"views": {str(n): {} for n in range(60)}}}, Lead({"views": {str(n): {} for n in range(60)}})),
        ({"lead": {"run": True, "address": "x", "views": {}}}, Lead({"address": "x", "views": {}, "run": True})),
        ({"mode": "pause"}, SetMode("pause")),
        ({"ask": None}, Ask(None)),
        ({"ask": ASKED}, Ask(Question("q-1_A", "cells", 20_000, 0, "t" * 300, open=True))),
        ({"ask": {**ASKED, "columns": 5, "open": False}}, Ask(Question(**{**ASKED, "columns": 5}, open=True))),
        ({"reveal": "q"}, Reveal("q")),
        ({"reveal": {"id": "q", "truth": None}}, Reveal("q")),
        ({"reveal": {"id": "q", "truth": [1]}}, Reveal("q", [1])),
        ({"export": True}, Export()),
        ({"end": True}, End()),
        ({"answer": {"id": "q", "guess": None}}, Answer("q", None)),
        ({"ping": [1, "x"]}, Ping([1, "x"])),
    ],
)  # fmt: skip
def test_what_may_be_said_is_read(said: Any, meant: Any) -> None:
    assert parse(json.dumps(said)) == meant


@pytest.mark.parametrize(
    "said",
    [
        "", "{", "null", "[]", "{}", '{"ping": 1, "mode": "free"}', '{"unknown": 1}', "[" * 100_000, "1" * 5000,
        '{"ping": NaN}', '{"ping": -Infinity}', '{"ping": 1e999}', '{"answer": {"id": "q", "guess": NaN}}',
        '{"ping": ' + "[" * 50 + "]" * 50 + "}",
        {"hello": None}, {"hello": {"seat": 12345678}}, {"hello": {"seat": "s" * 101}},
        {"hello": {"secret": 1}}, {"hello": {"secret": "s" * 101}},
        {"rules": {}}, {"rules": None}, {"rules": {"open": True}}, {"rules": {"closed": 1}}, {"rules": ["closed"]},
        {"show": None}, {"remove": {}}, {"remove": {"id": "q"}}, {"remove": {"id": "q", "text": "t" * 61}},
        {"remove": {"id": "", "text": "t"}}, {"remove": {"id": "q", "text": 1}},
        {"lead": {}}, {"lead": {"seq": 1}}, {"lead": None}, {"lead": {"run": 1}}, {"lead": {"address": None}},
        {"lead": {"address": "Heads"}}, {"lead": {"address": "a" * 41}}, {"lead": {"address": "../x"}},
        {"lead": {"address": "//x"}}, {"lead": {"address": "a?b c"}}, {"lead": {"address": "a?b#c"}},
        {"lead": {"address": "a?b\x00"}}, {"lead": {"address": "a?b\x85"}}, {"lead": {"address": "a?b\n"}},
        {"lead": {"address": "a\n"}}, {"lead": {"address": "a?\ud800"}}, {"lead": {"address": "a?" + "b" * 35_999}},
        {"lead": {"views": []}}, {"lead": {"views": {"a": []}}}, {"lead": {"views": {"k" * 81: {}}}},
        {"lead": {"views": {"a": {"a": "b" * 7993}}}}, {"lead": {"views": {str(n): {} for n in range(61)}}},
        {"mode": "lead"}, {"mode": ["free"]}, {"mode": None},
        {"ask": {}}, {"ask": {**ASKED, "id": ""}}, {"ask": {**ASKED, "id": "a" * 41}}, {"ask": {**ASKED, "id": "ä"}},
        {"ask": {**ASKED, "kind": "essay"}}, {"ask": {**ASKED, "kind": ["token"]}}, {"ask": {**ASKED, "size": 0}},
        {"ask": {**ASKED, "size": 20_001}}, {"ask": {**ASKED, "kind": "curve", "size": 1_001}},
        {"ask": {**ASKED, "size": True}}, {"ask": {**ASKED, "size": 2.0}},
        {"ask": {**ASKED, "title": "t" * 301}}, {"ask": {**ASKED, "title": None}}, {"ask": {**ASKED, "columns": -1}},
        {"reveal": 1}, {"reveal": ""}, {"reveal": {"truth": None}}, {"reveal": {"id": 1}},
        {"export": 1}, {"end": False}, {"end": None},
        {"answer": {}}, {"answer": {"id": "q"}}, {"answer": {"id": ["q"], "guess": 1}}, {"ping": "x" * 101},
    ],
    ids=lambda said: str(said)[:60],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(said: Any) -> None:
    with pytest.raises(NonsenseError):
        parse(said if isinstance(said, str) else json.dumps(said))


@given(
    st.text()
    | VALUES.map(json.dumps)
    | st.dictionaries(
        st.sampled_from(NAMES), VALUES | st.dictionaries(st.sampled_from(FIELDS), VALUES), max_size=2
    ).map(json.dumps)
)
@example("[" * 1500 + "]" * 1500)
@example('{"a":' * 1500 + "1" + "}" * 1500)
def test_whatever_is_said_is_read_or_refused(text: str) -> None:
    try:
        parse(text)
    except NonsenseError:
        return


@given(VALUES.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)))
def test_whatever_was_read_can_be_written_as_text_that_can_be_sent(value: Any) -> None:
    text = written(value)
    assert text.isascii()
    assert json.loads(text) == value
