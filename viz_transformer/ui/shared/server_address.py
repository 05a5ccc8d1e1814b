"""Where a server is found, as a browser says it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def server_address(url: str | None) -> str:
    """The address that a browser says it came to, without page and parameters; "" where it is no address."""
    try:
        parts = urlsplit(url or "")
        is_one = parts.scheme in ("http", "https") and bool(
            re.fullmatch(r"[\w.-]+(:\d+)?|\[[\da-f:]+\](:\d+)?", parts.netloc)
        )
    except ValueError:
        return ""
    folder = parts.path.rpartition("/")[0]
    if not is_one or not re.fullmatch(r"[\w./~-]*", folder):
        return ""
    return f"{parts.scheme}://{parts.netloc}{folder}/"


def is_only_here(address: str) -> bool:
    """Whether no other machine finds a server by this address."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
