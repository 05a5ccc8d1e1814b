"""A lecture as a path of scenes, with where one is; and the lecturer's notes, in a window that stays in step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from viz_transformer.lectures import Lecture, packed, place_of, shipped_lectures
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.components.once import Once
from viz_transformer.ui.lecture.editor import line_of
from viz_transformer.ui.lecture.scene import Place, lecture_content, lecture_labels


def show_path(name: str, lecture: Lecture) -> None:
    """Its scenes in order, each a link; where this browser was last is marked, and nobody else knows."""
    if name in shipped_lectures():
        _PATH.show(Once(name, lambda: path_content(name, lecture)), key="path", view=NoView())
    else:
        line = line_of(name)
        own = {"line": line.name, "is_imported": line.is_imported}
        _PATH.show({**path_content(name, lecture), **own}, key="path", view=NoView())


def path_content(name: str, lecture: Lecture) -> Mapping[str, Any]:
    """With the lecture packed, as a browser can keep it for its own."""
    return {**lecture_content(name, lecture), "packed": packed(lecture) if name in shipped_lectures() else name}


def show_notes(name: str, lecture: Lecture) -> None:
    """The note of the scene that another window of this browser shows, and what comes next."""
    places: Sequence[tuple[int, int]] = lecture.places()
    at = places.index(place_of(lecture, st.query_params.get("scene", "1")))
    _NOTES.show(Once(name, lambda: lecture_content(name, lecture)), key="notes", view=Place(at))


_PATH = Component("path_view", NoView, lecture_labels, css="lecture")
_NOTES = Component("notes_view", Place, lecture_labels, css="lecture")
