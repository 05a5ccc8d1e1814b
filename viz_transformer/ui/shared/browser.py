"""Which browser a visitor comes with: a secret in a cookie that came with their first page, before any script has run.

So whoever loads a page anew, however soon, or opens another tab is found again. No other browser has it, and no link.
"""

from __future__ import annotations

import re
import secrets
from typing import TypeGuard

import streamlit as st

COOKIE = "viz_visitor"


def is_secret(text: object) -> TypeGuard[str]:
    """Whether it is one of ours: a browser may send anything."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{32}", text) is not None


def browser() -> str | None:
    """The secret of this session's browser; None where it keeps no cookies."""
    secret = st.context.cookies.get(COOKIE)
    return secret if is_secret(secret) else None


def new_cookie(is_secure: bool) -> str:
    """A `Set-Cookie` for a browser that has none. In a page of another site it is kept only where all is encrypted."""
    where = "Secure; SameSite=None; Partitioned" if is_secure else "SameSite=Lax"
    return f"{COOKIE}={secrets.token_hex(16)}; Path=/; HttpOnly; {where}"
