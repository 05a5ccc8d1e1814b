"""Where runs have their files: a folder of this process. One that a killed process left is removed by the next."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp

if sys.platform != "win32":
    import fcntl

PREFIX = "viz-runs-"
_UNLOCKED = "viz-new-"  # until nobody can take it for one that was left
_held: list[tuple[Path, int]] = []  # the folder, and what keeps it locked as long as this process lives


def run_folder() -> TemporaryDirectory[str]:
    """A new folder for one run; raises an OSError where nothing can be written."""
    if not _held or not _held[-1][0].is_dir():
        _held.append(_own_folder())
    return TemporaryDirectory(prefix="run-", dir=_held[-1][0], ignore_cleanup_errors=True)


def remove_left_behind() -> None:
    """Removes the folders of processes that are gone: killed, they could not. Those that live hold a lock."""
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with _opened(folder) as lock:
            if lock is not None and _is_locked(lock):
                shutil.rmtree(folder, ignore_errors=True)


def _own_folder() -> tuple[Path, int]:
    made = Path(mkdtemp(prefix=_UNLOCKED))
    if sys.platform == "win32":
        return made, -1
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
    _is_locked(lock)
    return made.rename(made.with_name(made.name.replace(_UNLOCKED, PREFIX))), lock


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """None where it is somebody else's, no folder, or just gone."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        yield opened
    finally:
        os.close(opened)


def _is_locked(folder: int) -> bool:
    """Whether this process could lock it, which it then has."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
