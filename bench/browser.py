"""The app in a server of its own, and the browser that the benchmarks and the tests look at it with."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Frame, Page, Playwright, ViewportSize

from bench.programs import BROWSER

ROOT = Path(__file__).resolve().parents[1]
START = 120  # seconds, at most
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # without a window, too, letters are as wide as with one
]


@contextmanager
def serve(script: str = "app.py", **more: str) -> Iterator[str]:
    """The address of an app that was just started, and is ready for visitors.

    Args:
        script: a path from the project's root.
        more: environment variables for it.
    """
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", "0"]
    environment = {**os.environ, "VIZ_DEVICE": "cpu", "PYTHONUNBUFFERED": "1", **more}
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
            raise RuntimeError(f"The app did not start:\n{''.join(printed)}")
        rest = Thread(target=printed.extend, args=(server.stdout,))  # a full pipe would stop the server
        rest.start()
        try:
            url = line[line.index("http://") :].strip().rstrip("/")
            wait_until_ready(f"{url}/{'readyz' if script == 'app.py' else '_stcore/health'}")
            yield url
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:  # it waits for a browser that is still open
                server.kill()
            rest.join()


def wait_until_ready(address: str) -> None:
    """Waits until this address answers without an error. Raises TimeoutError where it does not."""
    end = time.monotonic() + START
    while time.monotonic() < end:
        try:
            with urlopen(address, timeout=START):
                return
        except (HTTPError, URLError):
            time.sleep(0.1)
    raise TimeoutError(f"{address} was not ready after {START} s.")


def launch(playwright: Playwright, *more: str) -> Browser:
    """An installed browser, else Playwright's own."""
    return playwright.chromium.launch(executable_path=BROWSER.path, args=[*ARGUMENTS, *more])


UNTIL = """async ([limit, given]) => {
  const end = performance.now() + limit;
  for (;;) {
    const found = await (PREDICATE)(given);
    if (found) return found;
    if (performance.now() > end) return null;
    await new Promise((wake) => setTimeout(wake, 20));
  }
}"""


def until(page: Page | Frame, predicate: str, given: object = None, *, seconds: float = 30) -> Any:
    """Waits until a function in JavaScript returns something true -> what it returns.

    Playwright's own `wait_for_function` evaluates text in the page, which the app's policy refuses; and it takes the
    promise of an `async` function for true.

    Raises:
        TimeoutError: after so many seconds.
    """
    found = page.evaluate(UNTIL.replace("PREDICATE", predicate), [1000 * seconds, given])
    if not found:
        raise TimeoutError(f"This was not so within {seconds} s: {predicate}")
    return found


# Pictures learn their new size when the browser is about to paint; before that, one may stand in the place of the old.
PAINTED = """async (size) => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  return innerWidth === size.width && innerHeight === size.height;
}"""


def resize(page: Page, width: int, height: int) -> None:
    """Gives a page another size, in CSS pixels, and waits until it is painted in it."""
    size: ViewportSize = {"width": width, "height": height}
    page.set_viewport_size(size)
    until(page, PAINTED, size)
