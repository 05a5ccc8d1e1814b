"""Packages that only some tasks need, and a clear sentence where one is not installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class MissingPackageError(ImportError):
    """A package is not installed; the message is a sentence that says which, and what needs it."""


def needed(module: str, purpose: str) -> ModuleType:
    """Imports `module`, which `purpose`, the beginning of a sentence, needs.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"{purpose} takes {package}, which is not installed: pip install {package}."
        ) from error
