"""Entry point, started by `streamlit run app.py`: run anew for every visitor, and imported once, as the server."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: its threads make visitors wait for each other

import streamlit as st

if __name__ == "__main__":  # a visitor's run: page set-up and navigation, nothing else
    from viz_transformer.ui.shared.caches import keep_caches
    from viz_transformer.ui.shared.faults import keep_texts_out_of_the_log
    from viz_transformer.ui.shared.forged import refuse_forged_values
    from viz_transformer.ui.shared.link import arrive
    from viz_transformer.ui.shared.look import apply_look
    from viz_transformer.ui.shared.text import _

    keep_caches()
    keep_texts_out_of_the_log()
    refuse_forged_values()
    st.set_page_config(page_title=_("Inside attention"), page_icon="🔎", layout="wide")
    apply_look()
    page = st.navigation(
        [
            st.Page("pages/overview.py", title=_("Overview"), default=True),
            st.Page("pages/attention.py", title=_("Attention step by step")),
            st.Page("pages/masks.py", title=_("Masks")),
            st.Page("pages/heads.py", title=_("Heads")),
            st.Page("pages/decoding.py", title=_("Decoding")),
            st.Page("pages/architecture.py", title=_("Architecture")),
            st.Page("pages/why_attention.py", title=_("Why attention")),
            st.Page("pages/scaling.py", title=_("Scaling")),
            st.Page("pages/positions.py", title=_("Positions")),
            st.Page("pages/training.py", title=_("Training")),
        ],
        position="top",
    )
    arrive(page.url_path)
    page.run()
else:  # the server: it answers at once, and gets ready meanwhile
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager
    from threading import Event, Thread

    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route
    from streamlit.runtime.pages_manager import PagesManager

    # Else Streamlit takes `pages/` for automatic pages until app.py has run, and runs the first page asked for alone.
    PagesManager.uses_pages_directory = False
    ready = Event()

    def get_ready() -> None:
        """All that the first visitor would wait for. This import, too: it is torch's."""
        from viz_transformer.ui.shared.warm_up import warm_up

        warm_up()
        ready.set()

    @asynccontextmanager
    async def lifespan(app: st.App) -> AsyncIterator[None]:
        """Not waited for: until it is done, a visitor waits for the same load."""
        Thread(target=get_ready, name="get ready", daemon=True).start()
        yield

    async def readyz(request: Request) -> PlainTextResponse:
        """Whether the default model is loaded; `/_stcore/health` says whether the server runs."""
        return PlainTextResponse("ready") if ready.is_set() else PlainTextResponse("loading", status_code=503)

    def say_fault(error: Exception) -> bool:
        """Imported when there is one, for the same reason."""
        from viz_transformer.ui.shared.faults import say_fault

        return say_fault(error)

    app = st.App(__file__, lifespan=lifespan, on_script_error=say_fault, routes=[Route("/readyz", readyz)])
