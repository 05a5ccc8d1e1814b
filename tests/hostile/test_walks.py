"""Samples of what `python -m tests.hostile` tries, on all views."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.links import PLACES, parameters
from tests.hostile.texts import PAYLOADS
from tests.hostile.walks import each_text_somewhere, forged_walk, links_walk, texts_walk, visit
from tests.visitor import Site, site


@pytest.fixture(scope="module")
def app() -> Iterator[Site]:
    with site() as one:
        yield one


def test_there_is_something_to_try() -> None:
    assert len(PAYLOADS) >= 60
    assert len(PLACES) >= 45
    assert set(parameters()) == {page for page, _query in PLACES}
    assert min(map(len, parameters().values())) >= 9


def test_a_text_is_a_text_wherever_it_is_typed(app: Site) -> None:
    assert not list(texts_walk(app, each_text_somewhere()))


def test_a_forged_message_is_refused_everywhere(app: Site) -> None:
    assert not list(forged_walk(app, rounds=1))


def test_no_link_ends_in_an_error(app: Site) -> None:
    assert not list(links_walk(app, count=120))


def test_a_tab_may_have_the_name_of_another_pages(app: Site) -> None:
    """*Softmax* of Masks and of Scaling: Streamlit takes them for two controls, of which the second had no value."""
    query = {"model": "copy", "lesson": "softmax"}
    assert not list(visit(app, [(page, query) for page in ("masks", "scaling", "masks")]))
