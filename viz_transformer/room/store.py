"""Where rooms are kept: what a classroom server asks of it, in one process or for several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from viz_transformer.room.messages import Mode, written
from viz_transformer.room.question import Question
from viz_transformer.room.rules import Rules

LIFE = 12 * 3600  # seconds, from the room's opening
MAX_ROOMS = 500
MAX_QUESTIONS = 100
MAX_ANSWERS = 4_000_000  # characters that a room keeps of answers
MAX_ALL_ANSWERS = 64_000_000  # that all rooms keep

# What a room's processes tell each other besides what clients hear.
CHANGED = "changed"  # members or answers are more or less
ENDED = "ended"
PUT_OUT = "put out "  # and the members, as JSON

# Called with a room's code, whom to leave out, and a text: one of those above, or a message of the protocol.
Hear = Callable[[str, str, str], None]


class GoneError(Exception):
    """There is no such room, or none any more."""


class FullError(Exception):
    """No more rooms can be opened."""


class UnreachableError(Exception):
    """The store does not answer for now."""


class RefusedError(Exception):
    """An answer, or a question, is not taken."""

    def __init__(self, why: Literal["closed", "wrong", "full"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class State:
    """What the lecturer's page shows, and how the others follow it."""

    seq: int = 0
    mode: Mode = "follow"
    address: str = ""
    views: dict[str, Any] = field(default_factory=dict)
    run: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Entrance:
    """What is asked of whoever comes in. `secret`: its digest."""

    secret: str
    rules: Rules


@dataclass(frozen=True)
class Standing:
    """How a room stands for one of its members.

    Attributes:
        answer: their own one, as JSON; `tally`: that of the question, once it is counted, as JSON.
        is_removed: for them it is over.
    """

    state: State
    rules: Rules
    question: Question | None
    answer: str | None
    answered: int
    tally: str | None
    is_removed: bool


@dataclass(frozen=True)
class Counts:
    """How many members a room has, and how many answers its question; `question` is its id."""

    members: int
    question: str | None
    answered: int


class Store(Protocol):
    """Everything raises `UnreachableError` where the store does not answer; what names a room raises `GoneError`.

    Whatever changes what clients know is also told to everybody who listens to the room, in the order of the changes.
    """

    def listen(self, hear: Hear, back: Callable[[], None]) -> None:
        """Who hears what is told; and that the store is back, since when something may have been missed."""

    async def open(self, code: str, secret: str) -> bool:
        """Whether the code was free. `secret`: its digest. Raises `FullError`."""

    async def entrance(self, code: str) -> Entrance: ...

    async def subscribe(self, code: str) -> None:
        """From now on what is told in the room is heard."""

    async def unsubscribe(self, code: str) -> None: ...

    async def standing(self, code: str, member: str) -> Standing: ...

    async def sit(self, code: str, process: str, members: Collection[str] | None) -> Counts:
        """Says which members a process has, which counts for some seconds -> how many all have together.

        None: nobody is there any more. Without any, somebody waits for them: whoever leads.
        """

    async def change(self, code: str, given: dict[str, Any], but: str = "") -> None:
        """Replaces parts of the state, and tells everybody but one."""

    async def set_rules(self, code: str, given: dict[str, bool]) -> Rules:
        """Replaces some -> all of them."""

    async def ask(self, code: str, question: Question | None) -> None:
        """Raises `RefusedError` where the room has had too many questions."""

    async def close_question(self, code: str, id: str, unread: bool = False) -> Question:
        """It is the room's question, and takes no more answers. Raises `KeyError`."""

    async def answer(self, code: str, member: str, id: str, guess: Any) -> None:
        """Keeps the answer in place of an earlier one. Raises `RefusedError`.

        Where all rooms together have too many, the oldest ends in which nobody is.
        """

    async def answers(self, code: str, id: str, here: bool = False) -> list[str]:
        """As JSON, sorted: the order says nothing of who answered. `here`: only of those who are in the room."""

    async def keep_tally(self, code: str, question: Question, tally: str) -> None:
        """Also for whoever comes in later. `tally`: JSON; where it is unread, it is told as texts."""

    async def remove(self, code: str, id: str, guess: Any) -> Question | None:
        """Takes away the answers that are just this, and says who gave them: for them the room is over.

        Returns:
            The question, where there is such a one.
        """

    async def questions(self, code: str) -> list[Question]:
        """In the order in which they were first asked."""

    async def end(self, code: str) -> None: ...

    async def close(self) -> None: ...


def state_message(seq: int, given: dict[str, Any]) -> str:
    return written({"state": {"seq": seq, **given}})


def question_message(question: Question | None) -> str:
    return written({"question": question and question.to_json()})


def rules_message(rules: Rules) -> str:
    return written({"rules": rules.to_json()})


def tally_message(question: Question, tally: str) -> str:
    return f'{{"{"texts" if question.unread else "tally"}":{tally}}}'


def answers_message(answered: Sequence[tuple[Question, Sequence[str]]]) -> str:
    """Every question with its answers, which are JSON."""
    lists = (f'{{"question":{written(one.to_json())},"answers":[{",".join(texts)}]}}' for one, texts in answered)
    return f'{{"answers":[{",".join(lists)}]}}'


def size_of(answers: Mapping[str, str]) -> int:
    """Characters that the answers of members take."""
    return sum(len(member) + len(text) for member, text in answers.items())
