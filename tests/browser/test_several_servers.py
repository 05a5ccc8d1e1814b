"""Several servers behind nginx, as `deploy/serve` starts them: what visitors notice when one of them dies."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import AsyncExitStack, suppress
from time import monotonic, sleep
from typing import TypeVar
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.exceptions import ConnectionClosed

from bench.browser import until
from bench.first_screen import IS_CALM
from bench.member import Member, Message, open_room
from bench.programs import NGINX, STORE
from bench.several import Several, serving
from bench.visitor import Visitor, shown
from tests.browser.helpers import link_to
from tests.helpers import in_a_loop

pytestmark = [pytest.mark.skipif(not needed.path, reason=needed.missing) for needed in (NGINX, STORE)]
T = TypeVar("T")
SERVERS, VISITORS = 3, 30
LINE, STANDS = "[data-test-connection-state]", "[data-test-connection-state=CONNECTED]"
SOON = 5  # seconds after which everybody can go on
VIEWS = [  # a page and a query for each visitor
    (page, {"source": f"我有{number}个朋友。", **more})
    for number in "一二三四五六七八九十"
    for page, more in (("attention", {"head": "2"}), ("heads", {}), ("masks", {}))
]


@pytest.fixture(scope="module")
def three() -> Iterator[Several]:
    """Three servers; at the end, none of their processes may be left."""
    with serving(SERVERS) as servers:
        yield servers
        last = servers.processes
    for process in last.values():
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(URLError):
        urlopen(servers.url)


@pytest.fixture
def servers(three: Several) -> Several:
    """Once all three take visitors."""
    wait_until_all_answer(three)
    return three


def wait_until_all_answer(servers: Several) -> None:
    for server in servers.processes:
        while answering(servers.url, server) != server:
            sleep(0.2)


def answering(url: str, wanted: str) -> str:
    """Which server answers a visitor whose cookie says `wanted`."""
    with urlopen(Request(url, headers={"Cookie": f"viz_server={wanted}"}), timeout=SOON) as answer:
        named = re.search(r"viz_server=(\d)", str(answer.headers.get_all("Set-Cookie")))
        return named[1] if named else wanted


async def timed(run: Awaitable[T]) -> tuple[T, float]:
    """Awaits something -> its result, and how many seconds that took."""
    begun = monotonic()
    return await run, monotonic() - begun


async def lose_one(servers: Several, server: str) -> tuple[list[float], list[float]]:
    """Kills this server while thirty visitors are there, each on a view of their own.

    Returns:
        After how many seconds each of its visitors saw the same again, and each of the others had an answer.
    """
    async with AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(Visitor(servers.url)) for _ in VIEWS]
        places = list(zip(crowd, VIEWS, strict=True))
        before = {one: shown(await one.open(*view)) for one, view in places}
        counts = Counter(one.cookies["viz_server"].value for one in crowd)
        assert len(counts) == SERVERS and min(counts.values()) >= VISITORS // SERVERS // 2, counts
        theirs = [place for place in places if place[0].cookies["viz_server"].value == server]
        others = [place for place in places if place not in theirs]
        waiting = [asyncio.create_task(one.stay(*view)) for one, view in theirs]
        await asyncio.sleep(0)  # until they wait
        os.kill(servers.processes[server], signal.SIGKILL)

        back = await asyncio.gather(*map(timed, waiting))
        assert [shown(run) for run, _ in back] == [before[one] for one, _ in theirs]
        assert all(one.lost == 1 and one.cookies["viz_server"].value != server for one, _ in theirs)
        stayed = await asyncio.gather(*(timed(one.open(*view)) for one, view in others))
        assert not any(one.lost for one, _ in others)
        return [seconds for _, seconds in back], [seconds for _, seconds in stayed]


def test_when_one_of_three_servers_dies_everybody_goes_on_at_once_where_they_were(
    browser: Browser, servers: Several
) -> None:
    page = browser.new_page()
    page.goto(f"{servers.url}/attention?model=zh-en&source=我爱你。&head=3")
    expect(page.locator("canvas:visible").first).to_be_visible()
    own = server_of(page)
    dead = servers.processes[own]

    back, stayed = in_a_loop(lose_one(servers, own))
    print(f"Back after {max(back):.1f} s, {len(back)} visitors; others within {max(stayed):.1f} s.")
    assert max(back) <= SOON and max(stayed) <= SOON

    page.keyboard.press("4")
    expect(page).to_have_url(re.compile("head=4"), timeout=1000 * SOON)
    assert server_of(page) != own
    page.context.close()

    wait_until_all_answer(servers)  # the new process takes visitors, once it is ready
    assert servers.processes[own] != dead


def test_what_is_asked_while_a_server_dies_is_answered_by_another(browser: Browser, servers: Several) -> None:
    page = browser.new_page()
    page.goto(f"{servers.url}/attention?model=zh-en&source=我爱你。&head=3")
    expect(page.locator("canvas:visible").first).to_be_visible()
    until(page, IS_CALM)

    lose_line(page, servers)
    page.keyboard.press("4")
    head = page.get_by_test_id("mv-head-4")
    expect(head).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("head=4"), timeout=1000 * SOON)
    until(page, IS_CALM)
    expect(head).to_have_attribute("aria-pressed", "true")

    lose_line(page, servers)
    page.go_back()
    expect(page).to_have_url(re.compile("head=3"))
    expect(page.get_by_test_id("mv-head-3")).to_have_attribute("aria-pressed", "true", timeout=1000 * SOON)
    until(page, IS_CALM)

    lose_line(page, servers)
    link_to(page, "masks").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Masks", timeout=1000 * SOON)
    page.context.close()


def lose_line(page: Page, servers: Several) -> None:
    """Kills the page's server, and waits until the page has lost it; it has not found another one yet."""
    wait_until_all_answer(servers)
    os.kill(servers.processes[server_of(page)], signal.SIGKILL)
    page.wait_for_selector(f"{LINE}:not({STANDS})", state="attached")


async def hear(member: Member, name: str) -> Message:
    """The next message of this name; before it, only counts of members and answers may come."""
    async with asyncio.timeout(SOON):
        while name not in (message := await member.hear()):
            assert set(message) <= {"members", "answered"}, message
    return message[name]


async def come_back(member: Member) -> Message:
    """Waits until the connection is lost, and comes back as the page would -> how the room then stands."""
    with suppress(ConnectionClosed):
        while True:
            await member.hear()
    await member.come_again()
    return member.welcome


async def lose_one_of_a_room(servers: Several) -> list[float]:
    """Kills the lecturer's server while a question is open in a room over three servers.

    Returns:
        After how many seconds the lecturer and each student on that server were in the room again.
    """
    async with AsyncExitStack() as stack:
        code, secret = await asyncio.to_thread(open_room, servers.url)
        leader = Member(servers.url, code, secret)
        students = [Member(servers.url, code) for _ in range(VISITORS)]
        for one in (leader, *students):
            await one.come()
            stack.push_async_callback(lambda one=one: one.socket.close())
        own = leader.server
        counts = Counter(one.server for one in students)
        assert len(counts) == SERVERS and min(counts.values()) >= VISITORS // SERVERS // 2, counts
        theirs = [one for one in students if one.server == own]
        others = [one for one in students if one.server != own]

        await leader.say({"lead": {"address": "attention?head=3", "run": True, "views": {}}})
        await leader.say({"ask": {"id": "one", "kind": "number", "size": 1, "columns": 0, "title": "How many?"}})
        for one in students:
            assert (await hear(one, "state"))["address"] == "attention?head=3"
            question = await hear(one, "question")
        early = [*theirs[::2], *others[::2]]
        for one in early:
            await one.say({"answer": {"id": "one", "guess": students.index(one)}})
            assert await hear(one, "counted") == {"id": "one"}

        silent = [asyncio.create_task(one.hear()) for one in others]
        waiting = [asyncio.create_task(come_back(one)) for one in (leader, *theirs)]
        await asyncio.sleep(0)  # until they wait
        os.kill(servers.processes[own], signal.SIGKILL)
        back = await asyncio.gather(*map(timed, waiting))

        for one, (welcome, _) in zip((leader, *theirs), back, strict=True):
            assert (one.lost, one.server != own) == (1, True)
            assert (welcome["state"]["address"], welcome["question"]) == ("attention?head=3", question)
            assert welcome["answer"] == (students.index(one) if one in early else None)
        assert back[0][0]["leads"]
        for one in students:  # those on the dead server repeat their answers: nobody knows whether they got through
            if one in theirs or one not in early:
                await one.say({"answer": {"id": "one", "guess": students.index(one)}})
        for one in theirs:
            assert await hear(one, "counted") == {"id": "one"}
        for one, task in zip(others, silent, strict=True):  # it is the first that they hear since
            assert one in early or await task == {"counted": {"id": "one"}}
        await leader.say({"reveal": "one"})
        everybody = {"id": "one", "kind": "number", "answers": VISITORS, "values": list(map(float, range(VISITORS)))}
        assert await hear(leader, "question") == {**question, "open": False}
        assert await hear(leader, "tally") == everybody
        for one in students:
            heard = await silent[others.index(one)] if one in others and one in early else await one.hear()
            assert heard == {"question": {**question, "open": False}}
            assert await hear(one, "tally") == everybody

        await leader.say({"lead": {"address": "attention?head=4", "run": True, "views": {}}})
        for one in students:
            assert (await hear(one, "state"))["address"] == "attention?head=4"
        assert not any(one.lost for one in others)
        return [seconds for _, seconds in back]


def test_when_one_of_three_servers_dies_its_part_of_a_room_is_back_at_once(servers: Several) -> None:
    back = in_a_loop(lose_one_of_a_room(servers))
    print(f"Back in the room after {max(back):.1f} s, {len(back)} of them.")
    assert max(back) <= SOON


def server_of(page: Page) -> str:
    return next(one["value"] for one in page.context.cookies() if one["name"] == "viz_server")
