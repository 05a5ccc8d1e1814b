"""What travels to a browser component: JSON with arrays in it, as one safetensors file. kit/codec.ts reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

DTYPES = ("float64", "float32", "int32", "uint16", "uint8", "bool")  # that the browser has a typed array for
_NAMES = {np.dtype(name): name for name in DTYPES}  # numpy takes long to say a name
_AS_THEY_ARE = frozenset((type(None), bool, int, float))  # of JSON
JSON = "/"  # no path of an array


def pack(content: Mapping[str, Any], spelled: Callable[[str], str] = str) -> bytes:
    """Nested mappings and sequences of JSON values, in which numpy arrays may stand anywhere.

    An array becomes a tensor named by its path (`modules/0/weights`); the tensor `/` is the UTF-8 of a JSON text:
    `json`, which has null where arrays stand, and `same`, which names for each repeated array the first one: equal
    arrays travel once. Bytes, of what was packed before, are an array that is compared with no other. Equal content
    gives equal bytes, and Streamlit sends equal bytes only once.

    Args:
        spelled: how each text is sent.

    Raises:
        TypeError: an array of another dtype than `DTYPES`, or a value that JSON has not.
        ValueError: NaN or an infinity outside of an array, which JSON has not.
    """
    arrays = _Arrays(spelled)
    text = json.dumps(
        {"json": arrays.taken_out(content, ""), "same": arrays.same},
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    )
    # A tensor, not metadata: in the header's JSON each of its quotes would be a backslash longer.
    return save({JSON: np.frombuffer(text.encode(), np.uint8), **arrays.tensors})


class _Arrays:
    """The arrays of a content by their paths, each only once."""

    def __init__(self, spelled: Callable[[str], str]) -> None:
        self._spelled = spelled
        self.tensors: dict[str, NDArray[Any]] = {}
        self.same: dict[str, str] = {}
        self._alike: dict[tuple[str, tuple[int, ...], bytes], list[str]] = {}  # paths of arrays that begin alike

    def taken_out(self, value: Any, path: str) -> Any:
        """`value` with None where arrays stand."""
        if isinstance(value, str):
            return self._spelled(value)
        if type(value) in _AS_THEY_ARE:  # most of what is left: whatever follows takes longer
            return value
        if isinstance(value, np.ndarray):
            self._keep(value, path)
            return None
        if isinstance(value, bytes):
            self.tensors[path] = np.frombuffer(value, np.uint8)
            return None
        if isinstance(value, Mapping):
            return {name: self.taken_out(one, f"{path}/{name}" if path else str(name)) for name, one in value.items()}
        if isinstance(value, Sequence):
            return [self.taken_out(one, f"{path}/{n}" if path else str(n)) for n, one in enumerate(value)]
        return value

    def _keep(self, array: NDArray[Any], path: str) -> None:
        name = _NAMES.get(array.dtype)
        if name is None:
            raise TypeError(f"{path}: the browser reads arrays of {', '.join(DTYPES)}; this one is {array.dtype.name}.")
        array = np.ascontiguousarray(array).reshape(array.shape)
        alike = self._alike.setdefault((name, array.shape, _bytes_of(array)[:64].tobytes()), [])
        for first in alike:
            if np.array_equal(_bytes_of(self.tensors[first]), _bytes_of(array)):
                self.same[path] = first
                return
        alike.append(path)
        self.tensors[path] = array


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)
