"""A fake browser for the tests of components."""

from __future__ import annotations

from typing import Any

import pytest

from tests.packed import unpacked
from viz_transformer.ui.components import component as contract
from viz_transformer.ui.shared import link


class Browser:
    """A session with one component in it: what Streamlit would keep and send."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state: dict[str, Any] = {}
        self.parameters: dict[str, str] = {}
        self.sent: list[bytes] = []
        self.on_change: Any = None
        monkeypatch.setattr(contract.st, "session_state", self.state)
        monkeypatch.setattr(link.st, "query_params", self.parameters)
        monkeypatch.setattr(contract, "component", lambda: self._shown)

    def _shown(self, *, key: str, data: bytes, on_view_change: Any) -> None:
        self.sent.append(data)
        self.on_change = on_view_change

    @property
    def message(self) -> Any:
        return unpacked(self.sent[-1])

    @property
    def request(self) -> Any:
        return self.message["request"]

    def settle(self, **view: Any) -> None:
        """A person comes to rest elsewhere: Streamlit calls `on_change` before the next run."""
        self.state["k"] = {"view": {**self.request["view"], **view, "revision": self.request["revision"]}}
        self.on_change()


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(monkeypatch)
