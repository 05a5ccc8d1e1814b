"""Figures of Plotly and Altair on a page: for what no slider moves, in boxes that begin closed.

Each loads its library into the browser, megabytes of it, when the first figure of a visit is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import streamlit as st

from viz_transformer.ui.shared.byte_cache import Kept
from viz_transformer.views.text import language

if TYPE_CHECKING:
    import altair as alt
    import plotly.graph_objects as go

    from viz_transformer.charts.style import Theme


def theme_of_page() -> Theme:
    """The theme for the colours of a figure's data. Letters, lines and background follow the page by themselves."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_plotly(figure: go.Figure, key: str) -> None:
    """The figure, as wide as its place."""
    st.plotly_chart(figure, key=key, config={"displaylogo": False})


def show_altair(chart: alt.Chart | alt.LayerChart, key: str) -> None:
    """The chart, as wide as its place."""
    st.altair_chart(_bare(chart), key=key)


def show_kept_altair(chart_of: Callable[[], alt.Chart | alt.LayerChart], depends_on: Hashable, key: str) -> None:
    """Shows a chart that is made once for all visitors: making and checking one takes as long as all else on a page.

    Args:
        depends_on: what decides about the chart, besides the reader's language and the page's theme.
    """
    name = (key, depends_on, language(), theme_of_page())
    st.vega_lite_chart(spec=_SPECS.computed(name, lambda: _bare(chart_of()).to_dict()), key=key)


def _bare(chart: alt.Chart | alt.LayerChart) -> alt.Chart | alt.LayerChart:
    import altair as alt

    bare = chart.copy(deep=False)
    bare.config = alt.Undefined  # Streamlit's own follows the page, also when that turns dark
    return bare


_SPECS: Kept[Hashable, dict[str, Any]] = Kept()
