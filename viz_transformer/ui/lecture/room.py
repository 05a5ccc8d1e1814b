"""The button in the header that opens a room, and its box; the browser alone speaks with the room itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz_transformer.ui.components.component import ByView, Component
from viz_transformer.ui.shared.link import came_by_history
from viz_transformer.ui.shared.qr import qr_code
from viz_transformer.views.linked import TEXT, Text, linked
from viz_transformer.views.text import _, language

ROOM_PARAMETER = "room"
_ROOM = "room that one is in"  # in the session, since the navigation clears the link; "": that one has left


@dataclass(frozen=True)
class InRoom:
    """Which room this browser is in, and what it asks.

    Attributes:
        code: of the room; "" where it is in none.
        address: whose QR code it wants.
    """

    code: str = linked(ROOM_PARAMETER, TEXT, "")
    address: str = linked(None, Text(longest=2_000), "")


def keep_room() -> None:
    """Called once at the top of every run: a visitor who has come into a room stays there from page to page.

    A link of the browser's history takes nobody into another room, or back into one that they left: it may be older,
    and the browser may have opened it before the server had told it which room they are in.
    """
    if ROOM_PARAMETER in st.query_params and not (came_by_history() and _ROOM in st.session_state):
        st.session_state[_ROOM] = st.query_params[ROOM_PARAMETER]
    elif st.session_state.get(_ROOM):
        st.query_params[ROOM_PARAMETER] = st.session_state[_ROOM]
    else:
        st.query_params.pop(ROOM_PARAMETER, None)


@st.fragment
def show_room() -> None:
    """Called once in every run. A fragment, so that opening a room does not run the page again."""
    _BUTTON.show_linked(ByView(b"", _content), key="room", usual=InRoom(), on_change=_come_or_go)


def _content(view: InRoom) -> Mapping[str, Any]:
    content: dict[str, Any] = {"address": view.address, "language": language()}
    return content | {"qr": qr_code(view.address)} if view.address else content


def _come_or_go() -> None:
    view = _BUTTON.committed("room")
    if view is not None:
        st.session_state[_ROOM] = view.code


def _labels() -> dict[str, str]:
    return {
        "open": _("Room: a class follows this page"),
        "room": _("Room"),
        "close": _("Close"),
        "code": _("Room {code}"),
        "what": _("In a room, a class follows this page, everybody on their own screen. No account, no name."),
        "begin": _("Open a room"),
        "how": _("Scan the code, or open the link. No account, no name."),
        "only_here": _(
            "Only this machine can open this link: serve the app at an address that the class can open, and open the "
            "room there."
        ),
        "link": _("Link of this room"),
        "copy": _("Copy link"),
        "copied": _("Copied."),
        "not_copied": _("Your browser does not let this page copy. The text is selected: copy it by hand."),
        "qr": _("QR code of this room"),
        "large": _("Large"),
        "csv": _("Answers as CSV"),
        "no_answers": _("Nobody has answered anything yet."),
        "end": _("Close the room"),
        "end_really": _("Close it for everybody?"),
        # What its lecturer asks of it
        "rules": _("Rules of this room"),
        "rule_closed": _("No newcomers: those already here stay, nobody else can join"),
        "rule_here": _("Count only the answers of those who are here when I reveal"),
        "rule_read": _("Show typed words to the class only after I have read them"),
        "unread": _("Unread answers: {count}"),
        "other_texts": _("Answers with words that are not listed: {count}"),
        "show_texts": _("Show them to the class"),
        "remove": _("Remove"),
        "remove_text": _("Remove “{text}”, and whoever wrote it"),
        "hint_remove": _("Deletes these answers and removes from the room whoever gave them"),
        "into": _("Join a room"),
        "other": _("Join another room"),
        "join": _("Join"),
        "no_code": _("A code has five letters, none of them I or O."),
        "not_opened": _("The server could not open a room. Try again in a moment."),
        # Where one is
        "here": _("{count} here"),
        "answered": _("{count} answered"),
        "long": _("This text is too long for a room: the class stays where it was."),
        "coming": _("Joining …"),
        "following": _("You are following your lecturer."),
        "exploring": _("You are exploring on your own."),
        "paused": _("Your lecturer is preparing something; look around meanwhile."),
        "released": _("Explore on your own, until your lecturer calls you back."),
        "lost": _("Connection lost; reconnecting …"),
        "gone": _("This room is gone: it was closed, or its server was restarted."),
        "removed": _("You are no longer in this room."),
        "closed": _("Your lecturer is not letting anybody else in for now; trying again …"),
        "full": _("This room is full; trying again …"),
        # What one can do
        "act_read": _("Read them"),
        "act_follow": _("Follow me"),
        "act_pause": _("Pause"),
        "act_free": _("Release"),
        "act_explore": _("Explore on my own"),
        "act_back": _("Back to the lecturer"),
        "act_leave": _("Leave"),
        "hint_follow": _("Everybody sees what you see, and those exploring on their own are brought back"),
        "hint_pause": _("The class's view stays as it is, whatever you do"),
        "hint_free": _("Everybody explores on their own"),
        # The answers as a table
        "csv_question": _("question"),
        "csv_title": _("what was asked"),
        "csv_kind": _("kind"),
        "csv_answer": _("answer"),
        "csv_answer_words": _("answer in words"),
        "csv_truth": _("truth"),
        "csv_truth_words": _("truth in words"),
        "csv_score": _("score in %"),
        "csv_asked": _("asked"),
        "csv_answered": _("answered"),
        "csv_revealed": _("revealed"),
        "csv_members": _("people in the room"),
    }


_BUTTON = Component("room", InRoom, _labels)
