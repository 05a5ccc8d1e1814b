"""The browser component, as `frontend/` is built into `static/`: all panels in one module, with their style."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

STATIC = Path(__file__).parents[1] / "static"


@cache
def component() -> Callable[..., Any]:
    """The Streamlit component that shows every panel; each message names its panel.

    Not to be called at import: Streamlit finds the files through the installed package's manifest only while it runs.
    """
    return st.components.v2.component("viz-transformer.panels", js="panels-*.js")
