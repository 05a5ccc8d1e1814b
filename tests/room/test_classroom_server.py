"""A class in a room, over real sockets: who hears what, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers import in_a_loop
from tests.room.conftest import needs_redis
from tests.room.serving import Class, Serving, in_class, open_room
from viz_transformer.room import memory
from viz_transformer.room.classroom_server import ClassroomServer
from viz_transformer.room.codes import CODE
from viz_transformer.room.rates import Buckets
from viz_transformer.room.store import Standing
from viz_transformer.room.stores import store_at

SECOND, MINUTE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ")


@pytest.fixture(scope="module", params=["memory", pytest.param("redis", marks=needs_redis)])
def host(request: pytest.FixtureRequest) -> Iterator[str]:
    address = request.getfixturevalue("redis_server").address if request.param == "redis" else ""
    classroom = ClassroomServer(store_at(address))
    classroom.opened.rate = 1000  # these tests open more rooms than lecturers do
    classroom.seated = Buckets(1000, 1000)
    with Serving(classroom) as serving:
        yield serving.host


def test_a_room_has_a_code_to_read_out_and_a_secret(host: str) -> None:
    opened = in_a_loop(open_room(host))
    assert opened.status_code == 201
    assert opened.headers["cache-control"] == "no-store"
    assert CODE.fullmatch(opened.json()["code"])
    assert len(opened.json()["secret"]) == 43  # 32 bytes


def test_pages_follow_the_lecturers(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada, bob = await room.lead(), await room.join("member-ada"), await room.join("member-bob")
        assert lecturer.welcome["leads"] and not ada.welcome["leads"]
        await lecturer.say(lead={"address": "heads?head=2", "views": {"a": {"head": 1}}})
        await lecturer.say(lead={"views": {"a": {"head": 2}}, "run": True})
        for page in (ada, bob):
            said = {"seq": 1, "address": "heads?head=2", "views": {"a": {"head": 1}}}
            assert await page.next() == {"state": said}
            assert await page.next() == {"state": {"seq": 2, "views": {"a": {"head": 2}}, "run": True}}
        await lecturer.say(ping="over")
        assert "state" not in await lecturer.heard_before("pong")  # it is not sent its own changes

    in_class(host, scenario)


def test_who_comes_late_sees_the_same(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        new = {"seq": 0, "mode": "follow", "address": "", "views": {}, "run": False}
        assert lecturer.welcome == {
            "leads": True, "seat": "", "state": new, "rules": {"closed": False, "here": False, "read": False},
            "question": None, "tally": None, "texts": None, "answer": None, "members": 0, "answered": 0,
        }  # fmt: skip
        state = {"address": "masks?lang=zh", "views": {"a": {"text": "你好"}}, "run": True}
        await lecturer.say(lead=state)
        await lecturer.say(mode="pause")
        await lecturer.hear("state")
        late = await room.join("member-late")
        assert late.welcome["state"] == {"seq": 2, "mode": "pause", **state}
        assert late.welcome["members"] == 1
        back = await room.lead()  # the lecturer reloads the page
        assert back.welcome["leads"] and back.welcome["state"] == late.welcome["state"]

    in_class(host, scenario)


def test_codes_are_read_in_small_letters_too(host: str) -> None:
    async def scenario(room: Class) -> None:
        room.code = room.code.lower()
        lecturer, page = await room.lead(), await room.join("member-ada")
        await lecturer.say(mode="free")
        assert await page.next() == {"state": {"seq": 1, "mode": "free"}}
        assert await lecturer.hear("state") == {"seq": 1, "mode": "free"}

    in_class(host, scenario)


def test_a_question_is_answered_and_revealed(host: str, question: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada, bob = await room.lead(), await room.join("member-ada"), await room.join("member-bob")
        await lecturer.say(ask=question)
        for page in (lecturer, ada, bob):
            assert await page.hear("question") == {**question, "open": True, "unread": False}
        await ada.say(answer={"id": "q1", "guess": [0]})
        await ada.say(answer={"id": "q1", "guess": [3, 1]})
        await bob.say(answer={"id": "q1", "guess": [3]})
        for page, times in ((ada, 2), (bob, 1)):
            for _ in range(times):
                assert await page.next() == {"counted": {"id": "q1"}}
        assert await lecturer.hear("answered", lambda said: said["n"] == 2) == {"id": "q1", "n": 2}
        await lecturer.say(reveal="q1")
        tally = {"id": "q1", "kind": "cells", "answers": 2, "counts": [0, 1, 0, 2]}
        for page in (lecturer, ada, bob):
            assert await page.hear("question") == {**question, "open": False, "unread": False}
            assert await page.hear("tally") == tally
        await bob.say(answer={"id": "q1", "guess": [2]})
        assert await bob.next() == {"refused": {"id": "q1", "why": "closed"}}
        carl = await room.join("member-carl")
        assert carl.welcome["question"] == {**question, "open": False, "unread": False}
        assert (carl.welcome["tally"], carl.welcome["answered"]) == (tally, 2)
        await lecturer.say(ask=None)
        assert await carl.hear("question") is None
        assert (await room.join("member-dora")).welcome["tally"] is None

    in_class(host, scenario)


def test_a_question_asked_again_is_tallied_again(host: str, question: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("member-ada")
        for guess in ([0], [1]):
            await lecturer.say(ask=question)
            await ada.hear("question")
            await ada.say(answer={"id": "q1", "guess": guess})
            await ada.hear("counted")
            await lecturer.say(reveal="q1")
            counts = [int(place in guess) for place in range(4)]
            assert (await ada.hear("tally"))["counts"] == counts
            assert (await room.join("member-late")).welcome["tally"]["counts"] == counts

    in_class(host, scenario)


def test_who_was_away_finds_their_answer(host: str, question: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("member-ada")
        await lecturer.hear("members", lambda n: n == 1)
        await lecturer.say(ask=question)
        await ada.hear("question")
        await ada.say(answer={"id": "q1", "guess": [2]})
        await ada.hear("counted")
        ada.socket.transport.abort()  # the network is gone
        await lecturer.hear("members", lambda n: n == 0)
        ada = await room.join("member-ada")
        assert ada.welcome["answer"] == [2]
        await ada.say(answer={"id": "q1", "guess": [3]})
        await ada.hear("counted")
        assert (await room.join("member-bob")).welcome["answered"] == 1

    in_class(host, scenario)


@pytest.mark.parametrize(
    ("kind", "size", "right", "wrong"),
    [
        ("token", 1, " Katze ", "Hund\n!"),
        ("number", 1, -2, True),
        ("curve", 3, [None, 0, 1], [None, None, None]),
        ("cells", 3, [2], [3]),
    ],
)
def test_every_kind_has_right_and_wrong_answers(host: str, kind: str, size: int, right: Any, wrong: Any) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("member-ada")
        await lecturer.say(ask={"id": "q", "kind": kind, "size": size, "title": ""})
        assert (await ada.hear("question"))["columns"] == 0
        await ada.say(answer={"id": "q", "guess": wrong})
        assert await ada.next() == {"refused": {"id": "q", "why": "wrong"}}
        await ada.say(answer={"id": "q", "guess": right})
        assert await ada.next() == {"counted": {"id": "q"}}
        await lecturer.say(reveal="q")
        assert (await ada.hear("tally"))["answers"] == 1

    in_class(host, scenario)


def test_members_are_counted_once(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        pages = [await room.join(member) for member in ("member-ada", "member-bob", "member-ada")]
        assert [page.welcome["members"] for page in pages] == [1, 2, 2]
        assert await lecturer.hear("members", lambda n: n == 2)
        await pages[0].leave()
        await pages[1].leave()
        assert await lecturer.hear("members", lambda n: n == 1)  # the other tab is still there

    in_class(host, scenario)


def test_what_is_exported_says_nothing_of_who_answered(host: str, question: dict[str, Any]) -> None:
    number = {"id": "q2", "kind": "number", "size": 1, "columns": 0, "title": "How many?"}

    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        pages = [await room.join(f"member-{n}") for n in range(3)]
        await lecturer.hear("members", lambda n: n == 3)
        for asked, guesses in ((number, [3, 1, 2]), (question, [[2], [1], [0]])):
            await lecturer.say(ask=asked)
            for page, guess in zip(pages, guesses, strict=True):
                await page.hear("question")
                await page.say(answer={"id": asked["id"], "guess": guess})
                await page.hear("counted")
        await lecturer.say(export=True)
        answered = await lecturer.hear("answers")
        times = [(one.pop("asked"), *one.pop("times")) for one in answered]
        unknown = {"revealed": None, "truth": None}
        assert answered == [
            {"question": {**number, "open": True, "unread": False}, "answers": [1, 2, 3], "members": 3, **unknown},
            {"question": {**question, "open": True, "unread": False}, "answers": [[0], [1], [2]], "members": None}
            | unknown,
        ]
        for asked_at, *given in times:  # to the minute: a second would say who had just pressed Send
            assert SECOND.fullmatch(asked_at) and all(map(MINUTE.fullmatch, given)) and len(given) == 3
        await lecturer.say(mode="free")
        assert "answers" not in await pages[0].heard_before("state")

    in_class(host, scenario)


def test_what_is_true_comes_with_the_answers_and_to_the_lecturer_alone(host: str, question: dict[str, Any]) -> None:
    truth = {"values": [0.25, 0.75, 1, 0], "rows": ["=it", "猫"], "columns": ["\ud800", "cat"], "mask": False}

    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("ada")
        await lecturer.hear("members", lambda n: n == 1)
        await lecturer.say(ask=question)
        assert "truth" not in await ada.hear("question")
        await ada.say(answer={"id": "q1", "guess": [1]})
        await ada.hear("counted")
        await lecturer.say(reveal={"id": "q1", "truth": truth})
        assert await ada.hear("question") == {**question, "open": False, "unread": False}
        assert "truth" not in await ada.hear("tally")
        late = await room.join("late")
        assert "truth" not in str(late.welcome)
        await ada.leave()
        again = await room.lead()  # the page is loaded anew
        await again.say(export=True)
        [answered] = await again.hear("answers")
        assert answered["truth"] == truth and answered["members"] == 1
        assert SECOND.fullmatch(answered["asked"]) and answered["asked"] <= answered["revealed"]
        await again.say(ask=question)
        await again.say(reveal="q1")  # as a page says that was loaded before
        await again.say(export=True)
        assert (await again.hear("answers"))[0]["truth"] == truth
        await again.say(mode="free")
        assert "answers" not in await late.heard_before("state")

    in_class(host, scenario)


def test_what_was_shown_later_was_revealed_when_it_was(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("ada")
        await lecturer.hear("members", lambda n: n == 1)
        await lecturer.say(rules={"read": True})
        await lecturer.say(ask={"id": "q1", "kind": "token", "size": 1, "columns": 0, "title": ""})
        truth = {"values": [0.5], "rows": ["sie"], "columns": [], "mask": False}
        await lecturer.say(reveal={"id": "q1", "truth": truth})
        await lecturer.hear("texts")
        await ada.leave()
        await lecturer.hear("members", lambda n: n == 0)
        await lecturer.say(show="q1")
        await lecturer.say(export=True)
        [answered] = await lecturer.hear("answers")
        assert (answered["members"], answered["truth"]) == (1, truth)

    in_class(host, scenario)


def test_the_end_is_everybodys(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("member-ada")
        await lecturer.say(end=True)
        assert await lecturer.closed() == await ada.closed() == 4404
        late = await room.knock()
        await late.say(hello={"seat": None, "secret": room.secret})
        assert await late.closed() == 4404

    in_class(host, scenario)


def test_a_server_that_stops_sends_everybody_elsewhere() -> None:
    async def scenario(room: Class, serving: Serving) -> None:
        page = await room.join("member-ada")
        serving.server.should_exit = True
        assert await page.closed() in (1001, 1012)

    with Serving(ClassroomServer(store_at(""))) as serving:
        in_class(serving.host, lambda room: scenario(room, serving))


def test_a_room_whose_time_is_over_is_gone_for_who_is_in_it() -> None:
    now = 0.0

    async def scenario(room: Class) -> None:
        nonlocal now
        page = await room.join("member-ada")
        now = memory.LIFE
        assert await page.closed() == 4404

    with Serving(ClassroomServer(memory.MemoryStore(lambda: now), beat=0.1)) as serving:
        in_class(serving.host, scenario)


def test_who_opens_many_rooms_puts_no_waiting_lecturer_out() -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        for _ in range(5):
            assert (await open_room(room.host)).status_code == 201
        assert room.code in store.rooms
        await room.join("member-ada")
        assert await lecturer.hear("members") == 1

    store = memory.MemoryStore(max_rooms=2)
    with Serving(ClassroomServer(store)) as serving:
        in_class(serving.host, scenario)


def test_what_is_said_while_somebody_comes_in_is_heard_after_the_welcome() -> None:
    class Busy(memory.MemoryStore):
        """The room changes after a newcomer's welcome was read from the store and before it is sent."""

        async def standing(self, code: str, member: str) -> Standing:
            standing = await super().standing(code, member)
            await self.change(code, {"run": True})
            return standing

    async def scenario(room: Class) -> None:
        page = await room.join("member-ada")
        assert page.welcome["state"]["seq"] == 0
        assert await page.next() == {"state": {"seq": 1, "run": True}}

    with Serving(ClassroomServer(Busy())) as serving:
        in_class(serving.host, scenario)


def test_who_leads_answers_nothing(host: str, question: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        await lecturer.say(ask=question)
        await lecturer.say(answer={"id": "q1", "guess": [1]})
        assert await lecturer.hear("refused") == {"id": "q1", "why": "wrong"}
        assert (await room.join("member-ada")).welcome["answered"] == 0

    in_class(host, scenario)


def test_a_seat_is_the_servers_to_give(host: str) -> None:
    async def scenario(room: Class) -> None:
        ada, bob = await room.join("ada"), await room.join("bob")
        assert ada.welcome["seat"] != bob.welcome["seat"] and bob.welcome["members"] == 2
        assert (await room.join("ada")).welcome["seat"] == ada.welcome["seat"]
        name, _, signature = ada.welcome["seat"].partition(".")
        for made_up in (f"another.{signature}", f"{name}.{'0' * 32}", name, "", "\ud800", f"{ada.welcome['seat']}x"):
            room.seats["eve"] = made_up
            assert (await room.join("eve")).welcome["seat"] != made_up  # it gets a new one

    in_class(host, scenario)


def test_of_another_room_a_seat_is_none(host: str) -> None:
    async def scenario(room: Class) -> None:
        seat = (await room.join("ada")).welcome["seat"]
        other = Class(host, **(await open_room(host)).json())
        other.seats["ada"] = seat
        assert (await other.join("ada")).welcome["seat"] != seat
        await other.leave()

    in_class(host, scenario)


def test_no_newcomers_but_whoever_has_been_here(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer, ada = await room.lead(), await room.join("ada")
        await lecturer.say(rules={"closed": True})
        assert await lecturer.hear("rules") == {"closed": True, "here": False, "read": False}
        late = await room.knock()
        await late.say(hello={"seat": None, "secret": None})
        assert await late.closed() == 4423
        await ada.leave()
        ada = await room.join("ada")
        assert (await room.lead()).welcome["rules"]["closed"] and ada.welcome["rules"] is None
        await lecturer.say(rules={"closed": False})
        await lecturer.hear("rules")
        await room.join("late")
        await lecturer.say(mode="free")
        assert "rules" not in await ada.heard_before("state")  # they are the lecturer's

    in_class(host, scenario)


def test_only_who_is_here_counts_where_the_lecturer_says_so(host: str, question: dict[str, Any]) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        await lecturer.say(ask=question)
        await lecturer.hear("question")
        for member, guess in (("ada", [0]), ("eve", [3])):
            page = await room.join(member)
            await page.say(answer={"id": "q1", "guess": guess})
            await page.hear("counted")
        await page.leave()
        await lecturer.hear("members", lambda n: n == 1)
        for here, counts in ((False, [1, 0, 0, 1]), (True, [1, 0, 0, 0])):
            await lecturer.say(rules={"here": here})
            await lecturer.say(reveal="q1")
            assert (await lecturer.hear("tally"))["counts"] == counts
        assert (await room.join("late")).welcome["tally"]["counts"] == [1, 0, 0, 0]  # as it was revealed

    in_class(host, scenario)


def test_words_are_shown_once_they_are_read_and_who_wrote_some_is_removed(host: str) -> None:
    async def scenario(room: Class) -> None:
        lecturer = await room.lead()
        pages = {member: await room.join(member) for member in ("ada", "bob", "eve")}
        await lecturer.say(rules={"read": True})
        await lecturer.say(ask={"id": "q1", "kind": "token", "size": 1, "columns": 0, "title": "Which?"})
        for member, text in (("ada", "Katze"), ("bob", "Hund"), ("eve", "<b>rude")):
            await pages[member].hear("question")
            await pages[member].say(answer={"id": "q1", "guess": text})
            await pages[member].hear("counted")
        await lecturer.say(reveal="q1")
        texts = [["<b>rude", 1], ["Hund", 1], ["Katze", 1]]
        assert (await lecturer.hear("texts"))["tokens"] == texts
        assert (await room.lead()).welcome["texts"]["tokens"] == texts
        late = await room.join("late")
        assert late.welcome["question"]["unread"] and late.welcome["tally"] is late.welcome["texts"] is None
        await lecturer.say(remove={"id": "q1", "text": "<b>rude"})
        assert await pages["eve"].closed() == 4410
        assert (await lecturer.hear("texts"))["tokens"] == texts[1:]
        back = await room.knock()
        await back.say(hello={"seat": room.seats["eve"], "secret": None})
        assert await back.closed(but=True) == 4410
        await lecturer.say(show="q1")
        for page in (lecturer, pages["ada"], late):
            assert (await page.hear("tally"))["tokens"] == texts[1:]
        assert (await room.lead()).welcome["texts"] is None
        await lecturer.say(remove={"id": "q1", "text": "Hund"})  # seen only now
        assert (await pages["ada"].hear("tally"))["tokens"] == texts[2:]

    in_class(host, scenario)
