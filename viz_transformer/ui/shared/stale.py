"""A part of a page that has been left is not run again."""

from __future__ import annotations

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

_request_rerun = AppSession.request_rerun
_PAGE = (
    "_viz_page_asked_for"  # of the session: as the browser last named it; "" at its first page, which it names by path
)


def refuse_parts_of_other_pages() -> None:
    """Once a process.

    A browser may ask for a fragment of the page before, by a clock or a view that settled late, after it has asked for
    another page and before that has come. Streamlit then opens the page before again, with that fragment alone: the
    visitor has an empty screen.
    """
    AppSession.request_rerun = _of_this_page  # type: ignore[method-assign]


def _of_this_page(self: AppSession, client_state: ClientState | None) -> None:
    if client_state is not None:
        page = client_state.page_script_hash
        if client_state.fragment_id and page != getattr(self, _PAGE, "") != "":
            return
        setattr(self, _PAGE, page)
    _request_rerun(self, client_state)
