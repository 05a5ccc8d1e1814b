"""What all tests of pages have in common."""

from __future__ import annotations

import pytest

from viz_transformer.ui.components import slider_prefetch


@pytest.fixture(autouse=True)
def quick_pages_show_one_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --quick, nothing is prefetched for places nearby a slider: most of what such a page computes."""
    if request.config.getoption("quick"):
        monkeypatch.setattr(slider_prefetch, "SECONDS", 0.0)
