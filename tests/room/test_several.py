"""Servers that share one Redis, and what becomes of a class when a server or the Redis is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from redis import Redis

from tests.room.conftest import RedisServer, free_port, needs_redis
from tests.room.serving import FRESH, Class, Serving, in_class, open_room
from viz_transformer.room.classroom_server import ClassroomServer
from viz_transformer.room.redis_store import RedisStore

pytestmark = needs_redis


def serving_at(redis: RedisServer) -> Serving:
    return Serving(ClassroomServer(RedisStore.at(redis.address, fresh=FRESH), beat=FRESH / 4))


@contextmanager
def another_process(redis: RedisServer) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    host = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "tests.room.serving", redis.address, host.split(":")[1]]
    with subprocess.Popen(command) as process:
        try:
            while True:
                try:
                    httpx.get(f"http://{host}/", trust_env=False)
                    break
                except httpx.ConnectError:
                    assert process.poll() is None
            yield host, process
        finally:
            process.kill()


def test_pages_of_both_servers_are_in_one_room(redis_server: RedisServer, question: dict[str, Any]) -> None:
    with serving_at(redis_server) as one, serving_at(redis_server) as other:

        async def scenario(room: Class) -> None:
            lecturer, ada = await room.lead(), await room.join("member-ada")
            bob = await room.join("member-bob", host=other.host)
            await lecturer.hear("members", lambda n: n == 2)
            await lecturer.say(lead={"address": "heads"})
            await lecturer.say(ask=question)
            for page in (ada, bob):
                assert await page.next() == {"state": {"seq": 1, "address": "heads"}}
                assert await page.next() == {"question": {**question, "open": True, "unread": False}}
                await page.say(answer={"id": "q1", "guess": [1]})
                await page.hear("counted")
            await lecturer.hear("answered", lambda said: said["n"] == 2)
            await (await room.lead(other.host)).say(reveal="q1")
            for page in (lecturer, ada, bob):
                assert (await page.hear("tally"))["counts"] == [0, 2, 0, 0]
            await lecturer.say(end=True)
            assert await ada.closed() == await bob.closed() == 4404

        in_class(one.host, scenario)


def test_where_a_server_is_killed_its_members_come_to_another(
    redis_server: RedisServer, question: dict[str, Any]
) -> None:
    with serving_at(redis_server) as one, another_process(redis_server) as (other, process):

        async def scenario(room: Class) -> None:
            lecturer, ada = await room.lead(), await room.join("member-ada", host=other)
            await room.join("member-bob", host=other)
            await lecturer.hear("members", lambda n: n == 2)
            await lecturer.say(ask=question)
            await ada.hear("question")
            await ada.say(answer={"id": "q1", "guess": [1]})
            await ada.hear("counted")
            process.kill()
            assert await ada.closed() == 1006
            ada = await room.join("member-ada")
            assert ada.welcome["answer"] == [1]
            await lecturer.hear("members", lambda n: n == 1)  # bob did not come back
            await lecturer.say(mode="free")
            assert await ada.hear("state") == {"seq": 1, "mode": "free"}

        in_class(one.host, scenario)


def test_without_redis_pages_stay_and_are_welcomed_when_it_is_back(lasting_redis: RedisServer) -> None:
    with serving_at(lasting_redis) as one, serving_at(lasting_redis) as other:

        async def scenario(room: Class) -> None:
            lecturer, ada = await room.lead(), await room.join("member-ada")
            bob = await room.join("member-bob", host=other.host)
            await lecturer.say(lead={"address": "heads"})
            for page in (ada, bob):
                await page.hear("state")
            lasting_redis.kill()
            await lecturer.say(mode="pause")
            assert await lecturer.closed() == 1013
            assert (await open_room(one.host)).json() == {"refused": "unavailable"}
            late = await room.knock()
            await late.say(hello={"seat": None, "secret": None})
            assert await late.closed() == 1013
            await ada.say(ping=1)
            assert await ada.next() == {"pong": 1}
            lasting_redis.start()
            for page in (ada, bob):
                assert (await page.hear("welcome"))["state"]["address"] == "heads"
            await (await room.lead()).say(mode="free")
            for page in (ada, bob):
                assert await page.hear("state") == {"seq": 2, "mode": "free"}

        in_class(one.host, scenario)


def test_where_redis_has_forgotten_the_room_it_is_gone(lasting_redis: RedisServer) -> None:
    lasting_redis.kill()
    lasting_redis.keeps = False
    lasting_redis.start()
    with serving_at(lasting_redis) as one:

        async def scenario(room: Class) -> None:
            ada = await room.join("member-ada")
            lasting_redis.kill()
            lasting_redis.start()
            assert await ada.closed() == 4404

        in_class(one.host, scenario)


def test_a_listener_that_is_cut_off_hears_of_it(redis_server: RedisServer) -> None:
    """Only the server's subscription is cut; pages get a new welcome, which has what was missed meanwhile."""
    with serving_at(redis_server) as one, Redis.from_url(redis_server.address) as client:

        async def scenario(room: Class) -> None:
            ada = await room.join("member-ada")
            client.client_kill_filter(_type="pubsub")
            assert (await ada.hear("welcome"))["state"]["seq"] == 0

        in_class(one.host, scenario)
