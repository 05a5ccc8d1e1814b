"""What a browser may do with a page, and what no browser is told."""

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
# No page's address; where there is no such file, Streamlit answers with its page, and says that all is well.
FILE = re.compile(r"/[^/]+\.(m?js|css|map|json|wasm|png|svg|ico|woff2?|txt|xml)$")
NAMED_AFTER_CONTENT = re.compile(r"/_stcore/bidi-components/.*-[0-9a-f]{10}\.(js|css)$")


def headers() -> dict[str, str]:
    """Of every answer. Who may frame a page besides this server: `VIZ_FRAME_ANCESTORS`."""
    policy = {
        "default-src": "'self'",
        # Streamlit's page has a line of script in it, and reads whole numbers of 64 bits with WebAssembly.
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
        **({"Viz-Server": name} if (name := os.environ.get("VIZ_SERVER")) else {}),  # one of several
    }


def closed(path: str) -> bool:
    """Streamlit's numbers about all visitors; names that no file can have, at which its server fails; and parts that
    are not there, for each of which it writes a traceback, until a disk is full.
    """
    too_long = any(len(part) > 255 for part in path.encode().split(b"/"))
    part = PARTS.search(path)
    missing = part is not None and part[1] not in {file.name for file in BUILT.iterdir()}
    return too_long or missing or path.rstrip("/").endswith("/_stcore/metrics")


class Guard:
    """Puts the headers on every answer, and gives none to what is closed.

    One of several servers (`VIZ_SERVER` is its name) sends its visitors to the others until it is ready.
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
