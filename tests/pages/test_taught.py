"""The table of docs/lessons.md, what is taught where: its links open what they name."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.pages.helpers import open_page

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = re.findall(
    r"^\| (.+?) \| (.+?) \| `(\w+)\?([^`]*)` \|$", (DOCS / "lessons.md").read_text(encoding="utf-8"), re.MULTILINE
)
LINKS = sorted({(page, link) for _statement, _where, page, link in ROWS})


def test_no_statement_stands_twice_and_none_is_long() -> None:
    statements = [statement for statement, *_ in ROWS]
    assert len(statements) == len(set(statements)) > 180
    assert all(len(statement.split()) <= 20 and statement.endswith(".") for statement in statements)


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_link_names_parameters_that_its_page_has(page: str, link: str) -> None:
    assert (DOCS.parent / f"pages/{page}.py").is_file()
    documented = (DOCS / "links.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in documented for name, _value in parse_qsl(link))


@pytest.mark.long
@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_link_opens_the_view_that_it_names(page: str, link: str) -> None:
    query = dict(parse_qsl(link))
    app = open_page(f"pages/{page}.py", **query)
    assert not app.exception and not app.error
    for name in {"view", "lesson", "part", "stage", "slip", "exercise", "lecture", "scene"} & query.keys():
        assert app.query_params.get(name, query[name]) == query[name]  # a page drops what it does not know
