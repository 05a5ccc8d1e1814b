"""The weights of one query as bars, one for each key; the bar that a person clicked is in the link."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viz_transformer.ui.components.component import Component
from viz_transformer.views.linked import INDEX, OrNone, clamped, linked
from viz_transformer.views.text import _


@dataclass(frozen=True)
class BarsView:
    bar: int | None = linked("bar", OrNone(INDEX), None)


BARS = Component("weight_bars", BarsView, labels=lambda: {"bar": _("«{key}»: {weight}")})


def weight_bars(weights: np.ndarray, keys: Sequence[str]) -> BarsView:
    """Shows `weights`, (S,) float32, and returns which bar is chosen."""
    content = {"weights": weights, "keys": keys}
    return BARS.show_linked(content, key="bars", usual=BarsView(), fit=lambda view: clamped(view, bar=len(keys)))
