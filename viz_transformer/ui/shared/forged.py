"""What no control of ours would send counts as nothing sent."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from streamlit.runtime.state import query_params, session_state
from streamlit.runtime.state.session_state import Serialized, Value, WStates

_read: Callable[[WStates, str], Any] = WStates.__getitem__
_parse: Callable[..., Any] = query_params.parse_url_param


def refuse_forged_values() -> None:
    """Once a process.

    Streamlit hands a page whatever a client says of a control: a number for a text, half a range, text that is no
    JSON, infinity for a whole number. A value of another kind than the control's, and one that it cannot read, become
    the control's own.
    """
    WStates.__getitem__ = _checked  # type: ignore[method-assign]
    session_state.parse_url_param = _finite  # type: ignore[attr-defined]


def _checked(self: WStates, name: str) -> Any:
    sent, control = self.states.get(name), self.widget_metadata.get(name)
    if not isinstance(sent, Serialized) or control is None:
        return _read(self, name)
    try:
        if sent.value.WhichOneof("value") in (None, control.value_type):
            return _read(self, name)
    except Exception:  # whatever a control raises over what it cannot read
        pass
    own = control.deserializer(None)
    self.states[name] = Value(own)
    return own


def _finite(*asked: Any, **more: Any) -> Any:
    """What a link says for a control; a ValueError, which Streamlit takes for nothing said, where it is no number."""
    value = _parse(*asked, **more)
    if not all(isfinite(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, float)):
        raise ValueError("not a number")
    return value
