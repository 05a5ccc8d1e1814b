"""What takes too long for `make test`: planted slips, many examples and walks, every screen and link, every benchmark.

python -m tests.nightly            all of them; says at the end how each went
python -m tests.nightly slips      some
--write                            puts into docs/performance.md when each last passed, and in what time
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from datetime import date
from time import monotonic

from bench.report import PAGE, Report, commit, with_section

STEPS = {
    "slips": "tests.slips",
    "examples": "pytest -n 2 -m hypothesis --hypothesis-profile nightly --timeout 3600",
    "texts": "tests.hostile texts",
    "forged": "tests.hostile forged",
    "links": "tests.hostile links",
    "screens": "pytest -n 2 --dist loadscope --long tests/browser/test_presented.py tests/browser/test_first_screen.py"
    " tests/pages/test_taught.py",
    "walks": "tests.browser.walks",
    "classes": "tests.browser.walks 0 100 --leads",
    "benchmarks": "bench.all",
}


def main() -> int:
    """Exit code 1 where a step failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly")
    parser.add_argument("steps", nargs="*", help=f"of {', '.join(STEPS)}; all where none is given")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md, of each that passes")
    asked = parser.parse_args()
    if unknown := {*asked.steps} - STEPS.keys():
        parser.error(f"There is no step {', '.join(sorted(unknown))}.")
    outcomes = []
    for step in asked.steps or STEPS:
        where, begun = f"{commit()}, {date.today()}", monotonic()  # before the hours in which another commit may come
        has_passed = not subprocess.run([sys.executable, "-m", *shlex.split(STEPS[step])]).returncode
        minutes = f"{(monotonic() - begun) / 60:.0f}"
        outcomes.append(f"{step}: {'passed' if has_passed else 'FAILED'} in {minutes} minutes")
        if has_passed and asked.write:
            keep(step, minutes, where)
    print("\n" + "\n".join(outcomes))
    return int(any("FAILED" in one for one in outcomes))


def keep(step: str, minutes: str, where: str) -> None:
    """Writes commit, date and minutes into the row of the step in docs/performance.md."""
    text = PAGE.read_text(encoding="utf-8")
    rows = {step: [step, minutes, where]}
    for row in re.findall(rf"^\| ({'|'.join(STEPS)}) \| (\d+) \| (commit .*) \|$", text, re.MULTILINE):
        rows.setdefault(row[0], list(row))
    table = Report()
    table.head("step", "minutes", "passed at")
    for name in filter(rows.__contains__, STEPS):
        table.row(rows[name])
    PAGE.write_text(with_section(text, "nightly", "\n".join(table.lines)), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
