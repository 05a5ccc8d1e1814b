"""Forged widget values, which the app's own front end never sends, are ignored and stay out of the link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.proto.Element_pb2 import Element

from tests.hostile.texts import MARK
from tests.visitor import Site, Visitor, site

DIGITS = "3 1 4 1 5"


@pytest.fixture(scope="module")
def app() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture
def decoding(app: Site) -> Iterator[Visitor]:
    visitor = app.visitor()
    visitor.open("decoding", {"model": "copy", "source": DIGITS, "method": "beam", "mask": "on"})  # what-if is open
    yield visitor
    visitor.leave()
    assert not app.faults


def widget(visitor: Visitor, kind: str, label: str) -> Any:
    elements: list[Element] = list(visitor.elements.values())
    [found] = [one for one in elements if one.WhichOneof("type") == kind and getattr(one, kind).label == label]
    return getattr(found, kind)


@pytest.mark.parametrize("forged", [MARK, "x" * 100_000, "../../etc", "\0"])
def test_a_choice_that_is_none_of_the_options_is_not_in_the_link(decoding: Visitor, forged: str) -> None:
    decoding.send({widget(decoding, "selectbox", "Replace a source token").id: {"string_value": forged}})
    assert "swap" not in parse_qs(decoding.link)
    tabs = next(one.button_group.id for one in decoding.elements.values() if one.WhichOneof("type") == "button_group")
    decoding.send({tabs: {"string_array_value": {"data": [forged]}}})
    assert parse_qs(decoding.link)["method"] == ["beam"]


@pytest.mark.parametrize(
    "forged",
    [
        {"string_value": "k9z" * 1_700_000},
        {"double_value": float("nan")},
        {"string_array_value": {"data": ["x"]}},
        {"json_value": "{"},
        {"trigger_value": True},
    ],
    ids=lambda forged: next(iter(forged)),
)
def test_a_value_of_another_kind_or_of_megabytes_is_none(decoding: Visitor, forged: dict[str, Any]) -> None:
    for kind, label in (("text_input", "by"), ("slider", "Beam size"), ("text_area", "Target (optional)")):
        decoding.send({widget(decoding, kind, label).id: forged})
        assert len(decoding.link) < 1000
        assert not decoding.shown("alert")


@pytest.mark.parametrize("link", [{"view": "train"}, {"view": "pictures"}], ids=lambda link: link["view"])
def test_text_for_a_number_that_is_in_the_link_is_none(app: Site, link: dict[str, str]) -> None:
    visitor = app.visitor()
    visitor.open("training", link)
    numbers = ("number_input", "slider")
    found = [one for one in visitor.elements.values() if one.WhichOneof("type") in numbers]
    assert found
    before = visitor.link
    for one in found:
        visitor.send({getattr(one, str(one.WhichOneof("type"))).id: {"string_value": "x"}})
    assert visitor.link == before
    visitor.leave()
    assert not app.faults


BIG = "k9z" * 400_000  # 1.2 MB


@pytest.mark.parametrize("more", [{}, {"fragment_id": "any"}], ids=["page", "fragment"])
def test_who_pastes_megabytes_reads_that_nothing_was_changed(decoding: Visitor, more: dict[str, str]) -> None:
    target = widget(decoding, "text_area", "Target (optional)").id
    decoding.link += "&target=3+1"  # as the browser writes it before it asks
    decoding.send({target: {"string_value": "3 1"}})
    decoding.send({target: {"string_value": BIG}}, **more)
    [said] = decoding.shown("toast")
    assert said.body == "That was 1.2 MB at once; this page takes up to 1 MB. Nothing was changed."
    assert parse_qs(decoding.link)["target"] == ["3 1"]
    assert not any(BIG[:9] in str(element) for element in decoding.elements.values())
    decoding.send({})
    assert not decoding.shown("toast")  # it is said once


def test_what_a_person_types_still_arrives(decoding: Visitor) -> None:
    decoding.send({widget(decoding, "text_area", "Target (optional)").id: {"string_value": "3 1"}})
    assert any("3 1" in element.html.body for element in decoding.elements.values() if element.html.body)


@pytest.mark.parametrize("name", ["topk", "seed", "heat", "topp"])
@pytest.mark.parametrize("number", ["1e400", "-1e400", "nan"])
def test_a_number_in_the_link_is_finite(app: Site, name: str, number: str) -> None:
    visitor = app.visitor()
    visitor.open("decoding", {"model": "copy", "source": DIGITS, "method": "sample", name: number})
    assert name not in parse_qs(visitor.link)
    visitor.leave()
    assert not app.faults


def test_a_text_that_nobody_can_have_typed_is_not_counted_in_tokens(app: Site) -> None:
    visitor = app.visitor()
    visitor.open("attention", {"model": "copy", "source": "1 " * 20_000})
    assert {alert.body for alert in visitor.shown("alert")} == {
        "The source text has 40000 characters, and this model reads at most 16 tokens. Nothing was cut off: please "
        "shorten it."
    }
    visitor.leave()
