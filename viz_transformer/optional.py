"""Packages that only some tasks need, and a clear sentence where one is not installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from viz_transformer.sentences import SaidError, Word


class MissingPackageError(SaidError, ImportError):
    """A package is not installed; the message is a sentence that says which, and what needs it."""


def needed(module: str, purpose: str, extra: str) -> ModuleType:
    """Imports `module`, which the `extra` of this project installs; `purpose` begins the sentence of the error.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            "{purpose} requires {package}, which is not installed: {command}.",
            purpose=Word(purpose),
            package=package,
            command=how_to_install(extra),
        ) from error


def how_to_install(extra: str) -> str:
    """The command that installs an extra of `pyproject.toml`."""
    return f"pip install 'viz-transformer[{extra}]'"
