"""The button in the header that shares what is on the screen: by link, QR code or embedding, or into a lecture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz_transformer.lecture_links import unpacked
from viz_transformer.lectures import MAX_NOTE, MAX_QUESTION, MAX_SAYS, MAX_TITLE, Lecture, said
from viz_transformer.ui.components.component import ByView, Component
from viz_transformer.ui.lecture.own import page_in, scene_open, with_place, with_scene
from viz_transformer.ui.shared.controls import MAX_LINK
from viz_transformer.ui.shared.qr import qr_code
from viz_transformer.views.linked import INDEX, Text, linked
from viz_transformer.views.text import _, language, sentence
from viz_transformer.visible import visible

LIMITS = [MAX_TITLE, MAX_QUESTION, MAX_NOTE, MAX_SAYS]  # characters
_LONG_TEXT = Text(longest=100_000)


@dataclass(frozen=True)
class Shared:
    """What the browser asks for: nothing while the box is closed.

    Attributes:
        address: of the view to share, as the browser knows it: it keeps a part of the link that Python does not see.
        mine: the visitor's lecture, packed; "" where they have none.
        place: where in it the view shall go, see `own`.
        question: of a new scene; of a next step the sentence that goes with it.
        asked: the number of the view to be added, counted since the page was loaded; 0: none.
    """

    address: str = linked(None, _LONG_TEXT, "")
    mine: str = linked(None, _LONG_TEXT, "")
    place: str = linked(None, _LONG_TEXT, "")
    title: str = linked(None, _LONG_TEXT, "")
    question: str = linked(None, _LONG_TEXT, "")
    note: str = linked(None, _LONG_TEXT, "")
    asked: int = linked(None, INDEX, 0)


@st.fragment
def show_share() -> None:
    """Called once in every run. A fragment, so that opening the box does not run the page again."""
    _SHARE.show(ByView(b"", shared_content), key="share", view=Shared())


def shared_content(view: Shared) -> Mapping[str, Any]:
    """What the box shows; nothing is worked out while it is closed."""
    content: dict[str, Any] = {"address": view.address, "limits": LIMITS, "long": MAX_LINK}
    if view.address:
        content |= {"qr": qr_code(view.address), "can_add": bool(page_in(view.address))}
    if not (view.address and (content["can_add"] or view.asked)):
        return content
    try:
        lecture = unpacked(view.mine) if view.mine else Lecture(_("My lecture"))
    except ValueError as error:
        refused = {"asked": view.asked, "refused": sentence(error), "is_damaged": True}
        return {**content, **_places(Lecture("")), **({"answer": refused} if view.asked else {})}
    if view.asked:
        content["answer"] = answer = _answer(view, lecture)
        lecture = unpacked(answer["mine"]) if "mine" in answer else lecture
    return {**content, **_places(lecture, view.address)}


def _answer(view: Shared, lecture: Lecture) -> dict[str, Any]:
    try:
        if view.place:
            mine = with_place(lecture, view.address, view.place, view.question, language())
        else:
            mine = with_scene(lecture, view.address, view.title, view.question, view.note)
    except ValueError as error:
        return {"asked": view.asked, "refused": sentence(error), "is_damaged": False}
    if view.place.endswith("+"):
        done = _("Added as the next step of scene {number}.").format(number=view.place[:-1])
    elif view.place:
        done = _("Scene {number} shows this view now.").format(number=view.place)
    else:
        done = _("Added as scene {number}.").format(number=len(lecture.scenes) + 1)
    return {"asked": view.asked, "mine": mine, "said": done}


def _places(lecture: Lecture, address: str = "") -> dict[str, Any]:
    """Where the view may go, each place as it is spelled with its name; and which is meant unless one chooses."""
    places = [("", _("A new scene"))]
    for index, scene in enumerate(lecture.scenes):
        title = visible(f"{index + 1} {said(scene.title, language())}")
        places.append((f"{index + 1}+", _("{scene}: its next step").format(scene=title)))
        for step in range(scene.n_steps):
            place = f"{index + 1}.{step + 1}" if step else f"{index + 1}"
            step_of = _("{scene}: in place of step {number}") if step else _("{scene}: in place of its view")
            places.append((place, step_of.format(scene=title, number=step + 1)))
    here = scene_open(lecture, address) if lecture.scenes and page_in(address) else None
    return {"places": places, "at": "" if here is None else f"{here + 1}+"}


def share_labels() -> dict[str, str]:
    """Every text of the component."""
    return {
        "share": _("Share this view"),
        "close": _("Close"),
        "link": _("Link of this view"),
        "copy": _("Copy link"),
        "copied": _("Copied."),
        "not_copied": _("Your browser does not let this page copy. The text is selected: copy it by hand."),
        "long": _("This link has {count} characters; some programs cut links off after {limit}."),
        "file": _("The whole lecture is in the link. It is better to export it as a file, below its scenes."),
        "code": _("QR code of this link"),
        "no_code": _("This link is too long for a QR code."),
        "large": _("Large"),
        "embed": _("Embed in a web page"),
        "embed_copy": _("Copy code"),
        "look": _("What the frame shows"),
        "needs": _(
            "A page of another site can show it only if this server was started with VIZ_FRAME_ANCESTORS naming "
            "that site."
        ),
        "site": _("Address of the page that will embed it"),
        "try": _("Check the address"),
        "no_site": _("This is not the address of a website. It should look like {example}.").format(
            example="https://moodle.example.org"
        ),
        "no_answer": _("The server has not answered. Try again."),
        "may": _("{site} may embed this view."),
        "may_not": _(
            "This server does not let {site} embed this view. Whoever runs the server must start it with {setting}."
        ),
        "mixed": _(
            "A page served over {tls} shows nothing that is served without it, so this server needs {tls}, too."
        ).format(tls="https"),
        "add": _("Add to my lecture"),
        "as": _("As"),
        "title": _("Title"),
        "question": _("Question"),
        "note": _("Note for the lecturer"),
        "says": _("Sentence for this step"),
        "not_kept": _("Your browser stores nothing for this page: open the lecture now, and copy its link."),
        "open": _("Open my lecture"),
        "anew": _("Begin a new lecture"),
    }


_SHARE = Component("share", Shared, share_labels)
