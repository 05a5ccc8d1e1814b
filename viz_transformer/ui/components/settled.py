"""Where a component's view stands between Python and the browser; what the components share.

The browser moves on its own and tells Python only where a person settled. A revision says who leads: while it stays,
so does every byte that is sent, Streamlit sends nothing, and the browser stays where it is; a new one tells it to go
where Python says.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

View = TypeVar("View")


class Sent(NamedTuple, Generic[View]):
    """What one session's component last got."""

    revision: str
    content: str  # names what was shown; a view of other content is no longer valid
    asked: View  # by the page, at the last run
    shown: View  # in what was sent
    latest: View  # on the screen, as far as Python has heard; Streamlit forgets a component's state with its page


def settle(
    key: str,
    asked: View,
    committed: View | None,
    *,
    content: str = "",
    place: Callable[[View], object] = lambda view: view,
) -> Sent[View]:
    """What to send now. Asking for what was asked before, or for what the browser committed, changes nothing.

    Args:
        key: of the component.
        asked: the view that the page wants.
        committed: what `committed_fields(key)` holds, as a view.
        content: another content goes where it is asked.
        place: the part of a view that counts: a page may leave the rest out of its state and still not undo it.
    """
    sent: Sent[View] | None = st.session_state.get(_sent_key(key))
    known = [place(view) for view in (sent and sent.asked, committed) if view is not None]
    if sent is None or sent.content != content or place(asked) not in known:
        sent = Sent(secrets.token_hex(4), content, asked, shown=asked, latest=asked)
    else:
        sent = sent._replace(asked=asked, latest=committed or sent.latest)
    st.session_state[_sent_key(key)] = sent
    return sent


def committed_fields(key: str) -> dict[str, Any] | None:
    """The fields of the view that a person settled on in the component `key`, unchecked; None before that."""
    sent: Sent[Any] | None = st.session_state.get(_sent_key(key))
    raw = (st.session_state.get(key) or {}).get("view")
    return raw if sent is not None and isinstance(raw, dict) and raw.get("revision") == sent.revision else None


def _sent_key(key: str) -> str:
    return f"{key}:sent"
