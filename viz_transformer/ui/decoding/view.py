"""The browser component of the page "Decoding": the tree of a search and the attention of one hypothesis, on one clock.

Stepping, scrubbing, ranking anew and walking the tree happen in the browser, which writes them into the link itself.
Python hears of one thing only: the node whose hypothesis a person wants to see, because that asks for a recorded pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import NamedTuple

import streamlit as st

from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.decoding.labels import decoding_labels
from viz_transformer.ui.decoding.tree import Search
from viz_transformer.ui.shared.state import index_in_link


@dataclass(frozen=True)
class DecodingView:
    """What the component shows. Every number counts from 0.

    Attributes:
        step: of the clock.
        node: [level, rank] of the hypothesis whose tokens and attention are shown.
        module, pinned: a pinned cell (query, key).
        rerank: the α of the ranking, or None for the search's own.
        zoom: of the tree, 0 the smallest; None lets the browser choose.
    """

    layer: int
    head: int
    step: int
    node: tuple[int, int]
    module: str = "cross"
    pinned: tuple[int, int] | None = None
    rerank: float | None = None
    zoom: int | None = None


def decoding_view(
    packed_search: bytes, packed_hypothesis: bytes, view: DecodingView, *, key: str, on_select: Callable[[], None]
) -> None:
    """Shows a search and one hypothesis.

    Args:
        packed_search, packed_hypothesis: see decoding_pack.py.
        view: what is shown with every new search; the same search stays where the person is.
        on_select: called before the run that a newly chosen node starts.
    """
    revision = _revision(packed_search)
    sent: _Sent | None = st.session_state.get(_sent_key(key))
    if sent is None or sent.revision != revision:
        sent = _Sent(revision, view)
        st.session_state[_sent_key(key)] = sent
    request = {"key": key, "revision": revision, "view": asdict(sent.view), "labels": decoding_labels()}
    component("decoding_view", css="decoding")(
        key=key, data=frame(request) + packed_search + packed_hypothesis, on_view_change=on_select
    )


def chosen_node(key: str, packed_search: bytes) -> tuple[int, int] | None:
    """The node that a person chose in this search, or None before that."""
    raw = (st.session_state.get(key) or {}).get("view")
    if not isinstance(raw, dict) or raw.get("revision") != _revision(packed_search):
        return None
    try:
        return int(raw["node"][0]), int(raw["node"][1])
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def node_in_link(search: Search) -> tuple[int, int]:
    """The node that the link asks for, "step-rank" from 1; the search's best where it has none such."""
    step, _dash, rank = st.query_params.get("node", "").partition("-")
    level, place = index_in_link(step, -1), index_in_link(rank, -1)
    if 0 <= level < len(search.levels) and 0 <= place < len(search.levels[level]):
        return level, place
    return search.best


class _Sent(NamedTuple):
    """What one session's component last got: while the search stays, so does the view that it began with."""

    revision: str
    view: DecodingView


def _revision(packed_search: bytes) -> str:
    return hashlib.blake2b(packed_search, digest_size=8).hexdigest()


def _sent_key(key: str) -> str:
    return f"{key}:sent"
