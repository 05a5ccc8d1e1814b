"""The first visitor of a server, in a process of its own, in which one private name of Streamlit's may be renamed."""

from __future__ import annotations

import logging
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages
from threading import enumerate as enumerate_threads
from types import ModuleType
from typing import Any
from unittest.mock import patch

import streamlit as st
import torch  # noqa: F401
from starlette.testclient import TestClient
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette import starlette_app  # noqa: F401

from viz_transformer import ui
from viz_transformer.server import arrivals
from viz_transformer.server.around import around
from viz_transformer.ui.shared import streamlit_private, warm_up

for module in walk_packages(ui.__path__, f"{ui.__name__}."):
    import_module(module.name)  # here, once for all processes
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
manifest_scanner.scan_component_manifests()  # of all that is installed

APP = Path(__file__).resolve().parents[1] / "app.py"


def processes() -> ProcessPoolExecutor:
    """A pool that runs each call in a new process, forked from one that has only imported this module."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1)


def visit(page: str, without: tuple[str, str] | None = None) -> dict[str, Any]:
    """What the first visitor gets to see, and what the server says of itself.

    Args:
        without: a module of Streamlit's, and a name in it that another version could have renamed; «a.b» is b of a.
    """
    lines = Lines()
    logging.getLogger().addHandler(lines)
    with ExitStack() as changes:
        if without:
            other = {without[0]: renamed(*without)}
            changes.enter_context(
                patch.object(streamlit_private, "import_module", lambda name: other.get(name) or import_module(name))
            )
        changes.enter_context(patch.object(warm_up, "warm_up", lambda say: None))
        changes.enter_context(patch.object(arrivals, "_watch", lambda receive: None))  # no Uvicorn here
        changes.enter_context(patch.object(config, "_main_script_path", str(APP)))
        changes.enter_context(patch.object(config, "_server_mode", None))
        server = changes.enter_context(TestClient(st.App(APP, **around(str(APP))), "http://localhost:8501"))
        for thread in enumerate_threads():
            if thread.name == "get ready":
                thread.join(100)
        ready = server.get("/readyz")
        heard = []
        with server.websocket_connect("ws://localhost:8501/_stcore/stream", subprotocols=["streamlit"]) as visitor:
            asked = {"page_name": page, "query_string": "model=copy"}
            visitor.send_bytes(BackMsg(rerun_script=asked).SerializeToString())
            while not heard or heard[-1].WhichOneof("type") != "script_finished":
                heard.append(ForwardMsg.FromString(visitor.receive_bytes()))
    shown = [message.delta.new_element for message in heard]
    return {
        "lines": lines.said,
        "ready": (ready.status_code, ready.text),
        "headings": [one.heading.body for one in shown if one.WhichOneof("type") == "heading"],
        "faults": [str(one) for one in shown if one.WhichOneof("type") in ("exception", "alert")],
        "imported": {*sys.modules},
        "kinds": {str(message.WhichOneof("type")) for message in heard},
    }


def renamed(module: str, name: str) -> ModuleType:
    """A copy of the module in which the name is another, for our code alone: Streamlit goes on with the original."""
    known = ModuleType(module)
    vars(known).update(vars(import_module(module)))
    first, _, method = name.partition(".")
    found = getattr(known, first)
    delattr(known, first)
    setattr(known, f"another_{first}", found)
    if method:  # of a class, which has to be a copy, too
        own = {key: value for key, value in vars(found).items() if key not in (method, "__dict__", "__weakref__")}
        for slot in own.pop("__slots__", ()):
            own.pop(slot)
        setattr(known, first, type(first, (), own))
    return known


class Lines(logging.Handler):
    """Collects the warnings and errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))
