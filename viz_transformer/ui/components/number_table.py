"""Tables of numbers with typed tokens in them, all of it escaped: Streamlit's own tables read markup in their cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from viz_transformer.views.terms import named_in
from viz_transformer.visible import escape

_CSS = """<style>
.vt-scroll { overflow: auto; max-height: 30rem;
  /* What goes on to the right fades out there, until it is scrolled to its end. */
  mask-image: linear-gradient(to left, transparent, #000 var(--vt-fade));
  animation: vt-fade linear; animation-timeline: scroll(self inline); }
.vt-scroll:focus-visible { outline-offset: -2px; }
@keyframes vt-fade { from { --vt-fade: 3rem; } 90% { --vt-fade: 3rem; } to { --vt-fade: 0px; } }
.vt-table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
.vt-table th, .vt-table td { padding: 0.2rem 0.6rem; text-align: right; white-space: nowrap; font-weight: 400;
  border-bottom: 1px solid color-mix(in srgb, currentColor 16%, transparent); }
.vt-table thead th { font-size: 0.85rem; opacity: 0.75; vertical-align: bottom; white-space: normal;
  word-break: keep-all; min-width: 4.5rem; }
.vt-table tbody th, .vt-table thead th:first-child, .vt-table .text, .vt-table thead .text { text-align: left; }
/* Where there is little room, sentences that name a row leave some of it to the numbers. */
@media (max-width: 640px) {
  .vt-scroll { max-height: none; overflow: auto hidden; }
  .vt-table tbody th { white-space: normal; min-width: 7rem; }
}
.vt-table .strong { background: rgba(201, 138, 0, 0.22); }
.vt-table .masked { background: repeating-linear-gradient(135deg,
  color-mix(in srgb, currentColor 26%, transparent) 0 1px, transparent 1px 5px); }
</style>"""


@dataclass(frozen=True)
class Cell:
    """One cell's text and how it looks: "text", "strong" or "masked", or several of them.

    Attributes:
        shade: 0 to 1, how dark its background is; in a live table's cell with the look "share", how long its bar is.
    """

    text: str
    look: str = ""
    shade: float = 0.0


@dataclass(frozen=True)
class Table:
    """A table whose first cell of each row names the row.

    Attributes:
        name: its id for tests and style sheets, not shown.
        columns: one heading for each cell of a row, that of the row's name too.
        lead: a large line above it; only live tables show it.

    Raises:
        ValueError: without rows, or where a row has another number of cells than there are columns.
    """

    name: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    lead: str = ""

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"The table {self.name!r} has no rows.")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name} has {len(self.columns)} columns, but a row has {len(row)} cells.")

    def content(self) -> dict[str, Any]:
        """The table in the form that kit/table.ts expects."""
        return {
            "name": self.name,
            "lead": self.lead,
            "caption": self.caption,
            "columns": list(self.columns),
            "slugs": named_in(self.caption),
            "rows": [[asdict(Cell(cell) if isinstance(cell, str) else cell) for cell in row] for row in self.rows],
        }


def number_table(name: str, caption: str, columns: Sequence[str], rows: Sequence[Sequence[str | Cell]]) -> None:
    """Shows a `Table` that stays; wide and long ones scroll."""
    Table(name, caption, columns, rows)  # only for its checks
    texts = [isinstance(cell, Cell) and "text" in cell.look.split() for cell in rows[0]]
    looks = [" class=text" if is_text else "" for is_text in texts]
    head = "".join(
        f'<th scope="col"{look}><bdi>{escape(column)}</bdi></th>' if column else "<td></td>"
        for column, look in zip(columns, looks, strict=True)
    )
    body = "".join(f"<tr>{''.join(_cell(cell, n) for n, cell in enumerate(row))}</tr>" for row in rows)
    st.html(
        f'{_CSS}<p class="vt-caption">{escape(caption)}</p>'
        f'<div class="vt-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"'
        f' data-term="{named_in(caption)}">'
        f'<table class="vt-table" data-testid="{escape(name)}" aria-label="{escape(caption)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def decimals(value: float, places: int = 4) -> str:
    """A number as the matrices show it: small ones have an exponent, so that only 0 itself looks like 0."""
    if math.isnan(value):
        return "NaN"
    if value == 0:
        return "0"
    if abs(value) >= 0.5 * 10**-places:
        return f"{value:.{places}f}".replace("-", "−")
    mantissa, _e, exponent = f"{value:.{places - 2}e}".partition("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def _cell(cell: str | Cell, column: int) -> str:
    cell = Cell(cell) if isinstance(cell, str) else cell
    tag = '<th scope="row"' if column == 0 else "<td"
    look = f' class="{cell.look}"' if cell.look else ""
    if cell.shade:
        look += f' style="background: rgba(201, 138, 0, {min(max(cell.shade, 0.0), 1.0) * 0.55:.2f})"'
    return f"{tag}{look}><bdi>{escape(cell.text)}</bdi></{'th' if column == 0 else 'td'}>"
