"""A class before one small machine: how long answers take, and what each costs, for more and more visitors.

    python -m bench.class [--visitors 1 10 30] [--processes 1 2] [--seconds 60] [--write]

Each row starts `deploy/serve` anew, on this machine. Every visitor is a WebSocket of its own, asks for a new sentence
or another page, waits for the whole answer, and thinks for five seconds before the next. A class comes within the
first `--think` seconds, and is measured from then on.

- p50, p95: seconds from a question until the last message of its answer has arrived, at a client on the same machine.
- CPU: what all processes of the app took, divided by the number of answers; nginx and this program come on top.
- cores: the same, divided by the time.
- resident: what all processes hold, before the first visitor and at the end.

200 visitors hold 200 sockets in nginx and as many in this program; it asks nobody but 127.0.0.1.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from dataclasses import dataclass, field
from statistics import quantiles
from time import perf_counter

from websockets.exceptions import WebSocketException

from bench.browser import ROOT
from bench.report import Report, machine
from bench.several import cpu, resident, serving
from bench.visitor import Visitor

PAGE = ROOT / "docs/reliability.md"
READING = ("overview", "attention", "heads", "decoding")  # on which a sentence is typed
PAGES = (*READING, "masks", "architecture", "why_attention", "scaling", "positions", "training")
MODEL = "zh-en"
CHARACTERS = "我你他们今天明学校老师生朋友喜欢习中文数气很好在和书家吃饭喝水工作城市北京火车"
LENGTHS = range(4, 13)  # characters of a sentence


@dataclass
class Tally:
    """What all visitors of a row have waited for, from `begin` on (a time of `perf_counter`)."""

    begin: float
    end: float
    waits: list[float] = field(default_factory=list)
    answers: int = 0  # with those before `begin`
    failed: int = 0


async def learn(url: str, tally: Tally, think: float, dice: random.Random) -> None:
    """One visitor, who comes at some moment of the first `think` seconds and stays until the end."""
    await asyncio.sleep(dice.uniform(0, think))
    page, sentence = "attention", ""
    async with Visitor(url) as visitor:
        while perf_counter() < tally.end:
            is_new = page in READING and dice.random() < 0.5
            if is_new or not sentence:
                sentence = "".join(dice.choices(CHARACTERS, k=dice.choice(LENGTHS))) + "。"
            else:
                page = dice.choice([other for other in PAGES if other != page])
            asked = perf_counter()
            try:
                typed = sentence if is_new and visitor.source else ""
                answer = await visitor.open(page, {"model": MODEL, "source": sentence}, typed)
                assert page not in READING or any(sentence.encode() in one.SerializeToString() for one in answer)
            except (AssertionError, OSError, WebSocketException):
                tally.failed += 1
                return
            tally.answers += 1
            if tally.begin <= asked:
                tally.waits.append(perf_counter() - asked)
            await asyncio.sleep(think)


async def attend(url: str, tally: Tally, visitors: int, think: float) -> None:
    """A whole class, until the end; the same one each time."""
    await asyncio.gather(*(learn(url, tally, think, random.Random(seed)) for seed in range(visitors)))


def row(visitors: int, processes: int, seconds: float, think: float) -> list[str]:
    with serving(processes) as servers:
        ids = list(servers.processes.values())
        before = sum(map(resident, ids))
        now = perf_counter()
        tally = Tally(begin=now + think, end=now + think + seconds)
        taken = -sum(map(cpu, ids))
        asyncio.run(attend(servers.url, tally, visitors, think))
        taken += sum(map(cpu, ids))
        after = sum(map(resident, ids))
    if len(tally.waits) < 2:
        return [str(visitors), str(processes), "0", "", "", "", "", f"{before:,.0f} → {after:,.0f}", str(tally.failed)]
    cuts = quantiles(tally.waits, n=20, method="inclusive")
    return [
        str(visitors),
        str(processes),
        str(len(tally.waits)),
        f"{cuts[9]:.2f}",
        f"{cuts[18]:.2f}",
        f"{1000 * taken / tally.answers:.0f}",
        f"{taken / (perf_counter() - now):.2f}",
        f"{before:,.0f} → {after:,.0f}",
        str(tally.failed),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, nargs="+", default=[1, 10, 30, 100, 200])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--seconds", type=float, default=60, help="of each row (default %(default)s)")
    parser.add_argument("--think", type=float, default=5, help="seconds (default %(default)s)")
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    asked = parser.parse_args()
    report = Report()
    report.head(
        "visitors", "processes", "answers", "p50, s", "p95, s", "CPU an answer, ms", "cores", "resident, MB", "failed"
    )
    for processes in asked.processes:
        for visitors in asked.visitors:
            report.row(row(visitors, processes, asked.seconds, asked.think))
    if asked.write:
        chosen = f"--visitors {' '.join(map(str, asked.visitors))} --processes {' '.join(map(str, asked.processes))}"
        command = f"python -m bench.class {chosen} --seconds {asked.seconds:g} --think {asked.think:g}"
        report.write("class", command, machine("streamlit", "torch"), PAGE)


if __name__ == "__main__":
    main()
