"""How many connections there may be at a time: of one address, and of all."""

from __future__ import annotations

from collections import Counter

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from viz_transformer.room.rates import whole

MOST = 4_000  # of a process: 2,000 visitors with two each, as in a room
MOST_OF_ONE = 1_500  # a class of 300 behind one address has 600; twice that for a moment, as all load their page anew
FULL = """\
This server has as many visitors as it can hold. Try again in a minute.
本服务器的访客已满，请一分钟后再试。
"""


class Visitors:
    """Refuses whoever comes beyond that: a page's request gets a sentence, a WebSocket is closed.

    An address is the browser's, as a trusted proxy forwards it where there is one (Uvicorn's `FORWARDED_ALLOW_IPS`).
    """

    def __init__(self, app: ASGIApp, pages: set[str], most: int = MOST, most_of_one: int = MOST_OF_ONE) -> None:
        self.app, self.pages = app, pages
        self.most, self.most_of_one = most, most_of_one
        self.open: Counter[str] = Counter()  # connections, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        whose = whole((scope.get("client") or ("", 0))[0])
        is_full = self.open.total() >= self.most or self.open[whose] >= self.most_of_one
        if scope["type"] == "websocket":
            await (WebSocketClose() if is_full else self._count(whose))(scope, receive, send)
        elif is_full and scope["type"] == "http" and scope["path"].strip("/") in self.pages:
            await PlainTextResponse(FULL, 503, {"Retry-After": "60"})(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _count(self, whose: str) -> ASGIApp:
        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            self.open[whose] += 1
            try:
                await self.app(scope, receive, send)
            finally:
                self.open[whose] -= 1
                if not self.open[whose]:
                    del self.open[whose]

        return counted
