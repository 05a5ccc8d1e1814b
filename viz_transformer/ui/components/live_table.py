"""Tables of numbers that sliders move: the browser changes their cells in place.

`number_table` is for tables that do not change: it builds and checks its markup anew at every change, which is too slow
for a slider that is being dragged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.components.number_table import Table
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Values

_TABLES = Component("table_view", NoView)


@dataclass(frozen=True)
class Tables:
    """Tables side by side where there is room; below them a line, and a conclusion from their numbers.

    Where there are no tables, `problem` says why.
    """

    tables: Sequence[Table] = ()
    line: str = ""
    problem: str = ""
    conclusion: str = ""

    def content(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "problem": self.problem,
            "tables": [table.content() for table in self.tables],
            "conclusion": self.conclusion,
        }


def live_tables(bar: Bar, tables_of: Callable[[Values], Tables], *, key: str, depends_on: Hashable) -> None:
    """Shows the tables for a bar's values; those for values nearby are sent ahead.

    Args:
        tables_of, depends_on: see `BySliders`.
    """
    content = BySliders(bar, lambda values: tables_of(values).content(), depends_on=depends_on)
    _TABLES.show(content, key=key, view=NoView())
