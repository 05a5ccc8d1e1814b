"""The browser component of the page "Decoding": the tree of a search and the attention of one hypothesis, in step.

Stepping, scrubbing, ranking anew and walking the tree happen in the browser, which writes them into the link itself.
Python hears of two things only: the node whose hypothesis a person wants to see, because that asks for a recorded pass,
and a step that is to be forced or banned, because that asks for another search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, HeadRef
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.decoding.labels import decoding_labels
from viz_transformer.ui.decoding.tree import Search
from viz_transformer.ui.shared.link import CELL, INDEX, Number, OneOf, OrNone, clamped, linked, read

ZOOMS = 4
RESULTS = ("matrices", "finished", "cache")


@dataclass(frozen=True)
class DecodingView:
    """What the component shows. Every number counts from 0.

    Attributes:
        step: of the clock.
        node: [level, rank] of the hypothesis whose tokens and attention are shown.
        rerank: the α of the ranking.
        module, pinned: a pinned cell (query, key); where the hypothesis has none such, nothing is pinned.
        zoom: of the tree, 0 the smallest; None lets the browser choose.
        result: what is open below the tree and its attention; None lets the browser choose.
        asked: for the step shown: to force the output up to it, or to ban its token. Said once, and not kept.
    """

    layer: int = linked("layer", INDEX, always=True)
    head: int = linked("head", INDEX, always=True)
    step: int = linked("step", INDEX, always=True)
    node: tuple[int, int] = linked("node", CELL)
    rerank: float = linked("rerank", Number(0, 10))
    module: str = linked("module", OneOf(ATTENTION_MODULES), "cross")
    pinned: tuple[int, int] | None = linked("cell", OrNone(CELL), None)
    zoom: int | None = linked("zoom", OrNone(INDEX), None)
    result: str | None = linked("result", OrNone(OneOf(RESULTS)), None)
    asked: str | None = linked(None, OrNone(OneOf(("force", "ban"))), None)


DECODING = Component("decoding_view", DecodingView, decoding_labels, css="decoding", keeps_link=True)


def usual_view(search: Search, opens_with: HeadRef) -> DecodingView:
    """The search's output, ranked by the search's own α; the clock opens where the node's token was written."""
    node = read("node", CELL, search.best)
    return DecodingView(
        opens_with.layer,
        opens_with.head,
        step=node[0] if search.has(*node) else search.best[0],
        node=search.best,
        rerank=search.settings.beam.length_penalty,
    )


def fitted(view: DecodingView, search: Search, config: TransformerConfig) -> DecodingView:
    """The view with what this search and this model have."""
    view = clamped(
        view, layer=config.n_decoder_layers, head=config.decoder.n_heads, step=len(search.levels), zoom=ZOOMS
    )
    return view if search.has(*view.node) else replace(view, node=search.best)
