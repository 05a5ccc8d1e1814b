"""Tables of numbers that sliders move: the browser changes their cells in place.

`number_table` is for tables that stay; its markup is checked and built anew at every change, which takes longer than a
slider may take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from viz_transformer.ui.components.ahead import with_places_nearby
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.number_table import Cell
from viz_transformer.ui.components.sliders import Bar, Values


@dataclass(frozen=True)
class LiveTable:
    """A table whose first cell of each row names the row; wide and long ones scroll.

    Attributes:
        name: its id for tests.
        lead: a line above it, large.
    """

    name: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    lead: str = ""


@dataclass(frozen=True)
class Tables:
    """Tables side by side where there is room, below a line; or, where there is no such thing, what is wrong."""

    tables: Sequence[LiveTable] = ()
    line: str = ""
    problem: str = ""


def live_tables(bar: Bar, tables_of: Callable[[Values], Tables], *, key: str) -> None:
    """Shows the tables of a bar's values, and those nearby as soon as its sliders go there.

    Args:
        tables_of: see `with_places_nearby`.

    Raises:
        ValueError: where a row has another number of cells than there are columns, or there is none.
    """
    component("table_view", css="lessons")(
        key=key, data=with_places_nearby(bar, lambda values: _pack(tables_of(values)))
    )


def _pack(shown: Tables) -> bytes:
    tables = [
        {
            "name": table.name,
            "lead": table.lead,
            "caption": table.caption,
            "columns": list(table.columns),
            "rows": [[_cell(cell) for cell in row] for row in table.rows],
        }
        for table in map(_checked, shown.tables)
    ]
    return frame({"line": shown.line, "problem": shown.problem, "tables": tables})


def _checked(table: LiveTable) -> LiveTable:
    if not table.rows:
        raise ValueError(f"The table {table.name!r} has no rows.")
    for row in table.rows:
        if len(row) != len(table.columns):
            raise ValueError(f"The table has {len(table.columns)} columns, but a row has {len(row)} cells.")
    return table


def _cell(cell: str | Cell) -> dict[str, Any]:
    cell = Cell(cell) if isinstance(cell, str) else cell
    return {"text": cell.text, "look": cell.look, "share": cell.shade}
