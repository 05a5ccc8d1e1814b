"""What takes too long for `make test`: planted slips, many examples, hostile walks, every benchmark at its smallest.

python -m tests.nightly            all of them; says at the end how each went
python -m tests.nightly slips      some
--write                            puts into docs/performance.md that all passed
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from time import monotonic

from bench.report import Report, machine

STEPS = {
    "slips": "tests.slips",
    "examples": "pytest -n 2 -m hypothesis --hypothesis-profile nightly --timeout 3600",
    "texts": "tests.hostile texts",
    "forged": "tests.hostile forged",
    "links": "tests.hostile links",
    "walks": "tests.browser.walks",
    "classes": "tests.browser.walks 0 100 --leads",
    "benchmarks": "bench.all",
}


def main() -> int:
    """Exit code 1 where a step failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly")
    parser.add_argument("steps", nargs="*", help=f"of {', '.join(STEPS)}; all where none is given")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md, once all have passed")
    asked = parser.parse_args()
    if asked.write and asked.steps:
        parser.error("--write wants all steps")
    where, started = machine("torch", "streamlit"), monotonic()  # before the hours in which a commit may come
    passed: dict[str, bool] = {}
    times: dict[str, float] = {}
    for step in asked.steps or STEPS:
        begun = monotonic()
        passed[step] = not subprocess.run([sys.executable, "-m", *shlex.split(STEPS[step])]).returncode
        times[step] = (monotonic() - begun) / 60
    report = Report()
    print()
    report.say(f"{'Passed' if all(passed.values()) else 'FAILED'} in {(monotonic() - started) / 60:.0f} minutes:")
    for step, minutes in times.items():
        report.say(f"- {step}: {minutes:.0f} minutes{'' if passed[step] else ', FAILED'}")
    print(where)
    if asked.write and all(passed.values()):
        report.write("nightly", "make nightly", where)
    return int(not all(passed.values()))


if __name__ == "__main__":
    raise SystemExit(main())
