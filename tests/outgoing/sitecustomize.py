"""Imported by every Python that the tests start: refuses and records the app's connections to any other machine.

The app itself never asks the internet, at its start, for a visitor or after an error; the libraries below it would.

It also saves 2 s of each start: where Jupyter is installed, altair's jsonschema would load unused grammars of URLs.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Any

KEPT_IN = "VIZ_TEST_OUTGOING"  # environment variable: a file that gets a line for each attempt
HERE = {"", "localhost", "::1", "0.0.0.0", "::", socket.gethostname()}
LOOKS_UP = ("socket.getaddrinfo", "socket.gethostbyname")
REACHES = ("socket.connect", "socket.sendto", "socket.sendmsg")


def install() -> None:
    """Once a process; a hook stays for good."""
    if KEPT_IN in os.environ and not hasattr(sys, "hears_what_goes_out"):
        sys.hears_what_goes_out = True  # type: ignore[attr-defined]
        sys.addaudithook(_hear)


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if event in LOOKS_UP:
        asked = given[0]
    elif event in REACHES and isinstance(given[1], tuple):
        asked = given[1][0]
    else:
        return
    name = asked.decode() if isinstance(asked, bytes) else asked
    if not isinstance(name, str) or name in HERE or name.startswith("127."):
        return
    if {"streamlit", "viz_transformer"} & sys.modules.keys():  # and not pip, say
        with Path(os.environ[KEPT_IN]).open("a", encoding="utf-8") as kept:
            kept.write(f"{event} {name}: {' '.join(sys.argv[:3])}\n")
        raise OSError(f"The tests ask nobody but this machine, and not {name}.")


install()
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
