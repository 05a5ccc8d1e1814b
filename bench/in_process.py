"""Visitors without a browser and a network: a client that connects to Streamlit's runtime in this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlencode

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as app.py sets it

from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient
from streamlit.web import bootstrap

from bench.browser import ROOT
from viz_transformer.server.navigation import announce_navigation
from viz_transformer.ui.shared.warm_up import warm_up

SLOWEST = 300  # seconds for one run, on a machine that others use too


def run(what: Coroutine[object, object, None]) -> None:
    """Runs it in an event loop of the kind that the server uses."""
    with asyncio.Runner(loop_factory=bootstrap._get_uvloop_loop_factory()) as runner:
        runner.run(what)


class Visitor(SessionClient):
    """What a browser is to the server: it asks for pages, and waits for the end of each run."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._has_finished = asyncio.Event()
        self._source = ""  # the id of the field
        self._session = runtime.connect_session(self, {})

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        element = msg.delta.new_element
        for field in (element.text_area, element.text_input):
            if field.label == "Source":
                self._source = field.id
        if msg.WhichOneof("type") == "script_finished":
            assert msg.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            self._has_finished.set()

    async def open(self, page: str, parameters: Mapping[str, str], typed: str = "") -> None:
        """Opens a page by its link. `typed`: a text for its field, where this page is open already."""
        self._has_finished.clear()
        fields = [WidgetState(id=self._source, string_value=typed)] if typed else []
        state = ClientState(
            query_string=urlencode(parameters), page_name=page, widget_states=WidgetStates(widgets=fields)
        )
        self._runtime.handle_backmsg(self._session, BackMsg(rerun_script=state))
        await asyncio.wait_for(self._has_finished.wait(), SLOWEST)

    def leave(self) -> None:
        """Closes the page."""
        self._runtime.disconnect_session(self._session)


@asynccontextmanager
async def served() -> AsyncIterator[Runtime]:
    """The app, with its default model loaded."""
    announce_navigation()
    warm_up()
    media, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
    closed = MemorySessionStorage(ttl_seconds=config.get_option("server.disconnectedSessionTTL"))  # as the server does
    runtime = Runtime(RuntimeConfig(str(ROOT / "app.py"), media, uploads, session_storage=closed))
    await runtime.start()
    try:
        yield runtime
    finally:
        runtime.stop()
        await runtime.stopped
