"""What all Altair figures share. Vega shows texts as they are; it parses only field names, which are all our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt

from viz_transformer.charts.style import Style, vega_config

EXACT = ".9~g"  # as many digits as tell any two float32 apart


def rows_of(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """The rows as inline data, without Altair's limit on their number."""
    return alt.InlineData(values=[*map(dict, rows)])


def exact(field: str, title: str) -> alt.Tooltip:
    """A number of a tooltip, with every digit that a float32 has."""
    return alt.Tooltip(f"{field}:Q", title=title, format=EXACT)


def dressed(chart: Any, style: Style, title: str, height: int, width: int = 640) -> Any:
    """The chart, of one layer or several, in the app's look; `height` and `width` in px."""
    said = {"title": alt.TitleParams(text=title)} if title else {}
    shown = chart.properties(height=height, width=width, **said)
    shown.config = vega_config(style)
    return shown


def series_colour(names: Iterable[str], colours: Iterable[str], symbol: str = "stroke") -> alt.Color:
    """A colour for each name in the field "series", and a legend above the picture, where a phone has room for it."""
    names = [*names]
    columns = 1 if len(names) <= 3 else 2
    return alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=[*colours]),
        legend=alt.Legend(orient="top", labelLimit=0, columns=columns, symbolType=symbol, symbolOpacity=1),
    )
