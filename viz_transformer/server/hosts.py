"""By which names a browser may call this server, and whose page asks."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st


def is_host_allowed(host: str) -> bool:
    """Whether a `Host` is one of `server.allowedHosts`, or below one like *.example.org; without any, all are."""
    allowed = [one.strip().lower().rstrip(".") for one in st.get_option("server.allowedHosts")]
    if not allowed:
        return True
    try:
        called = urlsplit(f"//{host}")
        _ = called.port  # a ValueError, where it is none
    except ValueError:
        return False
    if not called.hostname or "@" in host or called.netloc != host:
        return False
    name = called.hostname.rstrip(".")
    return any(one in ("*", name) or (one.startswith("*.") and name.endswith(one.removeprefix("*"))) for one in allowed)


def is_own_origin(origin: str, host: str) -> bool:
    """Whether a page of this very server asks, whatever it is called; a proxy may speak TLS before it."""
    return bool(host) and origin.lower().partition("://")[2] == host.lower()
