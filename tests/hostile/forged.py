"""Messages that no browser of ours would send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.hostile.texts import MARK
from tests.packed import unpacked

State = dict[str, Any]  # of a widget: a field of `WidgetState`, and its value

BIG = "k9z" * 1_700_000  # 5 MB
VALUES: tuple[Any, ...] = (
    float("inf"), float("-inf"), float("nan"), -1, -(2**63), 2**63, 1e308, 0.5, 10**400, True, None, "", MARK, "\ud800",
    "../../etc/passwd", BIG, [], [[[[]]]], [-1, -1], [float("inf")] * 2, [0] * 5000, ["x"], {}, {"a": {"b": []}},
)  # fmt: skip


def forged_views(sent: bytes) -> Iterator[str]:
    """What a browser could answer to a component's message, as JSON: each field of its view with each odd value."""
    view = dict(unpacked(sent)["request"]["view"])
    revision = unpacked(sent)["request"]["revision"]
    for name in view:
        for value in VALUES:
            yield json.dumps({"view": {**view, name: value, "revision": revision}})
    for value in VALUES:
        yield json.dumps({"view": value})
    yield json.dumps({"view": dict.fromkeys(view, -1) | {"revision": revision}})
    yield json.dumps({"view": {"revision": revision}})
    yield json.dumps({"view": {**view, "revision": revision, "another": BIG}})
    yield from ("", "null", "[]", "{", '"x"', "[" * 5000, "NaN", '{"view": ' * 900)


# By field of a `WidgetState`: what no control of ours would send.
FORGED: dict[str, tuple[Any, ...]] = {
    "string_value": ("", MARK, "\0", "../../../etc/passwd", "-1", "NaN", "x" * 100_000, BIG),
    "bool_value": (True, False),
    "int_value": (-1, 2**63 - 1, -(2**63)),
    "double_value": (float("inf"), float("-inf"), float("nan"), 1e308, -1.0, 0.5),
    "double_array_value": ({"data": []}, {"data": [float("nan")]}, {"data": [1e308, -1e308, 5]}, {"data": [-1]}),
    "int_array_value": ({"data": []}, {"data": [-1]}, {"data": [2**62] * 3}),
    "string_array_value": ({"data": []}, {"data": [MARK]}, {"data": ["x" * 1000] * 100}),
    "json_value": ("", "null", "[]", "{", "[" * 5000, '{"view": 1}'),
    "trigger_value": (True,),
    "bytes_value": (b"", b"\xff\xfe"),
    "file_uploader_state_value": ({}, {"uploaded_file_info": [{"file_id": "x", "name": "../../x.zip", "size": 9}]}),
}


def forged_state(kind: str, sent: bytes, dice: Random) -> State:
    """A value for a widget of a kind, a field of `WidgetState`; mostly of this kind, and of any in one of four cases.

    Args:
        sent: what a component was sent; b"" of any other widget.
    """
    assert kind in WidgetState.DESCRIPTOR.fields_by_name
    if sent and dice.random() < 0.9:
        return {"json_value": dice.choice(list(forged_views(sent)))}
    if kind not in FORGED or dice.random() < 0.25:
        kind = dice.choice(list(FORGED))
    return {kind: dice.choice(FORGED[kind])}
