"""Refuses requests that call the server by a name that is not allowed, or that come from another site's page."""

from __future__ import annotations

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from viz_transformer.server.hosts import is_host_allowed, is_own_origin

PROBES = ("/readyz", "/_stcore/health")  # health checks, which often call the server by its IP address
OTHER_NAME = """\
This server does not answer to this name. Whoever runs it can let it: server.allowedHosts.
本服务器不以这个名字提供服务。管理员可以在 server.allowedHosts 中允许它。
"""
OTHER_PAGE = """\
This server answers its own pages only, and the proxy before it has to hand on the Host that it was called by.
本服务器只回应自己的页面；前面的代理须原样转交 Host。
"""


class Strangers:
    """Sends away whoever calls by a wrong name or from another site's page, before Streamlit hears of them.

    To find out whether an `Origin` is its own address, Streamlit asks a service on the internet, and the whole server
    waits for it, for two seconds where nobody answers. Any page that a visitor has open could make it do so.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (said := _refusal(scope)):
            refusal = PlainTextResponse(said, 403) if scope["type"] == "http" else WebSocketClose()
            await refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _refusal(scope: Scope) -> str:
    """Why a request is refused; "" where it is not."""
    headers = Headers(scope=scope)
    host, origin = headers.get("host", ""), headers.get("origin")
    if not is_host_allowed(host) and scope["path"] not in PROBES:
        return OTHER_NAME
    # A request without an `Origin` comes from no page. Where its `enableCORS` is off, Streamlit lets all pages in.
    if origin is None or is_own_origin(origin, host) or not st.get_option("server.enableCORS"):
        return ""
    return OTHER_PAGE
