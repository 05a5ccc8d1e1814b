"""The browser components, as `frontend/` is built into `static/`: a file of JavaScript for each, and its style."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

STATIC = Path(__file__).parents[1] / "static"


@cache
def component(name: str, css: str = "view") -> Callable[..., Any]:
    """The browser component whose front end begins in a module `<name>.ts`.

    Not to be called at import: the files are found through the installed package's manifest, which needs a runtime.
    """
    return st.components.v2.component(f"viz-transformer.{name}", js=f"{name}-*.js", css=f"{css}-*.css")
