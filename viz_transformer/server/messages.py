"""Messages of browsers to their sessions, read, mended or dropped before Streamlit gets them."""

from __future__ import annotations

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_transformer.ui.shared.connection import HEADER, Connection
from viz_transformer.ui.shared.streamlit_private import read_message
from viz_transformer.ui.shared.too_large import take_out_large_values

STREAM = "/_stcore/stream"


class Messages:
    """Lets through what a session may have, and tells its runs by a header which connection is theirs."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or not scope["path"].endswith(STREAM):
            await self.app(scope, receive, send)
            return
        connection = Connection()
        MutableHeaders(scope=scope)[HEADER] = connection.name

        async def hear() -> Message:
            while True:
                message = await receive()
                said = message.get("bytes")
                if said is None:
                    return message
                heard = await let_through(said, connection)
                if heard is not None:
                    return {**message, "bytes": heard}

        await self.app(scope, hear, send)


async def let_through(data: bytes, connection: Connection) -> bytes | None:
    """A browser's message as it is passed on to its session; None: it is dropped."""
    if len(data) > 1e6 * st.get_option("server.maxWidgetStateSize"):
        return data  # Streamlit closes the connection over it
    message = read_message(data)
    kind = message and message.WhichOneof("type")
    if kind == "clear_cache":
        # It empties what all visitors share. It stands behind a developer's menu, but Streamlit takes it from every
        # client, also where that menu is not shown (`client.toolbarMode`).
        return None
    if message is None or kind != "rerun_script":
        return data
    has_begun = await connection.taken_over()
    asked = message.rerun_script
    connection.refused = take_out_large_values(asked) or connection.refused
    if not connection.known.mend(asked, has_begun=has_begun):
        return None
    connection.ask()
    mended: bytes = message.SerializeToString()
    return mended
