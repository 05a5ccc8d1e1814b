"""What all Plotly figures share. Plotly interprets tags, entities and formulas in any text; `verbatim` escapes them."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from viz_transformer.charts.style import Style, plotly_layout

EXACT = ".9~g"  # as many digits as tell any two float32 apart


def verbatim(text: str) -> str:
    """The text, escaped so that Plotly shows it as it is: `<b>` is no tag, `&lt;` no entity, `$x$` no formula."""
    return escape(text, quote=False).replace("$", "&#36;").replace("\n", "⏎")


def in_template(text: str) -> str:
    """The text, escaped for a template, in which `%{` would begin a variable."""
    return verbatim(text).replace("%", "&#37;")


def dressed(figure: go.Figure, style: Style, title: str, height: int) -> go.Figure:
    """The figure in the app's look. `height` in px."""
    figure.update_layout(
        template=go.layout.Template(layout=plotly_layout(style)),
        title={"text": verbatim(title), "x": 0, "xref": "paper"} if title else None,
        height=height,
        margin={"l": 8, "r": 8, "t": 64 if title else 32, "b": 8},
        hoverlabel_namelength=-1,
        uniformtext={"minsize": 10, "mode": "hide"},  # what would be smaller is on hover
    )
    return figure
