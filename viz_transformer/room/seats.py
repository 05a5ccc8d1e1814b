"""Seats in a room: one for each browser, signed by the server, so that nobody can make up further ones."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256


def new_seat(key: str) -> str:
    """A seat that nobody has had. `key`: the room's, which its server alone knows."""
    member = secrets.token_urlsafe(12)
    return f"{member}.{_signature(member, key)}"


def member_of(seat: str, key: str) -> str | None:
    """Whose seat it is; None where this room's server has not given it."""
    member, _, signature = seat.partition(".")
    if not hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), _signature(member, key).encode()):
        return None
    return member


def _signature(member: str, key: str) -> str:
    return hmac.new(key.encode(), member.encode("utf-8", "surrogatepass"), sha256).hexdigest()[:32]
