"""Rooms in the memory of this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from viz_transformer.room.messages import written
from viz_transformer.room.question import Question, WrongGuessError
from viz_transformer.room.store import (
    CHANGED,
    ENDED,
    LIFE,
    MAX_ANSWERS,
    MAX_QUESTIONS,
    MAX_ROOMS,
    Counts,
    FullError,
    GoneError,
    Hear,
    RefusedError,
    Standing,
    State,
    question_message,
    size_of,
    state_message,
)


@dataclass
class Kept:
    """A room. `answers`: by question and member, as JSON; `size`: characters of all of them."""

    secret: str
    expires: float
    state: State = field(default_factory=State)
    asked: str | None = None
    questions: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    size: int = 0
    members: dict[str, int] = field(default_factory=dict)


class MemoryStore:
    """What it tells is heard at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_rooms: int = MAX_ROOMS) -> None:
        self.clock, self.max_rooms = clock, max_rooms
        self.rooms: dict[str, Kept] = {}
        self.hear: Hear = lambda code, but, text: None

    def listen(self, hear: Hear, back: Callable[[], None]) -> None:
        self.hear = hear

    async def open(self, code: str, secret: str) -> bool:
        self._drop_expired()
        if code in self.rooms:
            return False
        if len(self.rooms) >= self.max_rooms:
            await self._end_one()
        self.rooms[code] = Kept(secret, self.clock() + LIFE)
        return True

    async def secret(self, code: str) -> str:
        return self._room(code).secret

    async def subscribe(self, code: str) -> None:
        pass

    async def unsubscribe(self, code: str) -> None:
        pass

    async def standing(self, code: str, member: str) -> Standing:
        room = self._room(code)
        if room.asked is None:
            return Standing(room.state, None, None, 0)
        answers = room.answers[room.asked]
        return Standing(room.state, room.questions[room.asked], answers.get(member), len(answers))

    async def sit(self, code: str, process: str, members: int | None) -> Counts:
        room = self._room(code)
        before = room.members.pop(process, None)
        if members is not None:
            room.members[process] = members
        if (before or 0) != (members or 0):
            self.hear(code, "", CHANGED)
        answered = len(room.answers[room.asked]) if room.asked else 0
        return Counts(sum(room.members.values()), room.asked, answered)

    async def change(self, code: str, given: dict[str, Any], but: str = "") -> None:
        room = self._room(code)
        room.state = replace(room.state, seq=room.state.seq + 1, **given)
        self.hear(code, but, state_message(room.state.seq, given))

    async def ask(self, code: str, question: Question | None) -> None:
        room = self._room(code)
        if question is None:
            room.asked = None
        else:
            self._keep_question(room, question)
            room.asked = question.id
        self.hear(code, "", question_message(question))
        self.hear(code, "", CHANGED)

    def _keep_question(self, room: Kept, question: Question) -> None:
        earlier = room.questions.get(question.id)
        if earlier is None and len(room.questions) >= MAX_QUESTIONS:
            raise RefusedError("full")
        if earlier is None or not question.keeps_answers_of(earlier):
            room.size -= size_of(room.answers.get(question.id, {}))
            room.answers[question.id] = {}
        room.questions[question.id] = question

    async def close_question(self, code: str, id: str) -> Question:
        room = self._room(code)
        room.questions[id] = question = room.questions[id].closed()
        room.asked = id
        self.hear(code, "", question_message(question))
        self.hear(code, "", CHANGED)
        return question

    async def answer(self, code: str, member: str, id: str, guess: Any) -> None:
        room = self._room(code)
        question = room.questions.get(id)
        if question is None or not question.open:
            raise RefusedError("closed")
        try:
            text = written(question.check(guess))
        except WrongGuessError as error:
            raise RefusedError("wrong") from error
        answers = room.answers[id]
        more = size_of({member: text}) - (size_of({member: answers[member]}) if member in answers else 0)
        if room.size + more > MAX_ANSWERS:
            raise RefusedError("full")
        answers[member] = text
        room.size += more
        self.hear(code, "", CHANGED)

    async def answers(self, code: str, id: str) -> list[str]:
        return sorted(self._room(code).answers.get(id, {}).values())

    async def questions(self, code: str) -> list[Question]:
        return list(self._room(code).questions.values())

    async def tell(self, code: str, text: str) -> None:
        self._room(code)
        self.hear(code, "", text)

    async def end(self, code: str) -> None:
        self._room(code)
        del self.rooms[code]
        self.hear(code, "", ENDED)

    async def close(self) -> None:
        pass

    async def _end_one(self) -> None:
        """Of those in which nobody is, the oldest: whoever opens many keeps nobody from opening one."""
        empty = [code for code, room in self.rooms.items() if not room.members]
        if not empty:
            raise FullError
        await self.end(empty[0])

    def _room(self, code: str) -> Kept:
        self._drop_expired()
        if code not in self.rooms:
            raise GoneError
        return self.rooms[code]

    def _drop_expired(self) -> None:
        now = self.clock()
        for code in [code for code, room in self.rooms.items() if room.expires <= now]:
            del self.rooms[code]
