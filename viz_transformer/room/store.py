"""The interface of a store that keeps rooms, for one classroom server or for several that share it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol, Self

from viz_transformer.room.messages import Mode, written
from viz_transformer.room.question import Question
from viz_transformer.room.rules import Rules

LIFE = 12 * 3600  # seconds, from the room's opening
MAX_ROOMS = 500
MAX_QUESTIONS = 100
MAX_ANSWERS = 4_000_000  # characters that a room keeps of answers
MAX_ALL_ANSWERS = 64_000_000  # characters that all rooms keep together

# Messages that a room's processes send each other, and clients do not get.
CHANGED = "changed"  # there are more or fewer members or answers
ENDED = "ended"
PUT_OUT = "put out "  # followed by the members, as JSON

# Called with a room's code, the client to leave out, and a text: one of those above, or a message of the protocol.
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
    """What is needed to check whoever comes in. `secret`: the digest of the lecturer's."""

    secret: str
    rules: Rules


@dataclass(frozen=True)
class Standing:
    """How a room stands for one of its members.

    Attributes:
        answer: the member's own, as JSON; `tally`: the question's, as JSON, once it is counted.
        is_removed: whether the lecturer has put them out.
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


@dataclass(frozen=True)
class Record:
    """What a room keeps of a question for its lecturer alone.

    Attributes:
        asked: when it was asked first; `revealed`: when it was revealed, the last time.
        members: how many were there then, or where it is not revealed when it was left.
        truth: by which its answers are scored, as JSON; None before it is revealed.
    """

    asked: str | None = None
    revealed: str | None = None
    members: int | None = None
    truth: str | None = None

    @property
    def size(self) -> int:
        return len(self.truth or "")


class Given(NamedTuple):
    """An answer as JSON, and when it was given: to the minute, so that the time does not say whose it is."""

    text: str
    time: str  # "" for an answer that was kept before times were

    @classmethod
    def read(cls, kept: str) -> Self:
        time, _, text = kept.partition(" ")
        return cls(text, time) if text and kept[0] != '"' else cls(kept, "")  # a space is in no other JSON

    @property
    def kept(self) -> str:
        return f"{self.time} {self.text}"


class Store(Protocol):
    """Every method raises `UnreachableError` if the store does not answer, and `GoneError` if its room does not exist.

    Whatever changes what clients know is also sent to everybody who listens to the room, in the order of the changes.
    """

    def listen(self, hear: Hear, back: Callable[[], None]) -> None:
        """`hear` is called with each message; `back`, once the store is back, as messages may have been missed."""

    async def open(self, code: str, secret: str) -> bool:
        """Opens a room -> whether the code was free. `secret`: the digest of the lecturer's. Raises `FullError`."""

    async def entrance(self, code: str) -> Entrance: ...

    async def subscribe(self, code: str) -> None:
        """From now on, `hear` gets the messages of this room."""

    async def unsubscribe(self, code: str) -> None: ...

    async def standing(self, code: str, member: str) -> Standing: ...

    async def sit(self, code: str, process: str, members: Collection[str] | None) -> Counts:
        """Notes for some seconds which members a process has -> how many all processes have together.

        `members`: None where nobody is left; empty where only the lecturer is there, and waits.
        """

    async def change(self, code: str, given: dict[str, Any], but: str = "") -> None:
        """Replaces parts of the state, and tells every client but the one named `but`."""

    async def set_rules(self, code: str, given: dict[str, bool]) -> Rules:
        """Changes some rules -> all rules."""

    async def ask(self, code: str, question: Question | None) -> None:
        """Asks a question; None: none any more. Raises `RefusedError` where the room has had too many."""

    async def close_question(self, code: str, id: str, unread: bool = False, truth: Any = None) -> Question:
        """Makes it the room's current question, which takes no more answers, and keeps what is true of it.

        Where the room already keeps too much, the truth is left out.

        Raises:
            KeyError: there is no such question.
            WrongTruthError: the truth is none of this question.
        """

    async def answer(self, code: str, member: str, id: str, guess: Any) -> None:
        """Keeps the answer in place of an earlier one. Raises `RefusedError`.

        Where all rooms together hold too many answers, the oldest room in which nobody is ends.
        """

    async def answers(self, code: str, id: str, here: bool = False) -> list[Given]:
        """The answers, sorted, so that the order does not say whose. `here`: of those who are in the room."""

    async def keep_tally(self, code: str, question: Question, tally: str) -> None:
        """Sends a tally (JSON; as `texts` if the question is unread), and keeps it for whoever comes in later."""

    async def remove(self, code: str, id: str, guess: Any) -> Question | None:
        """Removes the answers that are exactly this, and puts whoever gave them out of the room.

        Returns:
            The question; None where there is none of this id.
        """

    async def questions(self, code: str) -> list[Question]:
        """The room's questions, in the order in which they were first asked."""

    async def record(self, code: str, id: str) -> Record:
        """What else is known of a question."""

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


def answers_message(answered: Sequence[tuple[Question, Record, Sequence[Given]]]) -> str:
    """Every question with its answers and what else is known of it."""
    return f'{{"answers":[{",".join(_answered(*one) for one in answered)}]}}'


def _answered(question: Question, record: Record, given: Sequence[Given]) -> str:
    answers, truth = ",".join(one.text for one in given), record.truth or "null"
    rest = {"times": [one.time for one in given], **asdict(record), "question": question.to_json()}
    del rest["truth"]  # which is JSON, as the answers are
    return f'{{"answers":[{answers}],"truth":{truth},{written(rest)[1:]}'


def to_the_second(seconds: float) -> str:
    """A time since 1970, as ISO 8601 writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def to_the_minute(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")


def size_of(answers: Mapping[str, str]) -> int:
    """Characters that the answers of members take."""
    return sum(len(member) + len(text) for member, text in answers.items())
