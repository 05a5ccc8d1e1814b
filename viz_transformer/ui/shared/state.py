"""Numbers of a link, counted from 1 there."""

from __future__ import annotations


def index_in_link(text: str | None, default: int) -> int:
    """A number counted from 1 in a link → an index from 0; `default` where it is no such number."""
    return min(int(text), 10_000) - 1 if text and text.isdecimal() and len(text) < 6 and int(text) > 0 else default
