"""A table of numbers that a slider moves: the browser changes its cells in place.

`number_table` is for tables that stay; its markup is checked and built anew at every change, which takes longer than a
slider may take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import streamlit as st

from viz_transformer.ui.frames import frame
from viz_transformer.ui.front_end import one_file
from viz_transformer.ui.number_table import Cell


def live_table(
    name: str, caption: str, columns: Sequence[str], rows: Sequence[Sequence[str | Cell]], *, lead: str = ""
) -> None:
    """A table whose first cell of each row names the row; wide and long ones scroll.

    Args:
        name: its id for tests, and its key: unique in the app.
        lead: a line above it, large.

    Raises:
        ValueError: without rows, or where a row has another number of cells than there are columns.
    """
    if not rows:
        raise ValueError(f"The table {name!r} has no rows.")
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"The table has {len(columns)} columns, but a row has {len(row)} cells.")
    content = {
        "name": name,
        "lead": lead,
        "caption": caption,
        "columns": list(columns),
        "rows": [[_cell(cell) for cell in row] for row in rows],
    }
    _component()(key=f"table {name}", data=frame(content))


def _cell(cell: str | Cell) -> dict[str, str]:
    cell = Cell(cell) if isinstance(cell, str) else cell
    return {"text": cell.text, "look": cell.look}


@cache
def _component() -> Callable[..., Any]:
    # Not at import: the files are found through the installed package's manifest, which needs a runtime.
    return st.components.v2.component("viz-transformer.table_view", js=one_file("table_view.js"), css="lessons.css")
