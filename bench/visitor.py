"""A visitor without a browser: speaks to a server over HTTP and a WebSocket, as Streamlit's page does."""

from __future__ import annotations

import asyncio
import random
import re
from http.cookies import SimpleCookie
from typing import Self
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

SLOWEST = 60  # seconds for one answer
PAUSE = 0.25, 0.5  # seconds: Streamlit's page waits for a random time between these before it connects again
NAMES = re.compile(r'\\"revision\\":\\"\w+\\"|deferred_file_id: "\w+"')
PINGS = "_stcore/health", "_stcore/host-config"


class Visitor:
    """An open page: a connection, the session that the server named, and the cookies of a browser."""

    def __init__(self, url: str) -> None:
        self.url, self.session, self.cookies = url, "", SimpleCookie[str]()
        self.source = ""  # the id of the field in which a sentence is typed
        self.lost = 0  # connections
        self.socket: ClientConnection

    async def __aenter__(self) -> Self:
        await self.ask("")
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def connect(self) -> None:
        await asyncio.gather(*map(self.ask, PINGS))
        parts = urlsplit(self.url)
        self.socket = await connect(
            f"ws://{parts.netloc}/_stcore/stream",
            subprotocols=["streamlit", "no-token", *filter(None, [self.session])],
            additional_headers={"Origin": self.url, "Cookie": self.cookie},
            max_size=None,
            compression=None,
            proxy=None,
        )

    @property
    def cookie(self) -> str:
        return "; ".join(f"{one.key}={one.value}" for one in list(self.cookies.values()))  # threads add to them

    async def ask(self, path: str) -> None:
        """Asks for a file, and keeps the cookies that come with it."""

        def get() -> None:
            with urlopen(Request(f"{self.url}/{path}", headers={"Cookie": self.cookie}), timeout=SLOWEST) as answer:
                for line in answer.headers.get_all("Set-Cookie", []):
                    self.cookies.load(line)

        await asyncio.to_thread(get)

    async def open(self, page: str, query: dict[str, str], typed: str = "") -> list[ForwardMsg]:
        """Goes to a page with these parameters -> all messages of the run, once it has ended.

        Args:
            typed: a sentence for the field of the page that is open already, whose link a session does not read again.

        Raises:
            AssertionError: the run failed.
        """
        fields = [WidgetState(id=self.source, string_value=typed)] if typed else []
        self.source = ""
        state = ClientState(query_string=urlencode(query), page_name=page, widget_states=WidgetStates(widgets=fields))
        await self.socket.send(BackMsg(rerun_script=state).SerializeToString())
        messages: list[ForwardMsg] = []
        while not messages or messages[-1].WhichOneof("type") != "script_finished":
            data = await asyncio.wait_for(self.socket.recv(decode=False), SLOWEST)
            messages.append(ForwardMsg.FromString(data))
            for box in (messages[-1].delta.new_element.text_area, messages[-1].delta.new_element.text_input):
                if box.label == "Source":
                    self.source = box.id
            if messages[-1].WhichOneof("type") == "new_session":
                self.session = messages[-1].new_session.initialize.session_id
        assert messages[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
        return messages

    async def stay(self, page: str, query: dict[str, str]) -> list[ForwardMsg]:
        """Waits until the connection is lost, and does what the page then does -> the messages of the new run."""
        try:
            while True:
                await self.socket.recv()
        except ConnectionClosed:
            self.lost += 1
        while True:
            await asyncio.sleep(random.uniform(*PAUSE))
            try:
                await self.connect()
                return await self.open(page, query)
            except (OSError, InvalidHandshake, ConnectionClosed):
                continue


def shown(messages: list[ForwardMsg]) -> str:
    """All that a run puts on the page, as text, without revisions and file ids, which differ each time."""
    text = "\n".join(str(one.delta) for one in messages if one.WhichOneof("type") == "delta")
    return NAMES.sub("", text)
