"""Lectures: a sequence of scenes, each a link into the app with a question. Plain JSON that people write.

    {"format": 1, "title": "My lecture",
     "scenes": [{"name": "masks", "title": "Masks", "question": "Which cells are taken away?",
                 "note": "Ask before you show.", "link": "masks?model=zh-en&lesson=matrices",
                 "steps": ["mask=causal"], "light": ["mask"],
                 "ask": {"kind": "cells", "of": "mask"}, "says": ["", "{reads}"],
                 "keep": "A masked score has no weight.",
                 "proof": {"says": "Edit a later token", "link": "masks?lesson=causality"},
                 "exercises": ["causal-cells"]}]}

A text is a string, or one for each language: `{"en": "…", "zh": "…"}`; so are a link, a step and an option of a choice
(`"ask": {"kind": "choice", "options": ["Yes", "No"], "right": 2}`). Only title and link are needed. With a name, a
scene is the same in links wherever it stands; else its number is there. A step says what changes; with `cell=` it
leaves a parameter out again. `"minutes"` is the time that a scene is planned to take.
`"closing"`, beside the scenes, are sentences for the end.
How a link names a lecture: `lecture_links`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from viz_transformer.sentences import N_, SaidError, SentenceError

FORMAT = 1
PAGES = (
    "overview", "attention", "masks", "heads", "decoding", "architecture", "why_attention", "scaling", "positions",
    "training", "slips", "exercises",
)  # fmt: skip
# What a scene may ask about, by the kind of answer; experiments/lecture/answers.py has the true answers. A choice and a
# text ask the scene's question itself.
ASKS: dict[str, tuple[str, ...]] = {
    "cells": ("weights", "mask", "heads"),
    "token": ("next",),
    "number": ("weight", "entropy", "score_sd", "allowed", "crossing"),
    "curve": ("score_sd", "learning_rate", "gradient"),
    "choice": ("question",),
    "text": ("question",),
}
_OF_ATTENTION = (("cells", "weights"), ("cells", "heads"), ("number", "weight"), ("number", "entropy"))
_OF_MASK = (("cells", "mask"), ("number", "allowed"))
# Which of it each page shows, as kind and what of; any page may ask a choice and a text, see `asks_of`. The answers are
# of the model's own pass, so Decoding, which shows those of its hypotheses, has none.
SHOWN: dict[str, tuple[tuple[str, str], ...]] = {
    "overview": (*_OF_ATTENTION, ("token", "next")),
    "attention": (*_OF_ATTENTION, ("number", "score_sd"), *_OF_MASK),
    "masks": _OF_MASK,
    "heads": _OF_ATTENTION,
    "why_attention": (("number", "crossing"),),
    "scaling": (("number", "score_sd"), ("curve", "score_sd"), ("curve", "gradient")),
    "training": (("curve", "learning_rate"),),
}
OURS = ("lecture", "scene", "present", "notes")  # the parameters of a link that belong to the lecture, not to the page
LANGUAGES = ("en", "zh")
MAX_SCENES, MAX_STEPS, MAX_LIGHTS, MAX_OPTIONS = 60, 30, 8, 6
MAX_TITLE, MAX_QUESTION, MAX_NOTE, MAX_SCENE_LINK = 120, 400, 4_000, 2_000  # characters
MAX_SAYS, MAX_OPTION, MAX_CLOSING = 300, 120, 8
MAX_NAME = 40
MAX_MINUTES = 180  # of one scene
MAX_FILE = 400_000  # bytes
CLOSING = "end"  # in place of a scene's name: what comes after the last one
_NAME = re.compile(rf"[a-z0-9-]{{0,{MAX_NAME}}}")
_OF_LINES = ("question", "note")  # the texts that may have several lines
_HEADINGS = {
    "ask": ("Ask", "提问"),
    "usual": ("Usual answer", "常见回答"),
    "point": ("Point at", "指给他们看"),
    "answer": ("Answer", "答案"),
}
_HEADING = re.compile(rf"^({'|'.join(one for both in _HEADINGS.values() for one in both)})[:：]\s*", re.MULTILINE)

Said = str | Mapping[str, str]


@dataclass(frozen=True)
class Ask:
    """What is to be predicted: the kind of answer, and which numbers it is about; see `ASKS`.

    Attributes:
        options: of a choice.
        right: the number of the right one, from 1; None: there is no right one.
    """

    kind: str
    of: str
    options: tuple[Said, ...] = ()
    right: int | None = None


@dataclass(frozen=True)
class Proof:
    """Where something is derived, or can be checked: what it says of itself, and a page with its parameters."""

    says: Said
    link: Said


@dataclass(frozen=True)
class Scene:
    """One view, and what is asked about it.

    Attributes:
        link: a page and its parameters, `attention?stage=scores`.
        steps: parameters that change from step to step within the scene, `stage=scale`.
        light: the glossary's names of what to look at, which is highlighted in the picture.
        says: a sentence for the scene's beginning, shown once its question is answered, and for each step; `{reads}` in
            it stands for what the picture itself says of its numbers.
        keep: the sentence to keep of it, for who reads the lecture alone.
        proof: where what it says is derived, or can be checked.
        exercises: the names of those that go with it.
        minutes: that it is planned to take; None: nobody has said.
        name: what stands for it in links; "": its number.
    """

    title: Said
    link: Said
    question: Said = ""
    note: Said = ""
    steps: tuple[Said, ...] = ()
    light: tuple[str, ...] = ()
    ask: Ask | None = None
    says: tuple[Said, ...] = ()
    minutes: float | None = None
    keep: Said = ""
    proof: Proof | None = None
    exercises: tuple[str, ...] = ()
    name: str = ""

    @property
    def n_steps(self) -> int:
        """The number of steps, the scene's beginning included."""
        return len(self.steps) + 1

    def says_at(self, step: int) -> Said:
        """Its sentence after `step` steps; "" where it has none."""
        return self.says[step] if step < len(self.says) else ""

    def page(self, language: str) -> str:
        """The page that it opens."""
        return _page_of(self.link, language)

    def parameters(self, language: str, step: int = 0) -> dict[str, str]:
        """The link's parameters after `step` steps."""
        return {name: value for name, value in self.pairs(language, step).items() if value}

    def pairs(self, language: str, step: int) -> dict[str, str]:
        """The same, with an empty text for each that is left out again."""
        query = said(self.link, language).partition("?")[2]
        steps = (said(one, language) for one in self.steps[:step])
        return {name: value for part in (query, *steps) for name, value in parse_qsl(part, keep_blank_values=True)}


@dataclass(frozen=True)
class Lecture:
    """Scenes in their order, and the sentences with which it closes."""

    title: Said
    scenes: tuple[Scene, ...] = field(default=())
    closing: tuple[Said, ...] = ()

    @property
    def names(self) -> list[str]:
        """What stands for each scene in links."""
        return [scene.name or str(number) for number, scene in enumerate(self.scenes, start=1)]

    def places(self) -> list[tuple[int, int]]:
        """Every scene with every step of it, in order."""
        return [(index, step) for index, scene in enumerate(self.scenes) for step in range(scene.n_steps)]


def asks_of(page: str) -> tuple[tuple[str, str], ...]:
    """All that a scene of this page can ask: kind and what of."""
    return (*SHOWN.get(page, ()), ("choice", "question"), ("text", "question"))


def said(text: Said, language: str) -> str:
    """The text in `language`, or in the first language that it has."""
    return text if isinstance(text, str) else text.get(language, next(iter(text.values())))


def note_parts(note: str) -> list[tuple[str, str]]:
    """The parts of a note, each with its heading: what to ask, what they usually answer, what to point at, the answer.

    What stands before the first heading, or the whole note where there is none, has the heading "".
    """
    before, *rest = _HEADING.split(note)
    if not rest:
        return [("", note)]
    parts = zip(["", *rest[::2]], [before, *rest[1::2]], strict=True)
    return [(heading, text.strip()) for heading, text in parts if heading or text.strip()]


def explained(scene: Scene, language: str) -> list[tuple[str, str]]:
    """For who reads alone, by name, as far as the scene has them: the "usual" answer, the "answer", what to "keep"."""
    parts = dict(note_parts(said(scene.note, language)))
    texts = [(name, parts.get(heading, "")) for name in ("usual", "answer") for heading in _HEADINGS[name]]
    return [(name, text) for name, text in [*texts, ("keep", said(scene.keep, language))] if text]


def to_json(lecture: Lecture) -> str:
    """The lecture as the text of a file that people can read and change."""
    return json.dumps({"format": FORMAT, **plain(lecture)}, ensure_ascii=False, indent=2) + "\n"


def from_json(data: bytes) -> Lecture:
    """The lecture in a file.

    Raises:
        ValueError: a sentence that says what is wrong with it, and where.
    """
    if len(data) > MAX_FILE:
        raise SentenceError(N_("A lecture file may have up to {limit} bytes; this one has more."), limit=MAX_FILE)
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise SentenceError(N_("This is not a lecture file: it cannot be read as JSON.")) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("scenes"), list):
        raise SentenceError(N_("This is not a lecture file: it has no list of scenes."))
    if raw.get("format", FORMAT) != FORMAT:
        raise SentenceError(
            N_("The lecture has a format that this version does not know; this version reads {format}."), format=FORMAT
        )
    if not 0 < len(raw["scenes"]) <= MAX_SCENES:
        raise SentenceError(
            N_("A lecture has 1 to {limit} scenes; this one has {n}."), limit=MAX_SCENES, n=len(raw["scenes"])
        )
    where = SaidError(N_("The lecture"))
    lecture = Lecture(
        _text(raw, "title", MAX_TITLE, where, needed=True),
        tuple(_scene(one, number) for number, one in enumerate(raw["scenes"], start=1)),
        _texts(raw, "closing", MAX_CLOSING, MAX_SAYS, where, needed=True),
    )
    if twice := [name for name in lecture.names if lecture.names.count(name) > 1]:
        raise SentenceError(N_("Two scenes of the lecture are called “{name}” in links."), name=twice[0])
    return lecture


def _scene(raw: object, number: int) -> Scene:
    where = SaidError(N_("Scene {number}"), number=number)
    if not isinstance(raw, dict):
        raise SentenceError(N_("{where} is not a scene: it needs a title and a link."), where=where)
    scene = Scene(
        title=_text(raw, "title", MAX_TITLE, where, needed=True),
        link=_text(raw, "link", MAX_SCENE_LINK, where, needed=True),
        question=_text(raw, "question", MAX_QUESTION, where),
        note=_text(raw, "note", MAX_NOTE, where),
        steps=_texts(raw, "steps", MAX_STEPS, MAX_SCENE_LINK, where),
        light=tuple(map(str, _list(raw, "light", MAX_LIGHTS, where, of_texts=True))),
        ask=_ask(raw["ask"], where) if raw.get("ask") is not None else None,
        says=_texts(raw, "says", MAX_STEPS + 1, MAX_SAYS, where),
        minutes=_minutes(raw.get("minutes"), where),
        keep=_text(raw, "keep", MAX_SAYS, where),
        proof=_proof(raw["proof"], where) if raw.get("proof") is not None else None,
        exercises=tuple(map(str, _list(raw, "exercises", MAX_LIGHTS, where, of_texts=True))),
        name=_name(raw.get("name", ""), where),
    )
    if len(scene.says) > scene.n_steps:
        raise SentenceError(
            N_(
                "{where}: it has {count} sentences to say, but only {places} places for them: its beginning and "
                "its steps."
            ),
            where=where,
            count=len(scene.says),
            places=scene.n_steps,
        )
    _refuse_unknown_page(scene.link, where)
    for language in LANGUAGES:
        if taken := [name for name in scene.pairs(language, len(scene.steps)) if name in OURS]:
            raise SentenceError(
                N_("{where}: “{name}” in its link belongs to the lecture; leave it out."),
                where=where,
                name=taken[0],
            )
    return scene


def _name(value: object, where: SaidError) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or value == CLOSING:
        raise SentenceError(
            N_("{where}: its name, which is used in links, may have up to {limit} letters a–z, digits and hyphens."),
            where=where,
            limit=MAX_NAME,
        )
    return value


def _proof(raw: object, where: SaidError) -> Proof:
    given = raw if isinstance(raw, dict) else {}
    proof = Proof(
        _text(given, "says", MAX_TITLE, where, needed=True), _text(given, "link", MAX_SCENE_LINK, where, needed=True)
    )
    _refuse_unknown_page(proof.link, where)
    return proof


def _ask(raw: object, where: SaidError) -> Ask:
    asked = raw if isinstance(raw, dict) else {}
    kind, of = asked.get("kind"), asked.get("of", "question")
    if not isinstance(kind, str) or not isinstance(of, str) or of not in ASKS.get(kind, ()):
        allowed = "; ".join(f"{name}: {', '.join(names)}" for name, names in ASKS.items())
        raise SentenceError(
            N_("{where}: nothing of this kind can be asked; the kinds are {allowed}."), where=where, allowed=allowed
        )
    if kind != "choice":
        return Ask(kind, of)
    options, right = _texts(asked, "options", MAX_OPTIONS, MAX_OPTION, where, needed=True), asked.get("right")
    if len(options) < 2 or not (right is None or (type(right) is int and 1 <= right <= len(options))):
        raise SentenceError(
            N_("{where}: a choice has 2 to {limit} options, and may give the number of the right one, counted from 1."),
            where=where,
            limit=MAX_OPTIONS,
        )
    return Ask(kind, of, options, right)


def _page_of(link: Said, language: str) -> str:
    return said(link, language).partition("?")[0]


def _refuse_unknown_page(link: Said, where: SaidError) -> None:
    for page in (_page_of(link, language) for language in LANGUAGES):
        if page not in PAGES:
            raise SentenceError(
                N_("{where}: its link opens “{page}”, which is not a page of this app; the pages are {pages}."),
                where=where,
                page=page[:40],
                pages=", ".join(PAGES),
            )


def _minutes(value: object, where: SaidError) -> float | None:
    if value is None or (type(value) in (int, float) and 0 < value <= MAX_MINUTES):  # type: ignore[operator]
        return value  # type: ignore[return-value]
    raise SentenceError(
        N_("{where}: its {name} must be a number above 0, up to {limit}."),
        where=where,
        name="minutes",
        limit=MAX_MINUTES,
    )


def _texts(
    raw: Mapping[str, object], name: str, count: int, limit: int, where: SaidError, *, needed: bool = False
) -> tuple[Said, ...]:
    """A list of up to `count` texts, each of up to `limit` characters."""
    return tuple(_text({name: one}, name, limit, where, needed=needed) for one in _list(raw, name, count, where))


def _text(raw: Mapping[str, object], name: str, limit: int, where: SaidError, *, needed: bool = False) -> Said:
    value = raw.get(name, "")
    texts = _texts_in(value)
    if not texts or any(len(text) > limit or _is_broken(text, name) for text in texts):
        raise SentenceError(
            N_(
                "{where}: its {name} must be a text of up to {limit} characters, without control characters, or "
                "one such text for each of {languages}."
            ),
            where=where,
            name=name,
            limit=limit,
            languages=", ".join(LANGUAGES),
        )
    if needed and not all(text.strip() for text in texts):
        raise SentenceError(N_("{where}: it needs a {name}."), where=where, name=name)
    return value  # type: ignore[return-value]


def _texts_in(value: object) -> list[str]:
    """The strings of a text: itself, or one for each language; empty where it is neither."""
    texts: list[Any] = [*value.values()] if isinstance(value, dict) and set(value) <= set(LANGUAGES) else [value]
    return texts if all(isinstance(text, str) for text in texts) else []


def _is_broken(text: str, name: str) -> bool:
    """Whether it has a lone surrogate, which JSON can spell but UTF-8 cannot, or a control character."""
    allowed = "\t\r\n" if name in _OF_LINES else "\t"
    return any("\ud800" <= sign <= "\udfff" or (sign < " " and sign not in allowed) or sign == "\x7f" for sign in text)


def _list(
    raw: Mapping[str, object], name: str, limit: int, where: SaidError, *, of_texts: bool = False
) -> list[object]:
    value = raw.get(name, [])
    if (
        not isinstance(value, list)
        or len(value) > limit
        or (
            of_texts
            and not all(isinstance(one, str) and len(one) <= MAX_TITLE and not _is_broken(one, name) for one in value)
        )
    ):
        raise SentenceError(
            N_("{where}: its {name} must be a list of up to {limit} short texts."),
            where=where,
            name=name,
            limit=limit,
        )
    return value


def plain(lecture: Lecture) -> dict[str, Any]:
    """The lecture as JSON values, without empty fields."""

    def scene(one: Scene) -> dict[str, Any]:
        whole = {
            "name": one.name,
            "title": one.title,
            "question": one.question,
            "note": one.note,
            "link": one.link,
            "steps": [*one.steps],
            "light": [*one.light],
            "ask": one.ask and _filled({**vars(one.ask), "options": [*one.ask.options]}),
            "says": [*one.says],
            "minutes": one.minutes,
            "keep": one.keep,
            "proof": one.proof and {**vars(one.proof)},
            "exercises": [*one.exercises],
        }
        return _filled(whole)

    scenes: Sequence[dict[str, Any]] = [scene(one) for one in lecture.scenes]
    return {"title": lecture.title, "scenes": scenes, **_filled({"closing": [*lecture.closing]})}


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
