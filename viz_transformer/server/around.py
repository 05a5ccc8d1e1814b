"""The parts of the server put together: what `st.App` is given besides the script that it runs for every visitor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute

from viz_transformer.server.arrivals import Arrivals
from viz_transformer.server.descriptors import raise_limit
from viz_transformer.server.guard import Guard
from viz_transformer.server.index import index
from viz_transformer.server.loading import Loading
from viz_transformer.server.messages import Messages
from viz_transformer.server.navigation import announce_navigation
from viz_transformer.server.strangers import Strangers
from viz_transformer.server.uploads import Uploads
from viz_transformer.server.visitors import Visitors
from viz_transformer.ui.shared.log import keep_texts_out_of_the_log


def around(script: str) -> dict[str, Any]:
    """The keyword arguments of `st.App`; to be called once a process. The script's pages are in `pages/` beside it."""
    keep_texts_out_of_the_log()
    raise_limit()
    announce_navigation()
    loading = Loading()
    pages = ["", *(file.stem for file in Path(script).with_name("pages").glob("*.py"))]
    return {
        "lifespan": loading.lifespan,
        "on_script_error": say_fault,
        "routes": [
            Route("/readyz", loading.readyz),
            Route("/room", loading.open_room, methods=["POST"]),
            WebSocketRoute("/room/{code}", loading.join_room),
            *(Route(f"/{page}", index) for page in pages),
        ],
        "middleware": [
            Middleware(Arrivals),
            Middleware(Guard, loading=loading),
            Middleware(Strangers),
            Middleware(Visitors, pages={*pages}),
            Middleware(Messages),
            Middleware(Uploads, loading=loading),
        ],
    }


def say_fault(error: Exception) -> bool:
    """The app's own `say_fault`, imported only when there is a fault: it imports torch."""
    from viz_transformer.ui.shared.faults import say_fault

    return say_fault(error)
