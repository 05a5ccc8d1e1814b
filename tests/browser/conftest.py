"""A real app in a real Chromium. The server is started once; every test gets a fresh browser context."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Streamlit asks for these below a sub-page's path before it finds its root.
HARMLESS = ("_stcore/health", "_stcore/host-config")


@contextmanager
def serve() -> Iterator[str]:
    """The address of an app that was just started."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
    environment = {**os.environ, "VIZ_DEVICE": "cpu", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        printed = []
        for line in server.stdout:  # it names its address when it listens
            printed.append(line)
            if "http://" in line:
                break
        else:
            pytest.fail(f"The app did not start:\n{''.join(printed)}")
        rest = Thread(target=printed.extend, args=(server.stdout,))  # a full pipe would stop the server
        rest.start()
        yield line[line.index("http://") :].strip().rstrip("/")
        server.terminate()
        server.wait(timeout=30)
        rest.join()


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The address of the app that the tests share."""
    with serve() as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, app_url: str) -> Iterator[Callable[..., Page]]:
    """`visit("?model=copy", width=390)` opens a page as a new visitor; at the end nothing may have gone wrong."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []
    host = urlsplit(app_url).netloc

    def check_request(request: Request) -> None:
        if urlsplit(request.url).scheme in ("http", "https", "ws", "wss") and urlsplit(request.url).netloc != host:
            wrong.append(f"asked for something outside: {request.url}")

    def visit(query: str = "", width: int = 1400, height: int = 1000, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("request", check_request)
        page.on("pageerror", lambda error: wrong.append(f"page error: {error}"))
        page.on(
            "console",
            lambda message: (
                wrong.append(f"console: {message.text} {message.location.get('url', '')}")
                if message.type == "error" and not any(path in str(message.location) for path in HARMLESS)
                else None
            ),
        )
        page.goto(f"{app_url}/{query}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not wrong
