"""The tables of docs/performance.md: a benchmark writes its own section and touches nothing else."""

from __future__ import annotations

import importlib
import platform
import re
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import pytest

import bench.all as all_benchmarks
from bench.all import SMALLEST
from bench.browser import ROOT
from bench.report import PAGE, Report, machine, with_section
from tests import nightly

TEXT = """# Performance

<!-- bench: one -->
old
table
<!-- end -->

between

<!-- bench: two -->
<!-- end -->
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "performance.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_report_is_printed_and_written_below_its_command_and_machine(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report()
    report.head("size", "ms")
    report.row([64, "1.5 ×"])
    assert capsys.readouterr().out == "| size | ms |\n|---|---|\n| 64 | 1.5 × |\n"
    report.write("one", "python -m bench.one", r"2 cores \1", page)
    section = "`python -m bench.one`\n\n2 cores \\1\n\n| size | ms |\n|---|---|\n| 64 | 1.5 × |"
    assert page.read_text(encoding="utf-8") == TEXT.replace("old\ntable", section)
    report.write("one", "again", "elsewhere", page)
    assert "python -m bench.one" not in page.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").count("| 64 |") == 1


def test_an_empty_section_is_filled() -> None:
    assert with_section(TEXT, "two", "new") == TEXT.replace("two -->\n", "two -->\nnew\n")


@pytest.mark.parametrize(("text", "count"), [("no section", 0), (TEXT + TEXT, 2)])
def test_a_section_that_is_not_there_once_is_refused(text: str, count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} sections “one”"):
        with_section(text, "one", "new")


def test_the_machine_is_named_in_words() -> None:
    words = machine("torch", chromium="156.0")
    assert re.match(r"\d+ cores? \(", words)
    for named in (f"Python {platform.python_version()}", f"torch {version('torch')}", "Chromium 156.0"):
        assert named in words


def test_every_benchmark_has_a_section() -> None:
    root = PAGE.parent.parent
    programs = {path.stem: path for path in (root / "bench").glob("*.py")} | {
        "hostile": root / "tests/hostile/__main__.py",
        "nightly": root / "tests/nightly.py",
    }
    measuring = {name for name, path in programs.items() if re.search(r"import .*\bReport\b", path.read_text("utf-8"))}
    assert len(measuring) >= 5
    pages = "".join(page.read_text(encoding="utf-8") for page in (PAGE, PAGE.with_name("reliability.md")))
    assert set(re.findall(r"<!-- bench: (\w+)(?: \w+)? -->", pages)) == measuring


@pytest.mark.parametrize("path", sorted((ROOT / "bench").glob("*.py")), ids=lambda path: path.stem)
def test_a_benchmark_finds_what_it_measures(path: Path) -> None:
    """No other test runs it, and what it imports may have moved."""
    if path.stem != "one_line":  # an app of one line, which is run by being imported
        importlib.import_module(f"bench.{path.stem}")


def benchmarks() -> dict[str, Path]:
    """The scripts of `bench` that measure something, by name: those that take arguments."""
    found = {path.stem: path for path in (ROOT / "bench").glob("*.py")}
    return {name: path for name, path in found.items() if "add_argument(" in path.read_text(encoding="utf-8")}


def test_every_benchmark_runs_every_night() -> None:
    """`make nightly` runs each with its smallest settings."""
    assert benchmarks().keys() - {"all"} == SMALLEST.keys()


@pytest.mark.parametrize(
    ("name", "options"), [("all", ""), *((name, options) for name, runs in SMALLEST.items() for options in runs)]
)
def test_a_benchmark_says_what_its_settings_are(
    name: str, options: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its help lists the options that the nightly run sets."""
    monkeypatch.setattr(sys, "argv", [name, *options.split(), "--help"])
    with ThreadPoolExecutor(1) as pool, pytest.raises(SystemExit) as ended:  # a thread without Playwright's event loop
        pool.submit(runpy.run_path, str(benchmarks()[name]), run_name="__main__").result()
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert {one for one in options.split() if one.startswith("--")} <= set(re.findall(r"--[\w-]+", said))


def test_a_benchmark_that_lacks_something_is_skipped_and_one_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    smallest = {"report": [""], "first_visit": ["--no-such-setting"], "lacking": [""]}
    monkeypatch.setattr(all_benchmarks, "SMALLEST", smallest)
    monkeypatch.setattr(all_benchmarks, "PACKAGES", {"lacking": ("no_such_package",)})
    monkeypatch.setattr(sys, "argv", ["all"])
    assert all_benchmarks.main() == 1
    *_, passed, failed, skipped = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"bench.report : passed in \d+ s", passed)
    assert re.fullmatch(r"bench.first_visit --no-such-setting: FAILED, exit code 2, in \d+ s", failed)
    assert skipped == "bench.lacking : skipped, no_such_package is not installed: see bench/requirements.txt"


def test_each_step_of_the_night_keeps_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "performance.md"
    page.write_text("<!-- bench: nightly -->\nnot yet.\n<!-- end -->\n", encoding="utf-8")
    monkeypatch.setattr(nightly, "PAGE", page)
    for step, minutes, where in (
        ("links", "3", "commit 1a"),
        ("slips", "40", "commit 2b"),
        ("links", "5", "commit 3c"),
    ):
        nightly.keep(step, minutes, f"{where}, 2026-11-27")
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if "commit" in line]
    assert rows == ["| slips | 40 | commit 2b, 2026-11-27 |", "| links | 5 | commit 3c, 2026-11-27 |"]
