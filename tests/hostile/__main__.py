"""Tries all that is hostile on all of the app, without a browser, and prints what went wrong: nothing, one hopes.

python -m tests.hostile texts                     every payload in every text of every view
python -m tests.hostile forged [--rounds 60]      forged values of everything on every view
python -m tests.hostile links [--count 10000]     fuzzed links
--write                                           puts what was seen into docs/reliability.md
"""

from __future__ import annotations

import argparse
import os
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as app.py sets it

from streamlit import config

from bench.browser import ROOT
from bench.report import Report, machine
from tests.hostile.links import PLACES
from tests.hostile.texts import PAYLOADS
from tests.hostile.walks import every_text_everywhere, forged_walk, links_walk, texts_walk
from tests.visitor import site

MOST = 20  # lines that are shown of what went wrong


def main() -> int:
    """Exit code 1 where something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("walk", choices=["texts", "forged", "links"])
    parser.add_argument("--count", type=int, default=10_000, help="links (10000)")
    parser.add_argument("--rounds", type=int, default=60, help="messages at each view (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    chosen = parser.parse_args()
    started = perf_counter()
    config.set_option("logger.level", "critical")  # Streamlit would log pages about refused messages
    with site(lambda fault: True) as app:
        walks = {
            "texts": lambda: texts_walk(app, every_text_everywhere()),
            "forged": lambda: forged_walk(app, chosen.rounds, seed=chosen.seed),
            "links": lambda: links_walk(app, chosen.count, chosen.seed),
        }
        wrong = list(walks[chosen.walk]())
        runs = app.runs
    report = Report()
    tried = {
        "texts": f"{len(PAYLOADS)} texts at {len(PLACES)} views",
        "forged": f"{chosen.rounds} messages at each of {len(PLACES)} views, everything on it forged at once",
        "links": f"{chosen.count:,} links, seed {chosen.seed}",
    }
    seconds = perf_counter() - started
    report.say(f"{tried[chosen.walk]}: {runs:,} runs of a page in {seconds:.0f} s; went wrong: {len(wrong)}.")
    for line in wrong[:MOST]:
        report.say(f"- {line}")
    if chosen.write:
        size = {"texts": "", "forged": f" --rounds {chosen.rounds}", "links": f" --count {chosen.count}"}[chosen.walk]
        command = f"python -m tests.hostile {chosen.walk}{size}"
        report.write(f"hostile {chosen.walk}", command, machine("streamlit", "torch"), ROOT / "docs/reliability.md")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
