"""Bounds for messages and requests that have begun to come over a connection and are not complete yet.

Uvicorn waits for the rest as long as it takes, and holds up to 200 MB of a message, Streamlit's limit for one.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn import Config
from websockets.protocol import Protocol

from viz_transformer.room.client import LARGEST as LARGEST_IN_ROOM
from viz_transformer.ui.shared.too_large import MOST

LARGEST = 4 * MOST  # bytes of a message; a page takes fewer, but can then say in a sentence that it was too much
CHUNK = 262_144  # bytes that the event loop reads at a time: a message may exceed its bound by as many
MOST_OF_ALL = 64_000_000  # bytes of all incomplete messages of a process
HEAD = 20.0  # seconds for the head of a request
MESSAGE = 60.0  # seconds for a message: enough for the largest at half a megabit a second
SIGNS_OF_LIFE = 4_096  # bytes that are no message yet: a browser's answers to pings
AFTER = 2.0  # seconds from the end of a connection that sent much until its memory is given back to the system
NAME = "viz_arrival"  # of a connection's `Arrival` in the state of its requests

_log = logging.getLogger(__name__)


class Arrivals:
    """Bounds the size of an incomplete message, the size of all together, and the time that one may take.

    Each connection counts the bytes that come in (`Arrival`); this middleware tells it when the app has received them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            _watch(receive)
        arrival = scope.get("state", {}).get(NAME)
        if not isinstance(arrival, Arrival):
            await self.app(scope, receive, send)
            return
        if scope["path"].startswith("/room/"):
            arrival.largest = LARGEST_IN_ROOM

        async def hear() -> Message:
            message = await receive()
            arrival.has_come()
            return message

        arrival.has_come()
        arrival.is_read = scope["type"] == "http"
        try:
            await self.app(scope, hear, send)
        finally:
            arrival.is_read = False


class Unfinished:
    """All incomplete messages and requests of this process."""

    def __init__(self) -> None:
        self.bytes = 0
        self.arrivals: set[Arrival] = set()
        self._giving_back: asyncio.TimerHandle | None = None

    def spare(self) -> None:
        """Closes the connections that hold most, until all together hold at most `MOST_OF_ALL`."""
        while self.bytes > MOST_OF_ALL:
            max(self.arrivals, key=lambda one: one.bytes).give_up()

    def give_back_soon(self) -> None:
        if self._giving_back is None:
            loop = asyncio.get_running_loop()
            self._giving_back = loop.call_later(AFTER, loop.run_in_executor, None, self._give_back)

    def _give_back(self) -> None:
        """Collects garbage first: a closed connection and its reader refer to each other, and so stay in memory."""
        from viz_transformer.ui.shared.sizes import give_back  # not at the top: it imports torch

        self._giving_back = None
        gc.collect()
        give_back()


class Arrival:
    """Counts the bytes that came over one connection since the app received its last message or request.

    Args:
        patience: seconds from the first byte of a message until it must be complete.
        usual: a connection with no more bytes than these is only idle, and stays open after that time; -1: none stays.
    """

    def __init__(self, unfinished: Unfinished, patience: float, usual: int) -> None:
        self.all, self.patience, self.usual = unfinished, patience, usual
        self.largest = LARGEST
        self.bytes = 0
        self.was_large = False
        self.is_read = False  # the app handles a request, and itself reads the body: it is not counted
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None

    def begin(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.all.arrivals.add(self)
        self._wait()

    def may_come(self, count: int) -> bool:
        """Counts so many more bytes -> whether they may come; otherwise the connection has been closed."""
        if not self.is_read:
            self._count(count)
            if self.timer is None:
                self._wait()
            if self.bytes > self.largest + CHUNK:
                self.give_up()
            self.all.spare()
        return self.transport is not None

    def has_come(self) -> None:
        """The app has received the message: counts anew. Of the next one, at most the rest of a chunk is there."""
        self.was_large |= self.bytes > CHUNK
        self._count(-self.bytes)
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def give_up(self) -> None:
        if self.transport is not None:
            self.transport.abort()
        self.end()

    def end(self) -> None:
        """The connection is closed, or has become a WebSocket, which has an `Arrival` of its own."""
        self.has_come()
        self.transport = None
        self.all.arrivals.discard(self)
        if self.was_large:
            self.all.give_back_soon()

    def _count(self, more: int) -> None:
        self.bytes += more
        self.all.bytes += more

    def _wait(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(self.patience, self._stop_waiting)

    def _stop_waiting(self) -> None:
        if self.bytes > self.usual:
            self.give_up()
        else:
            self.has_come()


def _watch(receive: Receive) -> None:
    """Counts what comes over each connection that the server of this app opens from now on.

    The names of the settings are Uvicorn's. It takes any protocol class, and the methods of one are asyncio's.
    """
    server = getattr(getattr(receive, "__self__", None), "config", None)  # `receive` is a method of Uvicorn's lifespan
    if not isinstance(server, Config):
        limit = st.get_option("server.maxMessageSize")
        _log.warning("This is not served by Uvicorn as this app knows it: messages of up to %s MB are held.", limit)
        return
    unfinished = Unfinished()
    server.ws_max_size = LARGEST
    server.http_protocol_class = _noting(server.http_protocol_class, lambda: Arrival(unfinished, HEAD, usual=-1))
    server.ws_protocol_class = _noting(
        server.ws_protocol_class, lambda: Arrival(unfinished, MESSAGE, usual=SIGNS_OF_LIFE)
    )


def _noting(protocol: Any, new_arrival: Any) -> type[asyncio.Protocol]:
    """The protocol, as a subclass that counts with an `Arrival` what comes."""

    class Noting(protocol):  # type: ignore[misc]  # whichever it is
        def __init__(self, *args: Any, app_state: dict[str, Any], **named: Any) -> None:
            if NAME in app_state:
                app_state[NAME].end()  # a request that asked for a WebSocket: this is it
            self._arrival = new_arrival()
            super().__init__(*args, app_state={**app_state, NAME: self._arrival}, **named)

        def connection_made(self, transport: asyncio.Transport) -> None:
            self._arrival.begin(transport)
            super().connection_made(transport)

        def data_received(self, data: bytes) -> None:
            if self._arrival.may_come(len(data)):
                super().data_received(data)

        def connection_lost(self, error: Exception | None) -> None:
            self._arrival.end()
            super().connection_lost(error)
            if isinstance(reader := getattr(self, "conn", None), Protocol):
                reader.receive_eof()  # else it and what it has read refer to each other until a garbage collection

    return Noting
