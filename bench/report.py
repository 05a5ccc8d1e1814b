"""Prints what a benchmark finds, and writes it into its section of docs/performance.md, between two markers.

<!-- bench: lessons -->
…
<!-- end -->
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from datetime import date
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/performance.md"


class Report:
    """Lines of Markdown, printed as they are found, so that one sees how far a long run is."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str = "") -> None:
        print(line, flush=True)
        self.lines.append(line)

    def row(self, cells: Iterable[object]) -> None:
        """A row of a table."""
        self.say(f"| {' | '.join(map(str, cells))} |")

    def head(self, *columns: str) -> None:
        """The first two lines of a table."""
        self.row(columns)
        self.say("|" + "---|" * len(columns))

    def write(self, name: str, command: str, machine: str, page: Path = PAGE) -> None:
        """Puts what was said in place of the section `name`, below the command and the machine.

        Raises:
            ValueError: the page has no such section, or more than one.
        """
        text = page.read_text(encoding="utf-8")
        body = f"`{command}`\n\n{machine}\n\n" + "\n".join(self.lines).strip()
        page.write_text(with_section(text, name, body), encoding="utf-8")


def with_section(text: str, name: str, body: str) -> str:
    """`text` with `body` in the section `name`; everything around it stays."""
    section = re.compile(rf"(<!-- bench: {re.escape(name)} -->\n).*?\n?(<!-- end -->)", re.DOTALL)
    parts = section.split(text)
    if len(parts) != 4:
        raise ValueError(f"The page has {len(parts) // 3} sections “{name}” instead of one.")
    before, begin, end, after = parts
    return f"{before}{begin}{body}\n{end}{after}"


def machine(*packages: str, chromium: str = "") -> str:
    """In words: the cores, the versions of Python, of the packages named and of Chromium, and what was measured."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    cores = len(affinity(0)) if affinity else os.cpu_count()
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)]
    if chromium:
        versions.append(f"Chromium {chromium}")
    return f"{cores} cores ({platform.machine()}); {', '.join(versions)}; {commit()}, {date.today()}."


def commit() -> str:
    """The state of the project that is measured."""
    described = ["git", "describe", "--always", "--dirty= with changes", "--exclude=*"]
    try:
        done = subprocess.run(described, cwd=PAGE.parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"version {version('viz-transformer')}"
    return f"commit {done.stdout.strip()}"
