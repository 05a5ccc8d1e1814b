"""The browser component that draws what one output of each type of layer sees, and the way there from one input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from viz_transformer.experiments.why_attention.layer_types import LayerType, Sizes, connections, layer_cost
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.why_attention.words import layer_names
from viz_transformer.views.linked import INDEX, clamped, linked
from viz_transformer.views.text import _

# Those of few layers first, so that drawings side by side are about equally high.
_ORDER: tuple[LayerType, ...] = ("attention", "recurrent", "dilated", "convolution", "restricted")
MAX_LAYERS = 8  # that are drawn
MAX_DRAWN = 24  # positions


@dataclass(frozen=True)
class PathsView:
    """The chosen input and output, from 0; the browser clamps them to the positions that are drawn.

    The usual output is the last of MAX_DRAWN, however many are drawn: if it changed with the slider, Python would ask
    for another view, and the browser would leave the chosen one.
    """

    input: int = linked("from", INDEX, 0)
    output: int = linked("to", INDEX, MAX_DRAWN - 1)


def paths_view(bar: Bar, sizes_of: Callable[[Values], Sizes], *, key: str) -> None:
    """Draws the five types over `n` positions, for the sizes of a bar's values."""

    def drawings(values: Values) -> dict[str, Any]:
        sizes = sizes_of(values)
        return {"n": sizes.n, "kinds": [_kind(kind, sizes) for kind in _ORDER]}

    _PATHS.show_linked(
        BySliders(bar, drawings, depends_on=()),
        key=key,
        usual=PathsView(),
        fit=lambda view: clamped(view, input=MAX_DRAWN, output=MAX_DRAWN),
    )


def _kind(kind: LayerType, sizes: Sizes) -> dict[str, Any]:
    cost, graph = layer_cost(kind, sizes), connections(kind, sizes, MAX_LAYERS)
    if cost.path is None:
        note, cut = (
            _("no number of layers connects all positions"),
            _("It reads a single position, however many layers there are."),
        )
    else:
        note = _("layers: {layers} · longest path: {path}").format(layers=cost.layers, path=cost.path)
        hidden = (cost.layers or 1) - graph.levels
        cut = (
            _("{drawn} of {layers} layers are drawn.").format(drawn=graph.levels, layers=cost.layers) if hidden else ""
        )
    edges = np.array(graph.edges, dtype=np.uint16).reshape(-1, 4)
    return {
        "id": kind,
        "title": layer_names()[kind],
        "note": note,
        "cut": cut,
        "n": graph.n,
        "levels": graph.levels,
        "edges": edges,
    }


def _labels() -> dict[str, str]:
    return {
        "input": _("input {n}"),
        "output": _("output {n}"),
        "outputs": _("outputs above, inputs below"),
        "from": _("From input {n}"),
        "to": _("To output {n}"),
        "sees": _("Output {to} sees inputs from {first} on: {count}."),
        "way": _("Connections from input {from} to output {to}: {length}."),
        "no_way": _("Input {from} does not reach this output."),
        "picture": _("Paths from input {from} to output {to}"),
        "drawing": _("{title}. {text}"),
        "conclusion": _(
            "From input {from} to output {to} a signal crosses {attention} in self-attention, {recurrent} in a "
            "recurrent layer and {dilated} in dilated convolutions: the fewer, the easier the dependence is to learn."
        ),
        "nothing": _("no connection"),
        "one": _("1 connection"),
        "several": _("{n} connections"),
    }


_PATHS = Component("paths_view", PathsView, _labels)
