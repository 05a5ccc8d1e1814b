"""Figures of Plotly and Altair on a page: for what no slider moves, in boxes that begin closed.

Each loads its library into the browser, megabytes of it, when the first figure of a visit is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    import altair as alt
    import plotly.graph_objects as go

    from viz_transformer.charts.style import Theme


def theme_of_page() -> Theme:
    """Whose colours the data of a figure have. Letters, lines and background follow the page by themselves."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_plotly(figure: go.Figure, key: str) -> None:
    """The figure, as wide as its place."""
    st.plotly_chart(figure, key=key, config={"displaylogo": False})


def show_altair(chart: alt.Chart | alt.LayerChart, key: str) -> None:
    """The chart, as wide as its place."""
    import altair as alt

    bare = chart.copy(deep=False)
    bare.config = alt.Undefined  # Streamlit's own follows the page, also when that turns dark
    st.altair_chart(bare, key=key)
