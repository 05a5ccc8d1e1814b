"""How quick the matrices are in a real Chromium, with 64 tokens on both axes.

    python -m bench.attention_page [--rounds 15] [--write]

The first table: main-thread time of the browser for the longest frame that follows an input (script, style, layout,
paint, up to the commit to the compositor), as Chromium's own trace has it, in CPU time, so that other programs on the
machine count little; and the messages to the server, while the inputs come and in the second after the last one.

The second table: from key press to painted update, for another head and another layer, next to a rerun of a Streamlit
app that changes one line of text, taken in turns.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from statistics import median
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from bench.browser import launch, serve
from bench.report import Report, machine

TEXTS = {
    "model": "zh-en",
    "source": "我爱你。" * 15 + "我爱你",  # 64 tokens with the end token
    "target": "I love you . " * 12 + "I love you.",  # 64 with the start token
}
PLACE = {**TEXTS, "module": "cross", "layer": "1", "head": "1", "stage": "scores", "cell": "9-9"}
INPUTS = 40
CALM = 1000  # milliseconds after which nothing is under way any more
BETWEEN = 80  # milliseconds between two inputs, so that each has its own frames

# `timed` resolves with the milliseconds from the next key press to the frame that shows something new.
TIMED = """(element, probe) => {
  const look = eval(probe);
  const before = look(element);
  let start;
  addEventListener("keydown", (event) => (start = event.timeStamp), { capture: true, once: true });
  window.timed = new Promise((resolve) => {
    const check = () => {
      if (start !== undefined && look(element) !== before) setTimeout(() => resolve(performance.now() - start));
      else requestAnimationFrame(check);
    };
    check();
  });
}"""
PIXELS = """(canvas) => {
  const { width, height } = canvas;
  return canvas.getContext("2d").getImageData(width / 2, height / 2, width / 4, 4).data.join();
}"""
TEXT = "(line) => line.textContent"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    parser.add_argument("--rounds", type=int, default=15, help="of key presses (default %(default)s)")
    asked, report = parser.parse_args(), Report()
    with sync_playwright() as playwright, serve() as app, serve("bench/one_line.py") as floor:
        browser = launch(playwright)
        main_thread(report, browser, app)
        report.say()
        round_trips(report, browser, app, floor, asked.rounds)
        if asked.write:
            measured_on = machine("torch", "streamlit", chromium=browser.version)
            report.write("attention_page", f"python -m bench.attention_page --rounds {asked.rounds}", measured_on)
        browser.close()


def main_thread(report: Report, browser: Browser, app: str) -> None:
    """The table of what the browser's main thread does."""
    columns = ("median, ms", "95 %, ms", "longest, ms", "messages meanwhile", "after")
    report.head("longest frame, 64 × 64 cells", *columns)
    page, sent = open_page(browser, f"{app}/attention?{urlencode(PLACE)}", "mv-matrix-scores")
    canvas = page.get_by_test_id("mv-matrix-scores").first
    canvas.scroll_into_view_if_needed()
    report.row(row("hover", *traced(browser, page, sent, "pointermove", hovers(page, canvas))))
    canvas.focus()
    # From near the right edge, where the pointer came to rest.
    report.row(row("arrow keys", *traced(browser, page, sent, "keydown", keys(page, "ArrowLeft"))))
    page.get_by_test_id("mv-stage-3").first.focus()
    forth_and_back = ["ArrowRight"] * 5 + ["ArrowLeft"] * 7 + ["ArrowRight"] * 2
    report.row(row("step to another stage", *traced(browser, page, sent, "keydown", keys(page, *forth_and_back))))
    page.close()
    page, sent = open_page(browser, f"{app}/overview?{urlencode({**TEXTS, 'step': '1'})}", "tv-matrix-cross")
    page.get_by_test_id("tv-step").first.focus()
    report.row(row("scrub through the output", *traced(browser, page, sent, "keydown", keys(page, "ArrowRight"))))
    page.close()


def row(name: str, times: list[float], meanwhile: int, after: int) -> list[object]:
    ordered = sorted(times)
    figures = (median(ordered), ordered[int(0.95 * len(ordered))], ordered[-1])
    return [name, *(f"{figure:.1f}" for figure in figures), meanwhile, after]


def open_page(browser: Browser, address: str, test_id: str) -> tuple[Page, list[object]]:
    """The page, when all of it is there, and the messages that it sends."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(120_000)
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda message: sent.append(message)))
    page.goto(address)
    page.get_by_test_id(test_id).first.wait_for()
    page.wait_for_timeout(3 * CALM)
    return page, sent


def hovers(page: Page, canvas: Locator) -> list[Callable[[], None]]:
    box = canvas.bounding_box()
    assert box is not None
    places = [
        (box["x"] + box["width"] * (0.3 + 0.015 * n), box["y"] + box["height"] * (0.4 + 0.01 * n))
        for n in range(INPUTS)
    ]
    return [lambda place=place: page.mouse.move(*place) for place in places]  # type: ignore[misc]


def keys(page: Page, *names: str) -> list[Callable[[], None]]:
    return [lambda n=n: page.keyboard.press(names[n % len(names)]) for n in range(INPUTS)]  # type: ignore[misc]


def traced(
    browser: Browser, page: Page, sent: list[object], event: str, inputs: list[Callable[[], None]]
) -> tuple[list[float], int, int]:
    """Milliseconds of the main thread's CPU time for the longest frame after each of `inputs`, and the messages
    meanwhile and after."""
    page.wait_for_timeout(CALM)
    before = len(sent)
    browser.start_tracing(page=page, categories=["devtools.timeline", "disabled-by-default-devtools.timeline"])
    for give in inputs:
        give()
        page.wait_for_timeout(BETWEEN)
    meanwhile = len(sent) - before
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    page.wait_for_timeout(CALM)
    return longest_frames(trace, event, len(inputs)), meanwhile, len(sent) - before - meanwhile


def longest_frames(trace: list[dict[str, Any]], event: str, count: int) -> list[float]:
    threads = [
        (one["pid"], one["tid"])
        for one in trace
        if one["name"] == "EventDispatch" and one["args"]["data"]["type"] == event
    ]
    thread = max(set(threads), key=threads.count)
    on_it = [one for one in trace if (one["pid"], one["tid"]) == thread]
    starts = sorted(
        one["ts"] for one in on_it if one["name"] == "EventDispatch" and one["args"]["data"]["type"] == event
    )
    firsts = [start for n, start in enumerate(starts) if n == 0 or start - starts[n - 1] > 1000 * BETWEEN / 2]
    assert len(firsts) == count, f"{len(firsts)} of {count} inputs are in the trace"
    tasks = sorted((one for one in on_it if one["name"] == "RunTask" and one["ph"] == "X"), key=lambda one: one["ts"])
    commits = [one["ts"] for one in on_it if one["name"] == "Commit"]
    assert tasks and commits
    longest = []
    for n, first in enumerate(firsts):
        end = firsts[n + 1] if n + 1 < count else first + 1000 * BETWEEN
        frames = [0.0]
        for task in tasks:
            until = task["ts"] + task["dur"]
            if not first < until <= end:
                continue
            frames[-1] += task["tdur"] / 1000
            if any(task["ts"] <= commit <= until for commit in commits):  # the next task belongs to the next frame
                frames.append(0.0)
        longest.append(max(frames))
    return longest


def round_trips(report: Report, browser: Browser, app: str, floor: str, rounds: int) -> None:
    """The table of what needs the server."""
    page, _ = open_page(browser, f"{app}/attention?{urlencode(PLACE)}", "mv-matrix-scores")
    other, _ = open_page(browser, floor, "stText")
    canvas, line = page.get_by_test_id("mv-matrix-scores").first, other.get_by_test_id("stText").first
    again = other.get_by_role("button")
    kinds: dict[str, list[float]] = {"a rerun that changes one line": [], "another head": [], "another layer": []}
    for n in range(rounds):
        kinds["a rerun that changes one line"].append(update(other, line, TEXT, again, "Enter"))
        kinds["another head"].append(update(page, canvas, PIXELS, canvas, "2" if n % 2 == 0 else "1"))
        layer = page.get_by_test_id(f"mv-layer-{1 if n % 2 == 0 else 2}").first
        kinds["another layer"].append(update(page, canvas, PIXELS, layer, "ArrowRight" if n % 2 == 0 else "ArrowLeft"))
    base = median(kinds["a rerun that changes one line"])
    report.head("from key press to painted update", "median, ms", "ratio")
    for kind, times in kinds.items():
        report.row([kind, f"{median(times):.0f}", f"{median(times) / base:.2f}"])


def update(page: Page, seen: Locator, probe: str, focused: Locator, key: str, calm: int = CALM) -> float:
    page.bring_to_front()
    focused.focus()
    seen.evaluate(f"(element, probe) => ({TIMED})(element, probe)", probe)
    page.keyboard.press(key)
    milliseconds = float(page.evaluate("window.timed"))
    page.wait_for_timeout(calm)
    return milliseconds


if __name__ == "__main__":
    main()
