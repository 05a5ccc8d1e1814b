"""Lectures in links: a shipped one (`assets/lectures/*.json`) by name, any other packed; and the place within it."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from urllib.parse import parse_qsl, urlencode

from viz_transformer.lectures import CLOSING, MAX_FILE, Lecture, Scene, from_json, plain, said
from viz_transformer.resources import resource
from viz_transformer.sentences import N_, SentenceError

MAX_PACKED = 30_000  # characters: servers refuse longer addresses
_PACKED = "z."  # begins a lecture that is in the link itself


def link_of(lecture: Lecture, name: str, index: int, step: int = 0, language: str = "en", **more: str) -> str:
    """The link of a scene within its lecture: `attention?stage=scores&lecture=attention&scene=4.2`.

    Args:
        name: what stands for the lecture in the link, see `find`.
        more: further parameters.
    """
    scene = lecture.scenes[index]
    place = f"{lecture.names[index]}.{step + 1}" if step else lecture.names[index]
    parameters = {**scene.parameters(language, step), "lecture": name, "scene": place, **more}
    return f"{scene.page(language)}?{urlencode(parameters)}"


def proof_link(scene: Scene, language: str) -> str:
    """The link of a scene's proof, for the scene's model and sentence where it names no others."""
    page, _, query = said(scene.proof.link, language).partition("?") if scene.proof else ("", "", "")
    shared = {name: value for name, value in scene.parameters(language).items() if name in ("model", "source")}
    return f"{page}?{urlencode({**shared, **dict(parse_qsl(query))})}"


def place_of(lecture: Lecture, text: str) -> tuple[int, int]:
    """`4.2` → scene and step, from 0: the first where the text makes no sense, the last where a number is too large."""
    name, step = [*text.split("."), ""][:2]
    names, scenes = lecture.names, lecture.scenes
    scene = names.index(name) if name in names else _nth(name, len(scenes))
    return scene, _nth(step, scenes[scene].n_steps)


def _nth(number: str, count: int) -> int:
    wanted = int(number[:4]) - 1 if number.isascii() and number.isdecimal() else 0
    return max(0, min(wanted, count - 1))


def at_place(lecture: Lecture, text: str) -> int:
    """`place_of`, as an index into the lecture's places; one more for its closing, if it has one."""
    if text == CLOSING and lecture.closing:
        return len(lecture.places())
    return lecture.places().index(place_of(lecture, text))


@cache
def shipped_lectures() -> dict[str, Lecture]:
    """The shipped lectures by name, in the order of their files."""
    files = sorted(resource("assets/lectures").glob("*.json"))
    return {file.stem.partition("-")[2]: from_json(file.read_bytes()) for file in files}


def find(name: str) -> Lecture:
    """The lecture that a link names or contains.

    Raises:
        ValueError: a sentence about a lecture that is not there, or damaged.
    """
    if name.startswith(_PACKED):
        return unpacked(name)
    if name not in shipped_lectures():
        raise SentenceError(
            N_("There is no lecture “{name}” here; there are {names}."),
            name=" ".join(name.split())[:40],
            names=", ".join(shipped_lectures()),
        )
    return shipped_lectures()[name]


def packed(lecture: Lecture) -> str:
    """The whole lecture, compressed into text for a link."""
    data = zlib.compress(json.dumps(plain(lecture), ensure_ascii=False, separators=(",", ":")).encode(), 9)
    return _PACKED + base64.urlsafe_b64encode(data).decode().rstrip("=")


def unpacked(text: str) -> Lecture:
    """The lecture that `packed` made this text from.

    Raises:
        ValueError: a sentence about a lecture that is damaged.
    """
    code = text.removeprefix(_PACKED)
    if len(code) > MAX_PACKED:
        raise SentenceError(
            N_("A lecture in a link has up to {limit} characters; this one has {n}: shorten its notes."),
            limit=MAX_PACKED,
            n=len(code),
        )
    try:
        raw = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        # Bounded: a few compressed bytes can expand to gigabytes.
        reader = zlib.decompressobj()
        data = reader.decompress(raw, MAX_FILE + 1)
        if len(data) <= MAX_FILE and not reader.eof:
            raise ValueError("it ends too early")
    except (ValueError, zlib.error) as error:
        raise SentenceError(N_("The lecture in this link is damaged: a part of the link may be missing.")) from error
    return from_json(data)
