"""Which room a visitor is in, even if the browser opens a link that it had before the server's answer."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

from tests.packed import panel_of, received
from tests.visitor import Visitor, site

GONE, NEW = "ABCDE", "FGHJK"


def room_of(visitor: Visitor) -> tuple[str, dict[str, object]]:
    """The id of the header's button, and the view that the browser was sent."""
    [button] = [one for one in visitor.shown("bidi_component") if panel_of(one.bytes) == "room"]
    request = received(button.bytes)[0]
    return button.id, {**request["view"], "revision": request["revision"]}


def enter(visitor: Visitor, code: str) -> None:
    name, view = room_of(visitor)
    visitor.send({name: {"json_value": json.dumps({"view": {**view, "code": code}})}})


def test_a_link_that_was_made_before_the_answer_takes_nobody_back() -> None:
    """A visitor who enters a code is led to the lecturer's page at once, by a link that still has the room before."""
    with site() as app:
        visitor = app.visitor()
        visitor.open("heads", {"model": "copy", "room": GONE})
        before = visitor.link
        enter(visitor, NEW)
        assert parse_qs(visitor.link)["room"] == [NEW]
        visitor.link = before
        visitor.send(page_script_hash=visitor.scripts["masks"], is_history_navigation=True)
        assert parse_qs(visitor.link)["room"] == [NEW]
        assert room_of(visitor)[1]["code"] == NEW


def test_who_has_left_does_not_come_in_again_by_back() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("heads", {"model": "copy", "room": GONE})
        before = visitor.link
        enter(visitor, "")
        assert "room" not in parse_qs(visitor.link)
        visitor.link = before
        visitor.send(is_history_navigation=True)
        assert "room" not in parse_qs(visitor.link)
        assert room_of(visitor)[1]["code"] == ""


def test_another_link_that_is_opened_anew_leads_into_its_room() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("heads", {"model": "copy", "room": GONE})
        visitor.open("heads", {"model": "copy", "room": NEW})
        assert room_of(visitor)[1]["code"] == NEW
