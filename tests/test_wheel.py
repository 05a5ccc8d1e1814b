"""The wheel holds everything, and works where it is installed, for anybody, without what is optional."""

from __future__ import annotations

import json
import subprocess
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import assert_sentence
from tests.wheel import ROOT, Installed, build, contents, installed

SHIPPED = ("app.py", "pages", "assets", ".streamlit/config.toml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def alone(wheel: Path) -> Iterator[Installed]:
    """The package without any of its extras."""
    with installed(wheel) as environment:
        yield environment


def files_below(*places: str) -> set[Path]:
    """All files of the project below these places, without what Python compiles."""
    found = [path for place in places for path in [ROOT / place, *(ROOT / place).rglob("*")]]
    return {path for path in found if path.is_file() and "__pycache__" not in path.parts}


def test_the_wheel_holds_the_package_and_what_the_app_shows(wheel: Path) -> None:
    held = {name: content for name, content in contents(wheel).items() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix(): path for path in files_below("viz_transformer")}
    shipped = {f"viz_transformer/_shipped/{path.relative_to(ROOT).as_posix()}": path for path in files_below(*SHIPPED)}
    wanted = {**package, **shipped, "viz_transformer/pyproject.toml": ROOT / "pyproject.toml"}
    assert len(shipped) > 40 and sum("/static/" in name for name in package) == 5  # of the front end
    assert held == {name: path.read_bytes() for name, path in wanted.items()}


def test_the_wheel_says_under_what_licence_it_comes(wheel: Path) -> None:
    held = contents(wheel)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for path in project["license-files"]:
        [text] = [content for name, content in held.items() if name.endswith(f".dist-info/licenses/{path}")]
        assert text == (ROOT / path).read_bytes()
    assert b"CC BY 2.0 FR" in held["viz_transformer/_shipped/assets/LICENSE-DATA"]


def test_the_sources_that_are_passed_on_make_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    [sources] = [path for path in tmp_path.iterdir() if path.is_dir()]
    again = build("wheel", tmp_path / "again", sources)
    assert contents(again) == contents(wheel)


def output(done: subprocess.CompletedProcess[str]) -> str:
    assert not done.returncode, done.stderr
    return done.stdout


def test_it_translates_where_it_is_installed(alone: Installed) -> None:
    assert output(alone.run("viz-transformer", "translate", "zh-en", "你好,世界!")) == "Hello, world!\n"


EVERYDAY = "viz_transformer/_shipped/assets/data/everyday.zh-en.tsv"  # where packages are
# What needs more than the package: command -> the extra that brings it
MISSING = {
    ("app",): "app",
    ("evaluate", "zh-en", "--data", EVERYDAY): "evaluate",
    ("train", "--data", EVERYDAY, "--out", "model"): "chinese",
    ("translate", "zh-en", "我愛鱷魚。"): "chinese",
}
# In one process, for the package takes seconds to import.
USE_ALONE = """
import contextlib, importlib.util, io, json, sys
import viz_transformer
from viz_transformer.cli.main import main

def said(arguments):
    with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
        main(arguments)
    return errors.getvalue()

print(json.dumps({
    "package": viz_transformer.__file__,
    "optional": [name for name in ("streamlit", "altair", "sacrebleu", "jieba") if importlib.util.find_spec(name)],
    "said": [said(arguments) for arguments in json.loads(sys.argv[1])],
}))
"""


@pytest.fixture(scope="module")
def used(alone: Installed) -> dict[str, Any]:
    commands = [[str(alone.site / word) if word == EVERYDAY else word for word in command] for command in MISSING]
    return json.loads(output(alone.run("python", "-c", USE_ALONE, json.dumps(commands))))


def test_it_is_the_wheel_that_is_imported_and_nothing_optional_is_there(alone: Installed, used: dict[str, Any]) -> None:
    """Not even by chance: nothing that the package requires brings Streamlit along."""
    assert Path(used["package"]).is_relative_to(alone.site)
    assert not used["optional"]


@pytest.mark.parametrize("command", MISSING, ids=" ".join)
def test_what_is_missing_is_named_with_the_extra_that_brings_it(used: dict[str, Any], command: tuple[str, ...]) -> None:
    said = used["said"][list(MISSING).index(command)]
    assert_sentence(said.splitlines()[-1], f"pip install 'viz-transformer[{MISSING[command]}]'")
    assert "Traceback" not in said


def test_nothing_was_written_where_it_is_installed(alone: Installed) -> None:
    refused = alone.run("python", "-c", f"open({str(alone.site / 'new')!r}, 'w')")
    assert "PermissionError" in refused.stderr  # so what ran in the tests above could not write there
    assert not list(alone.home.iterdir())
