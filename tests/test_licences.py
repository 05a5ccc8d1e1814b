"""The components of the app are listed, for programs and for people, and their licences let it be passed on."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.utils import canonicalize_name

from tests.test_supply_chain import ROOT, pinned

KNOWN = tomllib.loads((ROOT / ".ci/licences.toml").read_text(encoding="utf-8"))
Sboms = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `.ci/sbom.py` has written; it writes only what fits CycloneDX's own schema."""
    path = tmp_path_factory.mktemp("sbom")
    done = subprocess.run([sys.executable, ".ci/sbom.py", path], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert not done.returncode, done.stderr
    return path


@pytest.fixture(scope="module")
def sboms(folder: Path) -> Sboms:
    return {path.name.removesuffix(".cdx.json"): json.loads(path.read_text("utf-8")) for path in folder.iterdir()}


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    """`.ci/licences.py`, imported."""
    spec = importlib.util.spec_from_file_location("licences", ROOT / ".ci/licences.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_of_the_lock() -> dict[tuple[str, str], set[str]]:
    """(name, version) → the hashes of its files."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    found = [re.match(r"(\S+)==(\S+)", line) for line in text.splitlines()]
    return {(one[1], one[2]): set(re.findall(r"sha256:(\w+)", one.string)) for one in found if one}


def test_everything_that_is_locked_is_in_the_sbom_with_its_hashes(sboms: Sboms) -> None:
    listed = {(canonicalize_name(one["name"]), one["version"]): one for one in sboms["python"]["components"]}
    [torch] = [one for one in listed if one[0] == "torch"]
    assert torch[1].partition("+")[0] == pinned("requirements.txt")["torch"]
    hashes = {
        key: {one["content"] for file in component["externalReferences"] for one in file["hashes"]}
        for key, component in listed.items()
        if key != torch
    }
    assert hashes == files_of_the_lock()


def test_the_sbom_says_what_needs_what(sboms: Sboms) -> None:
    needs = {one["ref"]: one["dependsOn"] for one in sboms["python"]["dependencies"]}
    reached, waiting = set(), [sboms["python"]["metadata"]["component"]["bom-ref"]]
    while waiting:
        if (one := waiting.pop()) not in reached:
            reached.add(one)
            waiting += needs[one]
    installed = {one["bom-ref"] for one in sboms["python"]["components"] if one.get("scope") != "optional"}
    assert installed <= reached
    assert not {need for all_of_one in needs.values() for need in all_of_one} - needs.keys()


def test_the_sbom_of_the_front_end_is_what_its_lock_has_for_the_browser(sboms: Sboms) -> None:
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = {path.rpartition("node_modules/")[2]: one for path, one in lock.items() if path and not one.get("dev")}
    listed = sboms["front-end"]["components"]
    assert {one["name"]: one["version"] for one in listed} == {name: one["version"] for name, one in wanted.items()}
    assert all(one["hashes"] for one in listed)


def test_the_sbom_names_this_version_and_no_time(sboms: Sboms) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for sbom in sboms.values():
        assert sbom["metadata"]["component"]["version"] == version
        assert "serialNumber" not in sbom and "timestamp" not in sbom["metadata"]


def test_the_page_lists_what_is_locked(sboms: Sboms, licences: ModuleType) -> None:
    """`make licences` writes it."""
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    wanted = page
    for name, sbom in sboms.items():
        wanted = licences.filled(wanted, name, licences.table(sbom["components"]))
    assert page == wanted
    rows = set(re.findall(r"^\| (\S+) \| (\S+) \| \S", page, re.MULTILINE))
    assert files_of_the_lock().keys() <= {(canonicalize_name(name), version) for name, version in rows}


def test_everything_may_be_passed_on(sboms: Sboms, licences: ModuleType) -> None:
    assert [said for sbom in sboms.values() for said in licences.not_allowed(sbom["components"])] == []


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ([{"expression": "MIT OR Apache-2.0"}], None),
        ([{"license": {"id": "GPL-3.0-only"}}], "GPL-3.0-only"),
        ([{"expression": "BSD-3-Clause AND (MIT OR AGPL-3.0-or-later)"}], "AGPL-3.0-or-later"),
        ([{"expression": "Apache-2.0 WITH LLVM-exception"}], None),
        ([{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}], "GPL-3.0-or-later WITH GCC-exception-3.1"),
        ([{"expression": "MIT AND LicenseRef-Ours"}], "LicenseRef-Ours"),
        ([{"license": {"name": "License :: OSI Approved :: BSD License"}}], "a licence that nobody says"),
        ([{"license": {"id": "MIT"}}, {"license": {"name": "GPL"}}], "a licence that nobody says"),
        ([], "a licence that nobody says"),
    ],
)
def test_a_licence_of_another_kind_fails(said: list[Any], refused: str | None, licences: ModuleType) -> None:
    found = licences.not_allowed([{"name": "one", "version": "1+cpu", "licenses": said}])
    assert found == ([f"one 1 comes under {refused}: may it be passed on?"] if refused else [])


def test_the_command_fails_where_one_may_not_be_passed_on(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(licences, "PAGE", tmp_path / "licences.md")
    empty = "".join(f"<!-- licences: {name} -->\n<!-- end -->\n" for name in ("python", "front-end"))
    (tmp_path / "licences.md").write_text(empty, encoding="utf-8")
    one = {"name": "one", "version": "2", "licenses": [{"license": {"id": "GPL-2.0-only"}}]}
    for name, components in {"python": [], "front-end": [one]}.items():
        (tmp_path / f"{name}.cdx.json").write_text(json.dumps({"components": components}), encoding="utf-8")
    assert licences.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "one 2 comes under GPL-2.0-only: may it be passed on?\n"
    assert "| one | 2 | GPL-2.0-only |\n<!-- end -->" in (tmp_path / "licences.md").read_text(encoding="utf-8")


WORDS = {
    "Apache-2.0": r"Apache (?:Software )?License",
    "BSD-3-Clause": r"Neither the name|nor the names of|Neither the names|BSD License",
    "MIT": r"Permission is hereby granted, free of charge|MIT License",
    "MPL-2.0": r"Mozilla Public License|MPL-2\.0",
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_licence_that_is_written_by_hand_is_the_packages(name: str) -> None:
    assert name in pinned("requirements.lock")
    try:
        package = distribution(name)
    except PackageNotFoundError:
        pytest.skip("only another machine installs it")
    text = texts_of(package)
    for licence in KNOWN[name].split(" OR "):
        assert re.search(WORDS[licence], text), licence


def texts_of(package: Distribution) -> str:
    """Its licences, and what its metadata say of them."""
    files = [file for file in package.files or [] if re.search("LICEN", file.name, re.IGNORECASE)]
    fields = ("License", "License-Expression", "Classifier")
    said = [text for field in fields for text in package.metadata.get_all(field) or []]
    return " ".join(" ".join([*said, *(file.read_text(encoding="utf-8") for file in files)]).split())
