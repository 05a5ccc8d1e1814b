"""What a store keeps and tells: the same in memory, with fakeredis and with a real Redis."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import pytest
from fakeredis import FakeAsyncRedis, FakeServer
from redis import Redis

from tests.helpers import in_a_loop
from tests.room.conftest import RedisServer, needs_redis
from viz_transformer.room import memory, redis_store
from viz_transformer.room.memory import MemoryStore
from viz_transformer.room.messages import written
from viz_transformer.room.question import Question, WrongTruthError
from viz_transformer.room.redis_store import RedisStore
from viz_transformer.room.store import (
    CHANGED,
    ENDED,
    LIFE,
    MAX_QUESTIONS,
    FullError,
    Given,
    GoneError,
    Record,
    RefusedError,
    Store,
    UnreachableError,
    size_of,
    to_the_minute,
)
from viz_transformer.room.stores import store_at

CODE = "KQRTB"
CELLS = Question("q1", "cells", 4, 2, "Where?", open=True)
TRUTH = {"values": [0.25, 0.75, 1.0, 0.0], "rows": ["a", "b"], "columns": ["k", "l"], "mask": False}
SIZE = size_of({"ada": Given("[1]", to_the_minute(0)).kept})
PATIENCE = 10

Heard = Callable[[], Coroutine[Any, Any, tuple[str, str, str]]]
Scenario = Callable[[Store, Heard], Coroutine[Any, Any, None]]
Run = Callable[[Scenario], None]


@pytest.fixture(params=["memory", "fakeredis", pytest.param("redis", marks=needs_redis)])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a scenario with a new store; its `heard` waits for the next message that is told in the room."""

    def new_store() -> Store:
        match request.param:
            case "memory":
                return MemoryStore()
            case "fakeredis":
                server = FakeServer()
                clients = [FakeAsyncRedis(server=server, decode_responses=True) for _ in range(2)]
                return RedisStore(*clients)
        server = request.getfixturevalue("redis_server")
        with Redis.from_url(server.address) as client:
            client.flushall()
        return store_at(server.address)

    def run_scenario(scenario: Scenario) -> None:
        async def all_of_it() -> None:
            store, told = new_store(), asyncio.Queue[tuple[str, str, str]]()
            store.listen(lambda *said: told.put_nowait(said), lambda: None)

            async def heard() -> tuple[str, str, str]:
                """The next message, except those that only say that counts have changed."""
                while True:
                    said = await asyncio.wait_for(told.get(), PATIENCE)
                    if said[2] != CHANGED:
                        return said

            assert await store.open(CODE, "digest")
            await store.subscribe(CODE)
            try:
                await scenario(store, heard)
            finally:
                await store.close()

        in_a_loop(all_of_it())

    return run_scenario


async def refusal(doing: Coroutine[Any, Any, Any]) -> Literal["closed", "wrong", "full"]:
    with pytest.raises(RefusedError) as refused:
        await doing
    return refused.value.why


def test_a_new_room_stands_at_the_beginning(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert (await store.entrance(CODE)).secret == "digest"
        standing = await store.standing(CODE, "ada")
        state = {"seq": 0, "mode": "follow", "address": "", "views": {}, "run": False}
        assert standing.state.to_json() == state
        assert (standing.question, standing.answer, standing.answered) == (None, None, 0)

    run(scenario)


def test_a_code_is_given_once(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert not await store.open(CODE, "another")
        assert (await store.entrance(CODE)).secret == "digest"

    run(scenario)


def test_there_are_so_many_rooms_and_no_more(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert isinstance(store, MemoryStore | RedisStore)
        store.max_rooms = 2
        await store.sit(CODE, "p", ["ada"])
        assert await store.open("AAAAA", "")
        await store.sit("AAAAA", "p", ["ada"])
        with pytest.raises(FullError):
            await store.open("BBBBB", "")
        await store.end("AAAAA")
        assert await store.open("BBBBB", "")

    run(scenario)


def test_a_room_in_which_nobody_is_makes_place_for_another_the_oldest_first(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert isinstance(store, MemoryStore | RedisStore)
        store.max_rooms = 3
        await store.sit(CODE, "p", ["ada"])
        assert await store.open("AAAAA", "")
        await store.sit("AAAAA", "p", ["ada"])
        await store.sit("AAAAA", "p", None)  # all have left it
        assert await store.open("BBBBB", "")
        assert await store.open("CCCCC", "")
        with pytest.raises(GoneError):
            await store.entrance("AAAAA")
        for code in (CODE, "BBBBB", "CCCCC"):
            await store.entrance(code)

    run(scenario)


def test_what_is_given_replaces_what_the_state_has(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.change(CODE, {"address": "heads?head=2", "views": {"a": {"head": 1}}}, "somebody")
        await store.change(CODE, {"views": {"b": {"text": "é\ud800"}}, "run": True})
        await store.change(CODE, {"mode": "pause"})
        state = (await store.standing(CODE, "ada")).state
        kept = {"address": "heads?head=2", "views": {"b": {"text": "é\ud800"}}, "run": True}
        assert state.to_json() == {"seq": 3, "mode": "pause", **kept}
        code, but, text = await heard()
        assert (code, but) == (CODE, "somebody")
        assert json.loads(text) == {"state": {"seq": 1, "address": "heads?head=2", "views": {"a": {"head": 1}}}}
        code, but, text = await heard()
        assert (code, but) == (CODE, "")
        assert json.loads(text) == {"state": {"seq": 2, "views": {"b": {"text": "é\ud800"}}, "run": True}}
        assert json.loads((await heard())[2]) == {"state": {"seq": 3, "mode": "pause"}}

    run(scenario)


def test_changes_at_once_get_numbers_in_the_order_in_which_they_are_told(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await asyncio.gather(*(store.change(CODE, {"address": f"?n={n}"}) for n in range(20)))
        told = [json.loads((await heard())[2])["state"] for _ in range(20)]
        assert [one["seq"] for one in told] == list(range(1, 21))
        state = (await store.standing(CODE, "ada")).state
        assert (state.seq, state.address) == (20, told[-1]["address"])

    run(scenario)


def test_an_answer_counts_once(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        assert json.loads((await heard())[2]) == {"question": CELLS.to_json()}
        await store.answer(CODE, "ada", "q1", [1])
        await store.answer(CODE, "ada", "q1", [3, 0])
        await store.answer(CODE, "bob", "q1", [2])
        standing = await store.standing(CODE, "ada")
        assert standing.question == CELLS
        assert (standing.answer, standing.answered) == ("[0,3]", 2)
        assert (await store.standing(CODE, "carl")).answer is None
        assert [one.text for one in await store.answers(CODE, "q1")] == ["[0,3]", "[2]"]

    run(scenario)


def test_all_who_answer_at_once_are_counted(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        await asyncio.gather(*(store.answer(CODE, f"member{n}", "q1", [n % 4]) for n in range(90)))
        assert (await store.standing(CODE, "ada")).answered == len(await store.answers(CODE, "q1")) == 90

    run(scenario)


def test_what_answers_nothing_is_refused(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert await refusal(store.answer(CODE, "ada", "q1", [1])) == "closed"
        await store.ask(CODE, CELLS)
        assert await refusal(store.answer(CODE, "ada", "q2", [1])) == "closed"
        assert await refusal(store.answer(CODE, "ada", "q1", [4])) == "wrong"
        assert await store.close_question(CODE, "q1") == CELLS.closed()
        assert await refusal(store.answer(CODE, "ada", "q1", [1])) == "closed"
        assert await store.answers(CODE, "q1") == []

    run(scenario)


def test_a_room_keeps_so_much_of_answers_and_no_more(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (memory, redis_store):
        monkeypatch.setattr(module, "MAX_ANSWERS", 3 * SIZE)

    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        for member in ("ada", "bob", "eve", "ada"):
            await store.answer(CODE, member, "q1", [1])
        assert await refusal(store.answer(CODE, "joe", "q1", [1])) == "full"
        assert await refusal(store.answer(CODE, "ada", "q1", [1, 2])) == "full"
        await store.ask(CODE, replace(CELLS, size=5))  # a changed question: its answers are forgotten
        await store.answer(CODE, "joe", "q1", [4])

    run(scenario)


def test_all_rooms_keep_so_much_of_answers_and_an_empty_one_ends_before_one_in_use(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (memory, redis_store):
        monkeypatch.setattr(module, "MAX_ALL_ANSWERS", 2 * SIZE)
    monkeypatch.setattr(redis_store, "LOOK", 0)

    async def scenario(store: Store, heard: Heard) -> None:
        for code in ("AAAAA", "BBBBB"):
            await store.open(code, "digest")
            await store.ask(code, CELLS)
            await store.answer(code, "ada", "q1", [1])
        await store.sit("AAAAA", "p", ["ada"])
        await store.ask(CODE, CELLS)
        for member in ("ada", "bob"):
            with suppress(RefusedError):
                await store.answer(CODE, member, "q1", [1])
        await store.entrance("AAAAA")  # in which somebody is
        with pytest.raises(GoneError):
            await store.entrance("BBBBB")
        for member in ("eve", "joe"):  # a store may notice only a moment later that it is full
            with suppress(RefusedError):
                await store.answer(CODE, member, "q1", [1])
        assert await refusal(store.answer(CODE, "liz", "q1", [1])) == "full"
        assert len(await store.answers(CODE, "q1")) <= 2

    run(scenario)


def test_a_question_asked_again_keeps_its_answers_and_its_place(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        await store.answer(CODE, "ada", "q1", [1])
        number = Question("q2", "number", 1, 0, "How many?", open=True)
        await store.ask(CODE, number)
        await store.close_question(CODE, "q1")
        again = replace(CELLS, title="Where now?")
        await store.ask(CODE, again)
        assert await store.questions(CODE) == [again, number]
        assert (await store.standing(CODE, "ada")).answer == "[1]"
        await store.ask(CODE, replace(CELLS, kind="curve"))
        standing = await store.standing(CODE, "ada")
        assert (standing.answer, standing.answered) == (None, 0)
        await store.ask(CODE, None)
        assert (await store.standing(CODE, "ada")).question is None

    run(scenario)


def test_of_a_question_it_is_known_when_how_many_and_what_is_true(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.sit(CODE, "p", ["ada", "bob"])
        await store.ask(CODE, CELLS)
        asked = (await store.record(CODE, "q1")).asked
        assert asked and await store.record(CODE, "q1") == Record(asked=asked)
        await store.ask(CODE, None)  # left, and asked again
        assert await store.record(CODE, "q1") == Record(asked=asked, members=2)
        await store.ask(CODE, CELLS)
        await store.sit(CODE, "p", ["ada"])
        await store.close_question(CODE, "q1", truth=TRUTH)
        record = await store.record(CODE, "q1")
        assert record.truth and json.loads(record.truth) == TRUTH
        assert (record.asked, record.members) == (asked, 1) and record.revealed
        await store.ask(CODE, replace(CELLS, size=6))  # of another matrix, nothing of that is true
        again = await store.record(CODE, "q1")
        assert again.asked and again == Record(asked=again.asked)

    run(scenario)


def test_what_is_true_takes_the_place_of_answers_and_is_left_out_where_there_is_none(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (memory, redis_store):
        monkeypatch.setattr(module, "MAX_ANSWERS", len(written(TRUTH)) + SIZE)

    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        await store.close_question(CODE, "q1", truth={**TRUTH, "rows": ["a", "b" * (SIZE + 2)]})
        assert (await store.record(CODE, "q1")).truth is None
        for _ in range(2):  # the second takes the place of the first
            await store.close_question(CODE, "q1", truth=TRUTH)
        await store.ask(CODE, CELLS)
        await store.answer(CODE, "ada", "q1", [1])
        assert await refusal(store.answer(CODE, "bob", "q1", [1])) == "full"
        await store.ask(CODE, replace(CELLS, size=6))
        await store.answer(CODE, "bob", "q1", [1])

    run(scenario)


def test_what_is_not_true_of_a_question_reveals_nothing(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        with pytest.raises(WrongTruthError):
            await store.close_question(CODE, "q1", truth={**TRUTH, "values": [1]})
        assert (await store.standing(CODE, "ada")).question == CELLS

    run(scenario)


@pytest.mark.parametrize("text", ["[0,3]", "3.0", '"a b"', '"1 2Z 3"'])
def test_an_answer_is_read_also_where_it_was_kept_before_times_were(text: str) -> None:
    assert Given.read(text) == Given(text, "")
    assert Given.read(Given(text, to_the_minute(0)).kept) == Given(text, "1970-01-01T00:00Z")


def test_a_room_has_so_many_questions_and_no_more(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        for n in range(MAX_QUESTIONS):
            await store.ask(CODE, replace(CELLS, id=f"q{n}"))
        assert await refusal(store.ask(CODE, replace(CELLS, id="more"))) == "full"
        await store.ask(CODE, replace(CELLS, id="q7"))
        assert len(await store.questions(CODE)) == MAX_QUESTIONS

    run(scenario)


def test_what_is_revealed_is_the_rooms_question(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        await store.ask(CODE, None)
        await store.close_question(CODE, "q1")
        told = [json.loads((await heard())[2])["question"] for _ in range(3)]
        assert told == [CELLS.to_json(), None, CELLS.closed().to_json()]
        assert (await store.standing(CODE, "ada")).question == CELLS.closed()
        with pytest.raises(KeyError):
            await store.close_question(CODE, "q2")

    run(scenario)


def test_a_lecturer_who_waits_alone_keeps_the_room(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert isinstance(store, MemoryStore | RedisStore)
        store.max_rooms = 2
        assert (await store.sit(CODE, "p", [])).members == 0
        for code in ("AAAAA", "BBBBB", "CCCCC"):  # each replaces the one before, which is empty
            assert await store.open(code, "")
        await store.entrance(CODE)
        with pytest.raises(GoneError):
            await store.entrance("BBBBB")
        await store.sit(CODE, "p", None)
        await store.sit("CCCCC", "p", [])
        assert await store.open("DDDDD", "")
        with pytest.raises(GoneError):
            await store.entrance(CODE)

    run(scenario)


def test_members_of_all_processes_are_added(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        assert (await store.sit(CODE, "one", ["ada", "bob", "eve"])).members == 3
        assert (await store.sit(CODE, "other", ["eve", "joe"])).members == 4  # eve has two tabs
        await store.ask(CODE, CELLS)
        await store.answer(CODE, "ada", "q1", [1])
        counts = await store.sit(CODE, "one", None)
        assert (counts.members, counts.question, counts.answered) == (2, "q1", 1)

    run(scenario)


def test_a_room_that_was_ended_is_gone(run: Run) -> None:
    async def scenario(store: Store, heard: Heard) -> None:
        await store.ask(CODE, CELLS)
        await store.answer(CODE, "ada", "q1", [1])
        await heard()
        await store.end(CODE)
        assert (await heard())[2] == ENDED
        for doing in (
            store.entrance(CODE), store.standing(CODE, "ada"), store.sit(CODE, "one", ["ada"]), store.end(CODE),
            store.change(CODE, {"run": True}), store.ask(CODE, CELLS), store.ask(CODE, None), store.questions(CODE),
            store.close_question(CODE, "q1"), store.answer(CODE, "ada", "q1", [1]),
        ):  # fmt: skip
            with pytest.raises(GoneError):
                await doing
        assert await store.open(CODE, "another")
        assert await store.questions(CODE) == []

    run(scenario)


def test_a_room_of_this_process_expires() -> None:
    now = 0.0

    async def scenario() -> None:
        nonlocal now
        store = MemoryStore(lambda: now, max_rooms=1)
        await store.open(CODE, "digest")
        now = LIFE - 1
        await store.change(CODE, {"run": True})  # does not prolong its life
        await store.sit(CODE, "p", ["ada"])
        with pytest.raises(FullError):
            await store.open("BBBBB", "digest")
        now = LIFE
        with pytest.raises(GoneError):
            await store.standing(CODE, "ada")
        assert await store.open("BBBBB", "digest")
        assert list(store.rooms) == ["BBBBB"]

    in_a_loop(scenario())


@needs_redis
def test_nothing_in_redis_outlives_the_room(redis_server: RedisServer) -> None:
    with Redis.from_url(redis_server.address, decode_responses=True) as client:
        client.flushall()

        async def scenario() -> None:
            store = store_at(redis_server.address)
            await store.open(CODE, "digest")
            client.expire(f"viz:room:{CODE}", 3600)  # opened eleven hours ago
            client.hincrby(f"viz:room:{CODE}", "expires", 3600 - LIFE)
            await store.ask(CODE, CELLS)
            await store.answer(CODE, "ada", "q1", [1])
            await store.change(CODE, {"run": True})
            await store.sit(CODE, "one", ["ada"])
            await store.close()

        in_a_loop(scenario())
        keys = client.keys()
        assert isinstance(keys, list)
        assert {key.removeprefix(f"viz:room:{CODE}:") for key in keys} == {
            "answers:q1", "here", "questions", "records", f"viz:room:{CODE}", "viz:room:all", "viz:room:sizes",
        }  # fmt: skip
        left = {key: client.ttl(key) for key in keys}
        for of_all in ("viz:room:all", "viz:room:sizes"):
            assert LIFE - 60 < left.pop(of_all) <= LIFE
        assert all(3600 - 60 < seconds <= 3600 for seconds in left.values()), left


@needs_redis
def test_who_is_not_heard_of_any_more_is_not_counted(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        store = RedisStore.at(redis_server.address, fresh=1)
        await store.open("DDDDD", "digest")
        await store.sit("DDDDD", "killed", ["ada"])
        async with asyncio.timeout(PATIENCE):
            while (await store.sit("DDDDD", "one", ["bob", "eve"])).members != 2:
                pass
        await store.close()

    in_a_loop(scenario())


def test_without_its_server_a_store_says_that_it_is_out_of_reach() -> None:
    async def scenario() -> None:
        store = store_at("redis://:secret@127.0.0.1:1")
        with pytest.raises(UnreachableError):
            await store.open(CODE, "digest")
        with pytest.raises(UnreachableError):
            await store.standing(CODE, "ada")
        await store.close()

    in_a_loop(scenario())


@pytest.mark.parametrize(
    ("address", "encrypts"),
    [("redis://x", False), ("rediss://x", True), ("valkey://x", False), ("valkeys://x:6380/1", True)],
)
def test_an_address_names_a_store(address: str, encrypts: bool) -> None:
    store = store_at(address)
    assert isinstance(store, RedisStore)
    for client in (store.client, store.listener):
        assert (client.connection_pool.connection_class.__name__ == "SSLConnection") == encrypts


def test_without_an_address_rooms_are_kept_here() -> None:
    assert isinstance(store_at(""), MemoryStore)


@pytest.mark.parametrize(
    "address", ["http://secret", "secret", "redis:secret", "redis://:sec/ret@x:1", "redis://x?db=secret", "valkey"]
)
def test_what_is_no_address_gets_a_sentence_without_the_password(address: str) -> None:
    with pytest.raises(ValueError, match="The address of the store of rooms") as refused:
        store_at(address)
    assert "sec" not in str(refused.value)
    assert refused.value.__cause__ is None
