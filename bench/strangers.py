"""What strangers on the internet can make a server wait for and hold, and how long an honest visitor waits meanwhile.

    python -m bench.strangers [--rounds 5] [--write]

- *Another site's page*: opens connections with an `Origin` that is not the server's, one after the other, then a
  hundred at once, during which an honest visitor asks for `/_stcore/health`, again and again.
- *Frames*: three connections that begin messages of 189 MB, and never end them.
"""

from __future__ import annotations

import argparse
import os
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from urllib.request import urlopen

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from bench.browser import ROOT, serve
from bench.report import Report, machine
from bench.several import resident

PAGE = ROOT / "docs/reliability.md"
ELSEWHERE = "https://elsewhere.example"
FRAME, FRAMES = 189 * 10**6, 3


def visit(url: str, origin: str) -> ClientConnection:
    address = f"{url.replace('http', 'ws')}/_stcore/stream"
    return connect(address, origin=Origin(origin), proxy=None, compression=None, open_timeout=60)


def knock(url: str) -> float:
    """Milliseconds until a stranger is sent away."""
    started = perf_counter()
    with suppress(InvalidHandshake), visit(url, ELSEWHERE):
        pass
    return 1000 * (perf_counter() - started)


def ask(url: str) -> float:
    """Milliseconds until an honest visitor has an answer."""
    started = perf_counter()
    with urlopen(f"{url}/_stcore/health", timeout=60) as answer:
        answer.read()
    return 1000 * (perf_counter() - started)


def ask_until(url: str, ended: threading.Event) -> list[float]:
    times = []
    while not ended.is_set():
        times.append(ask(url))
        sleep(0.01)
    return times


def begin_frame(url: str) -> None:
    """Begins a message that never ends, and sends as much of it as the server takes."""
    with suppress(ConnectionClosed, OSError), visit(url, url) as visitor:
        visitor.socket.sendall(struct.pack("!BBQ4x", 0x82, 0xFF, FRAME))
        for _ in range(FRAME // 10**6 - 1):
            visitor.socket.sendall(bytes(10**6))
        sleep(3)


def child() -> int:
    """The process id of the server."""
    return int(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()[-1])


def measure(report: Report, rounds: int) -> None:
    with serve() as url, ThreadPoolExecutor(101) as others:
        alone = [ask(url) for _ in range(20)]
        one = [knock(url) for _ in range(rounds)]
        ended = threading.Event()
        honest = others.submit(ask_until, url, ended)
        crowd = [took for _ in range(rounds) for took in others.map(knock, [url] * 100)]
        ended.set()
        waited = honest.result()
        before = resident(child())
        holding = [others.submit(begin_frame, url) for _ in range(FRAMES)]
        largest = before
        while not all(one.done() for one in holding):
            largest = max(largest, resident(child()))
            sleep(0.02)
        sleep(5)
        after = resident(child())
    report.head("what", "result")
    report.row(["an honest visitor's answer, nobody else there", f"{median(alone):.1f} ms"])
    report.row(["another site's page is sent away, median", f"{median(one):.1f} ms"])
    report.row([f"of {rounds} × 100 at once, the slowest", f"{max(crowd):.0f} ms"])
    report.row(["an honest visitor's answer meanwhile, median", f"{median(waited):.1f} ms"])
    report.row(["and the slowest", f"{max(waited):.0f} ms"])
    report.row([f"{FRAMES} frames of 189 MB, never ended: memory at most", f"{largest - before:+.0f} MB"])
    report.row(["5 s after they have gone", f"{after - before:+.0f} MB"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.strangers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    asked = parser.parse_args()
    where, report = machine("streamlit", "uvicorn", "websockets"), Report()
    measure(report, asked.rounds)
    print(where)
    if asked.write:
        report.write("strangers", f"python -m bench.strangers --rounds {asked.rounds}", where, PAGE)


if __name__ == "__main__":
    main()
