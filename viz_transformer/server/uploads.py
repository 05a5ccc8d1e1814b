"""Bounds for uploaded files: how many each session keeps, and how many bytes all of them take together."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_transformer.machine import budget
from viz_transformer.room.rates import whole
from viz_transformer.server.loading import Loading
from viz_transformer.ui.shared.connection import connected_sessions

MOST = 3  # files that a session keeps: the last ones
MOST_SESSIONS = 1000  # that have files
AT_ONCE, AT_ONCE_OF_ONE = 200, 50  # files that are on their way: of all, and of one address
LONGEST = 300.0  # seconds for a file: enough for the largest at less than a megabit a second
CLOSE = {"Connection": "close"}  # the rest of the file is not read
PLACE = re.compile(r"(.*/_stcore/upload_file/)([^/]+)/([^/]+)")


@dataclass(eq=False)
class Coming:
    """A file that is on its way: what has come of it is in memory, or from a megabyte on in a temporary file."""

    whose: str  # the browser's address
    session: str
    name: str
    patience: asyncio.Timeout
    size: int = 0  # bytes

    def give_up(self) -> None:
        self.patience.reschedule(0)


class Uploads:
    """Deletes the oldest files beyond these bounds, as the browser itself would, and ends uploads that take too long.

    Streamlit keeps every file that is sent for a session until the session ends, also under names that no page has
    asked for, and checks only those that a page reads. For the end of an upload it waits as long as it takes.
    """

    def __init__(self, app: ASGIApp, loading: Loading) -> None:
        self.app, self.loading = app, loading
        self.held: dict[str, dict[str, int]] = {}  # bytes by session and name, the oldest file first
        self.coming: list[Coming] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = PLACE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if place is None or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        if not self.loading.is_done:  # no page that takes a file has been shown yet
            await PlainTextResponse("loading", 503)(scope, receive, send)
            return
        whose = whole((scope.get("client") or ("", 0))[0])
        if len(self.coming) >= AT_ONCE or sum(one.whose == whose for one in self.coming) >= AT_ONCE_OF_ONE:
            await PlainTextResponse("too many files at once", 503, CLOSE)(scope, receive, send)
            return
        try:
            async with asyncio.timeout(LONGEST) as patience:
                coming = Coming(whose, place[2], place[3], patience)
                self.coming.append(coming)
                try:
                    await self._take(coming, scope, receive, send)
                finally:
                    self.coming.remove(coming)
        except TimeoutError:
            await PlainTextResponse("not sent in time", 408, CLOSE)(scope, receive, send)

    async def _take(self, coming: Coming, scope: Scope, receive: Receive, send: Send) -> None:
        session, name = coming.session, coming.name

        async def count() -> Message:
            message = await receive()
            coming.size += len(message.get("body", b""))
            if sum(one.size for one in self.coming) > most_bytes():
                max(self.coming, key=lambda one: one.size).give_up()
            return message

        async def send_when_there_is_room(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                self._forget(session, name)
                if scope["method"] == "PUT":
                    self.held.setdefault(session, {})[name] = coming.size  # a file that is sent again is the newest
                    await self._make_room(session, scope)
            await send(message)

        await self.app(scope, count, send_when_there_is_room)

    async def _make_room(self, session: str, scope: Scope) -> None:
        while len(self.held.get(session, ())) > MOST:
            await self._remove(session, scope)
        connected = connected_sessions()
        while sum(sum(files.values()) for files in self.held.values()) > most_bytes() or len(self.held) > MOST_SESSIONS:
            # First from sessions that have left, then from the one that holds most: whoever sends little keeps it.
            most = max(self.held, key=lambda one: (one not in connected, sum(self.held[one].values())))
            await self._remove(most, scope)

    async def _remove(self, session: str, scope: Scope) -> None:
        """Deletes the oldest file of a session, by a request with the route and the headers of the one just granted."""
        name = next(iter(self.held[session]))
        self._forget(session, name)
        route = PLACE.sub(r"\1", scope["path"])
        path = f"{route}{session}/{name}"
        headers = [(key, value) for key, value in scope["headers"] if key not in (b"content-length", b"content-type")]
        request = {**scope, "method": "DELETE", "path": path, "raw_path": path.encode(), "headers": headers}
        await self.app(request, _nothing, _to_nobody)

    def _forget(self, session: str, name: str) -> None:
        files = self.held.get(session, {})
        files.pop(name, None)
        if not files:
            self.held.pop(session, None)


def most_bytes() -> int:
    """Bytes that the files of all sessions may take together; they are not counted in the budget itself."""
    return budget() // 4


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _to_nobody(message: Message) -> None:
    """Nobody waits for the answer."""
