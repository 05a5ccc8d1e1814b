"""Bounds on uploads, whatever is sent: the files of each session, and the bytes of all sessions together."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import cast

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Scope

from tests.helpers import in_a_loop
from viz_transformer.server import uploads
from viz_transformer.server.loading import Loading
from viz_transformer.server.uploads import MOST, Uploads
from viz_transformer.ui.shared.connection import Connection


class Files:
    """A server behind `Uploads` that keeps every file it is sent: `of` is session → name → bytes."""

    def __init__(self, is_loaded: bool = True) -> None:
        self.of: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        kept = Starlette(
            routes=[Route("/base/_stcore/upload_file/{session}/{name}", self._answer, methods=["PUT", "DELETE"])]
        )
        self.app = Uploads(kept, cast(Loading, SimpleNamespace(is_done=is_loaded)))

    async def _answer(self, request: Request) -> Response:
        session, name = request.path_params["session"], request.path_params["name"]
        if request.headers.get("x-xsrftoken") != "granted":
            return Response(status_code=403)
        data = await request.body()
        await asyncio.sleep(0)  # others are sent meanwhile
        self.of[session].pop(name, None)
        if request.method == "PUT":
            self.of[session][name] = data
        return Response(status_code=204)

    @property
    def size(self) -> int:
        return sum(len(data) for files in self.of.values() for data in files.values())

    async def ask(
        self,
        method: str,
        session: str,
        name: str,
        data: bytes = b"",
        rights: bytes = b"granted",
        ends: asyncio.Event | None = None,
        address: str = "192.0.2.1",
    ) -> int:
        path, status = f"/base/_stcore/upload_file/{session}/{name}", 0
        headers = [(b"x-xsrftoken", rights)]
        scope: Scope = {
            "type": "http", "method": method, "path": path, "query_string": b"", "headers": headers,
            "client": (address, 1),
        }  # fmt: skip
        pieces = [data, b""]

        async def receive() -> Message:
            if not pieces[1:] and ends:
                await ends.wait()
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

        async def send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)

        await self.app(scope, receive, send)
        return status

    async def send(self, session: str, name: str, data: bytes = b"1") -> int:
        return await self.ask("PUT", session, name, data)


def tried(attempt: Callable[[Files], Coroutine[None, None, None]]) -> Files:
    files = Files()
    in_a_loop(attempt(files))
    return files


def test_the_newest_files_stay_and_every_session_has_its_own() -> None:
    names = [str(n) for n in range(MOST + 2)]

    async def attempt(files: Files) -> None:
        for name in names:
            assert await files.send("hostile", name, b"12345") == 204
        await files.send("other", "own", b"123")

    files = tried(attempt)
    assert [*files.of["hostile"]] == names[-MOST:]
    assert files.of["other"] == {"own": b"123"}
    assert files.app.held == {"hostile": dict.fromkeys(names[-MOST:], 5), "other": {"own": 3}}


def test_a_file_that_is_sent_again_is_the_newest() -> None:
    async def attempt(files: Files) -> None:
        for name in ["again", *(str(n) for n in range(MOST - 1)), "again", "last"]:
            await files.send("one", name)

    assert {"again", "last"} < {*tried(attempt).of["one"]} and "0" not in tried(attempt).of["one"]


def test_a_file_that_its_page_takes_back_does_not_count() -> None:
    async def attempt(files: Files) -> None:
        for n in range(MOST):
            await files.send("one", str(n))
        await files.ask("DELETE", "one", "1")
        await files.send("one", "last")

    assert [*tried(attempt).of["one"]] == ["0", "2", "last"]


def test_what_the_server_refuses_is_not_counted_and_takes_nothing_away() -> None:
    async def attempt(files: Files) -> None:
        await files.send("one", "own")
        for n in range(9):
            assert await files.ask("PUT", "one", str(n), b"1", b"forged") == 403
        assert await files.ask("DELETE", "one", "own", rights=b"forged") == 403

    files = tried(attempt)
    assert [*files.of["one"]] == ["own"] and files.app.held == {"one": {"own": 1}}


def test_all_visitors_files_together_are_bounded_and_who_sends_little_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "most_bytes", lambda: 1000)

    async def attempt(files: Files) -> None:
        await files.send("quiet", "small", bytes(50))
        for n in range(30):
            await files.send(f"loud {n}", "large", bytes(240))
            assert files.size <= 1000

    files = tried(attempt)
    assert len(files.of["quiet"]) == 1
    assert sum(len(files.of[f"loud {n}"]) for n in range(30)) == 3


def test_who_has_left_makes_room_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "most_bytes", lambda: 1000)
    here = Connection()
    here.session = "here"

    async def attempt(files: Files) -> None:
        await files.send("here", "large", bytes(700))
        await files.send("left", "small", bytes(200))
        await files.send("new", "small", bytes(150))

    files = tried(attempt)
    assert "large" in files.of["here"]
    assert not files.of["left"]


def test_however_many_sessions_there_were_what_is_known_of_them_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_SESSIONS", 5)

    async def attempt(files: Files) -> None:
        for n in range(50):
            await files.send(str(n), "empty", b"")

    assert len(tried(attempt).app.held) == 5


def test_many_may_send_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "most_bytes", lambda: 1000)

    async def attempt(files: Files) -> None:
        sent = [files.send(f"visitor {n % 7}", str(n), bytes(90)) for n in range(400)]
        taken = [files.ask("DELETE", f"visitor {n % 7}", str(n)) for n in range(0, 400, 5)]
        await asyncio.gather(*sent, *taken)

    files = tried(attempt)
    assert 0 < files.size <= 1000
    kept = {session: {name: len(data) for name, data in held.items()} for session, held in files.of.items() if held}
    assert kept == files.app.held


def test_before_a_page_can_be_shown_nothing_is_taken() -> None:
    assert in_a_loop(Files(is_loaded=False).send("one", "early")) == 503


def test_a_file_that_is_not_sent_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LONGEST", 0.01)

    async def attempt(files: Files) -> None:
        assert await files.ask("PUT", "slow", "half", b"12", ends=asyncio.Event()) == 408
        assert await files.send("quick", "own") == 204

    files = tried(attempt)
    assert [*files.of] == ["quick"] and not files.app.coming


def test_of_what_is_on_its_way_the_largest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "most_bytes", lambda: 1000)

    async def attempt(files: Files) -> None:
        ends = asyncio.Event()
        quiet = asyncio.create_task(files.ask("PUT", "quiet", "small", bytes(300), ends=ends))
        loud = [asyncio.create_task(files.ask("PUT", f"loud {n}", "large", bytes(600), ends=ends)) for n in range(2)]
        await asyncio.wait(loud, return_when=asyncio.FIRST_COMPLETED, timeout=30)
        assert sum(one.size for one in files.app.coming) <= 1000
        ends.set()
        assert await quiet == 204
        assert sorted([await one for one in loud]) == [204, 408]

    assert len(tried(attempt).of["quiet"]) == 1


def test_an_address_sends_so_many_at_once_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "AT_ONCE_OF_ONE", 2)

    async def attempt(files: Files) -> None:
        ends = asyncio.Event()
        waiting = [asyncio.create_task(files.ask("PUT", "loud", str(n), b"12", ends=ends)) for n in range(3)]
        await asyncio.wait({waiting[-1]})
        assert waiting[-1].result() == 503
        assert await files.ask("PUT", "other", "own", b"12", address="192.0.2.2") == 204
        ends.set()
        assert [await one for one in waiting[:-1]] == [204, 204]

    assert len(tried(attempt).of["other"]) == 1
