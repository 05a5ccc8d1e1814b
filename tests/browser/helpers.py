"""What several tests ask of a page in the browser."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page


def query_of(page: Page) -> dict[str, str]:
    """The parameters of its link."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
