"""A lecture of one's own. It lives packed in the browser and in links; the server keeps nothing of it."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, quote, urlsplit

from viz_transformer.lecture_links import packed, unpacked
from viz_transformer.lectures import OURS, PAGES, Lecture, Said, Scene, from_json, said, to_json
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.ui.shared.look import HIDE_PARAMETER
from viz_transformer.ui.shared.text import LANGUAGE_PARAMETER

NOT_OF_A_VIEW = {*OURS, LANGUAGE_PARAMETER, HIDE_PARAMETER, "embed", "embed_options"}
# The characters that a link must escape. All others stay readable, in the lecture's file, too.
_SIGNS = re.compile(r"[%&+#=\x00-\x1f\x7f]")


def with_scene(lecture: Lecture, address: str, title: str, question: str, note: str) -> str:
    """The lecture with one more scene at its end, packed.

    Raises:
        ValueError: a sentence about what is wrong with the lecture or the scene.
    """
    return repacked(replace(lecture, scenes=(*lecture.scenes, Scene(title, link_in(address), question, note))))


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
    parameters = [pair for pair in parse_qsl(urlsplit(address).query) if pair[0] not in NOT_OF_A_VIEW]
    query = "&".join(f"{_spelled(name)}={_spelled(value)}" for name, value in parameters)
    return f"{page}?{query}" if query else page


def said_anew(old: Said, language: str, text: str) -> Said:
    """`old` with another text in one language; what it says in the others stays."""
    if text == said(old, language):
        return old
    return text if isinstance(old, str) else {**old, language: text}


def _spelled(text: str) -> str:
    return _SIGNS.sub(lambda sign: quote(sign[0], safe=""), text)
