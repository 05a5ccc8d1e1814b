"""Recognises a visitor's browser by a secret in a cookie, which it gets with its first page, before any script has run.

So a visitor who reloads a page, however soon, or opens another tab is recognised. No other browser has the secret, and
no link holds it.
"""

from __future__ import annotations

import re
import secrets
from typing import TypeGuard

import streamlit as st

COOKIE = "viz_visitor"


def is_secret(text: object) -> TypeGuard[str]:
    """Whether it looks like one of our secrets: a browser may send anything."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{32}", text) is not None


def browser() -> str | None:
    """The secret of this session's browser; None where it keeps no cookies."""
    secret = st.context.cookies.get(COOKIE)
    return secret if is_secret(secret) else None


def new_cookie(is_secure: bool) -> str:
    """A `Set-Cookie` header for a browser without the cookie. In a frame on another site it works only over HTTPS."""
    where = "Secure; SameSite=None; Partitioned" if is_secure else "SameSite=Lax"
    return f"{COOKIE}={secrets.token_hex(16)}; Path=/; HttpOnly; {where}"
