"""The numbered lines of a text file, with the line breaks of any system."""

from __future__ import annotations

import re
from pathlib import Path

from viz_transformer.sentences import SentenceError

_BREAK = re.compile(r"\r\n|\r|\n")  # `splitlines` also splits at signs that may stand in a sentence


def numbered_lines(path: str | Path) -> list[tuple[int, str]]:
    """Each line of a UTF-8 file that is not blank, with its number from 1; a byte order mark is skipped.

    Raises:
        ValueError: a sentence with the number of the first line that is not UTF-8.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        number = len(_BREAK.split(before))
        raise SentenceError("{path}, line {number}: it is not written in UTF-8.", path=path, number=number) from error
    return [(number, line) for number, line in enumerate(_BREAK.split(text), start=1) if line.strip()]
