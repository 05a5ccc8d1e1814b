"""What comes over the connections before anybody can read it: a message or a request that has begun and not yet ended.

Uvicorn waits for the end as long as it takes, and holds 200 MB of a message, as much as Streamlit lets a page be sent.
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

LARGEST = 4 * MOST  # bytes of a message: what a page takes, and what is larger by so little that a sentence can say so
CHUNK = 262_144  # bytes that the loop reads at a time: only then a message is known to be too large
MOST_OF_ALL = 64_000_000  # bytes of all that has begun to come to a process
HEAD = 20.0  # seconds for the head of a request
MESSAGE = 60.0  # seconds for a message: the largest, over a line of half a megabit
SIGNS_OF_LIFE = 4_096  # bytes that are no message; a browser answers pings
AFTER = 2.0  # seconds after a client has gone that has sent much, until its memory is given back
NAME = "viz_arrival"  # in the state of a request

_log = logging.getLogger(__name__)


class Arrivals:
    """Bounds it: how large a message may be, how much there may be of all, and how long it may take.

    Each connection notes what comes (`Arrival`), and this, which stands before the app, that the app has it.
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
    """All that has begun to come to this process."""

    def __init__(self) -> None:
        self.bytes = 0
        self.arrivals: set[Arrival] = set()
        self._giving_back: asyncio.TimerHandle | None = None

    def spare(self) -> None:
        """Gives up what holds most, while all of it is too much."""
        while self.bytes > MOST_OF_ALL:
            max(self.arrivals, key=lambda one: one.bytes).give_up()

    def give_back_soon(self) -> None:
        if self._giving_back is None:
            loop = asyncio.get_running_loop()
            self._giving_back = loop.call_later(AFTER, loop.run_in_executor, None, self._give_back)

    def _give_back(self) -> None:
        """A connection and its reader hold each other, until they are looked for."""
        from viz_transformer.ui.shared.sizes import give_back  # this import is torch's

        self._giving_back = None
        gc.collect()
        give_back()


class Arrival:
    """What has come over one connection since the app had the last message of it, or the last request.

    Args:
        patience: seconds for the rest, after its first byte.
        usual: bytes that are always there, and no message.
    """

    def __init__(self, unfinished: Unfinished, patience: float, usual: int) -> None:
        self.all, self.patience, self.usual = unfinished, patience, usual
        self.largest = LARGEST
        self.bytes = 0
        self.was_large = False
        self.is_read = False  # the app is at the request, and reads what else belongs to it
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None

    def begin(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.all.arrivals.add(self)
        self._wait()

    def may_come(self, count: int) -> bool:
        """Whether there is room for so many bytes more; else the connection is given up."""
        if not self.is_read:
            self._count(count)
            if self.timer is None:
                self._wait()
            if self.bytes > self.largest + CHUNK:
                self.give_up()
            self.all.spare()
        return self.transport is not None

    def has_come(self) -> None:
        """The app has it; of the next, no more than the rest of a chunk has come."""
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
        """The connection is no more, or has become a line of messages."""
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
    """Every connection of the server that starts the app, from now on.

    What it is called is Uvicorn's; that a protocol is a class with these methods is asyncio's, and Uvicorn takes any.
    """
    server = getattr(getattr(receive, "__self__", None), "config", None)  # who serves is whom the start is heard from
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
    """The protocol, with a note of what has come."""

    class Noting(protocol):  # type: ignore[misc]  # whichever it is
        def __init__(self, *args: Any, app_state: dict[str, Any], **named: Any) -> None:
            if NAME in app_state:
                app_state[NAME].end()  # a request for a line of messages: this is the line
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
                reader.receive_eof()  # else it and what it has read hold each other, until a collection comes by

    return Noting
