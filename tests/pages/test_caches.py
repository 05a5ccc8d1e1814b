"""What visitors share, under the protocol that every client speaks: the app in Streamlit's own runtime."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient

from viz_transformer.ui.shared.models import _shipped
from viz_transformer.ui.shared.training_session import training_runs

APP = Path(__file__).resolve().parents[2] / "app.py"


class Client(SessionClient):
    """What a browser is to the server; it waits only for the end of a run."""

    def __init__(self) -> None:
        self.has_finished = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        if msg.WhichOneof("type") == "script_finished":
            assert msg.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            self.has_finished.set()


@st.cache_data
def drawn() -> str:
    return secrets.token_hex()


@pytest.fixture
def no_runtime_is_left() -> Iterator[None]:
    yield
    Runtime._instance = None


@pytest.mark.usefixtures("no_runtime_is_left")
def test_no_client_can_empty_the_caches_of_all() -> None:
    """Fails, too, where another version of Streamlit answers the message in another place."""

    async def attack() -> None:
        media, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
        runtime = Runtime(RuntimeConfig(str(APP), media, uploads))
        await runtime.start()
        try:
            visitor = Client()
            session = runtime.connect_session(visitor, {})
            runtime.handle_backmsg(session, BackMsg(rerun_script={"query_string": "model=copy"}))
            await asyncio.wait_for(visitor.has_finished.wait(), 120)
            model, queue, number = _shipped("copy", "cpu"), training_runs(), drawn()
            runtime.handle_backmsg(runtime.connect_session(Client(), {}), BackMsg(clear_cache=True))
            assert _shipped("copy", "cpu") is model
            assert training_runs() is queue
            assert drawn() == number
        finally:
            runtime.stop()
            await runtime.stopped

    with ThreadPoolExecutor(1) as aside:  # Playwright's loop, where a test before used one, runs in this thread
        aside.submit(asyncio.run, attack()).result()
