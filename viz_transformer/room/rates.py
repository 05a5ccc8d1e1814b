"""How often somebody may do something: at once for a while, then steadily."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

MOST = 10_000  # addresses that are known at a time


class Bucket:
    """Holds `burst` tokens at most, and gets `rate` new ones a second; everything done takes one."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.tokens, self.filled = float(burst), clock()

    def take(self) -> bool:
        """Whether there was one left."""
        self._fill()
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def give_back(self) -> None:
        """What was taken was not needed."""
        self.tokens += 1

    async def wait(self) -> None:
        """Takes one, once there is one."""
        while not self.take():
            await asyncio.sleep((1 - self.tokens) / self.rate)

    @property
    def is_full(self) -> bool:
        self._fill()
        return self.tokens == self.burst

    def _fill(self) -> None:
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.filled) * self.rate)
        self.filled = now


class Buckets:
    """One for each address, so that whoever does much keeps nobody else from doing a little."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self.rate, self.burst, self.clock, self.most = rate, burst, clock, most
        self._of: dict[str, Bucket] = {}

    def take(self, address: str) -> bool:
        """Whether there was one left for it."""
        return self.of(address).take()

    def of(self, address: str) -> Bucket:
        whose = whole(address)
        if whose not in self._of and len(self._of) >= self.most:
            self._of = {one: bucket for one, bucket in self._of.items() if not bucket.is_full}
            if len(self._of) >= self.most:  # somebody has them all
                self._of.clear()
        return self._of.setdefault(whose, Bucket(self.rate, self.burst, self.clock))


def whole(address: str) -> str:
    """What one household or machine has: of IPv6 its 64 bits, within which it may call itself anything."""
    try:
        known = ip_address(address)
    except ValueError:  # a socket of this machine has none
        return address
    return str(ip_network((known, 64), strict=False)) if isinstance(known, IPv6Address) else address
