"""The door to all rooms, in one process: who is in them, what each may say, and who hears it."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, assert_never

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.websockets import WebSocket

from viz_transformer.room.client import FORBIDDEN, FULL, GONE, LEAVING, NONSENSE, TRY_AGAIN, Client, ClosedError
from viz_transformer.room.codes import CODE, digest, is_secret, new_code, new_secret
from viz_transformer.room.messages import (
    Answer,
    Ask,
    End,
    Export,
    FromLeader,
    Hello,
    Lead,
    Message,
    Ping,
    Reveal,
    SetMode,
    written,
)
from viz_transformer.room.question import Question
from viz_transformer.room.rates import Bucket, Buckets
from viz_transformer.room.store import (
    CHANGED,
    ENDED,
    Counts,
    FullError,
    GoneError,
    RefusedError,
    Store,
    UnreachableError,
)
from viz_transformer.room.tally import tally

MAX_MEMBERS = 1000  # of a room
MAX_SOCKETS = 3000  # of a process
OPENED = (1, 20)  # rooms a second, and at once, by one address
ALL_OPENED = (20, 200)  # by all of them, at one process
GREETING = 10.0  # seconds for the first message
BEAT = 5.0  # seconds after which a process says again how many members it has
OFTEN = 0.2  # seconds between two messages about how many they are


class Room:
    """What one process knows of a room: its own clients, and how many there are elsewhere."""

    def __init__(self) -> None:
        self.clients: set[Client] = set()
        self.members: Counter[str] = Counter()  # sockets of each
        self.others = 0  # members of other processes
        self.told: Counts | None = None  # what whoever leads has heard
        self.changed = asyncio.Event()
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.watching: asyncio.Task[None] | None = None
        self.tally: asyncio.Task[dict[str, Any]] | None = None  # of the question, where it is revealed

    @property
    def size(self) -> int:
        return len(self.members) + self.others


class Door:
    """Lets into rooms whoever may come in.

    Args:
        allows: whether a server may be called by a `Host`.
    """

    def __init__(
        self,
        store: Store,
        allows: Callable[[str], bool] = lambda host: True,
        max_members: int = MAX_MEMBERS,
        max_sockets: int = MAX_SOCKETS,
        beat: float = BEAT,
    ) -> None:
        self.store, self.allows = store, allows
        self.max_members, self.max_sockets, self.beat = max_members, max_sockets, beat
        self.process = secrets.token_urlsafe(8)
        self.rooms: dict[str, Room] = {}
        self.sockets = 0
        self.opened, self.opened_by_all = Buckets(*OPENED), Bucket(*ALL_OPENED)
        self.numbers = count()
        self.catching_up: asyncio.Task[None] | None = None
        store.listen(self._hear, self._be_back)

    async def open(self, request: Request) -> Response:
        """A new room: its code, and the secret of whoever leads it."""
        if not self._is_own(request.headers):
            return PlainTextResponse("forbidden", 403)
        address = request.client.host if request.client else ""
        if not (self.opened.take(address) and self.opened_by_all.take()):
            return JSONResponse({"refused": "often"}, 429)
        secret = new_secret()
        try:
            while not await self.store.open(code := new_code(), digest(secret)):
                pass
        except FullError:
            return JSONResponse({"refused": "full"}, 507)  # and no 503: a proxy would send its visitors elsewhere
        except UnreachableError:
            return JSONResponse({"refused": "unavailable"}, 500)
        return JSONResponse({"code": code, "secret": secret}, 201, {"Cache-Control": "no-store"})

    async def join(self, websocket: WebSocket) -> None:
        """A member of a room, or whoever leads it, until they leave."""
        if not self._is_own(websocket.headers):
            await websocket.close()  # before it is accepted: 403
            return
        await websocket.accept()
        if self.sockets >= self.max_sockets:
            await websocket.close(FULL)
            return
        client = Client(websocket, f"{self.process}-{next(self.numbers)}")
        code = str(websocket.path_params["code"]).upper()
        self.sockets += 1
        try:
            await client.stay(lambda: self._converse(client, code))
        finally:
            self.sockets -= 1

    async def close(self) -> None:
        """Everybody goes, and may try elsewhere."""
        rooms = list(self.rooms.values())
        for room in rooms:
            for client in list(room.clients):
                client.close(LEAVING)
        tasks = [self.catching_up, *(task for room in rooms for task in (room.watching, room.tally))]
        for task in tasks:
            if task is not None:
                task.cancel()
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
        await self.store.close()

    def _is_own(self, headers: Headers) -> bool:
        """Whether a page of this very server asks, called by a name that it may have."""
        host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower()
        return bool(host) and origin.partition("://")[2] == host and self.allows(host)

    async def _converse(self, client: Client, code: str) -> None:
        try:
            await self._greet(client, code)
            room = self._enter(client, code)
            try:
                await asyncio.shield(room.ready)
                await self._welcome(client, code, room)
                while True:
                    await self._answer(client, code, await client.hear())
                    await asyncio.sleep(0)  # of a burst, each message is sent on before the next one is read
            finally:
                self._leave(client, room)
        except GoneError:
            raise ClosedError(GONE) from None
        except UnreachableError:
            raise ClosedError(TRY_AGAIN) from None

    async def _greet(self, client: Client, code: str) -> None:
        try:
            hello = await asyncio.wait_for(client.hear(), GREETING)
        except TimeoutError:
            raise ClosedError(NONSENSE) from None
        if not isinstance(hello, Hello):
            raise ClosedError(NONSENSE)
        if not CODE.fullmatch(code):
            raise GoneError
        kept = await self.store.secret(code)
        if hello.secret is not None and not is_secret(hello.secret, kept):
            raise ClosedError(FORBIDDEN)
        client.be(hello.member, leads=hello.secret is not None)

    def _enter(self, client: Client, code: str) -> Room:
        room = self.rooms.get(code)
        if room is None:
            room = self.rooms[code] = Room()
            room.watching = asyncio.create_task(self._watch(code, room))
        if not client.leads:
            if client.member not in room.members and room.size >= self.max_members:
                raise ClosedError(FULL)
            room.members[client.member] += 1
        client.hold()
        room.clients.add(client)
        room.changed.set()
        return room

    def _leave(self, client: Client, room: Room) -> None:
        room.clients.discard(client)
        if not client.leads:
            room.members[client.member] -= 1
            if not room.members[client.member]:
                del room.members[client.member]
        room.changed.set()

    async def _watch(self, code: str, room: Room) -> None:
        """As long as somebody is there: hears the room, and counts it."""
        try:
            await self.store.subscribe(code)
            await self._count(code, room)
        except (GoneError, UnreachableError) as error:
            del self.rooms[code]
            await self.store.unsubscribe(code)
            room.ready.set_exception(error)
            room.ready.exception()  # it need not reach anybody: all may have left
            return
        room.ready.set_result(None)
        while room.clients or room.changed.is_set():
            await asyncio.sleep(OFTEN)
            with suppress(TimeoutError):
                await asyncio.wait_for(room.changed.wait(), self.beat)
            try:
                await self._count(code, room)
            except GoneError:
                self._close_all(room, GONE)
            except UnreachableError:
                pass  # it says so when it is back
        del self.rooms[code]
        await self.store.unsubscribe(code)

    async def _count(self, code: str, room: Room) -> None:
        room.changed.clear()
        own = len(room.members)
        counts = await self.store.sit(code, self.process, own if room.clients else None)
        room.others = counts.members - own
        told, room.told = room.told, counts
        if told is None:  # nobody has been welcomed yet
            return
        if told.members != counts.members:
            self._tell_leaders(room, {"members": counts.members})
        if counts.question is not None and (told.question, told.answered) != (counts.question, counts.answered):
            self._tell_leaders(room, {"answered": {"id": counts.question, "n": counts.answered}})

    async def _welcome(self, client: Client, code: str, room: Room) -> None:
        """Once more, too, after something may have been missed."""
        standing = await self.store.standing(code, client.member)
        question = standing.question
        is_revealed = question is not None and not question.open
        client.release(
            {
                "welcome": {
                    "leads": client.leads,
                    "state": standing.state.to_json(),
                    "question": question and question.to_json(),
                    "tally": await self._tally_of(code, room, question) if question and is_revealed else None,
                    "answer": None if standing.answer is None else json.loads(standing.answer),
                    "members": room.size,
                    "answered": standing.answered,
                }
            }
        )

    async def _tally_of(self, code: str, room: Room, question: Question) -> dict[str, Any]:
        """Counted once for all who come in."""
        if room.tally is None:
            room.tally = asyncio.create_task(self._tally(code, question))
            room.tally.add_done_callback(lambda task: None if task.cancelled() else task.exception() and None)
        counting = room.tally
        try:
            return await asyncio.shield(counting)
        except (GoneError, UnreachableError):
            if room.tally is counting:
                room.tally = None
            raise

    async def _tally(self, code: str, question: Question) -> dict[str, Any]:
        answers = await self.store.answers(code, question.id)
        return await asyncio.to_thread(lambda: tally(question, [json.loads(text) for text in answers]))

    async def _answer(self, client: Client, code: str, message: Message) -> None:
        match message:
            case Ping(value):
                client.say({"pong": value})
            case Hello():
                raise ClosedError(NONSENSE)
            case Answer():
                await self._count_answer(client, code, message)
            case _ if client.leads:
                await self._obey(client, code, message)
            case _:
                raise ClosedError(FORBIDDEN)

    async def _count_answer(self, client: Client, code: str, answer: Answer) -> None:
        try:
            if client.leads:  # who knows how it ends
                raise RefusedError("wrong")
            await self.store.answer(code, client.member, answer.id, answer.guess)
        except RefusedError as error:
            client.say({"refused": {"id": answer.id, "why": error.why}})
        else:
            client.say({"counted": {"id": answer.id}})

    async def _obey(self, client: Client, code: str, message: FromLeader) -> None:
        match message:
            case Lead(given):
                await self.store.change(code, given, client.name)
            case SetMode(mode):
                await self.store.change(code, {"mode": mode})
            case Ask(question):
                try:
                    await self.store.ask(code, question)
                except RefusedError as error:
                    client.say({"refused": {"id": question and question.id, "why": error.why}})
            case Reveal(id):
                await self._reveal(code, id)
            case Export():
                answered = [
                    {
                        "question": one.to_json(),
                        "answers": list(map(json.loads, await self.store.answers(code, one.id))),
                    }
                    for one in await self.store.questions(code)
                ]
                client.say({"answers": answered})
            case End():
                await self.store.end(code)
            case _:
                assert_never(message)

    async def _reveal(self, code: str, id: str) -> None:
        try:
            question = await self.store.close_question(code, id)
        except KeyError:
            raise ClosedError(NONSENSE) from None
        counted = await self._tally(code, question)
        await self.store.tell(code, written({"tally": counted}))

    def _hear(self, code: str, but: str, text: str) -> None:
        """Of what anybody said in a room, in whatever process."""
        room = self.rooms.get(code)
        if room is None:
            return
        if text == CHANGED:
            room.changed.set()
        elif text == ENDED:
            self._close_all(room, GONE)
        else:
            if text.startswith('{"question"'):
                room.tally = None
            for client in list(room.clients):
                if client.name != but:
                    client.send(text)

    def _be_back(self) -> None:
        if self.catching_up is not None:
            self.catching_up.cancel()
        self.catching_up = asyncio.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        """A fresh welcome for everybody, since nobody knows what was missed."""
        for code, room in list(self.rooms.items()):
            room.tally = None
            room.changed.set()
            for client in list(room.clients):
                client.hold()
                try:
                    await self._welcome(client, code, room)
                except GoneError:
                    self._close_all(room, GONE)
                    break
                except UnreachableError:
                    client.close(TRY_AGAIN)

    @staticmethod
    def _tell_leaders(room: Room, message: dict[str, Any]) -> None:
        for client in room.clients:
            if client.leads:
                client.say(message)

    @staticmethod
    def _close_all(room: Room, code: int) -> None:
        for client in list(room.clients):
            client.close(code)
