"""A real app in a real Chromium. The server is started once; every test gets a fresh browser context."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request, expect, sync_playwright

from bench.browser import launch, serve
from tests.browser.evidence import RECORD, evidence

expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong

CLIPBOARD = ["clipboard-read", "clipboard-write"]
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The address of the app that the tests share."""
    with serve() as url:
        yield url


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    # No page here lives long enough to pay for V8's later compilers, or for parsing twice, in threads of their own.
    quick = "--js-flags=--no-opt --no-maglev --no-script-streaming --no-flush-bytecode"
    browser = launch(playwright, "--process-per-site", quick)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> BrowserContext:
    """One for all tests, whose cache keeps the front end: Streamlit's takes seconds to load anew.

    A page in it is a visitor of its own: Streamlit knows its visitors by their connections.
    """
    return browser.new_context(permissions=CLIPBOARD)


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Opens a context that shares nothing with any other; at the end of the test it is closed."""
    contexts: list[BrowserContext] = []

    def new_context(**options: Any) -> BrowserContext:
        contexts.append(browser.new_context(**options))
        return contexts[-1]

    yield new_context
    for context in contexts:
        context.close()


@pytest.fixture
def visit(request: pytest.FixtureRequest, app_url: str) -> Iterator[Callable[..., Page]]:
    """`visit("?model=copy", width=390)` opens a page as a new visitor; at the end nothing may have gone wrong.

    Marked `own_browser`, the test's visitors have a browser that has kept nothing from other tests.
    Overview, where the link names no page; "/" is the home page. The model is zh-en where the link says nothing,
    whatever the browser's language.
    """
    if request.node.get_closest_marker("own_browser"):
        context = request.getfixturevalue("new_context")(permissions=CLIPBOARD)
    else:
        context = request.getfixturevalue("context")
    if not any(page.url.startswith(app_url) for page in context.pages):
        context.new_page().goto(f"{app_url}/readyz")  # stays, and with it the process that has compiled the front end
    pages: list[Page] = []
    wrong: list[str] = []
    host = urlsplit(app_url).netloc

    def check_request(request: Request) -> None:
        if urlsplit(request.url).scheme in ("http", "https", "ws", "wss") and urlsplit(request.url).netloc != host:
            wrong.append(f"asked for something outside: {request.url}")

    def visit(query: str = "", width: int = 1400, height: int = 1000, scheme: str = "light") -> Page:
        page = context.new_page()
        pages.append(page)
        page.add_init_script(RECORD)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_default_timeout(30_000)
        page.on("request", check_request)
        page.on("pageerror", lambda error: wrong.append(f"page error: {error}"))
        page.on(
            "console",
            lambda message: (
                wrong.append(f"console: {message.text} {message.location.get('url', '')}")
                if message.type == "error"
                else None
            ),
        )
        path, _, link = query.partition("?")
        if path != "/":
            path, link = path or "overview", link if "model=" in link else f"model=zh-en&{link}"
        page.goto(f"{app_url}/{path.strip('/')}?{link}")
        return page

    yield visit
    for page in pages:
        if request.node.stash[FAILED]:
            request.node.add_report_section("teardown", "browser", evidence(page))
        page.close()
    assert not wrong
