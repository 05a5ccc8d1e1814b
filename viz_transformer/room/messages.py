"""What is said in a room: a client's messages, read and checked, and how the server's are written."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl

from viz_transformer.room.question import LONGEST_TOKEN, Kind, Question
from viz_transformer.room.rules import RULES

Mode = Literal["follow", "pause", "free"]

# A browser's address of a page: its name, and the query that spells the view.
ADDRESS = re.compile(r"[a-z_]{0,40}(\?[^#\s\x00-\x1f\x7f-\x9f\ud800-\udfff]*)?")
LECTURERS = {"present", "notes"}  # parameters of the lecturer's own screens, to which no class is led
QUESTION_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
LONGEST_ADDRESS = 36_000
MOST_VIEWS = 60
LONGEST_KEY = 80
LONGEST_VIEW = 8_000
LONGEST_TITLE = 300
LONGEST_SECRET = 100
LONGEST_SEAT = 100
LONGEST_PING = 100
LARGEST_SIZE = 20_000
LONGEST_CURVE = 1_000  # places, each of which is counted in many bins
DEEPEST = 40  # levels of nesting; Python can read deeper JSON than it can write


class NonsenseError(ValueError):
    """A client has sent a message that the protocol does not have."""


@dataclass(frozen=True)
class Hello:
    """A client's first message. `seat`: the one that an earlier welcome gave it; None: a newcomer."""

    seat: str | None
    secret: str | None


@dataclass(frozen=True)
class Lead:
    """The parts of the state that change: any of address, views and run."""

    given: dict[str, Any]


@dataclass(frozen=True)
class SetMode:
    mode: Mode


@dataclass(frozen=True)
class SetRules:
    """The rules that change."""

    given: dict[str, bool]


@dataclass(frozen=True)
class Ask:
    question: Question | None


@dataclass(frozen=True)
class Reveal:
    """Ends a question. `truth`: by which its answers are scored; the store, which knows the question, checks it."""

    id: str
    truth: Any = None


@dataclass(frozen=True)
class Show:
    """The lecturer has read the texts that answer a question: everybody may see them."""

    id: str


@dataclass(frozen=True)
class Remove:
    """Removes the answers that are exactly this text, and puts whoever gave them out of the room."""

    id: str
    text: str


@dataclass(frozen=True)
class Export:
    pass


@dataclass(frozen=True)
class End:
    pass


@dataclass(frozen=True)
class Answer:
    """A guess; the store, which knows the question, checks it."""

    id: str
    guess: Any


@dataclass(frozen=True)
class Ping:
    value: Any


FromLeader = Lead | SetMode | SetRules | Ask | Reveal | Show | Remove | Export | End
Message = Hello | FromLeader | Answer | Ping


def parse(text: str) -> Message:
    """What a client says.

    Raises:
        NonsenseError: the protocol has no such message.
    """
    try:
        said = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise NonsenseError("no JSON") from error
    _require(isinstance(said, dict) and len(said) == 1 and not _is_deep(said))
    [(name, value)] = said.items()
    match name:
        case "hello":
            return _hello(value)
        case "lead":
            return _lead(value)
        case "mode":
            _require(value in get_args(Mode))
            return SetMode(value)
        case "rules":
            return _rules(value)
        case "ask":
            return Ask(None if value is None else _question(value))
        case "reveal":
            if isinstance(value, str):  # as pages say that were loaded before the truth came along
                return Reveal(_id(value))
            _require(isinstance(value, dict))
            return Reveal(_id(value.get("id")), value.get("truth"))
        case "show":
            return Show(_id(value))
        case "remove":
            _require(isinstance(value, dict) and isinstance(value.get("text"), str))
            _require(len(value["text"]) <= LONGEST_TOKEN)
            return Remove(_id(value.get("id")), value["text"])
        case "export" | "end":
            _require(value is True)
            return Export() if name == "export" else End()
        case "answer":
            _require(isinstance(value, dict) and "guess" in value)
            return Answer(_id(value.get("id")), value["guess"])
        case "ping":
            _require(len(written(value)) <= LONGEST_PING)
            return Ping(value)
    raise NonsenseError("unknown")


def written(value: Any) -> str:
    """JSON in ASCII alone: a lone surrogate from a browser cannot be sent or kept in any other way."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _require(is_so: bool) -> None:
    if not is_so:
        raise NonsenseError


def _no_number(digits: str) -> float:
    raise NonsenseError(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    _require(math.isfinite(value))
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _hello(value: Any) -> Hello:
    _require(isinstance(value, dict))
    seat, secret = value.get("seat"), value.get("secret")
    _require(seat is None or (isinstance(seat, str) and len(seat) <= LONGEST_SEAT))
    _require(secret is None or (isinstance(secret, str) and len(secret) <= LONGEST_SECRET))
    return Hello(seat, secret)


def _rules(value: Any) -> SetRules:
    _require(isinstance(value, dict) and len(value) > 0 and value.keys() <= RULES)
    _require(all(isinstance(is_set, bool) for is_set in value.values()))
    return SetRules(value)


def _lead(value: Any) -> Lead:
    _require(isinstance(value, dict))
    given = {name: value[name] for name in ("address", "views", "run") if name in value}
    _require(bool(given))
    if "address" in given:
        address = given["address"]
        _require(isinstance(address, str) and len(address) <= LONGEST_ADDRESS)
        _require(ADDRESS.fullmatch(address) is not None)
        _require(not LECTURERS & {name for name, _ in parse_qsl(address.partition("?")[2], keep_blank_values=True)})
    if "views" in given:
        _check_views(given["views"])
    _require(isinstance(given.get("run", False), bool))
    return Lead(given)


def _check_views(views: Any) -> None:
    _require(isinstance(views, dict) and len(views) <= MOST_VIEWS)
    for key, view in views.items():
        _require(len(key) <= LONGEST_KEY and isinstance(view, dict))
        # Counted without escapes, as a browser counts: a character such as 猫 is one.
        _require(len(json.dumps(view, ensure_ascii=False, separators=(",", ":"))) <= LONGEST_VIEW)


def _question(value: Any) -> Question:
    _require(isinstance(value, dict))
    kind, size, columns, title = (value.get(name) for name in ("kind", "size", "columns", "title"))
    columns = 0 if columns is None else columns
    _require(isinstance(kind, str) and kind in get_args(Kind))
    _require(type(size) is int and 1 <= size <= (LONGEST_CURVE if kind == "curve" else LARGEST_SIZE))
    _require(type(columns) is int and 0 <= columns <= LARGEST_SIZE)
    _require(isinstance(title, str) and len(title) <= LONGEST_TITLE)
    return Question(_id(value.get("id")), kind, size, columns, title, open=True)


def _id(value: Any) -> str:
    _require(isinstance(value, str) and QUESTION_ID.fullmatch(value) is not None)
    return str(value)
