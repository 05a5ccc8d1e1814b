"""A cache for what takes long to compute: shared by all visitors, and bounded in bytes as a whole."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from viz_transformer.machine import budget
from viz_transformer.ui.shared.sizes import give_back, size_of

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Given = ParamSpec("Given")

WORTH_GIVING_BACK = 32 * 2**20  # bytes; not less, since to look through all heaps takes milliseconds
_MISSING: Any = object()


class ByteCache:
    """Values by key, at most `limit` bytes together; the least recently used goes first.

    Any thread may use it. A value that is larger than `limit` is not kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0  # bytes
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self._freed = 0  # bytes since memory was last given back to the system

    def get(self, key: Hashable) -> Any:
        """The value, or `_MISSING`."""
        with self._lock:
            if key not in self._values:
                return _MISSING
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, key: Hashable, value: Any, size: int) -> None:
        """Stores a value, in place of the one before; `size` is in bytes."""
        with self._lock:
            gone = [self._take(key)] if key in self._values else []
            if size <= self.limit:
                while self.held + size > self.limit:  # first, so that `held` is never above the limit
                    gone.append(self._take(next(iter(self._values))))
                self._values[key] = value, size
                self.held += size
        gone.clear()  # outside of the lock: to free the values takes a while
        self._give_back()

    def forget(self, keys: Callable[[Hashable], bool]) -> None:
        """Drops the values whose keys `keys` accepts."""
        with self._lock:
            gone = [self._take(key) for key in [*filter(keys, self._values)]]
        gone.clear()
        self._give_back()

    def keys(self) -> list[Hashable]:
        """All keys, the least recently used first."""
        with self._lock:
            return [*self._values]

    def _take(self, key: Hashable) -> Any:
        value, size = self._values.pop(key)
        self.held -= size
        self._freed += size
        return value

    def _give_back(self) -> None:
        with self._lock:
            if self._freed < WORTH_GIVING_BACK:
                return
            self._freed = 0
        give_back()


CACHE = ByteCache(budget())  # of this server


class Kept(Generic[Key, Value]):
    """Values of one kind, in a `ByteCache` that they share with all other kinds."""

    def __init__(self, cache: ByteCache = CACHE) -> None:
        self._cache = cache
        self._turns: WeakValueDictionary[Key, Any] = WeakValueDictionary()  # a lock exists while a thread uses it
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """The value, or None where there is none, or none any more."""
        found: Value = self._cache.get((self, key))
        return None if found is _MISSING else found

    def keep(self, key: Key, value: Value, *, at_least: int = 0) -> Value:
        """Keeps the value and returns it; it counts as `at_least` bytes."""
        self._cache.keep((self, key), value, max(at_least, size_of((key, value))))
        return value

    def computed(self, key: Key, compute: Callable[[], Value], *, at_least: int = 0) -> Value:
        """The value; if there is none it is computed, only once however many threads ask at a time."""
        found: Value = self._cache.get((self, key))
        if found is not _MISSING:
            return found
        with self.turn(key):
            found = self._cache.get((self, key))
            return self.keep(key, compute(), at_least=at_least) if found is _MISSING else found

    @contextmanager
    def turn(self, key: Key) -> Iterator[None]:
        """One thread at a time for a key: whoever comes second waits, and may then find what the first has kept."""
        with self._lock:
            turn = self._turns.setdefault(key, Lock())
        with turn:
            yield

    def clear(self) -> None:
        """Forgets all of its values, and none of another kind."""
        self._cache.forget(self._is_own)

    def __len__(self) -> int:
        return sum(map(self._is_own, self._cache.keys()))

    def _is_own(self, key: Hashable) -> bool:
        return isinstance(key, tuple) and key[0] is self


class KeptResults(Generic[Given, Value]):
    """A function whose results are kept; see `kept`."""

    def __init__(self, function: Callable[Given, Value], cache: ByteCache, at_least: int) -> None:
        update_wrapper(self, function)
        self.__wrapped__ = function
        self._signature = inspect.signature(function)
        self._results: Kept[Hashable, Value] = Kept(cache)
        self._at_least = at_least

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        key = tuple(value for name, value in given.arguments.items() if not name.startswith("_"))
        return self._results.computed(key, lambda: self.__wrapped__(*args, **kwargs), at_least=self._at_least)

    def clear(self) -> None:
        """Forgets all results."""
        self._results.clear()


def kept(
    *, cache: ByteCache = CACHE, at_least: int = 0
) -> Callable[[Callable[Given, Value]], KeptResults[Given, Value]]:
    """Keeps the results of a function, as `st.cache_resource` does: all visitors get the same object, read-only.

    Arguments must be hashable. One whose name begins with `_` is not part of the key: another argument must identify
    it. A call that raises keeps nothing.

    Args:
        at_least: the least bytes that a result counts as, for one that grows after it was returned.
    """
    return lambda function: KeptResults(function, cache, at_least)
