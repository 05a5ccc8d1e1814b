"""Places for heavy work: a limit on how much of it runs at once, over all processes of a server together."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

_log = logging.getLogger(__name__)
FOLDER = "VIZ_PLACES"  # environment variable: the folder of the lock files that the processes of a server share
PROCESSES = "VIZ_PROCESSES"  # environment variable: how many processes the server has


def processes() -> int:
    """The number of processes of this server.

    Raises:
        ValueError: the variable holds no whole number above 0.
    """
    said = os.environ.get(PROCESSES, "1")
    if not (said.isascii() and said.isdecimal() and int(said)):
        raise ValueError(f"{PROCESSES} must be a whole number above 0; it is {said!r}.")
    return int(said)


class Places:
    """`count` places, each a file that its holder locks: a process that dies gives its place back.

    Where no folder is named, or the system has no such locks (Windows), nothing is limited: every `take` succeeds.
    """

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count

    @property
    def folder(self) -> Path | None:
        named = os.environ.get(FOLDER)
        return Path(named) if named and sys.platform != "win32" else None

    def take(self) -> int | None:
        """The descriptor of an open file, locked for as long as anybody holds it open; -1 where nothing is limited.

        Returns:
            None where all places are taken.
        """
        if self.folder is None or sys.platform == "win32":
            return -1
        import fcntl

        for number in range(self.count):
            try:
                file = os.open(self.folder / f"{self.name}-{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                _log.warning("This process does not share its places: %s", error)
                return -1
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            else:
                return file
        return None

    @staticmethod
    def leave(place: int) -> None:
        if place >= 0:
            os.close(place)
