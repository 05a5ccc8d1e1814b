"""Broken models are refused with a sentence, quickly and in little memory, and the process lives on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.broken_models import BROKEN, save_valid
from tests.helpers import assert_sentence

SECONDS, MEGABYTES = 2.0, 300.0
pytestmark = pytest.mark.timeout(600)  # the first test waits for all of them
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def came_of(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What came of each model, tried one after the other in one process."""
    folder = tmp_path_factory.mktemp("models")
    valid = save_valid(folder / "valid")
    names = {}
    for number, (name, (spoil, _named)) in enumerate(BROKEN.items()):
        copytree(valid, folder / str(number))
        spoil(folder / str(number))
        names[str(number)] = name
    ran = subprocess.run(
        [sys.executable, "-m", "tests.broken_models", str(valid), *(str(folder / number) for number in names)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]

    def named(line: dict[str, Any]) -> str:
        number, comma, upload = (line.get("tries") or line["name"]).partition(", uploaded")
        return names.get(number, number) + comma + upload

    last = named(lines[-1]) if lines else "nothing"
    assert ran.returncode == 0, f"The process ended with {ran.returncode} at «{last}»: {ran.stderr[-3000:]}"
    return {named(line): line for line in lines if "name" in line}


def test_there_are_sixty_and_more() -> None:
    assert len(BROKEN) >= 60


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_model_is_refused(came_of: dict[str, dict[str, Any]], name: str) -> None:
    for way in (name, f"{name}, uploaded"):
        if way not in came_of:
            assert way != name
            continue
        found = came_of[way]
        assert found["sentence"] is not None, f"{way}: it was loaded"
        assert "CheckpointError" in found["kinds"], f"{way}: {found['kinds'][0]}: {found['sentence']}"
        assert_sentence(found["sentence"])
        assert len(found["sentence"]) < 1500
        assert found["seconds"] <= SECONDS, way
        assert found["megabytes"] <= MEGABYTES, way
        if way == name:
            assert_sentence(found["sentence"], *BROKEN[name][1])


def test_all_together_take_no_more_than_one_may(came_of: dict[str, dict[str, Any]]) -> None:
    assert sum(found["megabytes"] for name, found in came_of.items() if "valid" not in name) <= MEGABYTES


@pytest.mark.parametrize("name", ["valid, first", "valid, first, uploaded", "valid, last", "valid, last, uploaded"])
def test_the_model_that_was_broken_is_loaded_before_and_after(came_of: dict[str, dict[str, Any]], name: str) -> None:
    assert came_of[name]["sentence"] is None, came_of[name]
