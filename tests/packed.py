"""Reads back what a component was sent, with Hugging Face's own safetensors reader in place of our code."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from safetensors import deserialize

NUMPY = {"F64": "<f8", "F32": "<f4", "I32": "<i4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


def unpacked(packed: bytes) -> Any:
    """The content that `pack` packed, arrays in their places."""
    tensors = {
        name: np.frombuffer(one["data"], NUMPY[one["dtype"]]).reshape(one["shape"]) for name, one in deserialize(packed)
    }
    said = json.loads(tensors.pop("/").tobytes())
    tensors |= {path: tensors[first] for path, first in said["same"].items()}
    content = said["json"]
    for path, tensor in tensors.items():
        *way, last = [int(part) if part.isdecimal() else part for part in path.split("/")]
        at = content
        for part in way:
            at = at[part]
        assert at[last] is None
        at[last] = tensor
    return content


def received(data: bytes) -> tuple[dict[str, Any], Any]:
    """A component's message -> its request, and its content: of a view that follows a bar, that at the bar's place."""
    message = unpacked(data)
    body = message["bodies"][message["places"][message["at"]]] if "bar" in message else message["content"]
    return message["request"], unpacked(body.tobytes())


def panel_of(data: bytes) -> str:
    """The name of the panel that shows a component's message."""
    return str(unpacked(data)["request"]["panel"])


def places_of(data: bytes) -> dict[str, Any]:
    """What a view that follows a bar was sent: the content at each place, the bar's own place first."""
    message = unpacked(data)
    assert next(iter(message["places"])) == message["at"]
    return {place: unpacked(message["bodies"][n].tobytes()) for place, n in message["places"].items()}


def listed(content: Any) -> Any:
    """The content with its arrays as nested lists."""
    if isinstance(content, np.ndarray):
        return content.tolist()
    if isinstance(content, dict):
        return {name: listed(value) for name, value in content.items()}
    return [listed(value) for value in content] if isinstance(content, list) else content
