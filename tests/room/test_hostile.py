"""Who means no good is refused, and the room goes on for the others."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.helpers import in_a_loop
from tests.room.serving import Class, Page, Serving, in_class, open_room
from tests.room.test_messages import VALUES
from viz_transformer.room import classroom_server, outbox
from viz_transformer.room.classroom_server import ClassroomServer
from viz_transformer.room.client import LARGEST, Client
from viz_transformer.room.memory import MemoryStore
from viz_transformer.room.rates import Buckets
from viz_transformer.room.store import Given

CODES = {4400, 4403, 4413, 4429}


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    classroom = ClassroomServer(MemoryStore(), lambda host: host.startswith("127.0.0.1:"))
    classroom.opened.rate = 1000
    classroom.seated = Buckets(1000, 1000)  # and more members come in than a class has
    with Serving(classroom) as serving:
        yield serving.host


async def goes_on(room: Class) -> None:
    """A lecturer says something new, and who is there hears it."""
    lecturer, page = await room.lead(), await room.join("member-good")
    await lecturer.say(lead={"run": True})
    assert (await page.hear("state"))["run"]
    await lecturer.leave()
    await page.leave()


async def refused_with(room: Class, do: Callable[[Page], Awaitable[None]], leads: bool = False) -> int:
    page = await (room.lead() if leads else room.join("member-evil"))
    with suppress(ConnectionClosed):  # the server may close before all of it is sent
        await do(page)
    return await page.closed()


@pytest.mark.parametrize(
    "first",
    [
        {"ping": 1},
        {"lead": {"run": True}},
        {"answer": {"id": "q", "guess": 1}},
        {"hello": {"seat": "s" * 101, "secret": None}},
        "hello",
        b'{"hello": {"seat": null, "secret": null}}',
    ],
)
def test_who_does_not_say_hello_is_not_let_in(host: str, first: Any) -> None:
    async def scenario(room: Class) -> None:
        page = await room.knock()
        await page.socket.send(json.dumps(first) if isinstance(first, dict) else first)
        assert await page.closed() == 4400
        await goes_on(room)

    in_class(host, scenario)


def test_who_says_nothing_is_shown_out(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classroom_server, "GREETING", 0.05)

    async def scenario(room: Class) -> None:
        assert await (await room.knock()).closed() == 4400

    in_class(host, scenario)


@pytest.mark.parametrize("secret", ["", "x", "\ud800", "s" * 43])
def test_a_wrong_secret_leads_nothing(host: str, secret: str) -> None:
    async def scenario(room: Class) -> None:
        page = await room.knock()
        await page.say(hello={"seat": None, "secret": secret})
        assert await page.closed(but=True) == 4403
        await goes_on(room)

    in_class(host, scenario)


@pytest.mark.parametrize("code", ["AAAAA", "IIIII", "x", "KQRTBK", "%00", "ſſſſſ"])
def test_no_other_code_opens_a_room(host: str, code: str) -> None:
    async def scenario(room: Class) -> None:
        page = await room.knock(code=code)
        await page.say(hello={"seat": None, "secret": None})
        assert await page.closed() == 4404

    in_class(host, scenario)


@pytest.mark.parametrize(
    "message",
    [
        {"lead": {"address": "heads"}}, {"mode": "free"}, {"ask": None}, {"reveal": "q1"}, {"export": True},
        {"reveal": {"id": "q1", "truth": None}},
        {"end": True}, {"ask": {"id": "q1", "kind": "token", "size": 1, "title": ""}},
        {"rules": {"closed": True}}, {"show": "q1"}, {"remove": {"id": "q1", "text": "word"}},
    ],
)  # fmt: skip
def test_a_student_does_not_lead(host: str, message: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        assert await refused_with(room, lambda page: page.say(**message)) == 4403
        state = (await room.join("member-good")).welcome["state"]
        assert (state["seq"], state["mode"]) == (0, "follow")

    in_class(host, scenario)


@pytest.mark.parametrize(
    "address",
    ["?notes=1&scene=1", "heads?a=b&present=1", "?lecture=attention&%6eotes=1", "masks?present", "heads#x", "//a.b"],
)
def test_no_class_is_led_to_the_notes_or_elsewhere(host: str, address: str) -> None:
    async def scenario(room: Class) -> None:
        assert await refused_with(room, lambda page: page.say(lead={"address": address}), True) == 4400
        assert (await room.join("member-good")).welcome["state"]["address"] == ""

    in_class(host, scenario)


@pytest.mark.parametrize(
    "origin", [None, "null", "https://elsewhere.example", "http://127.0.0.1", "http://localhost:1"]
)
def test_no_other_sites_page_comes_in(host: str, origin: str | None) -> None:
    async def scenario(room: Class) -> None:
        with pytest.raises(InvalidStatus) as refused:
            await room.knock(origin=origin)
        assert refused.value.response.status_code == 403

    in_class(host, scenario)
    assert in_a_loop(open_room(host, Origin=origin or "")).status_code == 403


def test_a_name_that_leads_here_from_elsewhere_opens_nothing(host: str) -> None:
    """DNS rebinding: the page's own name stands in both headers."""
    evil = in_a_loop(open_room(host, Origin="http://evil.example:8501", Host="evil.example:8501"))
    assert evil.status_code == 403


@given(
    st.lists(
        st.text(max_size=200)
        | VALUES.map(json.dumps)
        | st.sampled_from(["lead", "mode", "ask", "reveal", "answer", "ping", "hello", "export"]).flatmap(
            lambda name: VALUES.map(lambda value: json.dumps({name: value}))
        ),
        max_size=5,
    ),
    st.booleans(),
)
def test_forged_messages_are_answered_or_refused(host: str, texts: list[str], leads: bool) -> None:
    async def scenario(room: Class) -> None:
        async def forge(page: Page) -> None:
            for text in texts:
                await page.socket.send(text)
            await page.socket.send("the end")

        assert await refused_with(room, forge, leads) in CODES
        await goes_on(room)

    in_class(host, scenario)


@pytest.mark.parametrize(
    "truth", ["true", [1], {}, {"values": [1]}, {"values": [1, 2], "rows": [], "columns": [], "mask": False}]
)
def test_what_cannot_be_true_reveals_nothing(host: str, truth: Any) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        await lecturer.say(ask={"id": "q1", "kind": "number", "size": 1, "columns": 0, "title": ""})
        await lecturer.hear("question")
        wrong = {"id": "q1", "truth": truth}
        assert await refused_with(room, lambda page: page.say(reveal=wrong), True) == 4400
        assert (await room.join("member-good")).welcome["question"]["open"]

    in_class(host, scenario)


@pytest.mark.parametrize("leads", [True, False])
def test_what_is_too_large_is_refused(host: str, leads: bool) -> None:
    async def scenario(room: Class) -> None:
        for text in ("x" * (LARGEST + 1), "é" * (LARGEST // 2 + 1), "x" * 2**24):
            assert await refused_with(room, lambda page, text=text: page.socket.send(text), leads) == 4413  # type: ignore[misc]
        assert await refused_with(room, lambda page: page.socket.send("x" * LARGEST), leads) == 4400
        await goes_on(room)

    in_class(host, scenario)


@pytest.mark.parametrize(("leads", "burst"), [(True, 80), (False, 20)])
def test_who_floods_is_refused(host: str, leads: bool, burst: int) -> None:
    async def scenario(room: Class) -> None:
        async def flood(page: Page) -> None:
            for _ in range(20 * burst):
                await page.say(ping=1)

        assert await refused_with(room, flood, leads) == 4429
        page = await (room.lead() if leads else room.join("member-lively"))
        for _ in range(burst - 1):  # and one was for the greeting
            await page.say(ping=1)
        for _ in range(burst - 1):
            await page.hear("pong")
        await goes_on(room)

    in_class(host, scenario)


def test_rooms_are_opened_at_the_pace_of_people() -> None:
    async def scenario(host: str) -> list[int]:
        return [(await open_room(host)).status_code for _ in range(21)]

    classroom = ClassroomServer(MemoryStore())
    classroom.opened.clock = lambda: 0.0  # no time passes
    with Serving(classroom) as serving:
        assert in_a_loop(scenario(serving.host)) == [201] * 20 + [429]


def test_who_opens_too_many_keeps_nobody_else_from_opening_one() -> None:
    """The limit is per address as a proxy on this machine reports it; what the browser itself claims is ignored."""

    async def scenario(host: str) -> list[int]:
        stranger = {"X-Forwarded-For": "2001:db8::1"}
        said = [(await open_room(host, **stranger)).status_code for _ in range(21)]
        for address in ("2001:db8::2", "8.8.8.8, 2001:db8::1", "192.0.2.7", "2001:db8:0:1::1"):
            said.append((await open_room(host, **{"X-Forwarded-For": address})).status_code)
        return said

    classroom = ClassroomServer(MemoryStore())
    classroom.opened.clock = lambda: 0.0
    with Serving(classroom) as serving:
        assert in_a_loop(scenario(serving.host)) == [201] * 20 + [429] + [429, 429, 201, 201]


def test_addresses_are_forgotten_once_they_have_rested() -> None:
    now = 0.0
    buckets = Buckets(1, 2, lambda: now, most=3)
    assert [buckets.take("a"), buckets.take("a"), buckets.take("a")] == [True, True, False]
    for other in ("b", "c"):
        assert buckets.take(other)
    now = 1.0  # the buckets of b and c are full again, so they are dropped
    assert buckets.take("d")
    assert [buckets.take("a"), buckets.take("a")] == [True, False]
    assert buckets.take("e") and buckets.take("f")  # none is full, so all are dropped to make room for f
    assert buckets.take("a")


def test_so_many_rooms_and_no_more() -> None:
    with Serving(ClassroomServer(MemoryStore(max_rooms=0))) as serving:
        refused = in_a_loop(open_room(serving.host))
    assert (refused.status_code, refused.json()) == (507, {"refused": "full"})


def test_so_many_members_and_no_more() -> None:
    async def scenario(room: Class) -> None:
        for member in ("member-ada", "member-bob", "member-bob"):
            page = await room.join(member)
        late = await room.knock()
        await late.say(hello={"seat": None, "secret": None})
        assert await late.closed() == 4503
        lecturer = await room.lead()  # who does not count as a member
        await lecturer.say(mode="free")
        await page.hear("state")

    with Serving(ClassroomServer(MemoryStore(), max_members=2)) as serving:
        in_class(serving.host, scenario)


def test_so_many_sockets_and_no_more() -> None:
    async def scenario(room: Class) -> None:
        first, _ = await room.join("member-ada"), await room.knock()
        assert await (await room.knock()).closed() == 4503
        await first.leave()
        while True:  # until the server has seen that the first one left
            page = await room.knock()
            await page.say(hello={"seat": None, "secret": None})
            try:
                assert "welcome" in await page.next()
                break
            except ConnectionClosed:
                continue

    with Serving(ClassroomServer(MemoryStore(), max_sockets=2)) as serving:
        in_class(serving.host, scenario)


def test_who_does_not_read_is_let_go(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST", 8)
    views = {f"view{n}": {"text": "x" * 7000} for n in range(15)}  # 105 kB; no socket buffers a hundred of them

    async def scenario(room: Class) -> None:
        lecturer, good = await room.lead(), await room.join("member-good")
        slow = await room.join("member-slow", max_queue=1)
        slow.socket.transport.pause_reading()
        for sent in range(1, 201):
            await lecturer.say(lead={"views": views})
            assert (await good.hear("state"))["seq"] == sent
            if sent % 40 == 0:  # a new socket, before this one exceeds its rate
                await lecturer.leave()
                lecturer = await room.lead()
                if lecturer.welcome["members"] == 1:
                    break
        else:
            pytest.fail("It is still waited for.")
        slow.socket.transport.resume_reading()
        assert await slow.closed() == 1013

    in_class(host, scenario)


def test_more_than_may_wait_is_said_again_from_the_beginning() -> None:
    """Sending on this socket never ends, so it is closed with the code that lets the client come again."""

    async def scenario() -> None:
        closed: list[int] = []

        class Stuck(WebSocket):
            def __init__(self) -> None:
                self.scope = {"type": "websocket"}

            async def send_text(self, data: str) -> None:
                await asyncio.Event().wait()

            async def close(self, code: int = 1000, reason: str | None = None) -> None:
                closed.append(code)

        client = Client(Stuck(), "one", outbox.Waiting())
        staying = asyncio.create_task(client.stay(asyncio.Event().wait))
        await asyncio.sleep(0)
        for n in range(outbox.MOST + 2):  # one is on its way
            assert client.code is None, n
            client.send("text")
            await asyncio.sleep(0)
        await asyncio.wait_for(staying, 10)
        assert closed == [1013]

    in_a_loop(scenario())


def test_thousands_come_at_once() -> None:
    """As many sockets as a process takes; each hears the lecturer, and one more is refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    sockets = min(3000, (hard - 500) // 2)  # both ends are of this process
    if soft < 2 * sockets + 500:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * sockets + 500, hard))

    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        gate = asyncio.Semaphore(200)

        async def come(n: int) -> Page:
            async with gate:
                return await room.join(f"member-{n}", ping_interval=None)

        pages = await asyncio.gather(*(come(n) for n in range(sockets - 1)))
        await lecturer.hear("members", lambda n: n == sockets - 1)
        assert await (await room.knock()).closed() == 4503
        await lecturer.say(lead={"address": "heads"})
        heard = await asyncio.gather(*(page.hear("state") for page in pages))
        assert all(state == {"seq": 1, "address": "heads"} for state in heard)

    classroom = ClassroomServer(MemoryStore(), max_members=sockets, max_sockets=sockets, seats_of_one=sockets)
    classroom.seated = Buckets(sockets, sockets)
    with Serving(classroom) as serving:
        in_class(serving.host, scenario)


def test_a_stranger_takes_no_seats_but_those_of_one_address() -> None:
    """However fast it asks for them; a class behind another address has all other seats."""

    async def scenario(room: Class) -> None:
        stranger = {"X-Forwarded-For": "192.0.2.7"}
        for n in range(5):
            await room.join(f"stranger-{n}", additional_headers=stranger)
        for _ in range(3):
            page = await room.knock(additional_headers=stranger)
            await page.say(hello={"seat": None, "secret": None})
            assert await page.closed(but=True) == 4503
        await room.join("member-good", additional_headers={"X-Forwarded-For": "192.0.2.8"})

    classroom = ClassroomServer(MemoryStore(), seats_of_one=5)
    with Serving(classroom) as serving:
        in_class(serving.host, scenario)


def test_newcomers_come_at_the_pace_of_a_class_and_whoever_has_a_seat_at_once() -> None:
    async def scenario(room: Class) -> None:
        await room.join("ada")
        await room.join("bob")
        late = await room.knock()
        await late.say(hello={"seat": None, "secret": None})
        assert await late.closed() == 1013  # so that its page comes again in a moment
        await room.join("ada")
        await room.lead()

    classroom = ClassroomServer(MemoryStore())
    classroom.seated = Buckets(1, 2, clock=lambda: 0.0)
    with Serving(classroom) as serving:
        in_class(serving.host, scenario)


def test_who_guesses_codes_soon_hears_of_no_room_any_more() -> None:
    async def scenario(room: Class) -> None:
        async def guess(code: str, **hello: str | None) -> int:
            page = await room.knock(code=code)
            await page.say(hello={"seat": None, "secret": None, **hello})
            return await page.closed(but=True)

        await room.join("ada")
        assert [await guess("AAAAA"), await guess("BBBBB", seat="made up"), await guess(room.code)] == [4404, 4404, 0]
        assert await guess(room.code, secret="guessed") == 4403
        for code in ("CCCCC", room.code):  # which of them is a room, it does not hear
            assert await guess(code) == 1013
            assert await guess(code, secret="guessed") == 1013
        await room.join("ada")  # who is known comes in
        await room.lead()

    classroom = ClassroomServer(MemoryStore())
    classroom.missed = Buckets(1, 3, clock=lambda: 0.0)
    with Serving(classroom) as serving:
        in_class(serving.host, scenario)


def test_what_waits_is_bounded_in_bytes_of_one_and_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        waiting = outbox.Waiting()
        large, other = outbox.Outbox(waiting), outbox.Outbox(waiting)
        assert large.put("x" * 3 * outbox.MOST_BYTES)  # alone, a message may have any size, as exported answers do
        assert not large.put("x")
        assert other.put("x" * (outbox.MOST_BYTES - 1)) and not other.put("xx")
        monkeypatch.setattr(outbox, "MOST_OF_ALL", waiting.bytes - 1)
        assert not other.put("x")
        await large.take()
        assert other.put("x") and waiting.bytes == outbox.MOST_BYTES
        other.hold()
        assert not other.put("x") and waiting.bytes == outbox.MOST_BYTES
        other.empty()
        assert waiting.bytes == 0 and other.put("x") and waiting.bytes == 0  # the client has gone

    in_a_loop(scenario())


def test_reveals_and_exports_of_a_room_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many a lecturer asks for at once, in several tabs."""
    at_once, most = 0, 0

    class Slow(MemoryStore):
        async def answers(self, code: str, id: str, here: bool = False) -> list[Given]:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0.05)
            at_once -= 1
            return await super().answers(code, id, here)

    async def scenario(room: Class) -> None:
        lecturers = [await room.lead() for _ in range(4)]
        await lecturers[0].say(ask={"id": "q", "kind": "number", "size": 1, "columns": 0, "title": ""})
        await lecturers[-1].hear("question")
        for lecturer in lecturers:
            await lecturer.say(reveal="q")
            await lecturer.say(export=True)
        for lecturer in lecturers:
            await lecturer.hear("answers")

    monkeypatch.setattr(classroom_server, "HEAVY", (1000, 1000))
    with Serving(ClassroomServer(Slow())) as serving:
        in_class(serving.host, scenario)
    assert most == 1
