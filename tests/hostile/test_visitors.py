"""Bounds on open connections, of all and of one address, and what a visitor beyond them is told."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from tests.helpers import in_a_loop
from viz_transformer.server.visitors import Visitors


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a page at once, and keeps a connection until it is told to end."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
    else:
        await send({"type": "websocket.accept"})
        await receive()


class Outside:
    """Browsers, by their addresses."""

    def __init__(self, **bounds: int) -> None:
        self.visitors = Visitors(app, pages={"", "masks"}, **bounds)
        self.here: list[asyncio.Task[None]] = []

    async def get(self, path: str, address: str = "192.0.2.1") -> tuple[int, str]:
        told: list[Any] = []
        await self._ask({"type": "http", "path": path, "client": (address, 1)}, told, asyncio.Event())
        return told[0]["status"], told[1]["body"].decode() if len(told) > 1 else ""

    async def connect(self, address: str, ends: asyncio.Event) -> str:
        """Opens a connection that stays until `ends`; returns the type of the first message to it."""
        told: list[Any] = []
        scope: Scope = {"type": "websocket", "path": "/x", "client": (address, 1)}
        self.here.append(asyncio.create_task(self._ask(scope, told, ends)))
        while not told:
            await asyncio.sleep(0)
        return str(told[0]["type"])

    async def _ask(self, scope: Scope, told: list[Any], ends: asyncio.Event) -> None:
        async def receive() -> Message:
            await ends.wait()
            return {"type": "websocket.disconnect"}

        async def send(message: Message) -> None:
            told.append(message)

        await self.visitors(scope, receive, send)


def test_one_address_takes_no_more_than_its_share() -> None:
    async def scenario() -> None:
        outside, ends = Outside(most=10, most_of_one=2), asyncio.Event()
        said = [await outside.connect(address, ends) for address in ("2001:db8::1", "2001:db8::2", "2001:db8::3")]
        assert said == ["websocket.accept", "websocket.accept", "websocket.close"]
        assert await outside.connect("192.0.2.7", ends) == "websocket.accept"
        assert (await outside.get("/masks", "192.0.2.7"))[0] == 200
        assert (await outside.get("/masks", "2001:db8::9"))[0] == 503
        ends.set()
        await asyncio.gather(*outside.here)
        assert not outside.visitors.open
        assert await outside.connect("2001:db8::3", ends) == "websocket.accept"

    in_a_loop(scenario())


def test_who_comes_beyond_all_gets_a_page_that_says_so() -> None:
    async def scenario() -> None:
        outside, ends = Outside(most=3, most_of_one=2), asyncio.Event()
        for n in range(3):
            assert await outside.connect(f"192.0.2.{n}", ends) == "websocket.accept"
        assert await outside.connect("192.0.2.9", ends) == "websocket.close"
        for page in ("/", "/masks", "/masks/"):
            status, said = await outside.get(page)
            assert status == 503 and "Try again in a minute" in said and "已满" in said
        assert (await outside.get("/_stcore/health"))[0] == 200  # whoever has a page goes on
        ends.set()

    in_a_loop(scenario())
