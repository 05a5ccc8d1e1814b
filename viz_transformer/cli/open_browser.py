"""Opens the browser once the server answers: a program of its own, for `app` becomes the server.

Run as a file, not as a module: the package takes seconds to import.
"""

from __future__ import annotations

import socket
import sys
import webbrowser
from time import monotonic, sleep
from urllib.parse import urlsplit


def open_when_ready(url: str, seconds: float = 60) -> bool:
    """Waits until a server listens at `url`, and opens it; False if none does within `seconds`."""
    place = urlsplit(url)
    end = monotonic() + seconds
    while monotonic() < end:
        try:
            socket.create_connection((place.hostname or "", place.port or 80), timeout=1).close()
        except OSError:
            sleep(0.1)
        else:
            return webbrowser.open(url)
    return False


if __name__ == "__main__":
    open_when_ready(sys.argv[1])
