"""What a page reads is in the link of the next page, too, whatever was clicked first."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from tests.visitor import site

READS = {"model": "copy", "source": "1 2 3"}


@pytest.mark.parametrize("page", ["heads", "attention", "decoding"])
def test_the_first_click_on_another_page_keeps_model_and_text_in_the_link(page: str) -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("overview", READS)
        visitor.link = ""  # as the browser asks for another page: without what controls of this one are bound to
        visitor.send(page_script_hash=visitor.scripts[page])
        link = {name: values[-1] for name, values in parse_qs(visitor.link).items()}
        assert link | READS == link
