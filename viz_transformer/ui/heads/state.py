"""Where a person is on the page "Heads", in the link; layers, heads and places are counted from 1 there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from viz_transformer.analysis.scores import OPENS_WITH
from viz_transformer.trace import Trace
from viz_transformer.ui.components.maps import HeadScore
from viz_transformer.ui.heads.view import SIDES, HeadsView, committed_heads
from viz_transformer.ui.shared.state import index_in_link

_NAMES = ("module", "layer", "head", "heads", "token", "threshold", "only", "score", "order", "open", "cell")


def heads_in_link(trace: Trace, card: dict[str, Any], scores: Sequence[HeadScore] = ()) -> HeadsView:
    """The view that the link asks for, not yet clamped. Without one: the head that the model's card opens with."""
    parameters = st.query_params
    layer, head = card.get(OPENS_WITH, (trace.config.n_decoder_layers - 1, 0))
    cell = parameters.get("cell", "").split("-")
    heads = [index_in_link(text, -1) for text in parameters.get("heads", "").split("-")]
    return HeadsView(
        module=parameters.get("module", "cross"),
        layer=index_in_link(parameters.get("layer"), int(layer)),
        head=index_in_link(parameters.get("head"), int(head)),
        heads=tuple(one for one in heads if one >= 0),
        token=_token(parameters.get("token", "")),
        threshold=_threshold(parameters.get("threshold", "")),
        only=parameters.get("only", ""),
        score=parameters.get("score", scores[0].name if scores else ""),
        order=parameters.get("order", "place"),
        is_open=parameters.get("open") == "1",
        pinned=(index_in_link(cell[0], 0), index_in_link(cell[1], 0)) if len(cell) == 2 else None,
    )


def keep_heads_in_link(key: str, n_heads: int) -> None:
    """Writes the view that a person settled on in the component `key` into the link, without what is the default."""
    view = committed_heads(key)
    if view is None:
        return
    is_all = len(set(view.heads)) == n_heads
    values = {
        "module": view.module,
        "layer": str(view.layer + 1),
        "head": str(view.head + 1),
        "heads": "" if is_all else "-".join(str(head + 1) for head in view.heads),
        "token": view.token and f"{view.token[0][:1]}{view.token[1] + 1}",
        "threshold": view.threshold and f"{view.threshold:.4f}",
        "only": view.only,
        "score": view.score or "none",
        "order": "" if view.order == "place" else view.order,
        "open": "1" if view.is_open else "",
        "cell": view.pinned and f"{view.pinned[0] + 1}-{view.pinned[1] + 1}",
    }
    for name in _NAMES:
        if not values[name]:
            st.query_params.pop(name, None)
    st.query_params.update({name: str(value) for name, value in values.items() if value})


def _token(text: str) -> tuple[str, int] | None:
    """ "q3" → ("query", 2)."""
    side = next((side for side in SIDES if text.startswith(side[0])), None)
    place = index_in_link(text[1:], -1)
    return (side, place) if side and place >= 0 else None


def _threshold(text: str) -> float:
    is_number = len(text) < 8 and text.replace(".", "", 1).isdecimal()
    return min(float(text), 1.0) if is_number else 0.0
