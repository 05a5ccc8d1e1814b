"""All components and all views in links, found by walking through the app: one grammar, both ways, everywhere."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.front_end import FRONT_END, node
from viz_transformer import ui, views
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.said import all_known, named
from viz_transformer.ui.shared import link
from viz_transformer.ui.shared.link import from_link, keep_in_link
from viz_transformer.views.heads import TokenSpelling
from viz_transformer.views.linked import (
    MAX_INDEX,
    Flag,
    Index,
    Indices,
    Number,
    OneOf,
    OrNone,
    Text,
    checked,
    link_for_browser,
)


def modules() -> Iterator[ModuleType]:
    for part in (ui, views):
        for found in pkgutil.walk_packages(part.__path__, f"{part.__name__}."):
            yield importlib.import_module(found.name)


def in_modules(is_wanted: Any) -> dict[str, Any]:
    """Qualified name → value, for everything that a module of the app defines and `is_wanted` accepts."""
    return {
        f"{module.__name__.removeprefix('viz_transformer.')}.{name}": value
        for module in modules()
        for name, value in vars(module).items()
        if is_wanted(value) and getattr(value, "__module__", module.__name__) in (module.__name__, Component.__module__)
    }


def is_view(value: Any) -> bool:
    return isinstance(value, type) and is_dataclass(value) and any("spelling" in one.metadata for one in fields(value))


COMPONENTS: dict[str, Component[Any]] = in_modules(lambda value: isinstance(value, Component))
VIEWS: dict[str, type[Any]] = in_modules(is_view)
LINKED = {name: view for name, view in VIEWS.items() if any(one.metadata["parameter"] for one in fields(view))}


def values_of(spelling: Any) -> some.SearchStrategy[Any]:
    """Every value that a field may have."""
    match spelling:
        case OrNone():
            return some.none() | values_of(spelling.spelling)
        case OneOf():
            return some.sampled_from(spelling.names)
        case Number():
            return some.floats(spelling.low, spelling.high).map(spelling.checked)
        case Index():
            return some.integers(0, MAX_INDEX)
        case Indices():
            size = {} if spelling.count is None else {"min_size": spelling.count}
            lists = some.lists(some.integers(0, MAX_INDEX), max_size=spelling.count or 5, **size)
            return lists.map(lambda indices: spelling.checked(indices))
        case Flag():
            return some.booleans()
        case TokenSpelling():
            return some.tuples(some.sampled_from(["query", "key"]), some.integers(0, MAX_INDEX))
        case Text():
            return some.text(some.characters(min_codepoint=33, max_codepoint=0x9FFF), min_size=1, max_size=20)
    raise AssertionError(f"Say here what values {spelling} has.")


def views_of(view: type[Any]) -> some.SearchStrategy[Any]:
    return some.builds(view, **{one.name: values_of(one.metadata["spelling"]) for one in fields(view)})


def test_there_is_something_to_walk_through() -> None:
    assert len(COMPONENTS) >= 12
    assert len(LINKED) >= 8


def test_every_component_has_its_panel() -> None:
    listed = re.findall(r"^  (\w+): panel\(", (FRONT_END / "src/panels.ts").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({component.name for component in COMPONENTS.values()})


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_field_of_a_view_is_spelled_and_every_text_is_a_text(name: str) -> None:
    component = COMPONENTS[name]
    assert all("spelling" in one.metadata for one in fields(component.view))
    assert all(isinstance(text, str) for text in component.labels().values())
    assert not component.labels() or named(component.labels)[0] in all_known()  # which the page is sent once


@pytest.mark.parametrize("name", VIEWS)
def test_what_a_browser_sends_back_is_the_view(name: str) -> None:
    @given(views_of(VIEWS[name]))
    def holds(view: Any) -> None:
        assert checked(type(view), json.loads(json.dumps(asdict(view)))) == view

    holds()


@pytest.mark.parametrize("name", LINKED)
def test_a_view_in_a_link_is_reopened(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {one.name for one in fields(LINKED[name]) if one.metadata["parameter"]}

    @given(views_of(LINKED[name]), views_of(LINKED[name]))
    def holds(view: Any, usual: Any) -> None:
        monkeypatch.setattr(link.st, "query_params", {})
        keep_in_link(view, usual)
        assert all(getattr(from_link(usual), one) == getattr(view, one) for one in kept)

    holds()


def test_one_parameter_has_one_spelling_on_every_page() -> None:
    spellings = defaultdict(set)
    for view in LINKED.values():
        for one in fields(view):
            spelling = one.metadata["spelling"]
            while isinstance(spelling, OrNone):
                spelling = spelling.spelling
            spellings[one.metadata["parameter"]].add((type(spelling), spelling.kind))
    assert {name: found for name, found in spellings.items() if name and len(found) > 1} == {}


def test_the_browser_spells_a_view_as_python_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Views that the browser keeps in the link by itself: both ends write the same address."""
    cases: list[Any] = []
    for component in COMPONENTS.values():
        if not component.keeps_link:
            continue

        @settings(max_examples=25)
        @given(views_of(component.view), views_of(component.view))
        def collect(view: Any, usual: Any) -> None:
            parameters: dict[str, str] = {}
            monkeypatch.setattr(link.st, "query_params", parameters)
            keep_in_link(view, usual)
            cases.append([asdict(view), link_for_browser(usual), parameters])

        collect()
    assert len(cases) >= 20
    (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    (tmp_path / "spell.ts").write_text(
        f"""
        import {{ readFileSync }} from "node:fs";
        import {{ withView }} from "{(FRONT_END / "src/kit/link.ts").as_uri()}";
        const cases = JSON.parse(readFileSync("{tmp_path / "cases.json"}", "utf8"));
        const spelled = cases.map(([view, link]) => [...new URL(withView("http://a/", view, link)).searchParams]);
        console.log(JSON.stringify(spelled));
        """,
        encoding="utf-8",
    )
    spelled = json.loads(node(tmp_path / "spell.ts"))
    for (view, _link, parameters), found in zip(cases, spelled, strict=True):
        assert dict(found) == parameters, view
