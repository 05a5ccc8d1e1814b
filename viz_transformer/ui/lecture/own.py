"""A lecture of one's own. It lives packed in the browser and in links; the server keeps nothing of it.

Where a view goes in it is spelled `2+`, the next step of its second scene; `2`, in place of that scene's view; `2.3`,
in place of the scene's third place; and "", a new scene at its end.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from viz_transformer.lecture_links import packed, place_of, unpacked
from viz_transformer.lecture_steps import query_of, with_step, with_view
from viz_transformer.lectures import CLOSING, OURS, PAGES, Lecture, Scene, from_json, to_json
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.ui.shared.look import HIDE_PARAMETER
from viz_transformer.ui.shared.text import LANGUAGE_PARAMETER

NOT_OF_A_VIEW = {*OURS, LANGUAGE_PARAMETER, HIDE_PARAMETER, "embed", "embed_options"}
_PLACE = re.compile(r"([1-9][0-9]{0,3})(?:(\+)|\.([1-9][0-9]{0,3}))?")


def with_scene(lecture: Lecture, address: str, title: str, question: str, note: str) -> str:
    """The lecture with one more scene at its end, packed.

    Raises:
        ValueError: a sentence about what is wrong with the lecture or the scene.
    """
    return repacked(replace(lecture, scenes=(*lecture.scenes, Scene(title, link_in(address), question, note))))


def with_place(lecture: Lecture, address: str, place: str, says: str, language: str) -> str:
    """The lecture with a view as the next step of a scene, or in place of another view, packed.

    Args:
        says: the sentence that goes with a next step.

    Raises:
        ValueError: a sentence about what is wrong with the lecture, or why the view cannot stand there.
    """
    index, step = _index_and_step(lecture, place)
    view, scenes = link_in(address), [*lecture.scenes]
    changed = scenes[index]
    if step is None:
        scenes[index] = with_step(changed, view, language, says.strip())
    else:
        scenes[index] = with_view(changed, step, view, language)
    return repacked(replace(lecture, scenes=tuple(scenes)))


def _index_and_step(lecture: Lecture, place: str) -> tuple[int, int | None]:
    """Scene and step, from 0, of a place that is not a new scene; None: the next step."""
    found = _PLACE.fullmatch(place)
    index, step = (int(found[1]) - 1, int(found[3] or 1) - 1) if found else (len(lecture.scenes), 0)
    if not found or index >= len(lecture.scenes) or step >= lecture.scenes[index].n_steps:
        raise SentenceError(N_("That place in your lecture no longer exists: open this box again."))
    return index, None if found[2] else step


def scene_open(lecture: Lecture, address: str) -> int | None:
    """Which scene of the lecture an address shows, from 0; the lecture in it may be an earlier version of this one."""
    parameters = dict(parse_qsl(urlsplit(address).query))
    if parameters.get("scene", CLOSING) == CLOSING:
        return None
    try:
        there = unpacked(parameters.get("lecture", ""))
    except ValueError:
        return None
    index, _step = place_of(there, parameters["scene"])
    here = lecture.scenes[index : index + 1]
    is_same = there.title == lecture.title and [scene.title for scene in here] == [there.scenes[index].title]
    return index if is_same else None


def repacked(lecture: Lecture) -> str:
    """A lecture that was made or changed here, packed.

    Raises:
        ValueError: a sentence that says why nobody could open it again.
    """
    text = packed(from_json(to_json(lecture).encode()))
    unpacked(text)
    return text


def page_in(address: str) -> str:
    """The page that an address opens, one of `PAGES`; "" for any other."""
    try:
        page = urlsplit(address).path.rpartition("/")[2]
    except ValueError:
        return ""
    return page if page in PAGES else ""


def link_in(address: str) -> str:
    """A browser's address as the link of a scene: a page and the parameters of its view, `attention?stage=scores`.

    Raises:
        ValueError: a sentence, if the address opens no page that a scene could show.
    """
    page = page_in(address)
    if not page:
        raise SentenceError(N_("Only what a page shows can be a scene: open a page first."))
    parameters = parse_qsl(urlsplit(address).query)
    query = query_of({name: value for name, value in parameters if name not in NOT_OF_A_VIEW})
    return f"{page}?{query}" if query else page
