"""A browser's page, as long as it is connected: what its server and its runs tell each other of it."""

from __future__ import annotations

import secrets
from weakref import WeakValueDictionary

import streamlit as st

from viz_transformer.ui.shared.stale import Known
from viz_transformer.ui.shared.streamlit_private import tell_links, this_run

HEADER = (
    "Viz-Connection"  # by which a run finds its connection: the server sets it, and lets none of a browser's through
)


class Connection:
    """Of one page.

    Attributes:
        name: what the header says.
        known: what the browser knew when it last asked for a run.
        session: which runs belong to it; "" before the first.
        refused: bytes of what was too large, until the page has said so.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(8)
        self.known = Known()
        self.session = ""
        self.refused = 0
        _OPEN[self.name] = self


_OPEN: WeakValueDictionary[str, Connection] = WeakValueDictionary()


def connection_of_this_run() -> Connection | None:
    return _OPEN.get(st.context.headers.get(HEADER, "")) if this_run() else None


def connected_sessions() -> set[str]:
    return {one.session for one in _OPEN.values()}


def begin_run() -> None:
    """Once at the top of every run: its connection knows it, and hears what it makes of the link."""
    tell_links(_note)
    run, connection = this_run(), connection_of_this_run()
    if run is not None and connection is not None:
        connection.session = run.session_id


def _note(link: str) -> None:
    connection = connection_of_this_run()
    if connection is not None:
        connection.known.links.append(link)
