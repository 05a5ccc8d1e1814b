"""The views of heads: all of them at a glance, as arcs, or from query and key to the weight; which heads are knocked
out; and the logit lens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from viz_transformer.analysis.measures import MEASURES
from viz_transformer.analysis.scores import ALIGNMENT
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef
from viz_transformer.views.linked import CELL, FLAG, INDEX, INDICES, Flag, Number, OneOf, OrNone, linked
from viz_transformer.views.maps import Sizes, within

SCORES = (ALIGNMENT.name, *(one.name for one in MEASURES))  # that may colour the glance
_SIDES = {"q": "query", "k": "key"}


@dataclass(frozen=True)
class TokenSpelling:
    """A token of one side: `q3` is the third query, ("query", 2)."""

    kind: str = "text"

    def read(self, text: str) -> tuple[str, int]:
        """A link's text → the token."""
        return self.checked((_SIDES.get(text[:1]), INDEX.read(text[1:])))

    def write(self, value: tuple[str, int]) -> str:
        """The token → a link's text."""
        side, place = value
        return f"{side[0]}{INDEX.write(place)}"

    def checked(self, raw: object) -> tuple[str, int]:
        """What the browser sent → the token."""
        if not isinstance(raw, list | tuple) or len(raw) != 2 or raw[0] not in _SIDES.values():
            raise ValueError("not a token of one side")
        return str(raw[0]), INDEX.checked(raw[1])


@dataclass(frozen=True)
class Switch(Flag):
    """Yes or no; it also reads `true` and `false`, which older links have."""

    def read(self, text: str) -> bool:
        """A link's text → whether it is on."""
        return {"true": True, "false": False}[text] if text in ("true", "false") else super().read(text)


@dataclass(frozen=True)
class HeadsView:
    """What is on the screen. Everything counts from 0.

    Attributes:
        module, layer, head: the open head, or the one whose numbers are shown.
        heads: which heads of the layer have arcs; of a module that has fewer, those that it has.
        token: the highlighted token, as ("query" or "key", position).
        threshold: arcs with less weight are hidden.
        only: the one module that the glance shows; None shows all.
        score: the name of the score that colours the glance; None for no colour.
        order: of the heads in the glance, by "place" or by "score", the largest first.
        is_open: whether one head of the glance is open, enlarged.
        pinned: the cell (query, key) pinned in it.
        words: whether subwords are merged into words.
        nosinks: whether start, end and punctuation are hidden as keys.
    """

    module: AttentionModule = linked("module", OneOf(ATTENTION_MODULES), "cross", always=True)
    layer: int = linked("layer", INDEX, 0, always=True)
    head: int = linked("head", INDEX, 0, always=True)
    heads: tuple[int, ...] = linked("heads", INDICES, ())
    token: tuple[str, int] | None = linked("token", OrNone(TokenSpelling()), None)
    threshold: float = linked("threshold", Number(0, 1), 0.0)
    only: str | None = linked("only", OrNone(OneOf(ATTENTION_MODULES)), None)
    score: str | None = linked("score", OrNone(OneOf(SCORES)), MEASURES[0].name)
    order: str = linked("order", OneOf(("place", "score")), "place")
    is_open: bool = linked("open", FLAG, False)
    pinned: tuple[int, int] | None = linked("cell", OrNone(CELL), None)
    words: bool = linked("words", Switch(), False)
    nosinks: bool = linked("nosinks", Switch(), False)


@dataclass(frozen=True)
class KnockOutView:
    """Which heads are knocked out: their places in `all_heads`."""

    off: tuple[int, ...] = linked(None, INDICES, ())


@dataclass(frozen=True)
class LensView:
    """Which place of the logit lens is explained: its row, the embedding being the first, and its position."""

    spot: tuple[int, int] = linked("lens", CELL, (0, 0))


def usual_view(config: TransformerConfig, opens_with: HeadRef, score: str = MEASURES[0].name) -> HeadsView:
    """The view that the pages open with: cross-attention, the head `opens_with` enlarged, and arcs of all heads."""
    return HeadsView(
        layer=opens_with.layer,
        head=opens_with.head,
        heads=tuple(range(max(config.n_heads, config.decoder.n_heads))),
        score=score,
        is_open=True,
    )


def fitting(view: HeadsView, sizes: Sizes) -> HeadsView:
    """The view clamped to the heads, layers and tokens that exist; see `within`."""
    view = within(view, sizes)
    _layers, own, n_queries, n_keys = sizes[view.module]
    most = max(heads for _layers, heads, *_lengths in sizes.values())
    lit = tuple(sorted({head for head in view.heads if head < most}))
    token = view.token and (view.token[0], min(view.token[1], (n_queries if view.token[0] == "query" else n_keys) - 1))
    return replace(view, heads=lit if min(lit, default=own) < own else tuple(range(most)), token=token)


def fitting_query(view: HeadsView, sizes: Sizes) -> HeadsView:
    """The same for the view of one query: the first query, where none is chosen."""
    view = fitting(view, sizes)
    return view if view.token is not None and view.token[0] == "query" else replace(view, token=("query", 0))
