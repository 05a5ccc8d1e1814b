"""A build back end for packages that hold nothing, or some modules: `test_installing.py` builds by it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile


def build_wheel(folder: str, settings: Any = None, metadata: Any = None) -> str:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return make_wheel(Path(folder), project["name"], project["version"], {}).name


build_editable = build_wheel


def make_wheel(folder: Path, name: str, version: str, modules: Mapping[str, str]) -> Path:
    """Modules by their file's name → the wheel that holds them."""
    information = f"{name}-{version}.dist-info"
    files = {
        **modules,
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{information}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{information}/RECORD"])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path
