"""The tree with one of its hypotheses, and what a person may do with the one that is shown."""

from __future__ import annotations

import streamlit as st

from viz_transformer.analysis.scores import OPENS_WITH
from viz_transformer.tokenizers import END_ID
from viz_transformer.translator import Translator
from viz_transformer.ui.decoding.pack import pack_hypothesis, pack_search
from viz_transformer.ui.decoding.search import trace_of
from viz_transformer.ui.decoding.tree import GreedyPath, Search
from viz_transformer.ui.decoding.view import DecodingView, chosen_node, decoding_view, node_in_link
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.ui.shared.state import index_in_link
from viz_transformer.ui.shared.text import _

KEY = "decoding"


def hypothesis_view(
    model: ModelChoice, translator: Translator, source: str, search: Search, greedy: GreedyPath
) -> None:
    """The component, and below it the buttons that make a what-if of the chosen hypothesis."""
    config, tokenizer = translator.model.config, translator.target_tokenizer
    n_source = len(translator.encode_source(source).ids) + 1
    packed = pack_search(search, greedy, tokenizer, config, n_source)
    chosen = chosen_node(KEY, packed)
    node = chosen if chosen and _is_in(search, chosen) else node_in_link(search)
    trace = trace_of(model, source, search.ids(*node), search.settings.interventions)
    opening_layer, opening_head = translator.card.get(OPENS_WITH, (config.n_decoder_layers - 1, 0))
    parameters = st.query_params
    cell = parameters.get("cell", "").split("-")
    view = DecodingView(
        layer=index_in_link(parameters.get("layer"), int(opening_layer)),
        head=index_in_link(parameters.get("head"), int(opening_head)),
        step=index_in_link(parameters.get("step"), node[0]),  # the clock opens where its last token was written
        node=node,
        module=parameters.get("module", "cross"),
        pinned=(index_in_link(cell[0], 0), index_in_link(cell[1], 0)) if len(cell) == 2 else None,
        rerank=_alpha_in_link(),
        zoom=min(index_in_link(parameters["zoom"], 1), 2) if "zoom" in parameters else None,
    )
    decoding_view(packed, pack_hypothesis(trace, node, tokenizer), view, key=KEY, on_select=lambda: None)
    _make_a_what_if(translator, search, node)


def _is_in(search: Search, node: tuple[int, int]) -> bool:
    level, rank = node
    return 0 <= level < len(search.levels) and 0 <= rank < len(search.levels[level])


def _alpha_in_link() -> float | None:
    try:
        alpha = float(st.query_params.get("rerank", ""))
    except ValueError:
        return None
    return alpha if 0 <= alpha <= 10 else None


def _make_a_what_if(translator: Translator, search: Search, node: tuple[int, int]) -> None:
    """Force the chosen hypothesis as a prefix, or ban its last token."""
    ids = tuple(token_id for token_id in search.ids(*node) if token_id != END_ID)
    token = search.levels[node[0]][node[1]].token
    prefix = translator.target_tokenizer.decode(ids)
    can_force = bool(ids) and translator.target_tokenizer.encode(prefix).ids == ids
    st.caption(_("What if, from the hypothesis that is shown:"))
    with st.container(horizontal=True):
        forced = st.button(
            _("Force it as prefix"),
            on_click=_put,
            args=("prefix", prefix),
            disabled=not can_force,
            help=_("Its tokens without the end token; text that would be read back as other tokens cannot be forced."),
        )
        banned = st.button(_("Ban its last token"), on_click=_ban, args=(token,))
        cleared = st.button(_("Take prefix and bans away"), on_click=_clear)
    if forced or banned or cleared:
        st.rerun()


def _put(key: str, text: str) -> None:
    st.session_state[key] = text


def _ban(token: str) -> None:
    labels = str(st.session_state.get("ban") or "").split()
    _put("ban", " ".join(dict.fromkeys([*labels, token])))


def _clear() -> None:
    _put("prefix", "")
    _put("ban", "")
