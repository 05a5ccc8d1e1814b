"""One slip, and planting it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Slip:
    """A change that makes something false.

    Attributes:
        name: what is wrong then, in words.
        file: where, from the project's root.
        before, after: the text that is right, which occurs there exactly once, and what takes its place.
        tests: that catch it: `FILE` or `FILE::TEST`, of pytest or, below `frontend/`, of Node.
    """

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]

    def changed(self, text: str) -> str:
        """The file's text with the slip in it; raises a ValueError where the slip is stale."""
        count = text.count(self.before)
        if count != 1:
            raise ValueError(f"«{self.name}» is stale: its text occurs {count} times in {self.file}.")
        return text.replace(self.before, self.after)


@contextmanager
def planted(slip: Slip, root: Path) -> Iterator[None]:
    """Has the slip in its file below `root` until the block ends."""
    path = root / slip.file
    text = path.read_text(encoding="utf-8")
    path.write_text(slip.changed(text), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
