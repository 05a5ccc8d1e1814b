"""Rooms in the memory of this process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from viz_transformer.room.messages import written
from viz_transformer.room.question import Question, WrongGuessError
from viz_transformer.room.rules import Rules
from viz_transformer.room.store import (
    CHANGED,
    ENDED,
    LIFE,
    MAX_ALL_ANSWERS,
    MAX_ANSWERS,
    MAX_QUESTIONS,
    MAX_ROOMS,
    PUT_OUT,
    Counts,
    Entrance,
    FullError,
    Given,
    GoneError,
    Hear,
    Record,
    RefusedError,
    Standing,
    State,
    question_message,
    rules_message,
    size_of,
    state_message,
    tally_message,
    to_the_minute,
    to_the_second,
)


@dataclass
class Kept:
    """A room.

    Attributes:
        answers: by question and member, as `Given` is kept; `size`: characters of all of them, and of what is true.
        members: by process.
    """

    secret: str
    expires: float
    state: State = field(default_factory=State)
    rules: Rules = field(default_factory=Rules)
    asked: str | None = None
    tally: str | None = None
    questions: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    size: int = 0
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    @property
    def all_members(self) -> frozenset[str]:
        return frozenset().union(*self.members.values())


class MemoryStore:
    """Rooms in memory; it calls `hear` at once, since no other process has them."""

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

    async def entrance(self, code: str) -> Entrance:
        room = self._room(code)
        return Entrance(room.secret, room.rules)

    async def subscribe(self, code: str) -> None:
        pass

    async def unsubscribe(self, code: str) -> None:
        pass

    async def standing(self, code: str, member: str) -> Standing:
        room = self._room(code)
        question = room.questions[room.asked] if room.asked else None
        answers = room.answers[room.asked] if room.asked else {}
        kept, is_removed = answers.get(member), member in room.removed
        answer = kept and Given.read(kept).text
        return Standing(room.state, room.rules, question, answer, len(answers), room.tally, is_removed)

    async def sit(self, code: str, process: str, members: Collection[str] | None) -> Counts:
        room = self._room(code)
        before = room.members.pop(process, frozenset())
        if members is not None:
            room.members[process] = frozenset(members)
        if before != room.members.get(process, frozenset()):
            self.hear(code, "", CHANGED)
        answered = len(room.answers[room.asked]) if room.asked else 0
        return Counts(len(room.all_members), room.asked, answered)

    async def change(self, code: str, given: dict[str, Any], but: str = "") -> None:
        room = self._room(code)
        room.state = replace(room.state, seq=room.state.seq + 1, **given)
        self.hear(code, but, state_message(room.state.seq, given))

    async def set_rules(self, code: str, given: dict[str, bool]) -> Rules:
        room = self._room(code)
        room.rules = replace(room.rules, **given)
        self.hear(code, "", rules_message(room.rules))
        return room.rules

    async def ask(self, code: str, question: Question | None) -> None:
        room = self._room(code)
        if room.asked and room.questions[room.asked].open:  # it is left without a reveal
            room.records[room.asked] = replace(room.records[room.asked], members=len(room.all_members))
        if question is None:
            room.asked = None
        else:
            self._keep_question(room, question)
            room.asked = question.id
        room.tally = None
        self.hear(code, "", question_message(question))
        self.hear(code, "", CHANGED)

    def _keep_question(self, room: Kept, question: Question) -> None:
        earlier = room.questions.get(question.id)
        if earlier is None and len(room.questions) >= MAX_QUESTIONS:
            raise RefusedError("full")
        if earlier is None or not question.keeps_answers_of(earlier):
            room.size -= size_of(room.answers.get(question.id, {})) + room.records.get(question.id, Record()).size
            room.answers[question.id] = {}
            room.records[question.id] = Record(asked=to_the_second(time.time()))
        room.questions[question.id] = question

    async def close_question(self, code: str, id: str, unread: bool = False, truth: Any = None) -> Question:
        room = self._room(code)
        asked, record = room.questions[id], room.records[id]
        question = asked.closed(unread)
        if asked.open:
            record = replace(record, revealed=to_the_second(time.time()), members=len(room.all_members))
        if truth is not None:
            with_truth = replace(record, truth=written(question.check_truth(truth)))
            more = with_truth.size - record.size
            if room.size + more <= MAX_ANSWERS and await self._make_room(more, code):
                record, room.size = with_truth, room.size + more
        room.questions[id], room.records[id] = question, record
        room.asked, room.tally = id, None
        self.hear(code, "", question_message(question))
        self.hear(code, "", CHANGED)
        return question

    async def answer(self, code: str, member: str, id: str, guess: Any) -> None:
        room = self._room(code)
        question = room.questions.get(id)
        if question is None or not question.open:
            raise RefusedError("closed")
        try:
            text = Given(written(question.check(guess)), to_the_minute(time.time())).kept
        except WrongGuessError as error:
            raise RefusedError("wrong") from error
        answers = room.answers[id]
        more = size_of({member: text}) - (size_of({member: answers[member]}) if member in answers else 0)
        if room.size + more > MAX_ANSWERS or not await self._make_room(more, code):
            raise RefusedError("full")
        answers[member] = text
        room.size += more
        self.hear(code, "", CHANGED)

    async def answers(self, code: str, id: str, here: bool = False) -> list[Given]:
        room = self._room(code)
        answers, members = room.answers.get(id, {}), room.all_members
        return sorted(Given.read(text) for member, text in answers.items() if not here or member in members)

    async def keep_tally(self, code: str, question: Question, tally: str) -> None:
        room = self._room(code)
        if room.asked == question.id:
            room.tally = tally
            self.hear(code, "", tally_message(question, tally))

    async def remove(self, code: str, id: str, guess: Any) -> Question | None:
        room = self._room(code)
        answers = room.answers.get(id, {})
        gone = {member: text for member, text in answers.items() if json.loads(Given.read(text).text) == guess}
        for member in gone:
            del answers[member]
        room.size -= size_of(gone)
        room.removed |= gone.keys()
        self.hear(code, "", PUT_OUT + written([*gone]))
        self.hear(code, "", CHANGED)
        return room.questions.get(id)

    async def questions(self, code: str) -> list[Question]:
        return list(self._room(code).questions.values())

    async def record(self, code: str, id: str) -> Record:
        return self._room(code).records[id]

    async def end(self, code: str) -> None:
        self._room(code)
        del self.rooms[code]
        self.hear(code, "", ENDED)

    async def close(self) -> None:
        pass

    async def _end_one(self) -> None:
        """Ends the oldest room in which nobody is, so that whoever opens many keeps nobody from opening one."""
        empty = self._empty()
        if not empty:
            raise FullError
        await self.end(empty[0])

    async def _make_room(self, more: int, but: str) -> bool:
        """Ends the oldest empty rooms if all would hold too much -> whether so much more can be kept."""
        excess = sum(room.size for room in self.rooms.values()) + more - MAX_ALL_ANSWERS
        for code in self._empty():
            if excess > 0 and code != but:
                excess -= self.rooms[code].size
                await self.end(code)
        return excess <= 0

    def _empty(self) -> list[str]:
        """Rooms in which nobody is, the oldest first."""
        return [code for code, room in self.rooms.items() if not room.members]

    def _room(self, code: str) -> Kept:
        self._drop_expired()
        if code not in self.rooms:
            raise GoneError
        return self.rooms[code]

    def _drop_expired(self) -> None:
        now = self.clock()
        for code in [code for code, room in self.rooms.items() if room.expires <= now]:
            del self.rooms[code]
