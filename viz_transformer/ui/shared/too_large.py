"""What is too large for a page is not taken, and the visitor reads why."""

from __future__ import annotations

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz_transformer.views.text import _

MOST = 1_000_000  # bytes of one value: no person types as much, and it would stand in the link
_handle = AppSession.handle_backmsg
_REFUSED = "_viz_refused"  # of a session's link: the bytes of what was not taken, until the page has said so


def refuse_large_values() -> None:
    """Once a process.

    Streamlit hands a page whatever a client says of a control, however long it is. A value of megabytes is taken out of
    what the client says, so that the control keeps the one that it has.
    """
    AppSession.handle_backmsg = _bounded  # type: ignore[method-assign]


def _bounded(self: AppSession, msg: BackMsg) -> None:
    asked = msg.rerun_script
    large = [one for one in asked.widget_states.widgets if one.ByteSize() > MOST]
    if large:
        for one in large:
            asked.widget_states.widgets.remove(one)
        asked.ClearField("fragment_id")  # the whole page says it
        setattr(self._session_state.query_params, _REFUSED, max(one.ByteSize() for one in large))
    _handle(self, msg)


def say_what_was_refused() -> None:
    """Once a run: a sentence, without the value, over whatever part of the page is on the screen."""
    run = get_script_run_ctx()
    size = vars(run.session_state._state.query_params).pop(_REFUSED, 0) if run else 0
    if size:
        st.toast(
            _("That was {size:.1f} MB at once; this page takes up to {limit:.0f} MB. Nothing was changed.").format(
                size=size / 1e6, limit=MOST / 1e6
            ),
            duration="long",
        )
