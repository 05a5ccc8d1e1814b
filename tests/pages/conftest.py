"""What all tests of pages have in common."""

from __future__ import annotations

import pytest

from viz_transformer.ui.components import slider_prefetch


@pytest.fixture(autouse=True)
def quick_pages_show_one_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The places nearby a slider, which are sent ahead, are most of what a page with sliders computes."""
    if request.config.getoption("quick"):
        monkeypatch.setattr(slider_prefetch, "SECONDS", 0.0)
