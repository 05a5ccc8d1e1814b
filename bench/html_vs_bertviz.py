"""One HTML file with all attention of a pass, beside what BertViz writes of the same weights: bytes, time, addresses.

    pip install ipython==8.31.0 && pip install --no-deps bertviz==1.4.1
    python -m bench.html_vs_bertviz [--lengths 16 32 64] [--repeats 5] [--write]

The pass is that of `bench/heads_vs_bertviz.py`: 6 layers of 8 heads, T source and T target tokens. Ours is what
`trace.to_html` writes: program, style, glossary and numbers of the overview, all heads, layers and steps, with the four
decimals that it shows, or with `exact=True` every bit. BertViz' is what `head_view` and `model_view` return for a file.
Time: from the trace to the text, the median over the repeats, in turn, in one run.
Addresses: how many files of other machines it loads when it is opened; without them it shows nothing.
"""

from __future__ import annotations

import argparse
import gzip
import re
import statistics
import time
from collections.abc import Callable
from functools import partial

from bench.heads_vs_bertviz import given_to_bertviz, recorded_pass
from bench.report import Report, machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments, report = parser.parse_args(), Report()
    report.head("T", "file", "KB", "of head_view", "gzip, KB", "to write, ms", "of head_view", "addresses")
    for length in arguments.lengths:
        compare(report, length, arguments.repeats)
    if arguments.write:
        lengths = " ".join(map(str, arguments.lengths))
        command = f"python -m bench.html_vs_bertviz --lengths {lengths} --repeats {arguments.repeats}"
        report.write("html_vs_bertviz", command, machine("torch", "bertviz"))


def compare(report: Report, length: int, repeats: int) -> None:
    """A row for each file."""
    from bertviz import head_view, model_view  # the tests import this module, and need no BertViz

    recorded = recorded_pass(length)
    given = given_to_bertviz(recorded)
    writers: dict[str, Callable[[], str]] = {
        "bertviz.head_view": lambda: str(head_view(**given).data),  # type: ignore[attr-defined]
        "bertviz.model_view": lambda: str(model_view(**given).data),  # type: ignore[attr-defined]
        "to_html": recorded.to_html,
        "to_html, exact": partial(recorded.to_html, exact=True),
    }
    files = {name: write() for name, write in writers.items()}
    times: dict[str, list[float]] = {name: [] for name in writers}
    for _ in range(repeats):
        for name, write in writers.items():
            start = time.perf_counter()
            write()
            times[name].append(1000 * (time.perf_counter() - start))
    sizes = {name: len(text.encode()) for name, text in files.items()}
    taken = {name: statistics.median(runs) for name, runs in times.items()}
    for name, text in files.items():
        ratios = [f"**{of[name] / of['bertviz.head_view']:.3f}**" for of in (sizes, taken)]
        zipped = len(gzip.compress(text.encode()))
        row = [f"{sizes[name] / 1000:,.0f}", ratios[0], f"{zipped / 1000:,.0f}", f"{taken[name]:,.0f}", ratios[1]]
        report.row([length, name, *row, len(addresses(text))])


def addresses(text: str) -> set[str]:
    """Addresses of scripts and styles on other machines; links that a reader may follow do not count."""
    asked = re.findall(r"""(?:src=|href=|['"]?paths['"]?[^}]*?)["']?(https?://[^"'\s>]+)""", text)
    listed = re.findall(r"""["'](https?://cdn[^"']+)["']""", text)
    return {one for one in [*asked, *listed] if not one.startswith("http://127.0.0.1")}


if __name__ == "__main__":
    main()
