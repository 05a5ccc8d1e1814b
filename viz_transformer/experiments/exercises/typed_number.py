"""Numbers as people type them. The front end reads them alike: `numberOf` in `frontend/src/kit/typed_number.ts`."""

from __future__ import annotations

import re

# A comma stands between thousands if three digits follow it and other digits than a lone 0 come before it.
_IN_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[, ][0-9]{3})+(?:\.[0-9]*)?")
_PLAIN = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ALIKE = _FULL_WIDTH | {ord("−"): "-", ord("\N{NO-BREAK SPACE}"): " ", ord("\N{NARROW NO-BREAK SPACE}"): " "}


def number_of(text: str) -> float | None:
    """The number that `text` writes, or None where it is none.

    Read are 1,024 and 1 024, 0.55 and 0,55, ７, −2, 1e-3 and fractions such as 7/8.
    """
    above, slash, below = text.translate(_ALIKE).strip().partition("/")
    number = _decimal(above.rstrip())
    if not slash or number is None:
        return number
    divisor = _decimal(below.lstrip())
    return number / divisor if divisor else None


def _decimal(text: str) -> float | None:
    if _IN_THOUSANDS.fullmatch(text):
        return float(re.sub("[, ]", "", text))
    return float(text.replace(",", ".")) if _PLAIN.fullmatch(text) else None
