"""Bytes between Python and the browser components: one JSON text in front of raw arrays."""

from __future__ import annotations

import json
from typing import Any


def frame(content: dict[str, Any]) -> bytes:
    """`content` as JSON: its length as uint32, little-endian, then its text, padded to a multiple of four."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)  # so that a float32 section after it is aligned
    return len(text).to_bytes(4, "little") + text
