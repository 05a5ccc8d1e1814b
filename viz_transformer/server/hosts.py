"""Checks of a request: whether its `Host` is allowed, and whether its `Origin` is a page of this server."""

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
        _ = called.port  # raises ValueError where it is no number
    except ValueError:
        return False
    if not called.hostname or "@" in host or called.netloc != host:
        return False
    name = called.hostname.rstrip(".")
    return any(one in ("*", name) or (one.startswith("*.") and name.endswith(one.removeprefix("*"))) for one in allowed)


def is_own_origin(origin: str, host: str) -> bool:
    """Whether a page of this very server asks. The scheme is not compared: a proxy in front of it may speak TLS."""
    return bool(host) and origin.lower().partition("://")[2] == host.lower()
