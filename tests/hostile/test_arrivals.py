"""A real Uvicorn gives up requests and messages that do not end, after a while or when they get too large."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from viz_transformer.server import arrivals
from viz_transformer.server.arrivals import CHUNK, LARGEST_IN_ROOM, Arrivals, Unfinished

WHOLE = 8 * LARGEST_IN_ROOM


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await websocket.send_text(str(len(await websocket.receive_text())))


async def size(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
def unfinished(monkeypatch: pytest.MonkeyPatch) -> Unfinished:
    """The incomplete messages and requests of the server that is started next."""
    one = Unfinished()
    monkeypatch.setattr(arrivals, "Unfinished", lambda: one)
    return one


@contextmanager
def serving() -> Iterator[int]:
    routes = [
        Route("/size", size, methods=["POST"]),
        WebSocketRoute("/stream", echo),
        WebSocketRoute("/room/ABCDE", echo),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Arrivals)])
    server = uvicorn.Server(uvicorn.Config(app, ws="websockets-sansio", ws_max_size=2**28, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as classroom:
        thread = Thread(target=server.run, args=([classroom],))
        thread.start()
        try:
            yield classroom.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


def speak(port: int, path: str = "/stream") -> ClientConnection:
    return connect(f"ws://127.0.0.1:{port}{path}", proxy=None, compression=None, close_timeout=0.1)


def begin(line: ClientConnection, count: int) -> None:
    """Sends the first `count` bytes of a message of `WHOLE` bytes."""
    with suppress(OSError):  # the server has had enough
        line.socket.sendall(struct.pack("!BBQ4x", 0x81, 0xFF, WHOLE) + b"x" * count)


def end(line: ClientConnection, begun: int) -> None:
    line.socket.sendall(b"x" * (WHOLE - begun))
    assert line.recv(timeout=10) == str(WHOLE)


def closes(line: ClientConnection) -> bool:
    try:
        line.recv(timeout=10)
    except TimeoutError:
        return False
    except ConnectionClosed:
        return True
    return False


def ends(connection: socket.socket) -> bool:
    connection.settimeout(10)
    try:
        while connection.recv(4096):
            pass
        return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def until(is_so: Callable[[], bool]) -> None:
    ended = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < ended
        time.sleep(0.01)


@pytest.mark.parametrize("said", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_who_asks_for_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(arrivals, "HEAD", 0.2)
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(said)
        assert ends(connection)


def test_nor_for_the_second_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "HEAD", 0.2)
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
        time.sleep(0.5)  # its body comes late, and is the app's to wait for
        connection.sendall(b"abc")
        assert b"200 OK" in connection.recv(4096)
        connection.sendall(b"POST /size")
        assert ends(connection)


def test_a_message_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch, unfinished: Unfinished) -> None:
    monkeypatch.setattr(arrivals, "MESSAGE", 0.2)
    with serving() as port, speak(port) as line, speak(port) as quiet:
        quiet.send("abc")
        assert quiet.recv() == "3"
        begin(line, 10_000)
        assert closes(line)
        assert quiet.ping().wait(10)
        time.sleep(0.5)
        quiet.send("ab")  # whoever says nothing but signs of life stays
        assert quiet.recv() == "2"
        assert unfinished.bytes == 0 and len(unfinished.arrivals) == 1


def test_in_a_room_a_message_is_given_up_sooner() -> None:
    with serving() as port, speak(port) as page, speak(port, "/room/ABCDE") as member:
        more = LARGEST_IN_ROOM + 2 * CHUNK
        for line in (member, page):
            begin(line, more)
        assert closes(member)
        end(page, more)


def test_where_all_is_too_much_the_largest_goes_first(monkeypatch: pytest.MonkeyPatch, unfinished: Unfinished) -> None:
    monkeypatch.setattr(arrivals, "MOST_OF_ALL", WHOLE + 150_000)
    with serving() as port, speak(port) as small, speak(port) as large, speak(port) as last:
        begin(small, 100_000)
        begin(large, WHOLE - 100_000)
        until(lambda: unfinished.bytes >= WHOLE)
        begin(last, 200_000)
        assert closes(large)
        until(lambda: 300_000 <= unfinished.bytes < WHOLE)
        end(last, 200_000)
        end(small, 100_000)
    assert unfinished.bytes == 0 and not unfinished.arrivals
