"""Several servers behind nginx, as `deploy/serve` starts them: what visitors notice when one of them dies."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from time import monotonic, sleep
from typing import TypeVar
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.several import Several, serving
from bench.visitor import Visitor, shown

PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
pytestmark = pytest.mark.skipif(
    not (shutil.which("nginx", path=PLACES) or (os.geteuid() == 0 and shutil.which("apt-get"))),
    reason="nginx is not installed, and only root could install it",
)
T = TypeVar("T")
SERVERS, VISITORS = 3, 30
SOON = 5  # seconds after which everybody can go on
VIEWS = [  # a page and a query for each visitor
    (page, {"source": f"我有{number}个朋友。", **more})
    for number in "一二三四五六七八九十"
    for page, more in (("attention", {"head": "2"}), ("heads", {}), ("masks", {}))
]


def answering(url: str, wanted: str) -> str:
    """Which server answers a visitor whose cookie says `wanted`."""
    with urlopen(Request(url, headers={"Cookie": f"viz_server={wanted}"}), timeout=SOON) as answer:
        named = re.search(r"viz_server=(\d)", str(answer.headers.get_all("Set-Cookie")))
        return named[1] if named else wanted


async def timed(run: Awaitable[T]) -> tuple[T, float]:
    """What comes of it, and after how many seconds."""
    begun = monotonic()
    return await run, monotonic() - begun


async def lose_one(servers: Several, server: str) -> tuple[list[float], list[float]]:
    """Thirty visitors, each on a view of their own, when this server dies.

    Returns:
        After how many seconds each of its visitors saw the same again, and then those of the others had an answer.
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


def test_when_one_of_three_servers_dies_everybody_goes_on_at_once_where_they_were(browser: Browser) -> None:
    with serving(SERVERS) as servers:
        page = browser.new_page()
        page.goto(f"{servers.url}/attention?model=zh-en&source=我爱你。&head=3")
        expect(page.locator("canvas:visible").first).to_be_visible()
        own = server_of(page)
        dead = servers.processes[own]

        with ThreadPoolExecutor() as pool:  # Playwright has a loop of its own in this thread
            back, stayed = pool.submit(asyncio.run, lose_one(servers, own)).result()
        print(f"Back after {max(back):.1f} s, {len(back)} visitors; others within {max(stayed):.1f} s.")
        assert max(back) <= SOON and max(stayed) <= SOON

        page.keyboard.press("4")
        expect(page).to_have_url(re.compile("head=4"), timeout=1000 * SOON)
        assert server_of(page) != own
        page.context.close()

        while answering(servers.url, own) != own:  # the new process takes visitors, once it is ready
            sleep(0.2)
        last = servers.processes
        assert last[own] != dead
    for process in last.values():
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(URLError):
        urlopen(servers.url)


def server_of(page: Page) -> str:
    return next(one["value"] for one in page.context.cookies() if one["name"] == "viz_server")
