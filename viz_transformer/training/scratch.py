"""The folder of this process's runs. What a process that was killed leaves behind, the next one removes."""

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
_UNLOCKED = "viz-new-"  # the prefix until the folder is locked: without a lock it would look left behind
_held: list[tuple[Path, int]] = []  # folders, and the descriptors that lock them as long as this process lives


def run_folder() -> TemporaryDirectory[str]:
    """A new folder for one run; raises an OSError where nothing can be written."""
    if not _held or not _held[-1][0].is_dir():
        _held.append(_own_folder())
    return TemporaryDirectory(prefix="run-", dir=_held[-1][0], ignore_cleanup_errors=True)


def remove_left_behind() -> None:
    """Removes the folders of processes that were killed before they could do so. A living process holds a lock."""
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with _opened(folder) as lock:
            if lock is not None and _try_to_lock(lock):
                shutil.rmtree(folder, ignore_errors=True)


def _own_folder() -> tuple[Path, int]:
    made = Path(mkdtemp(prefix=_UNLOCKED))
    if sys.platform == "win32":
        return made, -1
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
    _try_to_lock(lock)
    return made.rename(made.with_name(made.name.replace(_UNLOCKED, PREFIX))), lock


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """A descriptor of the folder; None where it is somebody else's, no folder, or just gone."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        yield opened
    finally:
        os.close(opened)


def _try_to_lock(folder: int) -> bool:
    """Locks an open folder for this process; False where another process has the lock."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
