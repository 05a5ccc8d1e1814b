"""A link that is opened again, by Back or by a class that follows its lecturer, shows what it showed at first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.hostile.links import PLACES
from tests.visitor import Site, Visitor, site
from viz_transformer.ui.shared.streamlit_private import key_of


@pytest.fixture(scope="module")
def app() -> Iterator[Site]:
    with site() as app:
        yield app


def controls(visitor: Visitor) -> dict[str, Any]:
    """Key → value of every control; components and buttons are left out."""
    values = visitor.values()
    asked = [name for name, kind in visitor.kinds().items() if kind not in ("json_value", "trigger_value")]
    return {key_of(name): values[name] for name in asked}


@pytest.mark.parametrize(("page", "link"), PLACES)
def test_it_shows_what_it_showed(app: Site, page: str, link: dict[str, str]) -> None:
    visitor = app.visitor()
    visitor.open(page, {"lang": "en"} | link)
    first, opened = controls(visitor), visitor.link
    visitor.send()
    visitor.send(query_string=opened, is_history_navigation=True)
    assert controls(visitor) == first
    visitor.leave()
