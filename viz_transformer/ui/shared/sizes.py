"""How much memory a value takes, and how freed memory goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Set
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from viz_transformer.recording import Recording
from viz_transformer.trace import Arrays

_OF_THE_PROGRAM = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)  # there without the value, too


def size_of(value: object) -> int:
    """Bytes that a value holds in memory, whatever it holds twice counted once.

    It looks into arrays, tensors, data frames, mappings, sequences, sets, and the fields of objects. A view counts as
    all of the memory behind it, which it keeps alive.
    """
    total, left = 0, [value]
    seen: dict[object, object] = {}  # holds the objects, so that no new one gets the same id meanwhile
    while left:
        one = left.pop()
        memory, size, parts = _look_into(one)
        if memory not in seen:
            seen[memory] = one
            total += size
            left += parts
    return total


def _look_into(one: Any) -> tuple[object, int, list[Any]]:
    """A key for its memory, its own bytes, and the objects that it holds."""
    if isinstance(one, _OF_THE_PROGRAM):
        return None, 0, []
    if isinstance(one, Recording | Arrays):  # neither the model behind it nor what it would make counts
        return id(one), sys.getsizeof(one), [one.kept]
    if isinstance(one, Tensor):
        storage = one.untyped_storage()
        return ("tensor", storage.data_ptr()), storage.nbytes(), []
    if isinstance(one, np.ndarray):
        if isinstance(one.base, np.ndarray | Tensor):
            return _look_into(one.base)
        held = list(one.flat) if one.dtype.hasobject else []
        return id(one), sys.getsizeof(one) if one.base is None else one.nbytes, held
    if isinstance(one, pd.DataFrame | pd.Series):
        return id(one), int(np.sum(one.memory_usage(deep=True))), []
    parts: list[Any] = []
    if isinstance(one, Mapping):
        parts = [*one.keys(), *one.values()]
    elif isinstance(one, list | tuple | Set):
        parts = list(one)
    if fields := getattr(one, "__dict__", None):
        parts += [*fields.values()]
    for kind in type(one).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        parts += [getattr(one, name, None) for name in ([slots] if isinstance(slots, str) else slots)]
    return id(one), sys.getsizeof(one), parts


def give_back() -> None:
    """Hands freed memory back to the system.

    glibc keeps it: a free page below one in use stays with the process, in a heap for each of its threads, and every
    run of a page is a thread. Elsewhere nothing happens.
    """
    if _libc is not None:
        _libc.malloc_trim(0)


def _with_trim() -> ctypes.CDLL | None:
    try:
        libc = ctypes.CDLL(None)
        return libc if hasattr(libc, "malloc_trim") else None
    except (OSError, TypeError):  # Windows
        return None


_libc = _with_trim()
