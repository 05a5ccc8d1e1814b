"""What a stranger without an account can do to a public server, and what an honest class sees meanwhile.

    python -m bench.attacks [--seconds 10] [--only seats votes] [--write]
    python -m bench.attacks --soak 20          # minutes: two attacks at a time, over and over

A class of 100 is in a room, from one address. Its lecturer moves a view ten times a second, and a move lasts until all
of them have it. A visitor outside of the room asks for another sentence, again and again. The stranger has an address
of its own, and is a process of its own; with the class and the server it shares this machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from statistics import median, quantiles
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.browser import ROOT, serve
from bench.member import Member, open_room
from bench.report import Report, machine
from bench.several import resident
from bench.strangers import child
from bench.visitor import Visitor

PAGE = ROOT / "docs/reliability.md"
CLASS = 100
MOVE = 0.1  # seconds between two moves of the lecturer
STRANGER = "192.0.2.66"
QUESTION = {"id": "q", "kind": "curve", "size": 1000, "columns": 0, "title": "Where?"}
LARGE = {f"view{n}": {"text": "x" * 7000} for n in range(15)}
PATIENCE = 60

Count = tuple[int, int]  # what was tried, and what of it was let through


class Stranger:
    """Who attacks a server, for so many seconds. `code`: of the class's room."""

    def __init__(self, url: str, code: str, seconds: float) -> None:
        self.url, self.code, self.ends = url, code, time.monotonic() + seconds
        self.lines: list[ClientConnection] = []
        self.sockets: list[socket.socket] = []

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.ends

    def post(self) -> dict[str, str] | None:
        headers = {"Origin": self.url, "X-Forwarded-For": STRANGER}
        with (
            suppress(HTTPError),
            urlopen(Request(f"{self.url}/room", method="POST", headers=headers), timeout=60) as one,
        ):
            opened: dict[str, str] = json.load(one)
            return opened
        return None

    async def own_room(self) -> dict[str, str]:
        while (opened := await asyncio.to_thread(self.post)) is None:
            await asyncio.sleep(0.2)
        return opened

    async def come(self, code: str, secret: str | None = None) -> ClientConnection | int:
        """A line on which a welcome was heard, or the number with which it was closed."""
        try:
            line = await connect(
                f"ws://{urlsplit(self.url).netloc}/room/{code}",
                additional_headers={"Origin": self.url, "X-Forwarded-For": STRANGER},
                max_size=None, compression=None, proxy=None, open_timeout=PATIENCE, ping_interval=None,
            )  # fmt: skip
            await line.send(json.dumps({"hello": {"seat": None, "secret": secret}}))
            await line.recv()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006
        except (OSError, InvalidHandshake):
            return 403
        self.lines.append(line)
        return line

    async def seat(self, code: str, secret: str | None = None) -> ClientConnection:
        """Takes a seat as soon as there is one for this address."""
        while isinstance(line := await self.come(code, secret), int):
            await asyncio.sleep(0.2)
        return line

    async def many(self, once: Callable[[], Awaitable[bool]], at_once: int = 20) -> Count:
        tried = through = 0

        async def go_on() -> None:
            nonlocal tried, through
            while self.goes_on:
                tried += 1
                is_through = await once()
                through += is_through

        await asyncio.gather(*(go_on() for _ in range(at_once)))
        return tried, through

    # What it does

    async def rooms(self) -> Count:
        async def once() -> bool:
            return await asyncio.to_thread(self.post) is not None

        return await self.many(once)

    async def seats(self) -> Count:
        async def once() -> bool:
            return isinstance(await self.come(self.code), ClientConnection)

        return await self.many(once)

    async def votes(self) -> Count:
        async def once() -> bool:
            line = await self.come(self.code)
            if isinstance(line, int):
                return False
            await line.send(json.dumps({"answer": {"id": "q", "guess": [0.5] * 1000}}))
            with suppress(ConnectionClosed):
                while "counted" not in (said := json.loads(await line.recv())):
                    if "refused" in said:
                        return False
                return True
            return False

        return await self.many(once)

    async def codes(self) -> Count:
        async def once() -> bool:
            return await self.come("QQQQQ") == 4404  # it is told that there is no such room

        return await self.many(once)

    async def reveals(self) -> Count:
        return await self.ask_for([{"reveal": "q"}], "tally")

    async def exports(self) -> Count:
        return await self.ask_for([{"export": True}], "answers")

    async def ask_for(self, messages: list[dict[str, Any]], name: str) -> Count:
        """Sends the messages as often as it may, in a room of its own, in which a hundred have answered."""
        room = await self.own_room()
        leader = await self.seat(room["code"], room["secret"])
        await leader.send(json.dumps({"ask": QUESTION}))
        for _ in range(100):
            member = await self.seat(room["code"])
            await member.send(json.dumps({"answer": {"id": "q", "guess": [0.123456789] * 1000}}))
        tried = through = 0

        async def hear() -> None:
            nonlocal through
            async for said in leader:
                through += str(said).startswith(f'{{"{name}"')

        hearing = asyncio.create_task(hear())
        with suppress(ConnectionClosed):
            while self.goes_on:
                for message in messages:
                    await leader.send(json.dumps(message))
                    tried += 1
                await asyncio.sleep(0.03)
        hearing.cancel()
        return tried, through

    async def deaf(self) -> Count:
        """In five rooms of its own, one who leads says much, and another who leads reads nothing of it."""
        rooms = [await self.own_room() for _ in range(5)]
        tried = 0

        async def lead(room: dict[str, str]) -> None:
            nonlocal tried
            line = await self.seat(room["code"], room["secret"])
            other = await self.seat(room["code"], room["secret"])
            other.transport.pause_reading()
            with suppress(ConnectionClosed):
                while self.goes_on:
                    await line.send(json.dumps({"lead": {"views": LARGE}}))
                    tried += 1
                    await asyncio.sleep(1 / 40)

        await asyncio.gather(*map(lead, rooms))
        return tried, tried

    async def frames(self) -> Count:
        """Begins messages of 4 MB that never end, and connections that say nothing -> how many are left open."""

        def begin() -> bool:
            with suppress(OSError):
                upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                line = self.request("GET /_stcore/stream", f"{upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")
                line.recv(4096)
                line.sendall(struct.pack("!BBQ4x", 0x82, 0xFF, 4_000_000) + bytes(3_999_000))
                self.sockets.append(socket.create_connection((urlsplit(self.url).hostname, urlsplit(self.url).port)))
                return True
            return False

        async def once() -> bool:
            return await asyncio.to_thread(begin)

        tried, _begun = await self.many(once, at_once=4)
        return 2 * tried, sum(map(is_open, self.sockets))

    async def uploads(self) -> Count:
        """Begins uploads for a page of its own, sends 20 MB of each, and never ends them -> how many are left open."""
        page = Visitor(self.url)
        await page.__aenter__()
        await page.open("heads", {})
        token = page.cookies["_streamlit_xsrf"].value
        rights = f"Cookie: {page.cookie}\r\nX-Xsrftoken: {token}\r\nContent-Length: 24000000\r\n"
        rights += "Content-Type: multipart/form-data; boundary=b\r\n"
        part = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n' + bytes(20_000_000)
        begun = 0

        def begin(name: int) -> bool:
            with suppress(OSError):
                self.request(f"PUT /_stcore/upload_file/{page.session}/{name}", rights).sendall(part)
                return True
            return False

        async def once() -> bool:
            nonlocal begun
            begun += 1
            return await asyncio.to_thread(begin, begun)

        tried, _begun = await self.many(once, at_once=4)
        return tried, sum(map(is_open, self.sockets))

    def request(self, what: str, headers: str) -> socket.socket:
        line = socket.create_connection((urlsplit(self.url).hostname, urlsplit(self.url).port), timeout=30)
        self.sockets.append(line)
        head = f"{what} HTTP/1.1\r\nHost: {urlsplit(self.url).netloc}\r\nOrigin: {self.url}\r\n"
        line.sendall(f"{head}X-Forwarded-For: {STRANGER}\r\n{headers}\r\n".encode())
        return line


def is_open(line: socket.socket) -> bool:
    """Neither closed nor answered."""
    line.setblocking(False)
    try:
        line.recv(4096)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


ATTACKS = {
    "rooms": "rooms opened",
    "seats": "seats taken in the class's room",
    "votes": "false answers to the class's question",
    "codes": "codes guessed, with an answer",
    "reveals": "a question revealed, again and again",
    "exports": "answers exported, again and again",
    "deaf": "five who lead and do not read, 105 KB a message",
    "frames": "messages of 4 MB that do not end, and silent lines",
    "uploads": "files of which 20 MB come, and no end",
}


class Honest:
    """The class, and a visitor outside of its room."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.moves: list[float] = []  # milliseconds until everybody has one
        self.runs: list[float] = []  # and until the visitor has another sentence
        self.lost = 0
        self.server = child()

    async def come(self) -> None:
        code, secret = await asyncio.to_thread(open_room, self.url)
        self.code = code
        self.leader = Member(self.url, code, secret)
        self.class_ = [Member(self.url, code) for _ in range(CLASS)]
        for one in (self.leader, *self.class_):
            await one.come()
        await self.leader.say({"ask": QUESTION})
        self.visitor = Visitor(self.url)
        await self.visitor.__aenter__()
        await self.visitor.open("overview", {"model": "copy", "source": "1 2 3"})

    async def live(self, ended: asyncio.Event) -> None:
        heard: dict[int, int] = {}
        arrived = asyncio.Condition()

        async def follow(member: Member) -> None:
            while True:
                try:
                    said = await member.hear()
                except ConnectionClosed:
                    self.lost += 1
                    await member.come_again()
                    continue
                if "state" in said and "views" in said["state"]:
                    async with arrived:
                        n = said["state"]["views"]["a"]["n"]
                        heard[n] = heard.get(n, 0) + 1
                        arrived.notify_all()

        async def lead() -> None:
            n = 0
            while not ended.is_set():
                n += 1
                begun = time.perf_counter()
                await self.leader.say({"lead": {"views": {"a": {"n": n}}}})
                async with arrived:
                    await asyncio.wait_for(arrived.wait_for(lambda: heard.get(n, 0) >= CLASS), PATIENCE)  # noqa: B023
                self.moves.append(1000 * (time.perf_counter() - begun))
                await asyncio.sleep(max(0.0, MOVE - (time.perf_counter() - begun)))

        async def read() -> None:
            n = 0
            while not ended.is_set():
                n += 1
                begun = time.perf_counter()
                await self.visitor.open("overview", {"model": "copy", "source": f"1 2 {n % 8} {n // 8 % 8}"})
                self.runs.append(1000 * (time.perf_counter() - begun))
                await asyncio.sleep(0.5)

        async def listen() -> None:
            async for _ in self.leader.socket:
                pass

        others = [asyncio.create_task(follow(one)) for one in self.class_] + [asyncio.create_task(listen())]
        await asyncio.gather(lead(), read())
        for one in others:
            one.cancel()


async def attacked(honest: Honest, names: list[str], seconds: float) -> tuple[dict[str, Count], float]:
    """Runs these attacks at once, beside the class -> what each tried, and the most memory of the server, in MB."""
    honest.moves, honest.runs = [], []
    ended = asyncio.Event()
    living = asyncio.create_task(honest.live(ended))
    command = [
        sys.executable,
        "-m",
        "bench.attacks",
        "--url",
        honest.url,
        "--code",
        honest.code,
        "--seconds",
        str(seconds),
    ]
    strangers = [
        await asyncio.create_subprocess_exec(*command, "--only", name, stdout=asyncio.subprocess.PIPE) for name in names
    ]
    talks = asyncio.gather(*(one.communicate() for one in strangers))
    most = 0.0
    while not talks.done():
        most = max(most, resident(honest.server))
        await asyncio.sleep(0.05)
    ended.set()
    await living
    return {name: tuple(json.loads(said)) for name, (said, _) in zip(names, await talks, strict=True)}, most


def cells(honest: Honest) -> list[str]:
    def p95(times: list[float]) -> str:
        return f"{quantiles(times, n=20, method='inclusive')[-1]:.0f}" if len(times) > 1 else "–"

    return [f"{median(honest.moves):.0f}", p95(honest.moves), f"{max(honest.moves):.0f}", p95(honest.runs)]


async def measure(report: Report, url: str, names: list[str], seconds: float) -> None:
    honest = Honest(url)
    await honest.come()
    report.head(
        "attack", "tried", "let through", "memory, MB", "5 s later",
        "a move p50, ms", "p95", "most", "a sentence p95, ms", "lines lost",
    )  # fmt: skip
    ended = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, ended.set)
    await honest.live(ended)
    report.row(["none", "", "", "", "", *cells(honest), honest.lost])
    for name in names:
        honest.lost, before = 0, resident(honest.server)
        counts, most = await attacked(honest, [name], seconds)
        await asyncio.sleep(5)
        tried, through = counts[name]
        memory = [f"{most - before:+.0f}", f"{resident(honest.server) - before:+.0f}"]
        report.row([ATTACKS[name], f"{tried:,}", f"{through:,}", *memory, *cells(honest), honest.lost])


async def soak(report: Report, url: str, minutes: float) -> None:
    """Two attacks at a time, in turn; each line is a minute."""
    honest = Honest(url)
    await honest.come()
    report.head("minute", "attacks", "memory, MB", "a move p50, ms", "p95", "most", "a sentence p95, ms", "lines lost")
    names, ends, minute = [*ATTACKS], time.monotonic() + 60 * minutes, 0
    while time.monotonic() < ends:
        pair = [names[(2 * minute + n) % len(names)] for n in range(2)]
        minute += 1
        _counts, most = await attacked(honest, pair, 60)
        report.row([minute, ", ".join(pair), f"{most:.0f}", *cells(honest), honest.lost])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.attacks")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", nargs="+", choices=[*ATTACKS], default=[*ATTACKS])
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    parser.add_argument("--url", help=argparse.SUPPRESS)  # the stranger's own process
    parser.add_argument("--code", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.url:
        stranger = Stranger(asked.url, asked.code, asked.seconds)
        print(json.dumps(asyncio.run(getattr(stranger, asked.only[0])())))
        return
    where, report = machine("streamlit", "uvicorn", "websockets"), Report()
    with serve() as url:
        asyncio.run(soak(report, url, asked.soak) if asked.soak else measure(report, url, asked.only, asked.seconds))
    print(where)
    if asked.write:
        name, options = (
            ("attacks soak", f"--soak {asked.soak:g}") if asked.soak else ("attacks", f"--seconds {asked.seconds:g}")
        )
        report.write(name, f"python -m bench.attacks {options}", where, PAGE)


if __name__ == "__main__":
    main()
