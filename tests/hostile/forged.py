"""Messages that no browser of ours would send."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.hostile.texts import MARK
from tests.packed import unpacked

State = dict[str, Any]  # of a widget: a field of `WidgetState`, and its value

BIG = "k9z" * 1_700_000  # 5 MB
VALUES: tuple[Any, ...] = (
    float("inf"), float("-inf"), float("nan"), -1, -(2**63), 2**63, 1e308, 0.5, 10**400, True, None, "", MARK, "\ud800",
    "../../etc/passwd", "z.AAAA", "http://[/masks?x=%f", 3, BIG, [], [[[[]]]], [-1, -1], [float("inf")] * 2, [0] * 5000,
    ["x"], {}, {"a": {"b": []}},
)  # fmt: skip


def forged_view(sent: bytes, dice: Random) -> str:
    """What a browser could answer to a component's message, as JSON: one or two fields of its view with odd values."""
    request = unpacked(sent)["request"]
    view, odd = {**request["view"], "revision": request["revision"]}, dice.choice(VALUES)
    name = dice.choice([*view])
    answers: tuple[Any, ...] = (
        *({"view": {**view, name: odd}} for _ in range(8)),
        {"view": {**view, name: odd, dice.choice([*view]): dice.choice(VALUES)}},
        {"view": {**dict.fromkeys(view, odd), "revision": request["revision"]}},
        {"view": {"revision": request["revision"]}},
        {"view": {**view, "another": BIG}},
        {"view": odd},
        odd,
    )
    return (
        dice.choice(("", "{", "[" * 5000, '{"view": ' * 900))
        if dice.random() < 0.1
        else json.dumps(dice.choice(answers))
    )


# Field of a `WidgetState` → forged values for it.
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
    """A forged value for a widget whose field of `WidgetState` is `kind`; one in four is for any field.

    Args:
        sent: what a component was sent; b"" of any other widget.
    """
    assert kind in WidgetState.DESCRIPTOR.fields_by_name
    if sent and dice.random() < 0.9:
        return {"json_value": forged_view(sent, dice)}
    if kind not in FORGED or dice.random() < 0.25:
        kind = dice.choice(list(FORGED))
    return {kind: dice.choice(FORGED[kind])}
