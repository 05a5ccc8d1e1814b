"""How long a visitor waits for Overview, beside a Streamlit app of one line, in one real Chromium.

    python -m bench.first_visit [--starts 5] [--tabs 5] [--write]

Both servers are started anew `--starts` times. Once both are ready, each gets

- its first visit: a browser profile with an empty cache, on a server that has had no visitor;
- a visit with an empty cache, on a server that has had one;
- `--tabs` visits in new tabs of the first profile, whose cache holds all files.

They take turns, and who begins changes. A time is the page's own, from the start of navigation to the frame in which
all that it opens with is painted: here the output and three matrices with pixels in them, there the line of text. A
ratio is of two visits next to each other; the median of them is given, with the smallest and largest. Files are those
that the page asks for, whether from the cache or not.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from bench.browser import launch, serve
from bench.report import Report, machine

FIRST, EMPTY, TAB = "the first after a start", "with an empty cache", "in a new tab"
LIMITS = {FIRST: 1.4, TAB: 1.5}
CALM = 1500  # milliseconds after which nothing that a visit began is under way any more
LONGEST = 120  # seconds
# False until all elements with these test ids, in shadow roots too, are painted; then milliseconds since navigation.
PAINTED = """(wanted) => {
  const found = new Map();
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (wanted.includes(element.dataset?.testid)) found.set(element.dataset.testid, element);
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  const isPainted = (element) => {
    const { width, height } = element.getBoundingClientRect();
    if (!width || !height || !element.checkVisibility({ visibilityProperty: true })) return false;
    if (element.tagName !== "CANVAS") return true;
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    return data.some(Boolean);
  };
  look(document);
  return wanted.every((name) => found.has(name) && isPainted(found.get(name))) && performance.now();
}"""


class Side(NamedTuple):
    """One of the two apps.

    Attributes:
        script: that is served.
        page: of it.
        painted: test ids of what it opens with.
    """

    script: str
    page: str
    painted: tuple[str, ...]


OWN = Side("app.py", "/overview", ("output", "tv-matrix-cross", "tv-small-encoder_self", "tv-small-decoder_self"))
ONE_LINE = Side("bench/one_line.py", "", ("stText",))


class Visit(NamedTuple):
    """Milliseconds until all was painted, and how many files the page asked for."""

    time: float
    files: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--tabs", type=int, default=5, help="visits in new tabs after each start")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments, report = parser.parse_args(), Report()
    pairs: dict[str, list[tuple[Visit, Visit]]] = defaultdict(list)
    waits: list[float] = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for start in range(arguments.starts):
            begun = time.monotonic()
            with serve(OWN.script) as own:
                waits.append(time.monotonic() - begun)
                with serve(ONE_LINE.script) as other:
                    visits_after_a_start(browser, own, other, arguments.tabs, start % 2 == 0, pairs)
        show(report, pairs, waits)
        if arguments.write:
            command = f"python -m bench.first_visit --starts {arguments.starts} --tabs {arguments.tabs}"
            report.write("first_visit", command, machine("torch", "streamlit", chromium=browser.version))
        browser.close()


def visits_after_a_start(
    browser: Browser, own: str, other: str, tabs: int, own_first: bool, pairs: dict[str, list[tuple[Visit, Visit]]]
) -> None:
    """Adds pairs of a visit to this app and one to the other to `pairs`, by kind."""
    profile, other_profile = browser.new_context(bypass_csp=True), browser.new_context(bypass_csp=True)

    def pair(kind: str, context: BrowserContext, other_context: BrowserContext, own_first: bool) -> None:
        turns: list[Callable[[], Visit]] = [
            lambda: visit(context, own + OWN.page, OWN.painted),
            lambda: visit(other_context, other + ONE_LINE.page, ONE_LINE.painted),
        ]
        if own_first:
            here, there = turns[0](), turns[1]()
        else:
            there, here = turns[1](), turns[0]()
        pairs[kind].append((here, there))

    pair(FIRST, profile, other_profile, own_first)
    empty, other_empty = browser.new_context(bypass_csp=True), browser.new_context(bypass_csp=True)
    pair(EMPTY, empty, other_empty, not own_first)
    empty.close()
    other_empty.close()
    for n in range(tabs):
        pair(TAB, profile, other_profile, own_first == (n % 2 == 0))
    profile.close()
    other_profile.close()


def visit(context: BrowserContext, address: str, painted: tuple[str, ...]) -> Visit:
    page = context.new_page()
    files: list[object] = []
    page.on("requestfinished", lambda request: files.append(request))
    page.goto(address, wait_until="commit")
    milliseconds = page.wait_for_function(PAINTED, arg=list(painted), polling="raf", timeout=LONGEST * 1000)
    visited = float(milliseconds.json_value())
    page.wait_for_timeout(CALM)
    page.close()
    return Visit(visited, len(files))


def show(report: Report, pairs: dict[str, list[tuple[Visit, Visit]]], waits: list[float]) -> None:
    report.head("visit", "this project, ms", "one line, ms", "ratio", "at most", "files", "of one line")
    for kind, visits in pairs.items():
        ratios = [here.time / there.time for here, there in visits]
        times = [median(one[side].time for one in visits) for side in (0, 1)]
        limit = LIMITS.get(kind)
        met = "" if limit is None else f"{limit}: {'met' if median(ratios) <= limit else '**not met**'}"
        files = [max(one[side].files for one in visits) for side in (0, 1)]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        report.row([kind, *(f"{one:.0f}" for one in times), spread, met, *files])
    report.say()
    report.say(f"From the start of the server until it was ready: {median(waits):.1f} s.")


if __name__ == "__main__":
    main()
