"""Visitors without a browser, who speak Streamlit's protocol with the app in Streamlit's own runtime.

What they say comes through `viz_transformer/server/messages.py`, as it does in the server.

`AppTest` sends what a browser would; these visitors send whatever a test likes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from threading import enumerate as enumerate_threads
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

from viz_transformer.server.messages import let_through
from viz_transformer.server.navigation import announce_navigation
from viz_transformer.ui.shared.connection import HEADER, Connection

APP = Path(__file__).resolve().parents[1] / "app.py"
SCRIPT = "ScriptRunner.scriptThread"  # of a visitor, which may outlive the runtime
PATIENCE = 60.0  # seconds that a run may take on a busy machine
Query = Mapping[str, str]
Widgets = Mapping[str, Mapping[str, Any]]  # id → field of `WidgetState` → value


class Visitor(SessionClient):
    """A browser as the server knows it: it keeps what it was sent, and sends messages.

    Attributes:
        elements: what is on the page, by its place.
        link: the query of the address.
        told: every query that the server has set, the newest last.
        scripts: the path of each page → Streamlit's name of it.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._has_finished = asyncio.Event()
        self.elements: dict[tuple[int, ...], Element] = {}
        self.link = ""
        self.told: list[str] = []
        self.page = ""
        self.scripts: dict[str, str] = {}
        self.connection = Connection()
        self._session = site.soon(self._connect)

    def _connect(self) -> str:
        name = self._site.runtime.connect_session(self, {})
        session = self._site.runtime._session_mgr.get_session_info(name)
        assert session is not None
        self._site.sessions.append(session.session)
        return name

    @property
    def client_context(self) -> SimpleNamespace:
        return SimpleNamespace(headers=[(HEADER, self.connection.name)], cookies={}, remote_ip=None)

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        kind = msg.WhichOneof("type")
        if kind == "delta" and msg.delta.WhichOneof("type") == "new_element":
            self.elements[tuple(msg.metadata.delta_path)] = msg.delta.new_element
        elif kind == "navigation":
            self.scripts = {page.url_pathname: page.page_script_hash for page in msg.navigation.app_pages}
        elif kind == "page_info_changed":
            self.link = msg.page_info_changed.query_string
            self.told.append(self.link)
        elif kind == "script_finished" and msg.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self._has_finished.set()

    def open(self, page: str, query: Query | str = "") -> None:
        """Opens a page by its link, with nothing kept of another one."""
        self.page, self.link = page, query if isinstance(query, str) else urlencode(query, errors="surrogatepass")
        self.send(page_script_hash="")

    def send(self, widgets: Widgets | None = None, **more: Any) -> None:
        """Asks for a run, with these values of widgets, and waits for its end."""
        self._site.runs += 1
        self._site.wait(self._ask(self._asked(widgets, **more)))

    def ask(self, widgets: Widgets, **more: Any) -> None:
        """Asks for a run, and goes on at once."""
        self._site.runs += 1
        self.say(rerun_script=self._asked(widgets, **more))

    def _asked(self, widgets: Widgets | None, **more: Any) -> ClientState:
        states = [{"id": name, **value} for name, value in (widgets or {}).items()]
        page = self.scripts.get(self.page, "")  # as a browser calls it from its second message on
        known = {"query_string": self.link, "page_name": self.page, "page_script_hash": page}
        asked = ClientState(widget_states={"widgets": states}, **(known | more))
        if not asked.fragment_id:
            self.elements.clear()
        return asked

    async def _ask(self, asked: ClientState) -> None:
        self._has_finished.clear()
        await self._hear(BackMsg(rerun_script=asked))
        await asyncio.wait_for(self._has_finished.wait(), PATIENCE)

    def say(self, **message: Any) -> None:
        """Another message than one that asks for a run."""
        self._site.wait(self._hear(BackMsg(**message)))

    async def _hear(self, message: BackMsg) -> None:
        heard = await let_through(message.SerializeToString(), self.connection)
        if heard is not None:
            self._site.runtime.handle_backmsg(self._session, BackMsg.FromString(heard))

    def leave(self) -> None:
        """Closes the page."""
        self._site.soon(lambda: self._site.runtime.close_session(self._session))

    def shown(self, kind: str) -> list[Any]:
        """All elements of a kind, such as "alert"."""
        return [getattr(one, kind) for one in self.elements.values() if one.WhichOneof("type") == kind]

    def kinds(self) -> dict[str, str]:
        """The field of `WidgetState` that each control on the page sends, by the control's id."""
        return {name: one.value_type for name, one in self.controls.items() if name in self._ids()}

    def values(self) -> dict[str, Any]:
        """What every control holds, by its id."""
        return {name: self._state[name] for name in self.kinds()}

    def fragment_of(self, name: str) -> str:
        """The fragment that a control is in, "" where it is the page's, by its id."""
        return self.controls[name].fragment_id or ""

    @property
    def controls(self) -> Mapping[str, WidgetMetadata[Any]]:
        """What Streamlit knows of every control that has been on a page, boxes too, by its id."""
        return self._state._new_widget_state.widget_metadata

    @property
    def _state(self) -> SessionState:
        session = self._site.runtime._session_mgr.get_session_info(self._session)
        assert session is not None
        return session.session._session_state

    def _ids(self) -> set[str]:
        kinds = ((one, one.WhichOneof("type")) for one in self.elements.values())
        return {str(getattr(getattr(one, kind), "id", "")) for one, kind in kinds if kind}


class Site:
    """The app in Streamlit's runtime, in a thread of its own.

    Attributes:
        faults: errors that no page caught.
        runs: how many were asked for.
    """

    def __init__(self, handler: Callable[[Exception], bool | None] | None) -> None:
        self.faults: list[Exception] = []
        self.runs = 0
        self.sessions: list[AppSession] = []
        self._handler = handler
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.runtime: Runtime = self.soon(self._make)
        self.wait(self.runtime.start())

    def _make(self) -> Runtime:
        announce_navigation()
        media, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
        return Runtime(RuntimeConfig(str(APP), media, uploads, on_script_error=self._note))

    def _note(self, error: Exception) -> bool | None:
        self.faults.append(error)
        return self._handler(error) if self._handler else True

    def soon(self, call: Callable[[], Any]) -> Any:
        """What a call in the runtime's thread returns."""

        async def called() -> Any:
            return call()

        return self.wait(called())

    def wait(self, awaited: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(awaited, self._loop).result(2 * PATIENCE)

    def visitor(self) -> Visitor:
        """A new visitor."""
        return Visitor(self)

    def close(self) -> None:
        self.soon(self.runtime.stop)

        async def stopped() -> None:
            await self.runtime.stopped

        self.wait(stopped())
        for thread in enumerate_threads():
            if thread.name == SCRIPT:
                thread.join()
        for session in self.sessions:
            session._script_event_loop.close()  # Streamlit leaves it open where the runtime ends before the thread
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        Runtime._instance = None


@contextmanager
def site(handler: Callable[[Exception], bool | None] | None = None) -> Iterator[Site]:
    """The app, to be visited; `handler` hears of faults, as that of `st.App` does."""
    one = Site(handler)
    try:
        yield one
    finally:
        one.close()
