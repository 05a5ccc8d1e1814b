"""How often somebody may do something: at once for a while, then steadily."""

from __future__ import annotations

import time
from collections.abc import Callable


class Bucket:
    """Holds `burst` tokens at most, and gets `rate` new ones a second; everything done takes one."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.tokens, self.filled = float(burst), clock()

    def take(self) -> bool:
        """Whether there was one left."""
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.filled) * self.rate)
        self.filled = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True
