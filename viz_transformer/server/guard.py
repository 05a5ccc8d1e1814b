"""The headers that say what a browser may do with a page, and the addresses that no browser may ask for."""

from __future__ import annotations

import os
import re
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_transformer.server.index import own_scripts
from viz_transformer.server.loading import Loading

PARTS = re.compile(r"/_stcore/bidi-components/viz-transformer\.[^/]*/(.*)", re.DOTALL)  # what `make front-end` builds
BUILT = Path(__file__).resolve().parents[1] / "ui/static"
# Addresses of files, never of pages: where a file is missing, Streamlit answers with its page and status 200.
FILE = re.compile(r"/[^/]+\.(m?js|css|map|json|wasm|png|svg|ico|woff2?|txt|xml)$")
NAMED_AFTER_CONTENT = re.compile(r"/_stcore/bidi-components/.*-[0-9a-f]{10}\.(js|css)$")


def headers() -> dict[str, str]:
    """The headers of every answer. `VIZ_FRAME_ANCESTORS` names other sites that may show a page in a frame."""
    policy = {
        "default-src": "'self'",
        # Streamlit's page has an inline script, and reads 64-bit integers with WebAssembly.
        "script-src": f"'self' {own_scripts()} 'wasm-unsafe-eval'",
        "style-src": "'self' 'unsafe-inline'",  # Streamlit and the charts write their style while they run
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": f"'self' {os.environ.get('VIZ_FRAME_ANCESTORS', '')}".strip(),
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {allowed}" for name, allowed in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # a link holds what was typed
        **({"Viz-Server": name} if (name := os.environ.get("VIZ_SERVER")) else {}),  # which of several servers answers
    }


def closed(path: str) -> bool:
    """Whether a path is answered with 404 before Streamlit sees it.

    These are its metrics, which are about all visitors; names too long for a file, at which its server fails; and
    missing files of the front end, for each of which it would log a traceback, until the disk is full.
    """
    too_long = any(len(part) > 255 for part in path.encode().split(b"/"))
    part = PARTS.search(path)
    missing = part is not None and part[1] not in {file.name for file in BUILT.iterdir()}
    return too_long or missing or path.rstrip("/").endswith("/_stcore/metrics")


class Guard:
    """Puts the headers on every answer, and answers closed paths with 404.

    One of several servers (`VIZ_SERVER` is its name) answers 503 until it is ready: nginx then asks another one.
    """

    def __init__(self, app: ASGIApp, loading: Loading) -> None:
        self.app, self.loading = app, loading
        self.headers, self.is_one_of_several = headers(), "VIZ_SERVER" in os.environ

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                answered = MutableHeaders(raw=message["headers"])
                answered.update(self.headers)
                is_page = answered.get("Content-Type", "").startswith("text/html")
                if message.get("status") == 200 and is_page and FILE.search(scope["path"]):
                    message["status"] = 404
                if message.get("status") == 200 and NAMED_AFTER_CONTENT.search(scope["path"]):
                    answered["Cache-Control"] = "public, max-age=31536000, immutable"
            await send(message)

        answer = self.app
        if scope["type"] == "http" and closed(scope["path"]):
            answer = PlainTextResponse("not found", 404)
        elif scope["type"] != "lifespan" and self.is_one_of_several and not self.loading.is_done:
            answer = PlainTextResponse("loading", 503)
        await answer(scope, receive, send_with_headers)
