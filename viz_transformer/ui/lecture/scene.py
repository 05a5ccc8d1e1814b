"""The bar of a lecture's scene, above the page that the scene opens: where one is, the question, the way on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import streamlit as st

from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.lecture_links import at_place, find, link_of, proof_link, shipped_lectures
from viz_transformer.lectures import CLOSING, Lecture, explained, note_parts, said
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.lecture.predict import ask_id, show_ask
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.linked import INDEX, linked
from viz_transformer.views.terms import glossary, marked, named_in
from viz_transformer.views.text import LANGUAGES, _, language, sentence


@dataclass(frozen=True)
class Place:
    """Where in a lecture one is: an index into its places, each a scene with a step of it."""

    at: int = linked(None, INDEX, 0)


def show_scene() -> None:
    """Called once in every run: shows the scene in the link above the page, unless there is none, or only its notes."""
    if "scene" not in st.query_params or "notes" in st.query_params:
        return
    name = st.query_params.get("lecture", "")
    lecture = lecture_or_sentence(name)
    if lecture is None:
        return
    is_closing = st.query_params["scene"] == CLOSING
    if is_closing and not lecture.closing:
        return
    at = at_place(lecture, st.query_params["scene"])
    content = once_if_shipped(name, lambda: lecture_content(name, lecture, marks=name in shipped_lectures()))
    _SCENE.show(content, key="scene", view=Place(at))
    if is_closing:
        return
    index, step = lecture.places()[at]
    if step == 0:
        show_ask(name, lecture, index)


def lecture_or_sentence(name: str) -> Lecture | None:
    """The lecture that a link names, or None, once a sentence has said why there is none."""
    try:
        return find(name)
    except ValueError as error:
        st.error(verbatim(sentence(error)))
        return None


def once_if_shipped(name: str, content_of: Callable[[], Mapping[str, Any]]) -> SharedPayload | Mapping[str, Any]:
    """What is shown of a lecture: kept for all visitors if it is a shipped one, not kept if it is somebody's own."""
    return SharedPayload(name, content_of) if name in shipped_lectures() else content_of()


def lecture_content(name: str, lecture: Lecture, *, has_notes: bool = False, marks: bool = False) -> Mapping[str, Any]:
    """All scenes in the reader's language, and the links of all places.

    Args:
        has_notes: with the lecturer's notes.
        marks: with the glossary's terms: marked in questions and explanations, and explained in the first scene that
            has them; not of a lecture that somebody wrote.
    """
    spoken, mark = language(), marked if marks else str
    words = _new_words(lecture) if marks else repeat("")
    return {
        "lecture": name,
        "title": said(lecture.title, spoken),
        "scenes": [
            {
                "title": said(scene.title, spoken),
                "question": mark(said(scene.question, spoken)),
                "light": scene.light,
                "explained": [
                    *((part, mark(text)) for part, text in explained(scene, spoken)),
                    *([("words", said_of_words)] if said_of_words else []),
                ],
                "proof": scene.proof and (said(scene.proof.says, spoken), proof_link(scene, spoken)),
                "exercises": [(slug, _(BY_SLUG[slug].title)) for slug in scene.exercises if slug in BY_SLUG],
                **({"note": note_parts(said(scene.note, spoken)), "minutes": scene.minutes or 0} if has_notes else {}),
            }
            for scene, said_of_words in zip(lecture.scenes, words, strict=False)
        ],
        "places": [
            # Without the lecture, which may be long: the browser puts it in.
            {
                "scene": scene,
                "step": step,
                "href": (href := link_of(lecture, "", scene, step, spoken)),
                "elsewhere": sorted({link_of(lecture, "", scene, step, other) for other in LANGUAGES} - {href}),
                "says": said(lecture.scenes[scene].says_at(step), spoken),
                **({} if step or not lecture.scenes[scene].ask else {"ask": ask_id(name, lecture, scene, spoken)}),
            }
            for scene, step in lecture.places()
        ],
        "closing": _("In short") if lecture.closing else "",
    }


def _new_words(lecture: Lecture) -> Iterator[str]:
    """For each scene what the terms mean that its texts name, and no scene's before it; a line for each of them."""
    spoken, known, terms = language(), set[str](), glossary()
    for scene in lecture.scenes:
        told = [text for _part, text in explained(scene, spoken)]
        named = named_in(said(scene.question, spoken), *(said(text, spoken) for text in scene.says), *told).split()
        new = [terms[slug] for slug in named if slug not in known]
        known |= {*named}
        yield "\n".join(_("{term}: {said}").format(term=term["title"], said=marked(term["said"])) for term in new)


def lecture_labels() -> dict[str, str]:
    """Every text of the lecture's components."""
    return {
        "scene": _("Scene"),
        "of": _("{number} of {count}"),
        "step": _("step {number} of {count}"),
        "previous": _("Back"),
        "next": _("Next"),
        "previous_key": _("Back (Page Up)"),
        "next_key": _("Next (Page Down)"),
        "explain": _("Explanation"),
        "explained_usual": _("Many think"),
        "explained_answer": _("The answer"),
        "explained_keep": _("To remember"),
        "explained_words": _("New words"),
        "explained_proof": _("See for yourself"),
        "explained_exercises": _("Exercises"),
        "path": _("All scenes"),
        "free": _("Explore freely"),
        "present": _("Present"),
        "present_key": _("Stop presenting"),
        "resume": _("Present from {number} on"),
        "notes": _("Notes"),
        "key": _("Key {key}"),
        "coming": _("Next: {title}"),
        "later": _("Then: {title}"),
        "last": _("This is the last scene."),
        "does_reveal": _("Next: reveal the answer"),
        "does_picture": _("Next: show the picture"),
        "does_sentence": _("Next: show the sentence"),
        "have_answered": _("{count} of {members} have answered"),
        "used": _("{used} minutes used"),
        "used_of": _("{used} of {all} minutes used"),
        "planned": _("this scene: {from}–{to}"),
        "begin": _("Begin"),
        "go_on": _("Go on with {number}: {title}"),
        "here": _("You were here"),
        "own": _("My lecture"),
        "keep": _("Copy and edit"),
        "replace": _("Replace my lecture with this one?"),
        "forget": _("Delete"),
        "forget_really": _("Delete my lecture from this browser?"),
        "yours": _("This is your lecture; it is stored in this browser."),
        "not_kept": _("Your browser stores nothing for this page: open the lecture now, and copy its link."),
        "share": _("Share"),
        "not_yours": _("Only whoever leads the room can see the notes."),
        "follows": _("This window follows the lecture; Page Down and Page Up move both windows."),
    }


_SCENE = Component("scene_bar", Place, lecture_labels)
