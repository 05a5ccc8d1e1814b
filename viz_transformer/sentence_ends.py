"""A typed text cut into its sentences: a model that was trained on one at a time reads several as one."""

from __future__ import annotations

import re

_CLOSING = "[\"'”’»)」』）]*"
_END = re.compile(rf"\s*[\r\n]+\s*|[。！？]+{_CLOSING}\s*|[.!?…]+{_CLOSING}(?:\s+|(?=[\u4e00-\u9fff]))")
_ABBREVIATED = re.compile(r"\b(?:[A-Za-z]|\d{1,2}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Nr|No|vs|ca|bzw|etc)\.$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the white space around them.

    They end at a line break, at 。！？ and, before white space or a Chinese character, at . ! ? … — but not at the full
    stop of an abbreviation, such as *Dr.* or *p.m.*, or of a day (*3. Mai*), nor before a small letter.
    """
    sentences, start = [], 0
    for end in _END.finditer(text):
        before, after = text[start : end.end()].rstrip(), text[end.end() : end.end() + 1]
        is_line = not end[0].strip()
        if is_line or not (after.islower() or _ABBREVIATED.search(before)):
            sentences.append(before)
            start = end.end()
    return [one.strip() for one in [*sentences, text[start:]] if one.strip()]
