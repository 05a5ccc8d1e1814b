"""The browser components that show all heads of a trace: at a glance, as arcs, or from query and key to the weight.

Everything is sent once; module, layer, head, token and threshold are switched in the browser. Python hears only what a
person settled on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.trace import Trace
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.map_labels import heads_labels
from viz_transformer.ui.components.maps import HeadScore, ModuleMaps, pack_maps, pack_stages
from viz_transformer.ui.components.settled import committed_fields, settle

SIDES = ("query", "key")


@dataclass(frozen=True)
class HeadsView:
    """What is on the screen. Everything counts from 0.

    Attributes:
        module, layer, head: the head that is open, or the one whose numbers are shown.
        heads: which heads of the layer have arcs.
        token: the token whose attention is lit, as ("query" or "key", place).
        threshold: arcs of less weight are hidden.
        only: the one module that the glance shows; "" shows all.
        score: the name of the score that colours the glance; "" colours by none.
        order: of the glance, "place" or "score", the largest first.
        is_open: whether the glance has one head open, large.
        pinned: the cell (query, key) pinned in it.
    """

    module: str = "cross"
    layer: int = 0
    head: int = 0
    heads: tuple[int, ...] = ()
    token: tuple[str, int] | None = None
    threshold: float = 0.0
    only: str = ""
    score: str = ""
    order: str = "place"
    is_open: bool = False
    pinned: tuple[int, int] | None = None


def heads_view(
    maps: Sequence[ModuleMaps],
    *,
    key: str,
    mode: Literal["glance", "arcs"],
    view: HeadsView,
    scores: Sequence[HeadScore] = (),
    notes: Sequence[str] = (),
    on_change: Callable[[], None] | None = None,
) -> HeadsView:
    """Shows the weights of all heads, as thumbnails or as arcs, and returns the view that is on the screen.

    Args:
        maps: one or more modules, of equally many heads.
        view: sets the view at the first run, with other numbers, and whenever it asks for something new. Pass back
            what `committed_heads(key)` says in `on_change`.
        scores: what the glance can be coloured and sorted by.
        notes: what was done to the recorded weights; stands on the plot.

    Raises:
        ValueError: see `pack_maps`.
    """
    shown = component("heads_glance") if mode == "glance" else component("heads_arcs")
    return _show(shown, pack_maps(maps, scores), key, within(view, maps, scores), notes, on_change)


def query_key_view(
    trace: Trace,
    *,
    key: str,
    view: HeadsView,
    on_change: Callable[[], None] | None = None,
) -> HeadsView:
    """Shows q, every k, their products, the scores and the weights of one query token of one head, all recorded."""
    module: AttentionModule = next((name for name in ATTENTION_MODULES if name == view.module), "cross")
    record = trace.attention(module, 0)
    layer = _within(view.layer, n_layers(trace.config, module))
    place = _within(view.token[1], len(record.query_tokens)) if view.token and view.token[0] == "query" else 0
    head = _within(view.head, trace.config.n_heads)
    view = replace(view, module=module, layer=layer, head=head, token=("query", place))
    return _show(component("heads_query_key"), pack_stages(trace), key, view, (), on_change)


def committed_heads(key: str) -> HeadsView | None:
    """The view that a person settled on in the component `key`, or None before that."""
    raw = committed_fields(key)
    if raw is None:
        return None
    try:
        token, pinned = raw["token"], raw["pinned"]
        return HeadsView(
            module=str(raw["module"]),
            layer=int(raw["layer"]),
            head=int(raw["head"]),
            heads=tuple(int(head) for head in raw["heads"]),
            token=None if token is None else (str(token[0]), int(token[1])),
            threshold=float(raw["threshold"]),
            only=str(raw["only"]),
            score=str(raw["score"]),
            order=str(raw["order"]),
            is_open=bool(raw["is_open"]),
            pinned=None if pinned is None else (int(pinned[0]), int(pinned[1])),
        )
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def within(view: HeadsView, maps: Sequence[ModuleMaps], scores: Sequence[HeadScore] = ()) -> HeadsView:
    """The view with everything that `maps` and `scores` lack taken out or clamped to what they have."""
    shown = next((one for one in maps if one.module == view.module), maps[0])
    layers, n_heads, n_queries, n_keys = shown.weights.shape
    counts = {"query": n_queries, "key": n_keys}
    heads = tuple(sorted({head for head in view.heads if 0 <= head < n_heads}))
    return replace(
        view,
        module=shown.module,
        layer=_within(view.layer, layers),
        head=_within(view.head, n_heads),
        heads=heads or tuple(range(n_heads)),
        token=(view.token[0], _within(view.token[1], counts[view.token[0]]))
        if view.token and view.token[0] in counts
        else None,
        threshold=min(max(view.threshold, 0.0), 1.0),
        only=view.only if view.only in {one.module for one in maps} else "",
        score=view.score if view.score in {score.name for score in scores} else "",
        order=view.order if view.order in ("place", "score") else "place",
        pinned=view.pinned and (_within(view.pinned[0], n_queries), _within(view.pinned[1], n_keys)),
    )


def _show(
    shown: Callable[..., Any],
    packed: bytes,
    key: str,
    view: HeadsView,
    notes: Sequence[str],
    on_change: Callable[[], None] | None,
) -> HeadsView:
    digest = hashlib.blake2b(packed, digest_size=8).hexdigest()
    sent = settle(key, view, committed_heads(key), content=digest)
    request = {
        "key": key,
        "revision": sent.revision,
        "view": asdict(sent.shown),
        "notes": list(notes),
        "labels": heads_labels(),
    }
    shown(key=key, data=frame(request) + packed, on_view_change=on_change or (lambda: None))
    return sent.latest


def _within(index: int, count: int) -> int:
    return max(0, min(index, count - 1))
