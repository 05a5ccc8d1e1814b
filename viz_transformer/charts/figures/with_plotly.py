"""What all Plotly figures share. Plotly reads tags, entities and formulas in every text: `verbatim` keeps them out."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from viz_transformer.charts.style import Style, plotly_layout

EXACT = ".9~g"  # as many digits as tell any two float32 apart


def verbatim(text: str) -> str:
    """A text for Plotly that is shown sign by sign: `<b>` is no tag, `&lt;` no entity, `$x$` no formula."""
    return escape(text, quote=False).replace("$", "&#36;").replace("\n", "⏎")


def in_template(text: str) -> str:
    """A text that is part of a template: `%{` is no variable in it, either."""
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
