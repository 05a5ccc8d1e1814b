"""The store that an address names."""

from __future__ import annotations

import re

from viz_transformer.room.memory import MemoryStore
from viz_transformer.room.store import Store

SCHEME = re.compile(r"(redis|valkey)(s?://)")


def store_at(address: str) -> Store:
    """Rooms in this process where the address is empty, else in the Redis or Valkey that it names.

    Raises:
        ValueError: it names none. What was given is not repeated, since there may be a password in it.
    """
    if not address:
        return MemoryStore()
    if not SCHEME.match(address):
        raise ValueError(
            "The address of the store of rooms must begin with redis://, rediss://, valkey:// or valkeys://; "
            "without any, rooms are kept in this process."
        )
    try:
        from viz_transformer.room.redis_store import RedisStore
    except ModuleNotFoundError:
        raise ValueError(
            "Rooms are to be kept in Redis, and its client is missing: pip install 'viz_transformer[room]'."
        ) from None
    try:
        return RedisStore.at(SCHEME.sub(r"redis\2", address, count=1))
    except (ValueError, TypeError):
        raise ValueError(
            "The address of the store of rooms cannot be read; it should look like redis://name:password@host:6379/0, "
            "with signs like / in a password written as %2F."
        ) from None
