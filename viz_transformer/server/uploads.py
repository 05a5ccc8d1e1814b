"""Files that browsers bring: a few of each session's, and so many bytes of all of them, however many somebody sends."""

from __future__ import annotations

import re

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_transformer.machine import budget
from viz_transformer.server.loading import Loading
from viz_transformer.ui.shared.connection import connected_sessions

MOST = 3  # of a session's, those that came last
MOST_SESSIONS = 1000  # that have any
PLACE = re.compile(r"(.*/_stcore/upload_file/)([^/]+)/([^/]+)")


class Uploads:
    """Takes away again what came first, as the browser itself would.

    Streamlit keeps every file that is sent for a session until the session ends, also under names that no page has
    asked for, and looks at none but those that a page reads.
    """

    def __init__(self, app: ASGIApp, loading: Loading) -> None:
        self.app, self.loading = app, loading
        self.held: dict[str, dict[str, int]] = {}  # by session and name, those that came first first: bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = PLACE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if place is None or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        if not self.loading.is_done:  # no page that takes a file has been shown yet
            await PlainTextResponse("loading", 503)(scope, receive, send)
            return
        _route, session, name = place.groups()
        size = 0

        async def count() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return message

        async def send_when_there_is_room(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                self._forget(session, name)
                if scope["method"] == "PUT":
                    self.held.setdefault(session, {})[name] = size  # sent again, it is the last that came
                    await self._make_room(session, scope)
            await send(message)

        await self.app(scope, count, send_when_there_is_room)

    async def _make_room(self, session: str, scope: Scope) -> None:
        while len(self.held.get(session, ())) > MOST:
            await self._remove(session, scope)
        connected = connected_sessions()
        while sum(sum(files.values()) for files in self.held.values()) > most_bytes() or len(self.held) > MOST_SESSIONS:
            # Of those who have left; then of who has sent most, so that who sends little keeps it.
            most = max(self.held, key=lambda one: (one not in connected, sum(self.held[one].values())))
            await self._remove(most, scope)

    async def _remove(self, session: str, scope: Scope) -> None:
        """The file of a session that came first, by the route and rights of a request just granted."""
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
    """Of all sessions' files together; the budget itself does not hold them."""
    return budget() // 4


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _to_nobody(message: Message) -> None:
    """Nobody waits for the answer."""
