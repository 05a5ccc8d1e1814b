"""The list of slips cannot rot, and only a test's own assertion counts as caught. `make slips` plants them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.slips import all_slips, verdict
from tests.slips.proof import NODE, ROOT
from tests.slips.slip import Slip, planted

SLIPS = all_slips()


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_a_slip_fits_its_file_and_names_tests_that_are_there(slip: Slip) -> None:
    text = (ROOT / slip.file).read_text(encoding="utf-8")
    assert slip.changed(text) != text
    assert slip.tests
    for test in slip.tests:
        file, _, name = test.partition("::")
        assert name.split("[")[0] in (ROOT / file).read_text(encoding="utf-8"), test


def test_every_slip_has_a_name_of_its_own() -> None:
    assert len({slip.name for slip in SLIPS}) == len(SLIPS)


def test_a_text_that_occurs_twice_or_not_at_all_is_stale(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("a = 1\nb = 1\n")
    for before in ("= 1", "c"):
        with pytest.raises(ValueError, match="is stale"), planted(Slip("s", "one.py", before, "", ("t",)), tmp_path):
            pass
    with planted(Slip("s", "one.py", "a = 1", "a = 2", ("t",)), tmp_path):
        assert (tmp_path / "one.py").read_text() == "a = 2\nb = 1\n"
    assert (tmp_path / "one.py").read_text() == "a = 1\nb = 1\n"


def said_of(tests: str, tmp_path: Path) -> dict[str, bool]:
    """The tests that fail, and whether an assertion of theirs did it."""
    (tmp_path / "test_some.py").write_text(tests, encoding="utf-8")
    arguments = ["-q", "--assert=plain", "-c", os.devnull, "--rootdir=.", "-p", "tests.slips.verdict", "test_some.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), verdict.FILE: "verdict.jsonl"}
    subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=tmp_path, env=environment, capture_output=True)
    if not (tmp_path / "verdict.jsonl").exists():
        return {}
    failures = [json.loads(line) for line in (tmp_path / "verdict.jsonl").read_text(encoding="utf-8").splitlines()]
    return {failure["test"].split("::")[1]: failure["assertion"] for failure in failures}


def test_only_an_assertion_of_a_test_of_pytest_counts(tmp_path: Path) -> None:
    tests = """
import pytest
@pytest.fixture
def broken(): assert False
def test_right(): assert True
def test_wrong(): assert False
def test_silent():
    with pytest.raises(ValueError): pass
def test_type(): 1 + "1"
def test_fixture(broken): pass
def test_group():
    try: assert False
    except AssertionError as error: raise ExceptionGroup("two", [error])
def test_package():
    from viz_transformer.inner import check
    check()
"""
    package = tmp_path / "viz_transformer"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "inner.py").write_text("def check(): assert False")
    caught, not_caught = ("test_wrong", "test_silent", "test_group"), ("test_type", "test_fixture", "test_package")
    counts = dict.fromkeys(caught, True) | dict.fromkeys(not_caught, False)
    assert said_of(tests, tmp_path) == counts


@pytest.mark.parametrize("tests", ["import nothing_of_this_name", "def test_wrong(: assert False"])
def test_what_cannot_be_collected_catches_nothing(tests: str, tmp_path: Path) -> None:
    assert said_of(tests, tmp_path) == {}


def test_only_an_assertion_of_a_test_of_node_counts(tmp_path: Path) -> None:
    (tmp_path / "some.test.mjs").write_text(
        """
import assert from "node:assert/strict";
import { test } from "node:test";
test("right", () => assert.equal(1, 1));
test("wrong", () => assert.equal(1, 2));
test("type", () => undefined.length);
"""
    )
    (tmp_path / "broken.test.mjs").write_text('import "./nothing.mjs";')
    reporter = f"--test-reporter={Path(__file__).parent / 'verdict.mjs'}"
    printed = subprocess.run([*NODE, "--test", reporter], cwd=tmp_path, capture_output=True, text=True).stdout
    failures = [json.loads(line) for line in printed.splitlines()]
    assert {Path(failure["test"]).name: failure["assertion"] for failure in failures} == {
        "wrong": True,
        "type": False,
        "broken.test.mjs": False,
    }
