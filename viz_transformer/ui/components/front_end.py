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
    """What shows each panel; a message says which.

    Not to be called at import: the files are found through the installed package's manifest, which needs a runtime.
    """
    return st.components.v2.component("viz-transformer.panels", js="panels-*.js")
