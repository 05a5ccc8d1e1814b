"""The box below a lecture's path: change it, export it, import another. Every change is in the link at once."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from viz_transformer.lecture_links import find
from viz_transformer.lecture_steps import said_anew, without_step
from viz_transformer.lectures import MAX_FILE, MAX_TITLE, Lecture, Scene, from_json, said, to_json
from viz_transformer.ui.lecture import scene_fields
from viz_transformer.ui.lecture.own import repacked
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, language, sentence
from viz_transformer.visible import visible

TITLE, SCENE = "own lecture", "own scene"  # keys of the widgets for the lecture's title and the chosen scene, from 0
_LINE, _SHOWN, _REFUSED, _FILE = "own line", "own shown", "own refused", "own file"


class Line(NamedTuple):
    """A lecture through its edits in this session.

    Attributes:
        name: the same from edit to edit. By it the browser knows a new version of the visitor's own lecture, and keeps
            it in place of the old one.
        at: the newest version, packed.
        is_imported: whether it came from a file.
    """

    name: str
    at: str
    is_imported: bool = False


def line_of(asked: str) -> Line:
    """The line of the lecture in the link; a new one if the lecture was not edited or imported in this session."""
    line: Line | None = st.session_state.get(_LINE)
    if line is None or line.at != asked:
        line = st.session_state[_LINE] = Line(secrets.token_hex(4), asked)
    return line


def show_editor(asked: str, lecture: Lecture) -> None:
    """Shows the box, closed at first.

    Args:
        asked: the lecture packed, as it stands in the link; "" for a shipped one, which cannot be changed here.
    """

    def fill() -> None:
        if st.query_params.get("lecture", "") != asked and asked:
            st.rerun()  # the path above still shows the lecture before the change
        if asked:
            _edit(lecture)
        else:
            st.markdown(
                _(
                    "Open a page and press **Share**: what you see becomes a scene of your lecture. It stays in this "
                    "browser until you share it."
                )
            )
        _import()

    closed_box(_("Change, export, import") if asked else _("A lecture of your own"), fill, key="own-box")


def _edit(lecture: Lecture) -> None:
    asked, scenes = st.query_params["lecture"], range(len(lecture.scenes))
    index = min(int(st.session_state.get(SCENE, 0)), scenes[-1])
    # A box that was closed has forgotten its fields.
    if st.session_state.get(_SHOWN) != (asked, index, language()) or TITLE not in st.session_state:
        _fill_fields(lecture, index)
    if refused := st.session_state.get(_REFUSED):
        st.error(verbatim(refused))
    st.text_input(_("Title of the lecture"), key=TITLE, max_chars=MAX_TITLE, on_change=_change)
    titles = [visible(f"{n + 1}. {said(one.title, language())}") for n, one in enumerate(lecture.scenes)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(_("Scene"), scenes, format_func=lambda n: titles[n], key=SCENE, on_change=_change_other)
        st.button(_("↑ Earlier"), key="own earlier", disabled=index == 0, on_click=_move, args=(-1,))
        st.button(_("↓ Later"), key="own later", disabled=index == scenes[-1], on_click=_move, args=(1,))
        st.button(_("Remove"), key="own remove", disabled=len(scenes) == 1, on_click=_remove)
    scene_fields.show(lecture.scenes[index], language(), _change, _remove_step)
    file = to_json(lecture)
    st.download_button(_("Export as a file"), file, "lecture.json", "application/json", on_click="ignore")


def _fill_fields(lecture: Lecture, index: int) -> None:
    """Puts a scene's texts into the fields."""
    spoken = language()
    st.session_state[TITLE], st.session_state[SCENE] = said(lecture.title, spoken), index
    scene_fields.fill(lecture.scenes[index], spoken)
    st.session_state[_SHOWN] = (st.query_params["lecture"], index, spoken)
    st.session_state[_REFUSED] = ""


def _change() -> None:
    """Puts what was typed into the scene that the fields show."""
    if lecture := _put():
        ask, right = lecture.scenes[st.session_state[_SHOWN][1]].ask, scene_fields.RIGHT
        if ask and st.session_state.get(right, 0) != (ask.right or 0):
            st.session_state[right] = ask.right or 0  # it has gone along with its option


def _change_other() -> None:
    """Goes to another scene, once the scene before has got what was typed: the fields still hold it."""
    if lecture := _put():
        _fill_fields(lecture, int(st.session_state[SCENE]))
    else:
        st.session_state[SCENE] = st.session_state[_SHOWN][1]


def _move(by: int) -> None:
    def moved(scenes: list[Scene], index: int) -> list[Scene]:
        scenes.insert(index + by, scenes.pop(index))
        return scenes

    if lecture := _put(moved):
        _fill_fields(lecture, st.session_state[_SHOWN][1] + by)


def _remove() -> None:
    def left(scenes: list[Scene], index: int) -> list[Scene]:
        return [*scenes[:index], *scenes[index + 1 :]]

    if lecture := _put(left):
        _fill_fields(lecture, min(st.session_state[_SHOWN][1], len(lecture.scenes) - 1))


def _remove_step(place: int) -> None:
    def left(scenes: list[Scene], index: int) -> list[Scene]:
        if 0 < place < scenes[index].n_steps:
            scenes[index] = without_step(scenes[index], place)
        return scenes

    if lecture := _put(left):
        _fill_fields(lecture, st.session_state[_SHOWN][1])


def _put(order: Callable[[list[Scene], int], list[Scene]] = lambda scenes, _index: scenes) -> Lecture | None:
    """Writes the fields and the order of the scenes into the link, and returns the changed lecture.

    Returns None, and changes nothing, if that is no valid lecture, which a sentence then says, or if the link has got
    another lecture than the one that the fields show.
    """
    asked, index, spoken = st.session_state[_SHOWN]
    if st.query_params.get("lecture") != asked:
        return None
    line = line_of(asked)
    try:
        lecture = find(asked)
        scenes = [*lecture.scenes]
        scenes[index] = scene_fields.typed(scenes[index], spoken)
        title = said_anew(lecture.title, spoken, st.session_state[TITLE])
        lecture = replace(lecture, title=title, scenes=tuple(order(scenes, index)))
        text = repacked(lecture)
    except ValueError as error:
        st.session_state[_REFUSED] = sentence(error)
        return None
    st.session_state[_REFUSED] = ""
    st.session_state[_LINE] = line._replace(at=text)
    st.query_params["lecture"] = text
    st.session_state[_SHOWN] = (text, index, spoken)
    return lecture


def _import() -> None:
    file = st.file_uploader(
        _("Import a lecture: a file that was exported here"), type="json", max_upload_size=1, key="own import"
    )
    if file is None:
        return
    if st.session_state.get(_FILE, ("", ""))[0] != file.file_id:  # a rerun does not import it again
        st.session_state[_FILE] = (file.file_id, "")
        try:
            text = repacked(from_json(file.getvalue()[: MAX_FILE + 1]))
        except ValueError as error:
            st.session_state[_FILE] = (file.file_id, sentence(error))
        else:
            st.session_state[_LINE] = Line(secrets.token_hex(4), text, is_imported=True)
            st.query_params["lecture"] = text
            st.rerun()
    if refused := st.session_state[_FILE][1]:
        st.error(_("This file was not loaded. Nothing has changed."))
        st.markdown(verbatim(refused))
