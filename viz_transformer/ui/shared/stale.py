"""What a browser asks for before it knows what the server has done meanwhile."""

from __future__ import annotations

from urllib.parse import urlencode

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.query_params import QueryParams

# Keys of what app.py shows on every page: who opens one tells their state along.
EVERYWHERE = {"room", "scene", "share"}
_request_rerun = AppSession.request_rerun
_send_query_param_msg = QueryParams._send_query_param_msg
_PAGE, _LINK = "_viz_page", "_viz_link"  # of a session: as its browser said last; its first page by path, and by ""
_WRITTEN = "_viz_written"  # of a session's link: what a run made of it since


def mend_stale_requests() -> None:
    """Once a process.

    A fragment of the page before, which a clock or a view that settled late asks for after the browser has asked for
    another page: Streamlit would open the page before again, with that fragment alone, an empty screen. It is not run.

    The page before, which a control asks for that the same click has closed or left (the box at the end of the line):
    Streamlit would go back there. The page that has been opened is run instead.

    A link that the server has changed since, where a person chooses twice within the time of one run: the second run
    would find the link as it was, and go back on the first choice. It gets the link as it is.
    """
    AppSession.request_rerun = _mended  # type: ignore[assignment, method-assign]
    QueryParams._send_query_param_msg = _noted  # type: ignore[method-assign]


def _mended(self: AppSession, asked: ClientState | None) -> None:
    if asked is not None:
        page, link = getattr(self, _PAGE, ""), self._session_state.query_params
        if page not in ("", asked.page_script_hash):
            if asked.fragment_id:
                return
            if any(user_key_from_element_id(one.id) not in EVERYWHERE for one in asked.widget_states.widgets):
                # Who opens a page tells nothing of the page before.
                asked.page_script_hash = page
                asked.ClearField("widget_states")
        is_known = asked.query_string == getattr(self, _LINK, None) and page in ("", asked.page_script_hash)
        setattr(self, _PAGE, asked.page_script_hash)
        setattr(self, _LINK, asked.query_string)
        if is_known and not asked.is_history_navigation:
            asked.query_string = getattr(link, _WRITTEN, asked.query_string)
        else:
            vars(link).pop(_WRITTEN, None)
    _request_rerun(self, asked)


def _noted(self: QueryParams) -> None:
    setattr(self, _WRITTEN, urlencode(self._query_params, doseq=True))
    _send_query_param_msg(self)
