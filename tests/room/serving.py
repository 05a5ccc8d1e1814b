"""A server with only the two routes of rooms, and pages that connect to it."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from threading import Thread
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.helpers import in_a_loop
from viz_transformer.room.classroom_server import ClassroomServer
from viz_transformer.room.redis_store import RedisStore

T = TypeVar("T")
PATIENCE = 30  # seconds, after which a test has failed
FRESH = 2  # seconds for which a process's list of members is valid here; fewer than in production


def app_of(classroom: ClassroomServer) -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await classroom.close()

    routes = [Route("/room", classroom.open, methods=["POST"]), WebSocketRoute("/room/{code}", classroom.join)]
    return Starlette(routes=routes, lifespan=lifespan)


def server_of(classroom: ClassroomServer) -> uvicorn.Server:
    """With the settings of Streamlit's, where they matter here."""
    settings = uvicorn.Config(
        app_of(classroom), ws="websockets-sansio", ws_per_message_deflate=False, ws_max_size=2**28, log_level="error",
        timeout_graceful_shutdown=5, backlog=4096,
    )  # fmt: skip
    return uvicorn.Server(settings)


class Serving:
    """A classroom server that listens at a free port, in a thread of its own."""

    def __init__(self, classroom: ClassroomServer) -> None:
        self.classroom, self.server = classroom, server_of(classroom)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.host = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.thread = Thread(target=self.server.run, args=([self.socket],))

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


class Page:
    """A socket of a room."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.welcome: dict[str, Any] = {}

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            message = json.loads(await self.socket.recv())
        assert isinstance(message, dict) and len(message) == 1
        return message

    async def hear(self, name: str, wanted: Callable[[Any], bool] = lambda value: True) -> Any:
        """The value of the next message of this name that is wanted."""
        while True:
            message = await self.next()
            if name in message and wanted(message[name]):
                return message[name]

    async def heard_before(self, name: str) -> list[str]:
        """Names of the messages that come before the next one of this name."""
        names: list[str] = []
        while (names and names[-1]) != name:
            names += await self.next()
        return names[:-1]

    async def closed(self, but: bool = False) -> int:
        """The code with which the server closes the socket, after any messages; with `but`, 0 if one comes first."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await self.socket.recv()
                    if but:
                        return 0
        except ConnectionClosed as error:
            return error.rcvd.code if error.rcvd else 1006

    async def leave(self) -> None:
        await self.socket.close()


class Class:
    """A room at a server, and the pages that were opened in it. `seats`: by the names that a test gives the members."""

    def __init__(self, host: str, code: str, secret: str) -> None:
        self.host, self.code, self.secret = host, code, secret
        self.pages: list[Page] = []
        self.seats: dict[str, str] = {}

    async def knock(self, host: str | None = None, code: str | None = None, **settings: Any) -> Page:
        """A socket that has said nothing yet."""
        at = host or self.host
        settings = {"origin": f"http://{at}", "compression": None, "proxy": None, "open_timeout": PATIENCE, **settings}
        page = Page(await connect(f"ws://{at}/room/{code or self.code}", max_size=None, **settings))
        self.pages.append(page)
        return page

    async def join(self, member: str, secret: str | None = None, host: str | None = None, **settings: Any) -> Page:
        page = await self.knock(host, **settings)
        await page.say(hello={"seat": self.seats.get(member), "secret": secret})
        page.welcome = (await page.next())["welcome"]
        self.seats[member] = page.welcome["seat"]
        return page

    async def lead(self, host: str | None = None) -> Page:
        return await self.join("lecturer", self.secret, host)

    async def leave(self) -> None:
        await asyncio.gather(*(page.leave() for page in self.pages))


async def open_room(host: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.post(f"http://{host}/room", headers={"Origin": f"http://{host}", **headers})


def in_class(host: str, scenario: Callable[[Class], Coroutine[Any, Any, None]]) -> None:
    """Runs what happens in a new room."""

    async def run() -> None:
        opened = await open_room(host)
        assert opened.status_code == 201
        room = Class(host, **opened.json())
        try:
            await scenario(room)
        finally:
            await room.leave()

    in_a_loop(run())


def main(redis: str, port: str) -> None:
    """Runs a server in this process, which a test can kill."""
    classroom = ClassroomServer(RedisStore.at(redis, fresh=FRESH), beat=FRESH / 4)
    server_of(classroom).run([socket.create_server(("127.0.0.1", int(port)), reuse_port=False)])


if __name__ == "__main__":
    main(*sys.argv[1:])
