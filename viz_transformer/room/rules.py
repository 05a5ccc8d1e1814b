"""The rules that a lecturer sets for a room."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Self


@dataclass(frozen=True)
class Rules:
    """How a room is kept.

    Attributes:
        closed: whoever has no seat yet gets none.
        here: answers count only of those who are in the room as they are revealed.
        read: texts that are typed as answers are shown to nobody before the lecturer has read them.
    """

    closed: bool = False
    here: bool = False
    read: bool = False

    @classmethod
    def from_json(cls, text: str | None) -> Self:
        return cls(**json.loads(text or "{}"))

    def to_json(self) -> dict[str, bool]:
        return asdict(self)


RULES = {field.name for field in fields(Rules)}
