"""Finds the files that are not code: beside the package in a checkout, inside it where it is installed."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "_shipped"  # made by `pyproject.toml` when a wheel is built


def resource(path: str) -> Path:
    """The place of `app.py`, `assets/models` or whatever else `path` names from the repository's top level."""
    return (SHIPPED if SHIPPED.is_dir() else PACKAGE.parent) / path


@cache
def package_version() -> str:
    """The version of this package, or "" where it is not installed."""
    try:
        return version("viz-transformer")
    except PackageNotFoundError:
        return ""
