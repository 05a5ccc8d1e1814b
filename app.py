"""Entry point, started by `streamlit run app.py`: run anew for every visitor, and imported once, as the server."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: its threads make visitors wait for each other

import streamlit as st

if __name__ == "__main__":  # a visitor's run: page set-up and navigation, nothing else
    from viz_transformer.ui.components.page_texts import send_texts
    from viz_transformer.ui.lecture.room import keep_room, show_room
    from viz_transformer.ui.lecture.scene import show_scene
    from viz_transformer.ui.lecture.share import show_share
    from viz_transformer.ui.shared.caches import keep_caches
    from viz_transformer.ui.shared.faults import keep_texts_out_of_the_log
    from viz_transformer.ui.shared.forged import refuse_forged_values
    from viz_transformer.ui.shared.link import arrive
    from viz_transformer.ui.shared.look import apply_look, keep_hidden
    from viz_transformer.ui.shared.reconnect import ask_again_after_a_lost_connection
    from viz_transformer.ui.shared.stale import mend_stale_requests
    from viz_transformer.ui.shared.text import keep_language, offer_languages
    from viz_transformer.ui.shared.too_large import refuse_large_values, say_what_was_refused
    from viz_transformer.ui.shared.uploads import bound_uploads
    from viz_transformer.views.text import _

    keep_caches()
    keep_texts_out_of_the_log()
    refuse_forged_values()
    refuse_large_values()
    mend_stale_requests()
    bound_uploads()
    keep_language()
    keep_room()
    st.set_page_config(page_title=_("Inside attention"), page_icon="🔎", layout="wide")
    keep_hidden()
    apply_look()
    page = st.navigation(
        [
            st.Page("pages/lecture.py", title=_("Lecture"), default=True),
            st.Page("pages/overview.py", title=_("Overview")),
            st.Page("pages/attention.py", title=_("Attention step by step")),
            st.Page("pages/masks.py", title=_("Masks")),
            st.Page("pages/heads.py", title=_("Heads")),
            st.Page("pages/decoding.py", title=_("Decoding")),
            st.Page("pages/architecture.py", title=_("Architecture")),
            st.Page("pages/why_attention.py", title=_("Why attention")),
            st.Page("pages/scaling.py", title=_("Scaling")),
            st.Page("pages/positions.py", title=_("Positions")),
            st.Page("pages/training.py", title=_("Training")),
            st.Page("pages/slips.py", title=_("Slips"), visibility="hidden"),  # the lecture leads here
            st.Page("pages/exercises.py", title=_("Exercises")),
        ],
        position="top",
    )
    arrive(page.url_path)  # before anything is shown, which may have to go where the link says
    with offer_languages():
        show_share()
        show_room()
    ask_again_after_a_lost_connection()
    send_texts()
    say_what_was_refused()
    show_scene()
    page.run()
else:  # the server: it answers at once, and gets ready meanwhile
    import logging
    import re
    from base64 import b64encode
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager
    from functools import cache
    from hashlib import sha256
    from pathlib import Path
    from threading import Event, Thread
    from typing import TYPE_CHECKING

    from starlette.datastructures import MutableHeaders
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from starlette.websockets import WebSocket
    from streamlit.file_util import get_static_dir
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

    if TYPE_CHECKING:
        from viz_transformer.room.door import Door

    # Else Streamlit takes `pages/` for automatic pages until app.py has run, and runs the first page asked for alone.
    PagesManager.uses_pages_directory = False
    INDEX = Path(get_static_dir(), "index.html").read_text(encoding="utf-8")
    # What a run says with `st.html` waits for a script of Streamlit's; what is to be predicted would be seen meanwhile.
    FIRST_STYLE = "<style>.st-key-predict:not([data-revealed]) ~ * { display: none !important; }</style>"
    PAGES = ["", *(file.stem for file in Path(__file__).with_name("pages").glob("*.py"))]
    NAMED_AFTER_CONTENT = re.compile(r"/_stcore/bidi-components/.*-[0-9a-f]{10}\.(js|css)$")
    ready = Event()

    def get_ready() -> None:
        """All that the first visitor would wait for. This import, too: it is torch's."""
        try:
            door()
        except ValueError as error:
            logging.getLogger(__name__).error("VIZ_ROOMS: %s", error)
            os._exit(1)  # from a thread, nothing else ends a server
        from viz_transformer.ui.shared.warm_up import warm_up

        warm_up()
        ready.set()

    @cache
    def door() -> "Door":
        """To all rooms. `VIZ_ROOMS`: the address of the store that several servers share."""
        from viz_transformer.room.door import Door
        from viz_transformer.room.stores import store_at

        return Door(store_at(os.environ.get("VIZ_ROOMS", "")), is_host_allowed)

    @asynccontextmanager
    async def lifespan(app: st.App) -> AsyncIterator[None]:
        """Not waited for: until it is done, a visitor waits for the same load."""
        Thread(target=get_ready, name="get ready", daemon=True).start()
        yield
        if ready.is_set():
            await door().close()

    async def readyz(request: Request) -> PlainTextResponse:
        """Whether the default model is loaded; `/_stcore/health` says whether the server runs."""
        return PlainTextResponse("ready") if ready.is_set() else PlainTextResponse("loading", status_code=503)

    async def open_room(request: Request) -> Response:
        return await door().open(request) if ready.is_set() else PlainTextResponse("loading", status_code=503)

    async def join_room(websocket: WebSocket) -> None:
        if ready.is_set():
            await door().join(websocket)
        else:
            await websocket.close()  # its page tries again

    async def index(request: Request) -> HTMLResponse:
        """Streamlit's page, hiding from the start what is hidden."""
        return HTMLResponse(INDEX.replace("</head>", FIRST_STYLE + "</head>"), headers={"Cache-Control": "no-cache"})

    def say_fault(error: Exception) -> bool:
        """Imported when there is one, for the same reason."""
        from viz_transformer.ui.shared.faults import say_fault

        return say_fault(error)

    def headers() -> dict[str, str]:
        """What a browser may do with a page. Who may frame it besides this server: `VIZ_FRAME_ANCESTORS`."""
        inline = re.findall(r"<script>(.*?)</script>", INDEX, re.DOTALL)
        hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inline)
        policy = {
            "default-src": "'self'",
            # Streamlit's page has a line of script in it, and reads whole numbers of 64 bits with WebAssembly.
            "script-src": f"'self' {hashes} 'wasm-unsafe-eval'",
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
        """Streamlit's numbers about all visitors; and names that no file can have, at which its server fails."""
        too_long = any(len(part) > 255 for part in path.encode().split(b"/"))
        return too_long or path.rstrip("/").endswith("/_stcore/metrics")

    class Guard:
        """Puts the headers on every answer, and gives none to what is closed.

        One of several servers (`VIZ_SERVER` is its name) sends its visitors to the others until it is ready.
        """

        def __init__(self, app: ASGIApp) -> None:
            self.app, self.headers, self.is_one_of_several = app, headers(), "VIZ_SERVER" in os.environ

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            async def send_with_headers(message: Message) -> None:
                if message["type"] in ("http.response.start", "websocket.accept"):
                    answered = MutableHeaders(raw=message["headers"])
                    answered.update(self.headers)
                    if message.get("status") == 200 and NAMED_AFTER_CONTENT.search(scope["path"]):
                        answered["Cache-Control"] = "public, max-age=31536000, immutable"
                await send(message)

            answer = self.app
            if scope["type"] == "http" and closed(scope["path"]):
                answer = PlainTextResponse("not found", 404)
            elif scope["type"] != "lifespan" and self.is_one_of_several and not ready.is_set():
                answer = PlainTextResponse("loading", 503)
            await answer(scope, receive, send_with_headers)

    def worth_a_line(record: logging.LogRecord) -> bool:
        """Who asks for a file that is not there has got the answer; a traceback for each would fill a disk."""
        return record.exc_info is None or not isinstance(record.exc_info[1], OSError)

    logging.getLogger("streamlit.web.server.starlette.starlette_routes").addFilter(worth_a_line)
    app = st.App(
        __file__,
        lifespan=lifespan,
        on_script_error=say_fault,
        routes=[
            Route("/readyz", readyz),
            Route("/room", open_room, methods=["POST"]),
            WebSocketRoute("/room/{code}", join_room),
            *(Route(f"/{page}", index) for page in PAGES),
        ],
        middleware=[Middleware(Guard)],
    )
