"""What the server's process holds while visitors come and go: one visitor after the other, in Streamlit's own runtime.

    VIZ_MEMORY_MB=400 python -m bench.memory tour [--texts 40] [--write]
    VIZ_MEMORY_MB=400 python -m bench.memory visits [--visits 200] [--write]

There is no network in it, see `bench.in_process`.

- `tour`: every visitor brings another text of 127 tokens, the longest that is read, and looks at it on the pages that
  compute something from it.
- `visits`: every visitor opens Attention and Heads with another text of 127 tokens, and closes the page. Streamlit
  keeps the session of a closed page for a while (`server.disconnectedSessionTTL`), 128 of them at most, with what its
  fragments refer to; `--warm-up` visits come before the first number.

Numbers are the resident memory that the system reports for the process.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.browser import ROOT
from bench.in_process import Visitor, run, served
from bench.report import Report, machine
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.ui.shared.models import load_translator

PAGE = ROOT / "docs/reliability.md"
MODEL = "zh-en"
CHARACTERS = "我你他们今天明学校老师生朋友喜欢习中文数气很好在和书家吃饭喝水工作城市北京火车"
LENGTH = 127  # tokens, the end token among them
Place = tuple[str, dict[str, str]]  # a page and its parameters
TOUR: list[Place] = [
    ("attention", {}),
    ("heads", {}),
    ("masks", {}),
    ("decoding", {}),
    ("architecture", {}),
    ("scaling", {"lesson": "softmax", "part": "model"}),
    ("scaling", {"lesson": "products", "part": "model"}),
    ("positions", {"lesson": "order", "part": "model"}),
]
VISIT: list[Place] = [("attention", {}), ("heads", {})]


def texts(tokenizer: Tokenizer, seed: int = 0) -> Iterator[str]:
    """Chinese without sense, each of `LENGTH` tokens, one text after the other."""
    dice = random.Random(seed)
    while True:
        text = ""
        while len(tokenizer.encode(text + "。").ids) < LENGTH - 1:
            text += dice.choice(CHARACTERS)
        yield text


def resident() -> float:
    """Megabytes of this process."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measure(report: Report, places: list[Place], warm: int, count: int, every: int) -> None:
    """A row of the table after every `every` visitors; `warm` others come before the first."""
    async with served() as runtime:

        async def visit() -> None:
            visitor, text = Visitor(runtime), next(coming)
            for page, more in places:
                await visitor.open(page, {"model": MODEL, "source": text, **more})
            visitor.leave()

        coming = texts(load_translator(MODEL, "cpu").source_tokenizer)
        for _ in range(warm):
            await visit()
        started, first = perf_counter(), resident()
        report.head("visitors", "resident, MB", "growth, MB", "seconds")
        report.row((warm, f"{first:,.0f}", "", ""))
        for n in range(1, count + 1):
            await visit()
            if n % every == 0:
                now = resident()
                report.row((warm + n, f"{now:,.0f}", f"{now - first:+,.0f}", f"{perf_counter() - started:,.0f}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tour", "visits"))
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--warm-up", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    report = Report()
    if asked.what == "tour":
        run(measure(report, TOUR, 0, asked.texts, 5))
        command = f"python -m bench.memory tour --texts {asked.texts}"
    else:
        run(measure(report, VISIT, asked.warm_up, asked.visits, 20))
        command = f"python -m bench.memory visits --visits {asked.visits} --warm-up {asked.warm_up}"
    if limit := os.environ.get("VIZ_MEMORY_MB"):
        command = f"VIZ_MEMORY_MB={limit} {command}"
    if asked.write:
        report.write(f"memory {asked.what}", command, machine("streamlit", "torch"), PAGE)


if __name__ == "__main__":
    main()
