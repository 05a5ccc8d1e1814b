"""One socket of a room, and what waits to be sent to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from viz_transformer.room.messages import Message, NonsenseError, parse, written
from viz_transformer.room.outbox import Outbox, Waiting
from viz_transformer.room.rates import Bucket

# Close codes of a socket: they tell the client why it is closed.
LEAVING = 1001
TRY_AGAIN = 1013
NONSENSE = 4400
FORBIDDEN = 4403
GONE = 4404
REMOVED = 4410
TOO_LARGE = 4413
CLOSED = 4423
TOO_FAST = 4429
FULL = 4503

LARGEST = 128 * 1024  # bytes of a message
LEADER = (40, 80)  # messages a second, and at once
STUDENT = (5, 20)
LAST_WORD = 5.0  # seconds for a socket to be closed in good order


class ClosedError(Exception):
    """The socket is to be closed with this number."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Client:
    """`name` is unique among all processes; `seat` is the browser's, and `member` is the seat without its signature."""

    def __init__(self, websocket: WebSocket, name: str, waiting: Waiting) -> None:
        self.websocket, self.name = websocket, name
        self.address = websocket.client.host if websocket.client else ""
        self.seat, self.member, self.leads = "", "", False
        self.bucket = Bucket(*STUDENT)
        self.code: int | None = None  # with which it is closed
        self.outbox = Outbox(waiting)
        self.staying: asyncio.Timeout | None = None

    def lead(self) -> None:
        self.leads = True
        self.bucket = Bucket(*LEADER)

    def sit(self, seat: str, member: str) -> None:
        self.seat, self.member = seat, member

    def say(self, message: dict[str, Any]) -> None:
        self.send(written(message))

    def send(self, text: str) -> None:
        """Puts a message in the outbox: messages are sent later, in order."""
        if not self.outbox.put(text):
            self.close(TRY_AGAIN)

    def hold(self) -> None:
        """Keeps messages back until `release`, so that none overtakes the welcome, which is still being read."""
        self.outbox.hold()

    def release(self, welcome: dict[str, Any]) -> None:
        if not self.outbox.release(written(welcome)):
            self.close(TRY_AGAIN)

    def close(self, code: int) -> None:
        """Ends `stay` from anywhere, whatever it is waiting for."""
        if self.code is None:
            self.code = code
            if self.staying is not None:
                self.staying.reschedule(0)

    async def stay(self, converse: Callable[[], Awaitable[None]]) -> None:
        """Runs the conversation until either side ends it, and then closes the socket."""
        sending = asyncio.create_task(self._send_all())
        try:
            async with asyncio.timeout(None) as self.staying:
                await converse()
        except TimeoutError:
            pass  # `close` was called
        except ClosedError as error:
            self.code = self.code or error.code
        except WebSocketDisconnect:
            self.code = self.code or LEAVING
        finally:
            self.code, self.staying = self.code or TRY_AGAIN, None
            sending.cancel()
            self.outbox.empty()
        # With a timeout: to a client that does not read, the close message would never get through.
        with suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(LAST_WORD):
                await self.websocket.close(self.code)

    async def hear(self) -> Message:
        """The next message.

        Raises:
            ClosedError: the message is not allowed.
            WebSocketDisconnect: the client has gone.
        """
        frame = await self.websocket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", LEAVING))
        text = frame.get("text")
        if text is None:
            raise ClosedError(NONSENSE)
        if len(text) > LARGEST or len(text.encode()) > LARGEST:
            raise ClosedError(TOO_LARGE)
        if not self.bucket.take():
            raise ClosedError(TOO_FAST)
        try:
            return parse(text)
        except NonsenseError:
            raise ClosedError(NONSENSE) from None

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self.websocket.send_text(await self.outbox.take())
        self.close(LEAVING)
