"""What is on the screen of a search: the tree and the attention of one hypothesis, in step."""

from __future__ import annotations

from dataclasses import dataclass, replace

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.views.decoding.tree import Search
from viz_transformer.views.linked import CELL, INDEX, Number, OneOf, OrNone, clamped, linked

ZOOMS = 4
RESULTS = ("matrices", "finished", "cache")


@dataclass(frozen=True)
class DecodingView:
    """What the component shows. Every number counts from 0.

    Attributes:
        step: of the clock.
        node: [level, rank] of the hypothesis whose tokens and attention are shown.
        rerank: the α of the ranking.
        module, pinned: the pinned cell (query, key) of a module; ignored where the hypothesis has no such cell.
        zoom: of the tree, 0 the smallest; None lets the browser choose.
        result: what is open below the tree and its attention; None lets the browser choose.
        asked: what the reader asks for at this step: "force" the output up to it, or "ban" its token. Sent once, and
            not kept in the link.
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


def fitted(view: DecodingView, search: Search, config: TransformerConfig) -> DecodingView:
    """The view clamped to this search and this model; a missing node is replaced by the output's."""
    view = clamped(
        view, layer=config.n_decoder_layers, head=config.decoder.n_heads, step=len(search.levels), zoom=ZOOMS
    )
    return view if search.has(*view.node) else replace(view, node=search.best)
