"""Rooms in Redis or Valkey, for several processes: each sees the same rooms, and hears what the others do in them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import asdict, replace
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostError
from redis.exceptions import RedisError

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
    UnreachableError,
    question_message,
    rules_message,
    size_of,
    state_message,
    tally_message,
    to_the_minute,
    to_the_second,
)

PREFIX = "viz:room:"  # of all keys and channels
ALL = f"{PREFIX}all"  # codes of open rooms by when they expire; as a channel, it only keeps a subscription alive
SIZES = f"{PREFIX}sizes"  # characters of answers and of what is true, by code
FRESH = 15  # seconds for which a process's list of its members is valid
PATIENCE = 5.0  # seconds for an answer
CONNECTIONS = 32  # at once, of one process
LOOK = 1.0  # seconds between two checks of how much all rooms hold together
PAUSE = 0.2  # seconds between two attempts to subscribe again

Pipe = Any  # redis-py's own types have answers that may be bytes
P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger(__name__)


def reaching(
    method: Callable[P, Coroutine[Any, Any, R]],
) -> Callable[P, Coroutine[Any, Any, R]]:
    """Turns the errors of the client library into `UnreachableError`."""

    @wraps(method)
    async def reach(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await method(*args, **kwargs)
        except (RedisError, OSError, TimeoutError) as error:
            raise UnreachableError from error

    return reach


def room_key(code: str) -> str:
    """The key of a room's state, secret and current question; also the name of its channel."""
    return f"{PREFIX}{code}"


def questions_key(code: str) -> str:
    return f"{PREFIX}{code}:questions"


def answers_key(code: str, question: str) -> str:
    return f"{PREFIX}{code}:answers:{question}"


def records_key(code: str) -> str:
    return f"{PREFIX}{code}:records"


def here_key(code: str) -> str:
    """The key of a hash with, for each process, its members and when it wrote them."""
    return f"{PREFIX}{code}:here"


def removed_key(code: str) -> str:
    return f"{PREFIX}{code}:removed"


class RedisStore:
    """A write that depends on what was read is made only if that has not changed since (WATCH, MULTI).

    Args:
        client: for all reads and writes.
        listener: a client that does not reconnect by itself, since messages would then be missed unnoticed.
    """

    def __init__(self, client: Redis, listener: Redis, max_rooms: int = MAX_ROOMS, fresh: float = FRESH) -> None:
        self.client: Any = client  # whose types leave open whether it is asynchronous
        self.listener, self.max_rooms, self.fresh = listener, max_rooms, fresh
        self.hear: Hear = lambda code, but, text: None
        self.back: Callable[[], None] = lambda: None
        self.channels: dict[str, asyncio.Future[None]] = {}  # done once subscribed
        self.looked, self.is_full = -LOOK, False  # when all rooms' sizes were read, and whether they were too large
        self.pubsub: PubSub | None = None
        self.listening: asyncio.Task[None] | None = None

    @classmethod
    def at(cls, address: str, fresh: float = FRESH) -> Self:
        """A store that connects when first used. Raises `ValueError`, whose text may quote the address."""
        pool = BlockingConnectionPool.from_url(
            address,
            max_connections=CONNECTIONS,
            timeout=PATIENCE,
            retry=Retry(NoBackoff(), 1),  # a connection that lay idle may be dead
            decode_responses=True,
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
        )
        listener = Redis.from_url(
            address,
            retry=Retry(NoBackoff(), 0),
            decode_responses=True,
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
        )
        return cls(Redis.from_pool(pool), listener, fresh=fresh)

    def listen(self, hear: Hear, back: Callable[[], None]) -> None:
        self.hear, self.back = hear, back

    @reaching
    async def open(self, code: str, secret: str) -> bool:
        key = room_key(code)
        if await self.client.zcard(ALL) >= self.max_rooms:
            await self._end_one()

        async def claim(pipe: Pipe) -> bool:
            now = await self._now(pipe)
            if await pipe.zcount(ALL, f"({now}", "+inf") >= self.max_rooms:
                raise FullError
            is_taken = bool(await pipe.exists(key))
            pipe.multi()
            if is_taken:
                return False
            expires = now + LIFE
            pipe.zremrangebyscore(ALL, "-inf", now)
            pipe.zadd(ALL, {code: expires})
            pipe.expireat(ALL, expires)
            pipe.hset(key, mapping={"secret": secret, "expires": expires, **_fields(State().to_json())})
            pipe.expireat(key, expires)
            return True

        return bool(await self.client.transaction(claim, ALL, key, value_from_callable=True))

    async def _end_one(self) -> None:
        """Ends the oldest room in which nobody is, so that whoever opens many keeps nobody from opening one."""
        now = await self._now(self.client)
        await self.client.zremrangebyscore(ALL, "-inf", now)
        for code in await self.client.zrange(ALL, 0, -1):
            if await self._end_if_empty(code, now):
                return

    async def _end_if_empty(self, code: str, now: int) -> bool:
        if self._members(await self.client.hgetall(here_key(code)), now):
            return False
        with suppress(GoneError):
            await self.end(code)
        return True

    async def _make_room(self, but: str) -> bool:
        """Ends the oldest empty rooms if all hold too much -> whether more fits. Checked every `LOOK` seconds."""
        if time.monotonic() < self.looked + LOOK:
            return not self.is_full
        self.looked = time.monotonic()
        now = await self._now(self.client)
        sizes = dict(await self.client.zrange(SIZES, 0, -1, withscores=True))
        codes = await self.client.zrangebyscore(ALL, f"({now}", "+inf")
        if expired := sizes.keys() - set(codes):
            await self.client.zrem(SIZES, *expired)
        excess = sum(sizes.get(code, 0) for code in codes) - MAX_ALL_ANSWERS
        for code in codes:
            if excess > 0 and sizes.get(code) and code != but and await self._end_if_empty(code, now):
                excess -= sizes[code]
        self.is_full = excess > 0
        return not self.is_full

    @reaching
    async def entrance(self, code: str) -> Entrance:
        secret, rules = await self.client.hmget(room_key(code), "secret", "rules")
        return Entrance(_there(secret), Rules.from_json(rules))

    @reaching
    async def standing(self, code: str, member: str) -> Standing:
        async with self.client.pipeline() as pipe:
            pipe.hgetall(room_key(code))
            pipe.sismember(removed_key(code), member)
            room, is_removed = await pipe.execute()
        if not room:
            raise GoneError
        state = State(int(room["seq"]), *(json.loads(room[name]) for name in ("mode", "address", "views", "run")))
        rules, asked = Rules.from_json(room.get("rules")), room.get("asked")
        if asked is None:
            return Standing(state, rules, None, None, 0, None, bool(is_removed))
        async with self.client.pipeline() as pipe:
            pipe.hget(questions_key(code), asked)
            pipe.hget(answers_key(code, asked), member)
            pipe.hlen(answers_key(code, asked))
            kept, answer, answered = await pipe.execute()
        question, answer = _question(_there(kept)), answer and Given.read(answer).text
        return Standing(state, rules, question, answer, answered, room.get("tally"), bool(is_removed))

    @reaching
    async def sit(self, code: str, process: str, members: Collection[str] | None) -> Counts:
        async with self.client.pipeline() as pipe:
            pipe.time()
            pipe.hmget(room_key(code), "expires", "asked")
            pipe.hgetall(here_key(code))
            (now, _), (expires, asked), said = await pipe.execute()
        _there(expires)
        fresh = self._members(said, now)
        before, own = fresh.pop(process, frozenset()), frozenset(members or ())
        old = said.keys() - fresh.keys()
        async with self.client.pipeline() as pipe:
            pipe.hlen(answers_key(code, asked or ""))
            if old:
                pipe.hdel(here_key(code), *old)
            if members is not None:
                pipe.hset(here_key(code), process, written([sorted(own), now]))
            pipe.expireat(here_key(code), int(expires))
            if before != own:
                self._publish(pipe, code, CHANGED)
            answered = (await pipe.execute())[0]
        return Counts(len(own.union(*fresh.values())), asked, answered)

    def _members(self, said: dict[str, str], now: int) -> dict[str, frozenset[str]]:
        """The members of each process whose list is still valid."""
        read = {process: json.loads(text) for process, text in said.items()}
        return {process: frozenset(members) for process, (members, when) in read.items() if when > now - self.fresh}

    @reaching
    async def change(self, code: str, given: dict[str, Any], but: str = "") -> None:
        key = room_key(code)

        async def write(pipe: Pipe) -> None:
            seq = int(_there(await pipe.hget(key, "seq"))) + 1
            pipe.multi()
            pipe.hset(key, mapping={**_fields(given), "seq": seq})
            self._publish(pipe, code, state_message(seq, given), but)

        await self.client.transaction(write, key)

    @reaching
    async def set_rules(self, code: str, given: dict[str, bool]) -> Rules:
        key = room_key(code)

        async def write(pipe: Pipe) -> Rules:
            _there(await pipe.hget(key, "expires"))
            rules = replace(Rules.from_json(await pipe.hget(key, "rules")), **given)
            pipe.multi()
            pipe.hset(key, "rules", written(rules.to_json()))
            self._publish(pipe, code, rules_message(rules))
            return rules

        rules = await self.client.transaction(write, key, value_from_callable=True)
        assert isinstance(rules, Rules)
        return rules

    @reaching
    async def ask(self, code: str, question: Question | None) -> None:
        key = room_key(code)

        async def write(pipe: Pipe) -> None:
            expires = int(_there(await pipe.hget(key, "expires")))
            now = await self._now(pipe)
            records = await self._left(pipe, code, now)
            if question is None:
                pipe.multi()
                pipe.hdel(key, "asked", "tally")
            else:
                place, forgotten = await self._place(pipe, code, question)
                if forgotten is not None:
                    records[question.id] = Record(asked=to_the_second(now))
                pipe.multi()
                pipe.hset(questions_key(code), question.id, written([place, question.to_json()]))
                pipe.expireat(questions_key(code), expires)
                if forgotten:
                    pipe.delete(answers_key(code, question.id))
                    pipe.zincrby(SIZES, -forgotten, code)
                pipe.hset(key, "asked", question.id)
                pipe.hdel(key, "tally")
            self._keep_records(pipe, code, records, expires)
            self._publish(pipe, code, question_message(question))
            self._publish(pipe, code, CHANGED)

        answers = [answers_key(code, question.id)] if question else []
        watched = [key, questions_key(code), records_key(code), *answers]
        await self.client.transaction(write, *watched)

    async def _left(self, pipe: Pipe, code: str, now: int) -> dict[str, Record]:
        """The record of the current question where it is left without a reveal, with how many are there."""
        asked = await pipe.hget(room_key(code), "asked")
        kept = asked and await pipe.hget(questions_key(code), asked)
        if not kept or not _question(kept).open:
            return {}
        return {asked: replace(await self._record(pipe, code, asked), members=await self._count(pipe, code, now))}

    async def _count(self, pipe: Pipe, code: str, now: int) -> int:
        members = self._members(await pipe.hgetall(here_key(code)), now)
        return len(frozenset().union(*members.values()))

    @staticmethod
    async def _record(pipe: Pipe, code: str, id: str) -> Record:
        return Record(**json.loads(await pipe.hget(records_key(code), id) or "{}"))

    @staticmethod
    def _keep_records(pipe: Pipe, code: str, records: dict[str, Record], expires: int) -> None:
        for id, record in records.items():
            pipe.hset(records_key(code), id, written(asdict(record)))
            pipe.expireat(records_key(code), expires)

    async def _place(self, pipe: Pipe, code: str, question: Question) -> tuple[int, int | None]:
        """Its place among the room's questions, and the size of what is kept of it if that no longer fits."""
        kept = await pipe.hget(questions_key(code), question.id)
        if kept is not None:
            if question.keeps_answers_of(_question(kept)):
                return _place(kept), None
            answers = await pipe.hgetall(answers_key(code, question.id))
            return _place(kept), size_of(answers) + (await self._record(pipe, code, question.id)).size
        place = int(await pipe.hlen(questions_key(code)))
        if place >= MAX_QUESTIONS:
            raise RefusedError("full")
        return place, 0

    @reaching
    async def close_question(self, code: str, id: str, unread: bool = False, truth: Any = None) -> Question:
        key = room_key(code)
        can_keep = await self._make_room(code)

        async def write(pipe: Pipe) -> Question:
            expires = int(_there(await pipe.hget(key, "expires")))
            kept = await pipe.hget(questions_key(code), id)
            if kept is None:
                raise KeyError(id)
            asked, record, more = _question(kept), await self._record(pipe, code, id), 0
            question = asked.closed(unread)
            if asked.open:
                now = await self._now(pipe)
                record = replace(record, revealed=to_the_second(now), members=await self._count(pipe, code, now))
            if truth is not None:
                with_truth = replace(record, truth=written(question.check_truth(truth)))
                larger = with_truth.size - record.size
                if can_keep and (await pipe.zscore(SIZES, code) or 0) + larger <= MAX_ANSWERS:
                    record, more = with_truth, larger
            pipe.multi()
            self._keep_records(pipe, code, {id: record}, expires)
            if more:
                pipe.zincrby(SIZES, more, code)
                pipe.expire(SIZES, LIFE)  # no room that is there now lives longer
            pipe.hset(questions_key(code), id, written([_place(kept), question.to_json()]))
            pipe.hset(key, "asked", id)
            pipe.hdel(key, "tally")
            self._publish(pipe, code, question_message(question))
            self._publish(pipe, code, CHANGED)
            return question

        watched = [key, questions_key(code), records_key(code)]
        closed = await self.client.transaction(write, *watched, value_from_callable=True)
        assert isinstance(closed, Question)
        return closed

    @reaching
    async def answer(self, code: str, member: str, id: str, guess: Any) -> None:
        answers = answers_key(code, id)
        can_keep = await self._make_room(code)

        async def write(pipe: Pipe) -> None:
            expires = int(_there(await pipe.hget(room_key(code), "expires")))
            kept = await pipe.hget(questions_key(code), id)
            if kept is None or not _question(kept).open:
                raise RefusedError("closed")
            try:
                given = Given(written(_question(kept).check(guess)), to_the_minute(await self._now(pipe)))
            except WrongGuessError as error:
                raise RefusedError("wrong") from error
            earlier, text = await pipe.hget(answers, member), given.kept
            more = size_of({member: text}) - (0 if earlier is None else size_of({member: earlier}))
            if more > 0 and (not can_keep or (await pipe.zscore(SIZES, code) or 0) + more > MAX_ANSWERS):
                raise RefusedError("full")
            pipe.multi()
            pipe.hset(answers, member, text)
            pipe.expireat(answers, expires)
            pipe.zincrby(SIZES, more, code)
            pipe.expire(SIZES, LIFE)  # no room that is there now lives longer
            self._publish(pipe, code, CHANGED)

        # The answers are not watched: those of others do not matter here, and come often when a whole class answers.
        await self.client.transaction(write, questions_key(code))

    @reaching
    async def answers(self, code: str, id: str, here: bool = False) -> list[Given]:
        async with self.client.pipeline() as pipe:
            pipe.time()
            pipe.hgetall(answers_key(code, id))
            pipe.hgetall(here_key(code))
            (now, _), answers, said = await pipe.execute()
        members = frozenset().union(*self._members(said, now).values())
        return sorted(Given.read(text) for member, text in answers.items() if not here or member in members)

    @reaching
    async def keep_tally(self, code: str, question: Question, tally: str) -> None:
        key = room_key(code)

        async def write(pipe: Pipe) -> None:
            is_asked = await pipe.hget(key, "asked") == question.id
            pipe.multi()
            if is_asked:
                pipe.hset(key, "tally", tally)
                self._publish(pipe, code, tally_message(question, tally))

        await self.client.transaction(write, key)

    @reaching
    async def remove(self, code: str, id: str, guess: Any) -> Question | None:
        answers = answers_key(code, id)

        async def write(pipe: Pipe) -> Question | None:
            expires = int(_there(await pipe.hget(room_key(code), "expires")))
            asked = await pipe.hget(questions_key(code), id)
            given = await pipe.hgetall(answers)
            gone = {member: text for member, text in given.items() if json.loads(Given.read(text).text) == guess}
            pipe.multi()
            if gone:
                pipe.hdel(answers, *gone)
                pipe.zincrby(SIZES, -size_of(gone), code)
                pipe.sadd(removed_key(code), *gone)
                pipe.expireat(removed_key(code), expires)
            self._publish(pipe, code, PUT_OUT + written([*gone]))
            self._publish(pipe, code, CHANGED)
            return asked and _question(asked)

        question = await self.client.transaction(write, answers, value_from_callable=True)
        assert question is None or isinstance(question, Question)
        return question

    @reaching
    async def questions(self, code: str) -> list[Question]:
        _there(await self.client.hget(room_key(code), "expires"))
        kept = await self.client.hvals(questions_key(code))
        return [_question(text) for text in sorted(kept, key=_place)]

    @reaching
    async def record(self, code: str, id: str) -> Record:
        return await self._record(self.client, code, id)

    @reaching
    async def end(self, code: str) -> None:
        ids = await self.client.hkeys(questions_key(code))
        async with self.client.pipeline() as pipe:
            pipe.delete(room_key(code))
            pipe.delete(questions_key(code), records_key(code), here_key(code), removed_key(code))
            for id in ids:
                pipe.delete(answers_key(code, id))
            pipe.zrem(ALL, code)
            pipe.zrem(SIZES, code)
            self._publish(pipe, code, ENDED)
            if not (await pipe.execute())[0]:
                raise GoneError

    @reaching
    async def subscribe(self, code: str) -> None:
        key = room_key(code)
        heard = self.channels[key] = asyncio.get_running_loop().create_future()
        if self.listening is None:
            self.listening = asyncio.create_task(self._listen())
        elif self.pubsub is not None:
            with suppress(RedisError, OSError):  # the connection is lost; `_listen` subscribes to all channels again
                await self.pubsub.subscribe(key)
        try:
            await asyncio.wait_for(heard, PATIENCE)
        except TimeoutError:
            self.channels.pop(key, None)
            raise

    async def unsubscribe(self, code: str) -> None:
        self.channels.pop(room_key(code), None)
        if self.pubsub is not None:
            with suppress(RedisError, OSError):
                await self.pubsub.unsubscribe(room_key(code))

    async def close(self) -> None:
        if self.listening is not None:
            self.listening.cancel()
            with suppress(asyncio.CancelledError):
                await self.listening
        with suppress(RedisError, OSError):
            await self.listener.aclose()
            await self.client.aclose()

    async def _listen(self) -> None:
        """Keeps a subscription to all channels open, and begins another one when it is lost."""
        was_lost = False
        while True:
            pubsub = self.listener.pubsub()
            try:
                await self._hear_all(pubsub, was_lost)
            except (RedisError, OSError) as error:
                if self.pubsub is not None or not was_lost:  # else that has been logged
                    log.warning("The store of rooms is lost: %s", error)
                was_lost = True
            finally:
                self.pubsub = None
                with suppress(RedisError, OSError):
                    await pubsub.aclose()
            await asyncio.sleep(PAUSE)

    async def _hear_all(self, pubsub: PubSub, was_lost: bool) -> None:
        if was_lost:
            await self.client.ping()  # while a store loads its data, one can subscribe, but nothing else
        asked = list(self.channels)
        await pubsub.subscribe(*asked, ALL)
        self.pubsub = pubsub
        if late := self.channels.keys() - set(asked):
            await pubsub.subscribe(*late)
        is_silent = False
        while True:
            message = await pubsub.get_message(timeout=PATIENCE)
            if message is None:
                if is_silent:
                    raise LostError("it is silent")
                await pubsub.ping()
            is_silent = message is None
            match message:
                case {"type": "message", "channel": channel, "data": data}:
                    but, _, text = data.partition(" ")
                    self.hear(channel.removeprefix(PREFIX), but, text)
                    await asyncio.sleep(0)  # lets it be sent to clients before the next one, however many came at once
                case {"type": "subscribe", "channel": channel} if channel == ALL:  # asked for last
                    if was_lost:
                        self.back()
                case {"type": "subscribe", "channel": channel} if channel in self.channels:
                    if not self.channels[channel].done():
                        self.channels[channel].set_result(None)

    @staticmethod
    def _publish(pipe: Pipe, code: str, text: str, but: str = "") -> None:
        pipe.publish(room_key(code), f"{but} {text}")

    @staticmethod
    async def _now(pipe: Pipe) -> int:
        """By the clock of the store, which all processes share."""
        seconds, _ = await pipe.time()
        return int(seconds)


def _fields(given: dict[str, Any]) -> dict[str, str]:
    """The values as the room's hash keeps them: as JSON."""
    return {name: written(value) for name, value in given.items()}


def _there(value: str | None) -> str:
    if value is None:
        raise GoneError
    return value


def _question(kept: str) -> Question:
    return Question(**json.loads(kept)[1])


def _place(kept: str) -> int:
    return int(json.loads(kept)[0])
