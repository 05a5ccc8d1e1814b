"""One browser in a room, without the browser: its cookie, and a line to the server that is opened again when lost."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.visitor import SLOWEST, Visitor

FIRST, SLOWER, LONGEST = 0.25, 1.7, 5.0  # the page's pauses between tries: the first, growth, the longest (s)
FINAL = (4403, 4404, 4410)  # closed with these, the page does not come again
TRY_AGAIN = 1013

Message = dict[str, Any]


def open_room(url: str) -> tuple[str, str]:
    """Opens a room -> its code, and the secret of whoever leads it."""
    with urlopen(Request(f"{url}/room", method="POST", headers={"Origin": url}), timeout=SLOWEST) as answer:
        opened = json.load(answer)
    return opened["code"], opened["secret"]


class Member:
    """A member of a room; with the secret, whoever leads it.

    Attributes:
        visitor: the page around it.
        welcome: how the room stood when it last came in.
        lost: how many connections were lost.
    """

    def __init__(self, url: str, code: str, secret: str | None = None) -> None:
        self.visitor, self.code, self.hello = Visitor(url), code, {"seat": None, "secret": secret}
        self.welcome: Message = {}
        self.lost = 0
        self.socket: ClientConnection

    @property
    def server(self) -> str:
        """The name of the server that holds its connection, one of several."""
        return self.visitor.cookies["viz_server"].value

    async def come(self) -> None:
        """Enters the room, at first by way of the page. Tries again while the server lets nobody more in."""
        while not await self._come():
            await asyncio.sleep(random.uniform(FIRST, 2))

    async def _come(self) -> bool:
        """Whether it is in; else it may try again."""
        if not self.visitor.cookies:
            await self.visitor.ask("")
        self.socket = await connect(
            f"ws://{urlsplit(self.visitor.url).netloc}/room/{self.code}",
            additional_headers={"Origin": self.visitor.url, "Cookie": self.visitor.cookie},
            max_size=None,
            compression=None,
            proxy=None,
        )
        assert self.socket.response is not None
        for line in self.socket.response.headers.get_all("Set-Cookie"):
            self.visitor.cookies.load(line)
        await self.say({"hello": self.hello})
        try:
            self.welcome = (await self.hear())["welcome"]
        except ConnectionClosed as error:
            if self.hello["seat"] is None and error.rcvd is not None and error.rcvd.code == TRY_AGAIN:
                return False
            raise
        self.hello["seat"] = self.welcome["seat"]
        return True

    async def come_again(self) -> None:
        """Comes back after the connection was lost, with the pauses of the page."""
        self.lost += 1
        wait = FIRST
        while True:
            await asyncio.sleep(wait * random.uniform(1, 2))
            try:
                await self.come()
                return
            except ConnectionClosed as error:
                if error.rcvd is not None and error.rcvd.code in FINAL:
                    raise
            except (OSError, InvalidHandshake):
                pass
            wait = min(wait * SLOWER, LONGEST)

    async def say(self, message: Message) -> None:
        await self.socket.send(json.dumps(message))

    async def hear(self) -> Message:
        """The next message.

        Raises:
            ConnectionClosed: the line is lost.
        """
        said: Message = json.loads(await self.socket.recv())
        return said

    def drop(self) -> None:
        """Cuts the connection without a close message, like a phone that leaves the network."""
        self.socket.transport.abort()
