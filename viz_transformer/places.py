"""Places for what takes much of a machine: so many at a time, of all processes of a server together."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

_log = logging.getLogger(__name__)
FOLDER = "VIZ_PLACES"  # of the environment: where the processes of one server find each other
PROCESSES = "VIZ_PROCESSES"  # and how many they are


def processes() -> int:
    """Of this server.

    Raises:
        ValueError: the variable holds no whole number above 0.
    """
    said = os.environ.get(PROCESSES, "1")
    if not (said.isascii() and said.isdecimal() and int(said)):
        raise ValueError(f"{PROCESSES} must be a whole number above 0; it is {said!r}.")
    return int(said)


class Places:
    """`count` files of a folder, each locked by whoever has the place: what dies, gives it back.

    Where no folder is named, or the system knows no such locks (Windows), a process is alone, and nothing is held.
    """

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count

    @property
    def folder(self) -> Path | None:
        named = os.environ.get(FOLDER)
        return Path(named) if named and sys.platform != "win32" else None

    def take(self) -> int | None:
        """A file that is open and locked, for as long as anybody holds it open; -1 where there are none.

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
