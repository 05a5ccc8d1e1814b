"""The server of all classrooms, in one process: who is in them, what each may say, and who hears it."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, assert_never

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.websockets import WebSocket

from viz_transformer.room.client import (
    CLOSED,
    FORBIDDEN,
    FULL,
    GONE,
    LEAVING,
    NONSENSE,
    REMOVED,
    TRY_AGAIN,
    Client,
    ClosedError,
)
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
    Remove,
    Reveal,
    SetMode,
    SetRules,
    Show,
    written,
)
from viz_transformer.room.outbox import Waiting
from viz_transformer.room.question import Question, WrongTruthError
from viz_transformer.room.rates import Bucket, Buckets, whole
from viz_transformer.room.seats import member_of, new_seat
from viz_transformer.room.store import (
    CHANGED,
    ENDED,
    PUT_OUT,
    Counts,
    Entrance,
    FullError,
    GoneError,
    RefusedError,
    Store,
    UnreachableError,
    answers_message,
)
from viz_transformer.room.tally import tally

MAX_MEMBERS = 1000  # of a room
MAX_SOCKETS = 3000  # of a process
OPENED = (1, 20)  # rooms a second, and at once, by one address
ALL_OPENED = (20, 200)  # by all of them, at one process
SEATED = (10, 120)  # newcomers a second, and at once, of one address: a class of 300 is in within 20 seconds
SEATS_OF_ONE = 500  # of an address in a room, at one process
MISSED = (2, 100)  # wrong codes a second, and at once, by one address; there are 8 million codes
HEAVY = (1, 5)  # reveals and exports of a room, a second and at once
GREETING = 10.0  # seconds for the first message
BEAT = 5.0  # seconds after which a process says again how many members it has
FOR_LEADERS = ('{"rules"', '{"texts"')  # messages that a lecturer's pages alone hear
OFTEN = 0.2  # seconds between two messages about how many members and answers there are


@dataclass
class Seat:
    """Of a member who is here: the address from which they came, and how many sockets they have."""

    address: str
    sockets: int = 0


class Room:
    """What one process knows of a room: its own clients, and how many there are elsewhere."""

    def __init__(self) -> None:
        self.clients: set[Client] = set()
        self.members: dict[str, Seat] = {}
        self.addresses: Counter[str] = Counter()  # members of each
        self.others = 0  # members of other processes
        self.told: Counts | None = None  # what the lecturer was last told
        self.changed = asyncio.Event()
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.watching: asyncio.Task[None] | None = None
        self.heavy = Bucket(*HEAVY)

    @property
    def size(self) -> int:
        return len(self.members) + self.others


class ClassroomServer:
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
        seats_of_one: int = SEATS_OF_ONE,
        beat: float = BEAT,
    ) -> None:
        self.store, self.allows = store, allows
        self.max_members, self.max_sockets, self.seats_of_one = max_members, max_sockets, seats_of_one
        self.beat = beat
        self.process = secrets.token_urlsafe(8)
        self.rooms: dict[str, Room] = {}
        self.sockets = 0
        self.waiting = Waiting()
        self.opened, self.opened_by_all = Buckets(*OPENED), Bucket(*ALL_OPENED)
        self.seated, self.missed = Buckets(*SEATED), Buckets(*MISSED)
        self.counting = asyncio.Semaphore()  # one reveal or export at a time
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
            return JSONResponse({"refused": "full"}, 507)  # not 503: a proxy would send visitors to another server
        except UnreachableError:
            return JSONResponse({"refused": "unavailable"}, 500)
        return JSONResponse({"code": code, "secret": secret}, 201, {"Cache-Control": "no-store"})

    async def join(self, websocket: WebSocket) -> None:
        """Serves a member of a room, or whoever leads it, until they leave."""
        if not self._is_own(websocket.headers):
            await websocket.close()  # before it is accepted: 403
            return
        await websocket.accept()
        if self.sockets >= self.max_sockets:
            await websocket.close(FULL)
            return
        client = Client(websocket, f"{self.process}-{next(self.numbers)}", self.waiting)
        code = str(websocket.path_params["code"]).upper()
        self.sockets += 1
        try:
            await client.stay(lambda: self._converse(client, code))
        finally:
            self.sockets -= 1

    async def close(self) -> None:
        """Closes all sockets; the clients may try another server."""
        rooms = list(self.rooms.values())
        for room in rooms:
            for client in list(room.clients):
                client.close(LEAVING)
        tasks = [self.catching_up, *(room.watching for room in rooms)]
        for task in tasks:
            if task is not None:
                task.cancel()
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
        await self.store.close()

    def _is_own(self, headers: Headers) -> bool:
        """Whether a page of this very server asks, and by a host name that is allowed."""
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
        room = await self._entrance(code)
        member = member_of(hello.seat, room.secret) if room and hello.seat else None
        leads = room is not None and hello.secret is not None and is_secret(hello.secret, room.secret)
        if not (leads or member):
            self._take_care(client, room, hello)
        assert room is not None
        if leads:
            client.lead()
        elif hello.seat and member:
            client.sit(hello.seat, member)
        else:
            self._seat(client, room)

    async def _entrance(self, code: str) -> Entrance | None:
        """What is needed to check whoever comes in; None: there is no such room."""
        with suppress(GoneError):
            return await self.store.entrance(code) if CODE.fullmatch(code) else None
        return None

    def _take_care(self, client: Client, room: Entrance | None, hello: Hello) -> None:
        """Checks somebody unknown. Whoever tries many codes is soon no longer told whether there is such a room."""
        missed = self.missed.of(client.address)
        if not missed.take():
            raise ClosedError(TRY_AGAIN)
        if room is None:
            raise GoneError
        if hello.secret is not None:
            raise ClosedError(FORBIDDEN)
        missed.give_back()

    def _seat(self, client: Client, room: Entrance) -> None:
        """Gives a newcomer a seat."""
        if room.rules.closed:
            raise ClosedError(CLOSED)
        if not self.seated.take(client.address):
            raise ClosedError(TRY_AGAIN)
        seat = new_seat(room.secret)
        client.sit(seat, seat.partition(".")[0])

    def _enter(self, client: Client, code: str) -> Room:
        room = self.rooms.get(code)
        if room is None:
            room = self.rooms[code] = Room()
            room.watching = asyncio.create_task(self._watch(code, room))
        if not client.leads:
            if client.member not in room.members:
                self._take_seat(client, room)
            room.members[client.member].sockets += 1
        client.hold()
        room.clients.add(client)
        room.changed.set()
        return room

    def _take_seat(self, client: Client, room: Room) -> None:
        address = whole(client.address)
        if room.size >= self.max_members or room.addresses[address] >= self.seats_of_one:
            raise ClosedError(FULL)
        room.members[client.member] = Seat(address)
        room.addresses[address] += 1

    def _leave(self, client: Client, room: Room) -> None:
        room.clients.discard(client)
        if not client.leads:
            seat = room.members[client.member]
            seat.sockets -= 1
            if not seat.sockets:
                del room.members[client.member]
                room.addresses[seat.address] -= 1
        room.changed.set()

    async def _watch(self, code: str, room: Room) -> None:
        """Hears the room, and keeps its counts up to date, as long as somebody is there."""
        try:
            await self.store.subscribe(code)
            await self._count(code, room)
        except (GoneError, UnreachableError) as error:
            del self.rooms[code]
            await self.store.unsubscribe(code)
            room.ready.set_exception(error)
            room.ready.exception()  # marks it as handled: all who wait for it may have left
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
                pass  # the store calls `_be_back` when it answers again
        del self.rooms[code]
        await self.store.unsubscribe(code)

    async def _count(self, code: str, room: Room) -> None:
        room.changed.clear()
        own = frozenset(room.members)
        counts = await self.store.sit(code, self.process, own if room.clients else None)
        room.others = counts.members - len(own)
        told, room.told = room.told, counts
        if told is None:  # nobody has been welcomed yet
            return
        if told.members != counts.members:
            self._tell_leaders(room, {"members": counts.members})
        if counts.question is not None and (told.question, told.answered) != (counts.question, counts.answered):
            self._tell_leaders(room, {"answered": {"id": counts.question, "n": counts.answered}})

    async def _welcome(self, client: Client, code: str, room: Room) -> None:
        """Tells a client how the room stands; again, too, after messages may have been missed."""
        standing = await self.store.standing(code, client.member)
        if standing.is_removed and not client.leads:
            client.close(REMOVED)
            return
        question, tally = standing.question, standing.tally and json.loads(standing.tally)
        is_unread = question is not None and question.unread
        client.release(
            {
                "welcome": {
                    "leads": client.leads,
                    "seat": client.seat,
                    "state": standing.state.to_json(),
                    "rules": standing.rules.to_json() if client.leads else None,
                    "question": question and question.to_json(),
                    "tally": None if is_unread else tally,
                    "texts": tally if is_unread and client.leads else None,
                    "answer": None if standing.answer is None else json.loads(standing.answer),
                    "members": room.size,
                    "answered": standing.answered,
                }
            }
        )

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
            if client.leads:  # whoever leads knows the answer
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
            case Reveal(id, truth):
                await self._reveal(code, id, (await self.store.entrance(code)).rules.read, truth)
            case Show(id):
                await self._reveal(code, id, is_unread=False)
            case Remove(id, text):
                question = await self.store.remove(code, id, text)
                if question is not None and not question.open:
                    await self._tally(code, question)
            case SetRules(rules):
                await self.store.set_rules(code, rules)
            case Export():
                client.send(await self._export(code))
            case End():
                await self.store.end(code)
            case _:
                assert_never(message)

    async def _reveal(self, code: str, id: str, is_unread: bool, truth: Any = None) -> None:
        try:
            question = await self.store.close_question(code, id, is_unread, truth)
        except (KeyError, WrongTruthError):
            raise ClosedError(NONSENSE) from None
        await self._tally(code, question)

    async def _tally(self, code: str, question: Question) -> None:
        """Counts the answers, and tells everybody, or whoever has to read them first."""
        async with self._heavy(code):
            here = (await self.store.entrance(code)).rules.here
            texts = [one.text for one in await self.store.answers(code, question.id, here)]
            counted = await asyncio.to_thread(lambda: written(tally(question, [json.loads(text) for text in texts])))
        await self.store.keep_tally(code, question, counted)

    async def _export(self, code: str) -> str:
        """A message with all that was asked and answered."""
        async with self._heavy(code):
            answered = [
                (one, await self.store.record(code, one.id), await self.store.answers(code, one.id))
                for one in await self.store.questions(code)
            ]
            return await asyncio.to_thread(answers_message, answered)

    @asynccontextmanager
    async def _heavy(self, code: str) -> AsyncIterator[None]:
        """Waits for a turn with what takes long: one at a time in this process, and for a room at the rate `HEAVY`."""
        await self.rooms[code].heavy.wait()
        async with self.counting:
            yield

    def _hear(self, code: str, but: str, text: str) -> None:
        """Handles a message that any process sent to a room: what a client said, or what has changed."""
        room = self.rooms.get(code)
        if room is None:
            return
        if text == CHANGED:
            room.changed.set()
        elif text == ENDED:
            self._close_all(room, GONE)
        elif text.startswith(PUT_OUT):
            removed = json.loads(text.removeprefix(PUT_OUT))
            for client in [client for client in room.clients if client.member in removed]:
                client.close(REMOVED)
        else:
            is_for_leaders = text.startswith(FOR_LEADERS)
            for client in list(room.clients):
                if client.name != but and (client.leads or not is_for_leaders):
                    client.send(text)

    def _be_back(self) -> None:
        if self.catching_up is not None:
            self.catching_up.cancel()
        self.catching_up = asyncio.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        """A fresh welcome for everybody, since nobody knows what was missed."""
        for code, room in list(self.rooms.items()):
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
