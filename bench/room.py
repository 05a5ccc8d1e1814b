"""A room on one small machine: how long a class waits for the lecturer's page, and whether every answer counts once.

    python -m bench.room [--clients 30 100 300] [--processes 1 2] [--pages] [--write]

Each row starts `deploy/serve` anew, on this machine. A lecturer goes through all places of the shipped lecture, in each
place through three views, and asks wherever the lecture asks. Everybody else is a WebSocket of its own, and answers at
some moment of the next second. One in ten loses the line just before or just after that, comes back, and says the same
again. The benchmark fails where a tally does not count everybody's answer exactly once.

- p50, p95, most: milliseconds from when the lecturer says a move until a student has read it. All students are in this
  program, one after the other, so that the last of 300 waits for the others, too.
- CPU: what all processes of the app took, from when everybody was in the room, and in how many seconds; nginx, Redis
  and this program come on top.
- resident: what all processes hold, before the first one came and at the end.

With `--pages`, up to 30 of them also have the page open, as a browser has, and the lecturer goes on when all runs have
ended: their p50 and p95, in seconds from the move. It asks nobody but 127.0.0.1.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from contextlib import suppress
from statistics import quantiles
from time import perf_counter
from urllib.parse import parse_qsl

from websockets.exceptions import ConnectionClosed

from bench.browser import ROOT
from bench.member import Member, Message, open_room
from bench.report import Report, machine
from bench.several import cpu, resident, serving
from viz_transformer.lecture_links import link_of, shipped_lectures
from viz_transformer.lectures import Ask
from viz_transformer.room.classroom_server import MAX_MEMBERS
from viz_transformer.room.question import Guess, Question
from viz_transformer.room.tally import tally

PAGE = ROOT / "docs/reliability.md"
LECTURE, LANGUAGE = "attention", "en"
VIEWS = 3  # in a place
OFTEN = 0.05  # seconds between two of them, as the lecturer's page has it
MOST_PAGES = 30
DROPPED = 10  # one in so many loses the line
PATIENCE = 60  # seconds for everybody
SIZES = {"cells": (49, 7), "token": (1, 0), "number": (1, 0), "curve": (33, 0)}  # and columns
TOKENS = ("Katze", "Hund", "müde", "ist", "weil", "sie", "猫", "累")


class Everybody:
    """Waits until each of `count` students has done something."""

    def __init__(self, count: int) -> None:
        self.missing = set(range(count))
        self.done = asyncio.Event()

    def has(self, number: int) -> None:
        self.missing.discard(number)
        if not self.missing:
            self.done.set()

    async def wait(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.done.wait()


class Lesson:
    """What a class has waited for and answered.

    Attributes:
        sent: when each move was said, by its number in the room.
        waits: seconds until a student had read it.
        runs: seconds until a student's page had ended its run.
        said: how many answers were sent, those sent again included.
        tallies: by question, as the lecturer heard them.
    """

    def __init__(self, count: int, pages: int) -> None:
        self.count, self.pages = count, pages
        self.sent: dict[int, float] = {}
        self.waits: list[float] = []
        self.runs: list[float] = []
        self.said = self.dropped = 0
        self.guesses: dict[str, dict[int, Guess]] = defaultdict(dict)
        self.tallies: dict[str, Message] = {}
        self.steps: dict[Hashable, Everybody] = {}

    def everybody(self, *step: Hashable) -> Everybody:
        return self.steps.setdefault(step, Everybody(self.pages if step[0] == "run" else self.count))


class Student:
    """Answers at random, but the same in every run."""

    def __init__(self, lesson: Lesson, number: int, member: Member, group: asyncio.TaskGroup) -> None:
        self.lesson, self.number, self.member, self.group = lesson, number, member, group
        self.dice = random.Random(number)
        self.seq = 0
        self.asked: set[str] = set()

    @property
    def has_page(self) -> bool:
        return self.number < self.lesson.pages

    async def come(self) -> None:
        await self.member.come()
        if self.has_page:
            await self.member.visitor.connect()

    async def attend(self) -> None:
        """Follows the room until this is cancelled."""
        while True:
            try:
                self.take(await self.member.hear())
            except ConnectionClosed:
                await self.member.come_again()
                await self.catch_up(self.member.welcome)

    def take(self, message: Message) -> None:
        match message:
            case {"state": {"seq": seq, **state}}:
                self.reach(seq)
                if self.has_page and "address" in state:
                    self.group.create_task(self.open(seq, state["address"]))
            case {"question": {"open": True} as question}:
                self.consider(question)
            case {"counted": {"id": id}}:
                self.lesson.everybody("counted", id).has(self.number)
            case {"tally": {"id": id}}:
                self.lesson.everybody("tally", id).has(self.number)
            case {"refused": refused}:
                raise AssertionError(refused)

    async def catch_up(self, welcome: Message) -> None:
        """Goes on after a lost line: messages may have been missed, and the answer may not have got through."""
        self.reach(welcome["state"]["seq"])
        question = welcome["question"]
        if question is None:
            return
        if not question["open"]:
            self.lesson.everybody("tally", question["id"]).has(self.number)
        elif self.number in self.lesson.guesses[question["id"]]:
            await self.answer(question["id"])
        else:
            self.consider(question)

    def reach(self, seq: int) -> None:
        """Counts the moves up to this one as read."""
        now = perf_counter()
        for one in range(self.seq + 1, seq + 1):
            self.lesson.waits.append(now - self.lesson.sent[one])
            self.lesson.everybody("move", one).has(self.number)
        self.seq = seq

    async def open(self, seq: int, address: str) -> None:
        page, _, query = address.partition("?")
        await self.member.visitor.open(page, dict(parse_qsl(query)))
        self.lesson.runs.append(perf_counter() - self.lesson.sent[seq])
        self.lesson.everybody("run", seq).has(self.number)

    def consider(self, question: Message) -> None:
        if question["id"] not in self.asked:
            self.asked.add(question["id"])
            self.group.create_task(self.decide(Question(**question)))

    async def decide(self, question: Question) -> None:
        await asyncio.sleep(self.dice.uniform(0, 1))
        self.lesson.guesses[question.id][self.number] = guess(question, self.dice)
        is_dropped = (self.number + len(self.asked)) % DROPPED == 0
        if not is_dropped or self.number // DROPPED % 2:
            await self.answer(question.id)
        if is_dropped:
            self.lesson.dropped += 1
            self.member.drop()

    async def answer(self, id: str) -> None:
        with suppress(ConnectionClosed):  # then it is said again
            await self.member.say({"answer": {"id": id, "guess": self.lesson.guesses[id][self.number]}})
            self.lesson.said += 1


class Leader:
    """Goes through the lecture."""

    def __init__(self, lesson: Lesson, member: Member) -> None:
        self.lesson, self.member = lesson, member

    async def hear(self) -> None:
        """Notes the tallies until this is cancelled."""
        while True:
            said = await self.member.hear()
            if "tally" in said:
                self.lesson.tallies[said["tally"]["id"]] = said["tally"]
                self.lesson.everybody("revealed", said["tally"]["id"]).done.set()

    async def lead(self) -> None:
        for address, ask in places():
            seq = await self.move({"address": address, "run": True, "views": {}})
            await self.lesson.everybody("move", seq).wait()
            if self.lesson.pages:
                await self.lesson.everybody("run", seq).wait()
            if ask is not None:
                await self.ask(Question(f"scene-{seq}", ask.kind, *SIZES[ask.kind], ask.of, open=True))  # type: ignore[arg-type]
            for number in range(VIEWS):
                seq = await self.move({"views": {"matrix": {"head": number, "cell": [number, 3], "stage": "softmax"}}})
                await asyncio.sleep(OFTEN)
            await self.lesson.everybody("move", seq).wait()

    async def move(self, given: Message) -> int:
        """Says a move -> its number in the room, which is known since nobody else moves."""
        seq = len(self.lesson.sent) + 1
        self.lesson.sent[seq] = perf_counter()
        await self.member.say({"lead": given})
        return seq

    async def ask(self, question: Question) -> None:
        asked = question.to_json()
        del asked["open"]
        await self.member.say({"ask": asked})
        await self.lesson.everybody("counted", question.id).wait()
        await self.member.say({"reveal": question.id})
        await self.lesson.everybody("revealed", question.id).wait()
        await self.lesson.everybody("tally", question.id).wait()
        counted = self.lesson.tallies[question.id]
        assert counted == tally(question, list(self.lesson.guesses[question.id].values())), counted
        assert counted["answers"] == self.lesson.count, counted


def places() -> Iterator[tuple[str, Ask | None]]:
    """The addresses of a lecture's places; where a scene begins, with what it asks."""
    lecture = shipped_lectures()[LECTURE]
    for index, step in lecture.places():
        address = link_of(lecture, LECTURE, index, step, LANGUAGE, lang=LANGUAGE)
        yield address, None if step else lecture.scenes[index].ask


def guess(question: Question, dice: random.Random) -> Guess:
    match question.kind:
        case "cells":
            return sorted(dice.sample(range(question.size), 7))
        case "token":
            return dice.choice(TOKENS)
        case "number":
            return dice.uniform(0, 100)
        case "curve":
            return [dice.random() if dice.random() < 0.9 else None for _ in range(question.size - 1)] + [0.5]


async def teach(url: str, lesson: Lesson, processes: list[int]) -> tuple[float, float]:
    """The whole lecture -> the seconds that it took, and those that these processes computed."""
    code, secret = await asyncio.to_thread(open_room, url)
    leader = Leader(lesson, Member(url, code, secret))
    await leader.member.come()
    async with asyncio.TaskGroup() as group:
        members = [Member(url, code) for _ in range(lesson.count)]
        students = [Student(lesson, number, one, group) for number, one in enumerate(members)]
        await asyncio.gather(*(one.come() for one in students))
        counts = Counter(one.server for one in members)
        assert min(counts.values()) >= lesson.count // len(processes) // 2, counts
        staying = [group.create_task(one.attend()) for one in students]
        staying.append(group.create_task(leader.hear()))
        begun, taken = perf_counter(), -sum(map(cpu, processes))
        await leader.lead()
        seconds, taken = perf_counter() - begun, taken + sum(map(cpu, processes))
        for one in staying:
            one.cancel()
    assert sum(one.lost for one in members) == lesson.dropped, "Lines were lost that nobody dropped."
    await asyncio.gather(*(one.socket.close() for one in [leader.member, *members]))
    await asyncio.gather(*(one.member.visitor.socket.close() for one in students if one.has_page))
    return seconds, taken


def row(clients: int, processes: int, pages: bool) -> list[str]:
    lesson = Lesson(clients, min(clients, MOST_PAGES) if pages else 0)
    with serving(processes) as servers:
        ids = list(servers.processes.values())
        before = sum(map(resident, ids))
        seconds, taken = asyncio.run(teach(servers.url, lesson, ids))
        after = sum(map(resident, ids))
    cuts = quantiles(lesson.waits, n=20, method="inclusive")
    counted = sum(one["answers"] for one in lesson.tallies.values())
    return [
        str(clients),
        str(processes),
        str(len(lesson.sent)),
        *(f"{1000 * wait:.0f}" for wait in (cuts[9], cuts[18], max(lesson.waits))),
        f"{lesson.said} → {counted}",
        str(lesson.dropped),
        f"{taken:.1f} of {seconds:.0f}",
        f"{before:,.0f} → {after:,.0f}",
        *(f"{quantiles(lesson.runs, n=20, method='inclusive')[place]:.2f}" for place in (9, 18) if lesson.runs),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, nargs="+", default=[30, 100, 300])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pages", action="store_true", help=f"up to {MOST_PAGES} of the clients have one")
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    asked = parser.parse_args()
    if not 2 <= min(asked.clients) <= max(asked.clients) <= MAX_MEMBERS:
        parser.error(f"a room has 2 to {MAX_MEMBERS} clients")
    report = Report()
    pages = ("page p50, s", "page p95, s") if asked.pages else ()
    report.head(
        "clients", "processes", "moves", "p50, ms", "p95, ms", "most, ms", "answers said → counted", "lines dropped",
        "CPU, s", "resident, MB", *pages,
    )  # fmt: skip
    for processes in asked.processes:
        for clients in asked.clients:
            report.row(row(clients, processes, asked.pages))
    if asked.write:
        chosen = f"--clients {' '.join(map(str, asked.clients))} --processes {' '.join(map(str, asked.processes))}"
        command = f"python -m bench.room {chosen}{' --pages' if asked.pages else ''}"
        report.write(f"room{' pages' if asked.pages else ''}", command, machine("streamlit", "websockets"), PAGE)


if __name__ == "__main__":
    main()
