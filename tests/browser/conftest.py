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
    # No page lives long enough to repay V8's later compilers, parsing in threads, or dropping bytecode to parse anew.
    quick = "--js-flags=--no-opt --no-maglev --no-script-streaming --no-flush-bytecode"
    browser = launch(playwright, "--process-per-site", quick)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> BrowserContext:
    """The context that all tests share: its cache keeps Streamlit's front end, which takes seconds to load anew.

    Each page in it is still a visitor of its own: Streamlit tells visitors apart by their connections.
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
    """`visit("?model=copy", width=390)` opens a page as a new visitor.

    At the end, the test fails if any page had an error or asked another host for something.
    The visitors of a test marked `own_browser` have a browser that has kept nothing from other tests.
    A link that names no page opens Overview; "/" is the home page. On all other pages, a link that names no model gets
    zh-en, whatever the browser's language.
    """
    if request.node.get_closest_marker("own_browser"):
        context = request.getfixturevalue("new_context")(permissions=CLIPBOARD)
    else:
        context = request.getfixturevalue("context")
    if not any(page.url.startswith(app_url) for page in context.pages):
        context.new_page().goto(f"{app_url}/readyz")  # stays open: keeps the process that compiled the front end
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
