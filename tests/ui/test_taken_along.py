"""The link of each page keeps what other pages read, even if the page itself does not show it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.visitor import Site, Visitor, site

READS = {"model": "copy", "source": "1 2 3", "target": "3 2 1", "module": "decoder_self", "layer": "2", "head": "3"}


@pytest.fixture(scope="module")
def app() -> Iterator[Site]:
    with site() as app:
        yield app


def link_of(visitor: Visitor) -> dict[str, str]:
    return dict(parse_qsl(visitor.link))


def go(visitor: Visitor, page: str, link: dict[str, str]) -> None:
    """Opens a page as kit/leave.ts does: to Streamlit it looks like Back in the browser's history."""
    visitor.page, visitor.link = page, urlencode(link)
    visitor.send(page_script_hash=visitor.scripts[page], is_history_navigation=True)


@pytest.mark.parametrize("page", ["heads", "attention", "decoding", "masks", "scaling", "architecture", "exercises"])
def test_a_page_keeps_in_its_link_what_another_reads(app: Site, page: str) -> None:
    visitor = app.visitor()
    visitor.open("overview", READS)
    go(visitor, page, READS)
    kept = READS if page != "decoding" else {name: READS[name] for name in ("model", "source", "target", "layer")}
    assert link_of(visitor) | kept == link_of(visitor)
    visitor.send()
    assert link_of(visitor) | kept == link_of(visitor)
    visitor.leave()


def test_who_opens_a_page_is_told_no_part_of_its_link(app: Site) -> None:
    """A class that follows this visitor would be sent the incomplete link, too."""
    visitor = app.visitor()
    visitor.open("overview", READS)
    visitor.told.clear()
    go(visitor, "heads", READS)
    assert all(dict(parse_qsl(link)).items() >= READS.items() for link in visitor.told)
    visitor.leave()


def test_a_part_without_the_texts_leaves_them_in_the_link_from_where_they_come_back(app: Site) -> None:
    visitor = app.visitor()
    visitor.open("scaling", READS | {"part": "model"})
    assert link_of(visitor) | READS == link_of(visitor)
    ids = {id.split("-", maxsplit=2)[-1]: id for id in visitor.kinds()}
    typed = READS | {"source": "4 5 6"}
    visitor.link = urlencode(typed | {"part": "model"})  # as the browser writes it by itself
    texts = {ids["model"]: {"string_value": "copy"}, ids["source"]: {"string_value": "4 5 6"}}
    scaling = visitor.scripts["scaling"]
    for part, shown in (("This model", texts), ("Theory", texts), ("This model", {})):
        chosen = {ids["choice of part"]: {"string_array_value": {"data": [part]}}}
        visitor.send(shown | chosen, page_script_hash=scaling)
        assert link_of(visitor) | typed == link_of(visitor)
    assert [area.value for area in visitor.shown("text_area") if area.label == "Source"] == ["4 5 6"]
    visitor.leave()


def test_a_model_that_the_link_does_not_name_is_named_there(app: Site) -> None:
    visitor = app.visitor()
    visitor.open("scaling")
    for asked in ({}, {"model": "no such model"}):
        go(visitor, "heads", asked)
        assert link_of(visitor)["model"] == "en-de"
        [model] = [box for box in visitor.shown("selectbox") if box.label == "Model"]
        assert model.raw_value == "en-de"
    visitor.leave()
