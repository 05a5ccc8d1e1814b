"""Loads the app in the background while the server already answers, and says when that is done."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from threading import Event, Thread

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket

from viz_transformer.room.classroom_server import ClassroomServer
from viz_transformer.room.stores import store_at
from viz_transformer.server.hosts import is_host_allowed
from viz_transformer.ui.shared.streamlit_private import missing

_log = logging.getLogger(__name__)


class Loading:
    """Loads what the first visitor would otherwise wait for, in a thread beside the server."""

    def __init__(self) -> None:
        self._is_done = Event()
        self.missing = missing()
        for line in self.missing:
            _log.warning(line)

    @property
    def is_done(self) -> bool:
        return self._is_done.is_set()

    @cached_property
    def classroom(self) -> ClassroomServer:
        """The server of all rooms. `VIZ_ROOMS`: the address of the store that several servers share."""
        return ClassroomServer(store_at(os.environ.get("VIZ_ROOMS", "")), is_host_allowed)

    def load(self) -> None:
        try:
            self.classroom  # noqa: B018 — the store is looked for
        except ValueError as error:
            _log.error("VIZ_ROOMS: %s", error)
            os._exit(1)  # from a thread, nothing else ends a server
        try:
            from viz_transformer.ui.shared.warm_up import warm_up  # not at the top: it imports torch

            warm_up(self.missing.append)
        except Exception:
            _log.exception("The app cannot start.")
            os._exit(1)
        self._is_done.set()

    @asynccontextmanager
    async def lifespan(self, app: st.App) -> AsyncIterator[None]:
        """Starts the load and does not wait for it: a visitor who comes before it is done waits for the same load."""
        Thread(target=self.load, name="get ready", daemon=True).start()
        yield
        if self.is_done:
            await self.classroom.close()

    async def readyz(self, request: Request) -> PlainTextResponse:
        """Says whether the app is loaded, which models do not work, and what this version of Streamlit lacks.

        `?verbose` adds the limits of this process. `/_stcore/health` says whether the server runs at all.
        """
        if not self.is_done:
            return PlainTextResponse("loading", status_code=503)
        from viz_transformer.server.limits import limits  # not at the top: it imports torch

        more = limits() if "verbose" in request.query_params else []
        return PlainTextResponse("\n".join(["ready", *self.missing, *more]))

    async def open_room(self, request: Request) -> Response:
        return await self.classroom.open(request) if self.is_done else PlainTextResponse("loading", status_code=503)

    async def join_room(self, websocket: WebSocket) -> None:
        if self.is_done:
            await self.classroom.join(websocket)
        else:
            await websocket.close()  # its page tries again
