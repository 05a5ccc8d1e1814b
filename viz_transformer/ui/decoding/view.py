"""The browser component of the page "Decoding": the tree of a search and the attention of one hypothesis, in step.

Stepping, scrubbing, ranking anew and walking the tree happen in the browser, which writes them into the link itself.
Python hears of two things only: the node whose hypothesis a person wants to see, because that asks for a recorded pass,
and a step that is to be forced or banned, because that asks for another search.
"""

from __future__ import annotations

from viz_transformer.heads import HeadRef
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.shared.link import read
from viz_transformer.views.decoding.tree import Search
from viz_transformer.views.decoding.view import DecodingView
from viz_transformer.views.kinds import TREE
from viz_transformer.views.linked import CELL

DECODING = Component.of(TREE, keeps_link=True)


def usual_view(search: Search, opens_with: HeadRef) -> DecodingView:
    """The view of the search's output, ranked by its own α, at the step that wrote the token of the link's node."""
    node = read("node", CELL, search.best)
    return DecodingView(
        opens_with.layer,
        opens_with.head,
        step=node[0] if search.has(*node) else search.best[0],
        node=search.best,
        rerank=search.settings.beam.length_penalty,
    )
