"""A room's code, short enough to be read from the wall, and the secret of whoever leads it."""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like digits
CODE = re.compile(rf"[{LETTERS}]{{5}}")


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(5))


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What a store keeps of a secret, which nobody can read back."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_secret(given: str, kept: str) -> bool:
    return hmac.compare_digest(digest(given), kept)
