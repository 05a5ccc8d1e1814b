"""Messages that wait to be sent to a client of a room, with bounds for one client and for all together."""

from __future__ import annotations

import asyncio
from collections import deque

MOST = 64  # messages; a slower client is closed, and gets the whole state when it comes back
MOST_BYTES = 1_000_000  # of them; a message that waits alone may be larger: a class's answers are
MOST_OF_ALL = 64_000_000  # bytes that wait for all clients of a process


class Waiting:
    """How many bytes wait for all clients of this process. A text is ASCII: its length is its size."""

    def __init__(self) -> None:
        self.bytes = 0


class Outbox:
    """The messages for one client, in order."""

    def __init__(self, all_waiting: Waiting) -> None:
        self._all = all_waiting
        self._texts: deque[str] = deque()
        self._held: list[str] | None = None
        self._bytes = 0
        self._filled = asyncio.Event()

    def put(self, text: str) -> bool:
        """Adds a message -> whether there was room for it."""
        into: deque[str] | list[str] = self._texts if self._held is None else self._held
        is_full = len(into) >= MOST or self._bytes + len(text) > MOST_BYTES or self._all.bytes > MOST_OF_ALL
        if is_full and self._bytes:
            return False
        into.append(text)
        self._count(len(text))
        if self._held is None:
            self._filled.set()
        return True

    def hold(self) -> None:
        """Keeps messages back until `release`, so that none overtakes the welcome, which is still being read."""
        if self._held is None:
            self._held = []

    def release(self, welcome: str) -> bool:
        """Adds the welcome, then what was kept back -> whether there was room for all of it."""
        held, self._held = self._held or [], None
        self._count(-sum(map(len, held)))
        return all(self.put(text) for text in (welcome, *held))

    async def take(self) -> str:
        """The next one, once there is one."""
        while not self._texts:
            self._filled.clear()
            await self._filled.wait()
        text = self._texts.popleft()
        self._count(-len(text))
        return text

    def empty(self) -> None:
        """Drops what waits: the client has gone."""
        self._count(-self._bytes)
        self._texts, self._held, self._all = deque(), [], Waiting()

    def _count(self, more: int) -> None:
        self._bytes += more
        self._all.bytes += more
