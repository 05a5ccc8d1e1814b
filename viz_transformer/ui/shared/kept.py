"""What took long to compute, kept for all visitors: where `st.cache_resource` cannot, since a run shows progress."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """At most `limit` values by key; the one that was asked for longest ago goes first. Any thread may ask."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """The value, or None where there is none, or none any more."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def keep(self, key: Key, value: Value) -> Value:
        """Keeps the value and returns it."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.limit:
                self._values.popitem(last=False)
        return value

    def __len__(self) -> int:
        return len(self._values)
