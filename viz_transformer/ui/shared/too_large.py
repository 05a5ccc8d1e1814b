"""Refuses values that are too large for a page, and tells the visitor why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from viz_transformer.ui.shared.connection import connection_of_this_run
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from viz_transformer.ui.shared.streamlit_private import ClientState

MOST = 1_000_000  # bytes of one value: no person types as much, and it would stand in the link


def take_out_large_values(asked: ClientState) -> int:
    """Removes values that are too large, so that their controls keep what they have; the largest's bytes, or 0.

    Streamlit hands a page whatever a client sends for a control, however long it is.
    """
    large = [one for one in asked.widget_states.widgets if one.ByteSize() > MOST]
    for one in large:
        asked.widget_states.widgets.remove(one)
    if large:
        asked.ClearField("fragment_id")  # the whole page runs, to say it
    return max((one.ByteSize() for one in large), default=0)


def say_what_was_refused() -> None:
    """Called once a run: says what was refused, over whatever part of the page is on the screen."""
    connection = connection_of_this_run()
    if connection is not None and connection.refused:
        st.toast(
            _("That was {size:.1f} MB at once; this page takes up to {limit:.0f} MB. Nothing was changed.").format(
                size=connection.refused / 1e6, limit=MOST / 1e6
            ),
            duration="long",
        )
        connection.refused = 0
