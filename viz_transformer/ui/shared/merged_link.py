"""Merges the link of a browser with changes of the server that the browser does not know yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlencode


def merged_link(asked: str, known: Sequence[str], latest: str) -> str:
    """What a person changed in the link, on top of what the server has changed meanwhile.

    A browser sends its link with every request, and that may be an old one, while an answer is still on its way. Taken
    as it is, it would undo what was chosen a moment before.

    Args:
        asked: the link as the browser says it; a query string, without "?".
        known: links that the browser may have had when the person changed something, the newest last: what it said
            last, and what it was told since. Not empty.
        latest: the link as the server has it.
    """
    theirs = _parameters(asked)
    fewest = min((_changes(_parameters(link), theirs) for link in reversed(known)), key=len)
    merged = {**_parameters(latest), **fewest}
    return urlencode({name: values for name, values in merged.items() if values}, doseq=True) if fewest else latest


def _parameters(link: str) -> dict[str, list[str]]:
    return parse_qs(link, keep_blank_values=True)


def _changes(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The parameters that differ, with their new values; an empty list where one has left the link."""
    return {name: after.get(name, []) for name in {**before, **after} if after.get(name) != before.get(name)}
