"""Bytes as a text that HTML and UTF-8 leave as they are; frontend/src/live/seven_bits.ts reads it.

Base64 makes four characters of three bytes; this makes eight of seven. Each character of one byte holds seven bits.
Four of the 128 would not survive in a `<script>`: they become a character of two bytes that also holds the seven bits
after them.
"""

from __future__ import annotations

import numpy as np

WRONG = (0, 10, 13, 60)  # NUL, line feed, carriage return, "<"
FIRST = 256  # of the characters of two bytes


def as_text(data: bytes) -> str:
    """The bytes as text, an eighth longer in UTF-8."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    groups = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    sevens = np.append(np.packbits(groups, axis=1)[:, 0] >> 1, np.uint8(1))  # one more, which is read with a wrong one
    codes = sevens.astype("<u2")
    read = np.zeros(len(sevens), bool)  # together with the one before
    for n in np.flatnonzero(np.isin(sevens[:-1], WRONG)).tolist():
        if not read[n]:
            codes[n] = FIRST + 128 * WRONG.index(sevens[n]) + int(sevens[n + 1])
            read[n + 1] = True
    read[-1] = True
    return codes[~read].tobytes().decode("utf-16-le")
