"""What is measured of heads, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
from numpy.typing import ArrayLike

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_altair import dressed, exact, rows_of, series_colour
from viz_transformer.charts.style import Theme, style_of

LABELS = {
    "title": "",
    "layer": "layer",
    "head": "head",
    "entropy": "entropy, bits",
    "module": "module",
    "encoder_self": "encoder self-attention",
    "decoder_self": "decoder self-attention",
    "cross": "cross-attention",
}
MODULES = ("encoder_self", "decoder_self", "cross")


def entropy_by_layer(
    entropies: Mapping[str, Sequence[ArrayLike]],
    *,
    first: int = 0,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> alt.Chart:
    """A point for each head: how widely it looks, layer by layer, the modules side by side; nothing is averaged here.

    Args:
        entropies: "encoder_self", "decoder_self" or "cross" → for each layer (H,) entropies in bits: 0 where one key
            has all the weight, log2 n where n keys share it.
        first: the number that the first layer and the first head get.
        labels: other words for "title", "layer", "head", "entropy", "module" and the three modules.

    Raises:
        ValueError: there is no module, or one of another name; an entropy is below 0 or not finite.
    """
    said, style = checked.texts(LABELS, labels), style_of(theme)
    if not entropies or set(entropies) - set(MODULES):
        raise ValueError(f"entropies must be of {', '.join(MODULES)}; there are {', '.join(entropies) or 'none'}.")
    rows = []
    for module, layers in entropies.items():
        for layer, heads in enumerate(layers):
            values = checked.array(f"entropies[{module!r}][{layer}]", heads, 1)
            if values.min() < 0:
                raise ValueError(f"No entropy is below 0; one of {module}, layer {layer}, is {values.min():.9g}.")
            rows += [
                {"series": said[module], "layer": first + layer, "head": first + head, "entropy": float(value)}
                for head, value in enumerate(values)
            ]
    names = [said[module] for module in MODULES if module in entropies]
    colours = [style.modules[module] for module in MODULES if module in entropies]
    chart = (
        alt.Chart(rows_of(rows))
        .mark_point(filled=True, size=90, opacity=0.8)
        .encode(
            x=alt.X("layer:O", title=said["layer"], axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("series:N", sort=names),
            y=alt.Y("entropy:Q", title=said["entropy"], scale=alt.Scale(zero=True)),
            color=series_colour(names, colours, "circle"),
            tooltip=[
                alt.Tooltip("series:N", title=said["module"]),
                alt.Tooltip("layer:O", title=said["layer"]),
                alt.Tooltip("head:O", title=said["head"]),
                exact("entropy", said["entropy"]),
            ],
        )
    )
    figure: alt.Chart = dressed(chart, style, said["title"], height=320)
    return figure
