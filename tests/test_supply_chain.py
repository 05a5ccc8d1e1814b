"""What is installed is named by its hash, and what is not checked is not called safe."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {
    name: f"{name.removesuffix('txt')}lock"
    for name in ("requirements.txt", "requirements-build.txt", "requirements-dev.txt")
}
TORCH_LOCK = "requirements-torch.lock"
NOT_LOCKED = {"torch"}  # its builds are other files for every kind of machine


def pinned(path: str) -> dict[str, str]:
    """Name → version, of a file of requirements."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    found = [re.match(r"([A-Za-z0-9._-]+)==([^ ;\\]+)", line) for line in lines]
    return {one[1].lower().replace("_", "-"): one[2] for one in found if one}


@pytest.mark.parametrize(("requirements", "lock"), LOCKS.items())
def test_the_lock_has_what_is_required(requirements: str, lock: str) -> None:
    """`make lock` renews it."""
    wanted = {name: version for name, version in pinned(requirements).items() if name not in NOT_LOCKED}
    locked = pinned(lock)
    assert {name: locked.get(name) for name in wanted} == wanted
    assert not NOT_LOCKED & locked.keys()


@pytest.mark.parametrize("lock", [*LOCKS.values(), TORCH_LOCK])
def test_everything_locked_has_hashes_and_no_address(lock: str) -> None:
    text = re.sub(r"\\\n\s*", "", (ROOT / lock).read_text(encoding="utf-8"))
    entries = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(entries) >= 7
    assert all(re.search(r"==.* ?--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert "//" not in text and "@" not in text and " -e" not in text


@pytest.mark.parametrize("lock", ["requirements-build.lock", "requirements-dev.lock", TORCH_LOCK])
def test_all_locks_have_the_same_versions(lock: str) -> None:
    run, other = pinned("requirements.lock"), pinned(lock)
    assert {name: version for name, version in other.items() if run.get(name, version) != version} == {}


def test_the_lock_of_torch_has_the_version_that_is_required() -> None:
    assert pinned(TORCH_LOCK)["torch"] == pinned("requirements.txt")["torch"]


@pytest.mark.parametrize(
    ("target", "lock"), {"run-ready": "requirements.lock", "test-ready": "requirements-dev.lock"}.items()
)
def test_make_installs_by_hash(target: str, lock: str) -> None:
    """All but torch, which goes by its version unless TORCH names a lock. `tests/installing/` really installs."""
    command = ["make", "--dry-run", "--always-make", f".venv/{target}"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
    assert [line.partition(" install --quiet ")[2] for line in said.splitlines() if "pip install" in line] == [
        "--require-hashes -r requirements-build.lock",
        f"--require-hashes --no-build-isolation -r {lock}",
        """--no-build-isolation "$(grep '^torch==' requirements.txt)\"""",
        "--no-build-isolation --no-deps --editable .",
    ]


def test_every_package_of_the_front_end_has_a_hash() -> None:
    """By which `npm ci` refuses any other file."""
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert len(lock) > 10
    assert all(one["integrity"].startswith("sha512-") for path, one in lock.items() if path)


WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")
}


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_every_action_of_a_workflow_is_named_by_its_commit(name: str) -> None:
    used = [step["uses"] for step in steps_of(WORKFLOWS[name]) if "uses" in step]
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}


def test_a_change_is_tested_and_what_takes_longer_has_its_day() -> None:
    runs = {name: "\n".join(step.get("run", "") for step in steps_of(one)) for name, one in WORKFLOWS.items()}
    triggers = {name: set(one[True]) for name, one in WORKFLOWS.items()}  # YAML reads `on` as true
    assert re.search(r"^make test$", runs["test"], re.MULTILINE) and {"push", "pull_request"} <= triggers["test"]
    assert re.search(r"^make nightly$", runs["nightly"], re.MULTILINE)
    assert "pip install --upgrade streamlit" in runs["newest-streamlit"]
    assert re.search(r"pytest .*tests/ui tests/pages tests/browser$", runs["newest-streamlit"], re.MULTILINE)
    assert triggers["nightly"] == triggers["newest-streamlit"] == {"schedule", "workflow_dispatch"}


def test_the_hooks_before_a_commit_fetch_nothing() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {repo["repo"] for repo in hooks["repos"]} == {"local"}
    entries = [hook["entry"] for repo in hooks["repos"] for hook in repo["hooks"]]
    assert entries and all(".venv/bin/" in entry for entry in entries)


def test_new_versions_are_looked_for_wherever_there_are_any() -> None:
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {one["package-ecosystem"] for one in updates} == {"pip", "npm", "github-actions", "docker"}
    assert all((ROOT / one["directory"].lstrip("/")).is_dir() for one in updates)


# --- make audit ------------------------------------------------------------------------------------------------


@pytest.fixture
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci/audit.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Advisories:
    """Answers in place of `pip-audit` and `npm audit`: `found` by package; of those in `unknown` nothing is known."""

    def __init__(self, unknown: Sequence[str] = (), **found: str) -> None:
        self.unknown, self.found = unknown, found

    def __call__(self, command: Sequence[str]) -> dict[str, Any] | None:
        if "pip_audit" in command:
            asked = Path(command[command.index("--requirement") + 1]).read_text(encoding="utf-8")
            names = [line.partition("==")[0] for line in asked.splitlines()]
            return {"dependencies": [self.of_python(name) for name in names]}
        lock = json.loads((Path(command[command.index("--prefix") + 1]) / "package-lock.json").read_text("utf-8"))
        names = [path.rpartition("node_modules/")[2] for path in lock["packages"]]
        return {
            "vulnerabilities": {
                name: {"via": [{"url": f"advisories/{self.found[name]}"}]} for name in names if name in self.found
            }
        }

    def of_python(self, name: str) -> dict[str, Any]:
        if name in self.unknown:
            return {"name": name, "skip_reason": "Dependency not found"}
        return {"name": name, "vulns": [{"id": self.found[name]}] if name in self.found else []}


KNOWN = {"jinja2": "PYSEC-1", "minimist": "GHSA-1"}


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


@pytest.fixture
def waived(audit: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Waives PYSEC-1: `Advisories` goes by names alone, and so finds it in the locked version of jinja2, too."""
    monkeypatch.setattr(audit, "WAIVERS", tmp_path / "waivers.toml")
    (tmp_path / "waivers.toml").write_text('[[waiver]]\nid = "PYSEC-1"\nwhy = "x"\n', encoding="utf-8")


SILENT = [Advisories(), Advisories(unknown=["jinja2"]), lambda command: None, lambda command: {"dependencies": []}]


@pytest.mark.parametrize("said", SILENT)
def test_without_data_nothing_is_called_safe(
    said: Any, audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "_json_of", said)
    assert audit.main([]) == audit.NOT_CHECKED == 3
    printed = capsys.readouterr().out
    assert printed.count("could not be asked") == 2
    assert "none found" not in printed and "nothing found" not in printed
    assert printed.endswith("\nNOT CHECKED: Python packages, npm packages.\n")
    assert audit.main(["--unasked"]) == 0
    assert last_line(capsys) == "NOT CHECKED: Python packages, npm packages. --unasked lets that pass."


@pytest.mark.usefixtures("waived")
def test_what_was_checked_and_found_clean_is_called_so(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "_json_of", Advisories(**KNOWN))
    assert audit.main([]) == audit.NOTHING_FOUND == 0
    assert last_line(capsys) == "CHECKED, nothing found."


@pytest.mark.usefixtures("waived")
def test_a_package_of_which_nothing_is_known_is_not_called_checked(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "_json_of", Advisories(unknown=["torch"], **KNOWN))
    assert audit.main([]) == 3
    assert last_line(capsys) == "NOT CHECKED: torch."


def test_a_command_that_is_missing_or_talks_nonsense_has_checked_nothing(audit: ModuleType) -> None:
    for command in (["no-such-command"], [sys.executable, "-c", "print('hello')"], [sys.executable, "-m", "no_such"]):
        assert audit._json_of(command) is None
    assert (
        audit._json_of([sys.executable, "-c", "print('{}'); raise SystemExit(1)"]) == {}
    )  # the real commands exit with 1 when they find something


def test_what_is_found_fails_also_where_the_other_index_could_not_be_asked(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    half = Advisories(jinja2="PYSEC-1")
    monkeypatch.setattr(audit, "_json_of", half)
    assert audit.main([]) == audit.FOUND == 1  # jinja2 is in the lock
    assert audit.main(["--unasked"]) == 1
    assert last_line(capsys) == "FOUND. NOT CHECKED: npm packages."


@pytest.mark.parametrize("code", [0, 1, 3])
def test_make_audit_shows_the_last_line_and_tells_the_code(code: int, tmp_path: Path) -> None:
    """make's own exit code is 2 for every failure; its message has that of the program."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("bin/python", "test-ready", "frontend/node_modules/.package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'#!/bin/sh\necho "asked by $*"\nexit {code}\n', encoding="utf-8")
    (tmp_path / "bin/python").chmod(0o755)
    ready = ["test-ready", "frontend/node_modules/.package-lock.json"]
    made = subprocess.run(
        ["make", "audit", "VENV=.", *(f"--assume-old={name}" for name in ["./test-ready", *ready])],
        cwd=tmp_path, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert made.stdout.splitlines()[-1] == "asked by .ci/audit.py"
    assert made.returncode == (2 if code else 0)
    assert (f"Error {code}" in made.stderr) == bool(code), made.stderr


def test_what_is_found_fails_until_it_is_explained(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(audit, "_json_of", Advisories(**KNOWN, torch="PYSEC-2"))
    monkeypatch.setattr(audit, "WAIVERS", tmp_path / "waivers.toml")
    (tmp_path / "waivers.toml").write_text('[[waiver]]\nid = "PYSEC-1"\nwhy = "x"\n', encoding="utf-8")
    assert audit.main([]) == 1
    assert "torch has PYSEC-2." in capsys.readouterr().out
    (tmp_path / "waivers.toml").write_text(
        "".join(f'[[waiver]]\nid = "{one}"\nwhy = "No page uses it."\n' for one in ("PYSEC-1", "PYSEC-2")),
        encoding="utf-8",
    )
    assert audit.main([]) == 0
    assert "Waived: No page uses it." in capsys.readouterr().out
    monkeypatch.setattr(audit, "_json_of", Advisories(**KNOWN))
    assert audit.main([]) == 1
    assert "The waiver of PYSEC-2 explains nothing any more." in capsys.readouterr().out


def test_every_waiver_says_why() -> None:
    waivers = tomllib.loads((ROOT / ".ci/waivers.toml").read_text(encoding="utf-8")).get("waiver", [])
    assert all(one["id"] and len(one["why"].split()) >= 4 for one in waivers)
