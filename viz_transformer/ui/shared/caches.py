"""What all visitors share stays where it is, whatever one of them asks for."""

from __future__ import annotations

from streamlit.runtime.app_session import AppSession


def keep_caches() -> None:
    """Once a process, before anything is cached.

    `clear_cache` of Streamlit's protocol empties the caches of everybody. It stands behind a developer's menu, but a
    server takes it from every client, also where the menu is not shown (`client.toolbarMode`), and no setting refuses
    it. So the one method that answers it does nothing. `st.cache_resource.clear()` in code still works.
    """
    AppSession._handle_clear_cache_request = _ignore  # type: ignore[method-assign]


def _ignore(self: AppSession) -> None:
    """Nothing changes for anybody, not even for who asked."""
