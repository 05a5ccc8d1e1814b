"""The app's colours and letters, for every figure: the only place of `charts` where a colour is named.

The same as in `frontend/src/kit/colour.ts`, `frontend/src/plots/paint.ts` and `.streamlit/config.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Theme = Literal["light", "dark"]
FONT = "Source Sans, Source Sans 3, Source Sans Pro, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"

# Weights: a cividis-like map, safe for colour-blind eyes, the same in both themes.
SEQUENTIAL = (
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#fee838",
)  # fmt: skip
# Types of layers, told apart on light and on dark pages.
LAYERS = {
    "attention": "#2f7fc1",
    "recurrent": "#d55e00",
    "convolution": "#009e73",
    "dilated": "#b5489b",
    "restricted": "#a07d12",
}
# Weight, contribution and effect of a key.
SHARES = ("#3b5b92", "#8a6d1d", "#b5483b")
POSITIVE, NEGATIVE = "#c9722a", "#3b7fb5"


@dataclass(frozen=True)
class Style:
    """What depends on whether the page is light or dark.

    Attributes:
        panel: of boxes on the background, such as a tooltip.
        series: told apart by colour-blind eyes, in this order.
        diverging: from below zero to above it, the page's own lightness at zero.
        modules: the hue of each attention module, and of the rest of its stack.
        scaled, unscaled: of scores with and without the division by √d_k, and of what follows from them.
        statuses: of the candidates of a search.
    """

    text: str
    background: str
    panel: str
    grid: str
    series: tuple[str, ...]
    diverging: tuple[str, ...]
    modules: Mapping[str, str]
    scaled: str
    unscaled: str
    statuses: Mapping[str, str]


STYLES: Mapping[Theme, Style] = {
    "light": Style(
        text="#22262b",
        background="#fdfcf9",
        panel="#f3f1ea",
        grid="#d9d5ca",
        series=("#0066aa", "#d55e00", "#008764", "#aa3377", "#967300", "#464646", "#3c96c8", "#be3c3c"),
        diverging=("#083e79", "#4a87bd", "#a4c8e2", "#f4f2ec", "#f7c891", "#d97e2e", "#853e06"),
        modules={"encoder_self": "#3b82f6", "decoder_self": "#e0682b", "cross": "#9b5de5"},
        scaled="#1f5f8b",
        unscaled="#d94a57",
        statuses={"live": "#3b82f6", "finished": "#079464", "pruned": "#d9d5ca"},
    ),
    "dark": Style(
        text="#e6e4de",
        background="#15181c",
        panel="#1e2329",
        grid="#353b43",
        series=("#60b2eb", "#f08a3c", "#28c396", "#e280ba", "#e1be3c", "#bebebe", "#96d7f5", "#f58278"),
        diverging=("#8ecaff", "#468cc8", "#254e74", "#242930", "#6e4418", "#ca7a28", "#ffbe6e"),
        modules={"encoder_self": "#85b8f8", "decoder_self": "#f2a56d", "cross": "#bf8ef7"},
        scaled="#7fb8e0",
        unscaled="#f2919a",
        statuses={"live": "#85b8f8", "finished": "#7ed5b0", "pruned": "#353b43"},
    ),
}


def style_of(theme: Theme) -> Style:
    """The style of a light or a dark page.

    Raises:
        ValueError: it is neither.
    """
    if theme not in get_args(Theme):
        raise ValueError(f"theme must be 'light' or 'dark'; it was {theme!r}.")
    return STYLES[theme]


def plotly_layout(style: Style) -> dict[str, Any]:
    """The layout of a Plotly template, which whoever shows the figure may replace by another."""
    axis = {"gridcolor": style.grid, "linecolor": style.grid, "zerolinecolor": style.grid, "automargin": True}
    scene = {**axis, "backgroundcolor": style.background}
    del scene["automargin"]
    return {
        "paper_bgcolor": style.background,
        "plot_bgcolor": style.background,
        "font": {"family": FONT, "color": style.text, "size": 14},
        "colorway": style.series,
        "xaxis": axis,
        "yaxis": axis,
        "scene": {"xaxis": scene, "yaxis": scene, "zaxis": scene},
        "hoverlabel": {"bgcolor": style.panel, "font": {"family": FONT, "color": style.text}, "align": "left"},
    }


def vega_config(style: Style) -> dict[str, Any]:
    """The `config` of a Vega-Lite chart."""
    labels = {"labelColor": style.text, "titleColor": style.text, "labelFontSize": 13, "titleFontSize": 14}
    return {
        "background": style.background,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**labels, "gridColor": style.grid, "domainColor": style.grid, "tickColor": style.grid},
        "legend": {**labels, "labelLimit": 0},
        "title": {"color": style.text, "fontSize": 15, "anchor": "start"},
    }
