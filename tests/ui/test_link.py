"""Views in links: one grammar, nothing that a link says breaks a page, and what is written is read back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.heads import ATTENTION_MODULES, HeadRef
from viz_transformer.ui.shared import link
from viz_transformer.ui.shared.link import from_link, keep_in_link
from viz_transformer.views.linked import (
    CELL,
    FLAG,
    HEAD,
    INDEX,
    INDICES,
    MAX_INDEX,
    MAX_TEXT,
    TEXT,
    TRAVELS,
    Number,
    OneOf,
    OrNone,
    SomeOf,
    Spelling,
    checked,
    clamped,
    link_for_browser,
    linked,
)

ROOT = Path(__file__).resolve().parents[2]
indices = some.integers(0, MAX_INDEX)
VALUES: dict[str, tuple[Spelling[Any], some.SearchStrategy[Any]]] = {
    "index": (INDEX, indices),
    "cell": (CELL, some.tuples(indices, indices)),
    "indices": (INDICES, some.lists(indices, max_size=9).map(tuple)),
    "one of": (OneOf(("a", "b")), some.sampled_from(["a", "b"])),
    "some of": (SomeOf(("a", "b", "c")), some.sets(some.sampled_from(["a", "b", "c"])).map(lambda s: tuple(sorted(s)))),
    "flag": (FLAG, some.booleans()),
    "text": (TEXT, some.text(max_size=MAX_TEXT).filter(lambda text: text.isprintable())),
    "head": (HEAD, some.builds(HeadRef, some.sampled_from(ATTENTION_MODULES), indices, indices)),
    "number": (Number(0, 1), some.floats(0, 1).map(Number(0, 1).checked)),
    "cell or none": (OrNone(CELL), some.none() | some.tuples(indices, indices)),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_written_is_read_back(name: str) -> None:
    spelling, values = VALUES[name]

    @given(values)
    def holds(value: Any) -> None:
        assert spelling.read(spelling.write(value)) == value

    holds()


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda part: some.lists(part, max_size=4) | some.dictionaries(some.text(), part, max_size=2),
)


@pytest.mark.parametrize("name", VALUES)
def test_whatever_a_link_or_a_browser_says_is_a_value_or_a_value_error(name: str) -> None:
    spelling, _values = VALUES[name]

    @given(some.text() | some.from_regex(r"\A[0-9.\-]{0,12}\Z"), JSON)
    def holds(text: str, raw: Any) -> None:
        for attempt in (lambda: spelling.read(text), lambda: spelling.checked(raw)):
            try:
                value = attempt()
            except ValueError:
                continue
            assert spelling.read(spelling.write(value)) == value

    holds()


def test_the_grammar() -> None:
    assert INDEX.write(0) == "1"
    assert CELL.write((2, 4)) == "3-5"
    assert INDICES.write((0, 2)) == "1-3"
    assert HEAD.write(HeadRef("cross", 1, 0)) == "cross.2.1"
    assert HEAD.read("cross-2-1") == HeadRef("cross", 1, 0)  # as links had it once
    assert OrNone(CELL).write(None) == "none"
    assert FLAG.write(True) == "1"
    assert Number(0, 1).write(0.25) == "0.25"


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "²", "x", "1e3", "none"])
def test_what_is_no_number_from_1_is_no_index(text: str) -> None:
    with pytest.raises(ValueError):
        INDEX.read(text)


@dataclass(frozen=True)
class Shown:
    """A view as the pages have them."""

    layer: int = linked("layer", INDEX, 0, always=True)
    cell: tuple[int, int] | None = linked("cell", OrNone(CELL), None)
    order: str = linked("order", OneOf(("place", "score")), "place")
    hover: float = linked(None, Number(0, 10), 0.0)


@pytest.fixture
def parameters(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The link's, as a plain dictionary."""
    values: dict[str, str] = {}
    monkeypatch.setattr(link.st, "query_params", values)
    return values


def test_a_view_goes_into_the_link_and_comes_back(parameters: dict[str, str]) -> None:
    view = Shown(layer=2, cell=(0, 4), order="score")
    keep_in_link(view, usual=Shown())
    assert parameters == {"layer": "3", "cell": "1-5", "order": "score"}
    assert from_link(Shown()) == view


def test_what_is_as_usual_is_left_out_unless_other_pages_look_for_it(parameters: dict[str, str]) -> None:
    parameters |= {"cell": "1-5", "order": "score", "other": "kept"}
    keep_in_link(Shown(), usual=Shown())
    assert parameters == {"layer": "1", "other": "kept"}


def test_none_is_said_where_it_is_not_usual(parameters: dict[str, str]) -> None:
    usual = Shown(cell=(1, 1))
    keep_in_link(Shown(), usual)
    assert parameters["cell"] == "none"
    assert from_link(usual).cell is None


def test_wrong_parameters_are_as_usual_and_the_others_count(parameters: dict[str, str]) -> None:
    parameters |= {"layer": "two", "cell": "3", "order": "score"}
    assert from_link(Shown(layer=1)) == Shown(layer=1, order="score")


def test_the_browser_takes_the_same_along() -> None:
    source = (ROOT / "frontend/src/kit/leave.ts").read_text(encoding="utf-8")
    [names] = re.findall(r"^const TRAVELS = (\[.*\]);$", source, re.MULTILINE)
    assert tuple(json.loads(names)) == TRAVELS


def test_a_browser_gets_what_it_needs_to_keep_the_link_itself() -> None:
    assert link_for_browser(Shown()) == [
        {"field": "layer", "name": "layer", "spelling": "index"},
        {"field": "cell", "name": "cell", "spelling": "indices", "omit": None},
        {"field": "order", "name": "order", "spelling": "text", "omit": "place"},
    ]


def test_a_browsers_view_is_taken_whole_or_not_at_all() -> None:
    raw = {"layer": 1, "cell": [0, 3], "order": "place", "hover": 0.5, "revision": "x"}
    assert checked(Shown, raw) == Shown(1, (0, 3), "place", 0.5)
    for wrong in (
        {"layer": -1},
        {"layer": float("inf")},
        {"cell": [1]},
        {"cell": "ab"},
        {"order": "\ud800"},
        {"hover": None},
    ):
        assert checked(Shown, raw | wrong) is None
    assert checked(Shown, {"layer": 1}) is None
    assert checked(Shown, [1]) is None


def test_a_view_is_clamped_to_what_there_is() -> None:
    assert clamped(Shown(9, (7, 7)), layer=2, cell=(3, 8)) == Shown(1, (2, 7))
    assert clamped(Shown(), cell=(3, 8)).cell is None
