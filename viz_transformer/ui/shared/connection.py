"""What the server and a page's runs must know of each other, for as long as the page is connected."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import streamlit as st

from viz_transformer.ui.shared.stale_reruns import Known
from viz_transformer.ui.shared.streamlit_private import (
    let_link_lead,
    open_whole_links,
    tell_links,
    tell_taken_over,
    this_run,
)

if TYPE_CHECKING:
    from viz_transformer.ui.shared.streamlit_private import Control

HEADER = (
    "Viz-Connection"  # by which a run finds its connection; the server sets it, in place of any that a browser sent
)

_PATIENCE = 0.5  # seconds; a run that has not begun by then waits for something else than a processor


class Connection:
    """The connection of one page.

    Attributes:
        name: the value of the header `HEADER`.
        known: what the browser knew when it last asked for a run.
        session: the id of the session that its runs belong to; "" before the first run.
        refused: bytes of a value that was refused as too large, until the page has said so; else 0.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(8)
        self.known = Known()
        self.session = ""
        self.refused = 0
        self._asked: asyncio.Future[None] | None = None
        _OPEN[self.name] = self
        tell_links(_note)
        let_link_lead(_note_controls)
        open_whole_links()

    async def taken_over(self) -> bool:
        """Waits until the run that was asked for last has taken over its controls' values; False: it has not begun yet.

        A new run would cut it off if asked for earlier: choices that it has not yet written into the link would be
        lost, and those that it writes a moment later the new run would not know.
        """
        if self._asked is None:
            return True
        done, _ = await asyncio.wait([self._asked], timeout=_PATIENCE)
        return bool(done)

    def ask(self) -> None:
        """Called before a run is asked for."""
        self._asked = asyncio.get_running_loop().create_future() if tell_taken_over(_take_over) else None

    def take_over(self) -> None:
        """Called by the run, in its own thread, once it has taken over its controls' values."""
        asked = self._asked
        if asked is None:
            return

        def done() -> None:
            if not asked.done():
                asked.set_result(None)

        with suppress(RuntimeError):  # the server has ended
            asked.get_loop().call_soon_threadsafe(done)


_OPEN: WeakValueDictionary[str, Connection] = WeakValueDictionary()


def connection_of_this_run() -> Connection | None:
    return _OPEN.get(st.context.headers.get(HEADER, "")) if this_run() else None


def connected_sessions() -> set[str]:
    return {one.session for one in _OPEN.values()}


def begin_run() -> None:
    """Called once at the top of every run: tells the connection which session it belongs to."""
    run, connection = this_run(), connection_of_this_run()
    if run is not None and connection is not None:
        connection.session = run.session_id


def _note_controls(controls: Mapping[str, Control]) -> bool:
    connection = connection_of_this_run()
    if connection is None:
        return False
    connection.known.controls = controls
    return True


def _take_over() -> None:
    connection = connection_of_this_run()
    if connection is not None:
        connection.take_over()


def _note(link: str) -> None:
    connection = connection_of_this_run()
    if connection is not None:
        connection.known.links.append(link)
