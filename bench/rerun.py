"""What one rerun of each page costs: the time of the processor, all threads of the server together.

    python -m bench.rerun [--reruns 15] [--write] [names of pages]

"Again" is a rerun for which nothing has to be computed that was not computed before, as when a box is opened;
"another sentence" one that a person has typed into the page's field, which the model has not read before. There is no
network in it, see `bench.in_process`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from statistics import median
from time import process_time

from streamlit.runtime import Runtime

from bench.browser import ROOT
from bench.first_screen import PAGES
from bench.in_process import Visitor, run, served
from bench.report import Report, machine

PAGE = ROOT / "docs/reliability.md"
WHO, DOES, WHAT = (
    "I You We They Teachers Students Friends Parents Children",
    "like want see have know need",
    "tea. books. cats. fruit. music. money. water.",
)
WARM_UP = 4  # reruns
HAS_FIELD = ("overview", "attention", "heads", "decoding", "architecture", "why_attention")


def sentences() -> Iterator[str]:
    """Short ones, each of them once."""
    yield from map(" ".join, product(WHO.split(), DOES.split(), WHAT.split()))


async def measured(runtime: Runtime, name: str, reruns: int, coming: Iterator[str]) -> list[str]:
    """The cells of a page's row."""
    visitor, has_field = Visitor(runtime), name in HAS_FIELD
    await visitor.open(name, {})
    again, another = [], []
    for n in range(-WARM_UP, reruns):
        started = process_time()
        await visitor.open(name, {})
        between = process_time()
        if has_field:
            await visitor.open(name, {}, typed=next(coming))
        if n >= 0:
            again.append(1000 * (between - started))
            another.append(1000 * (process_time() - between))
    visitor.leave()
    return [name or "lecture", f"{median(again):.0f}", f"{median(another):.0f}" if has_field else ""]


async def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="names of pages; all where none is given")
    parser.add_argument("--reruns", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    asked = parser.parse_args()
    report, coming = Report(), sentences()
    report.head("page", "again, ms", "another sentence, ms")
    async with served() as runtime:
        for name in asked.pages or PAGES:
            report.row(await measured(runtime, name, asked.reruns, coming))
    if asked.write:
        report.write("rerun", "python -m bench.rerun", machine("streamlit", "torch"), PAGE)


if __name__ == "__main__":
    run(main())
