"""A browser's page, as long as it is connected: what its server and its runs tell each other of it."""

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
    "Viz-Connection"  # by which a run finds its connection: the server sets it, and lets none of a browser's through
)

_PATIENCE = 0.5  # seconds; a run that has not begun by then waits for something else than a processor


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
        self._asked: asyncio.Future[None] | None = None
        _OPEN[self.name] = self
        tell_links(_note)
        let_link_lead(_note_controls)
        open_whole_links()

    async def taken_over(self) -> bool:
        """When the run that was asked for last has taken over what its controls say; False: it has not begun yet.

        Another one, asked for sooner, would cut it off in the midst of that: what it does not write into the link is
        lost, and what it writes a moment later the other has not heard of.
        """
        if self._asked is None:
            return True
        done, _ = await asyncio.wait([self._asked], timeout=_PATIENCE)
        return bool(done)

    def ask(self) -> None:
        """Before a run is asked for."""
        self._asked = asyncio.get_running_loop().create_future() if tell_taken_over(_take_over) else None

    def take_over(self) -> None:
        """By the run, in its own thread."""
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
    """Once at the top of every run: its connection knows it."""
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
