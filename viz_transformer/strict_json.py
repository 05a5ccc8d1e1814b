"""Reads JSON that strangers wrote, and refuses what Python would read although the format lacks it, such as NaN."""

from __future__ import annotations

import json
import math
from typing import Any

from viz_transformer.sentences import SentenceError, brief

MAX_PARTS = 2**18  # lists and objects, a tokenizer's merges among them: millions take seconds and hundreds of megabytes


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: what is wrong: it is no JSON, nests too deeply, has too many parts, names a field twice in one
            object, or holds NaN, an infinity, or a number too large for a float.
    """
    if text.count("[") + text.count("{") > MAX_PARTS:
        raise SentenceError("it has more than {limit} lists and objects", limit=MAX_PARTS)
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite)
    except RecursionError as error:
        raise SentenceError("its values are nested too deeply") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise SentenceError("it names {name} twice in one object", name=brief(twice))
    return values


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits)


def _no_number(digits: str) -> float:
    raise SentenceError("{digits} is not a finite number", digits=brief(digits))
