"""How long a light visitor waits while heavy ones compute, and while nobody does, in turns.

    python -m bench.heavy [--rounds 4] [--write]

The light one types short sentences on the Overview, one after the other. The heavy ones, three at a time, run a beam
search with a beam of 8, or knock out every head, for a text of 127 tokens; always another text, so that nothing is in
the cache. There is no network in it, see `bench.in_process`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from statistics import median, quantiles
from time import perf_counter

from streamlit.runtime import Runtime

from bench.browser import ROOT
from bench.in_process import Visitor, run, served
from bench.memory import MODEL, texts
from bench.report import Report, machine
from bench.rerun import sentences
from viz_transformer.ui.shared.models import load_translator

PAGE = ROOT / "docs/reliability.md"
HEAVY = {
    "beam 8 × 127": ("decoding", {"method": "beam", "beam": "8"}),
    "knock-out × 127": ("heads", {"view": "knock-out"}),
}
VISITORS, SENTENCES = 3, 10


async def lights(light: Visitor, coming: Iterator[str]) -> list[float]:
    """Milliseconds for each of `SENTENCES`."""
    found = []
    for _ in range(SENTENCES):
        started = perf_counter()
        await light.open("overview", {}, typed=next(coming))
        found.append(1000 * (perf_counter() - started))
    return found


async def beside(runtime: Runtime, what: str, rounds: int, long: Iterator[str], short: Iterator[str]) -> list[str]:
    """The cells of a row: alone, beside heavy visitors, and the ratios."""
    page, more = HEAVY[what]
    light = Visitor(runtime)
    await light.open("overview", {})
    await lights(light, short)

    async def heavy() -> None:
        while True:
            visitor = Visitor(runtime)
            try:
                await visitor.open(page, {"model": MODEL, "source": next(long), **more})
            finally:
                visitor.leave()

    alone: list[float] = []
    among: list[float] = []
    for _ in range(rounds):
        alone += await lights(light, short)
        tasks = [asyncio.create_task(heavy()) for _ in range(VISITORS)]
        await asyncio.sleep(1)  # until all of them compute
        among += await lights(light, short)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(1)  # until what was given up has ended
    light.leave()
    cells = [value for times in (alone, among) for value in (median(times), quantiles(times, n=20)[-1])]
    ratio = median(among) / median(alone)
    return [what, *(f"{value:.0f}" for value in cells), f"{ratio:.1f}"]


async def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    asked = parser.parse_args()
    report, short = Report(), sentences()
    long = texts(load_translator(MODEL, "cpu").source_tokenizer)
    report.head("heavy", "alone p50, ms", "p95", f"beside {VISITORS} p50, ms", "p95", "ratio of p50")
    async with served() as runtime:
        for what in HEAVY:
            report.row(await beside(runtime, what, asked.rounds, long, short))
    if asked.write:
        report.write("heavy", "python -m bench.heavy", machine("streamlit", "torch"), PAGE)


if __name__ == "__main__":
    run(main())
