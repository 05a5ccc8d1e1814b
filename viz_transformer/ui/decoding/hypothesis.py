"""The tree with one of its hypotheses, and what a person may do with the one that is shown."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz_transformer.tokenizers import END_ID
from viz_transformer.translator import Translator
from viz_transformer.ui.components.component import ByView
from viz_transformer.ui.decoding.pack import pack_search, shown_content
from viz_transformer.ui.decoding.search import trace_of
from viz_transformer.ui.decoding.tree import GreedyPath, Search
from viz_transformer.ui.decoding.view import DECODING, DecodingView, fitted, usual_view
from viz_transformer.ui.shared.models import ModelChoice, opening_head
from viz_transformer.ui.shared.text import _


def hypothesis_view(
    model: ModelChoice, translator: Translator, source: str, search: Search, greedy: GreedyPath
) -> None:
    """The component, and below it the buttons that make a what-if of the chosen hypothesis."""
    config, tokenizer = translator.model.config, translator.target_tokenizer
    n_source = len(translator.encode_source(source).ids) + 1
    packed = pack_search(search, greedy, tokenizer, config, n_source)

    def content_of(view: DecodingView) -> dict[str, Any]:
        trace = trace_of(model, source, search.ids(*view.node), search.settings.interventions)
        return shown_content(packed, trace, view.node, tokenizer)

    view = DECODING.show_linked(
        ByView(packed, content_of),
        key="decoding",
        usual=usual_view(search, opening_head(translator)),
        fit=lambda view: fitted(view, search, config),
    )
    _make_a_what_if(translator, search, view.node)


def _make_a_what_if(translator: Translator, search: Search, node: tuple[int, int]) -> None:
    """Force the chosen hypothesis as a prefix, or ban its last token."""
    ids = tuple(token_id for token_id in search.ids(*node) if token_id != END_ID)
    token = search.levels[node[0]][node[1]].token
    prefix = translator.target_tokenizer.decode(ids)
    can_force = bool(ids) and translator.target_tokenizer.encode(prefix).ids == ids
    st.caption(_("What if, starting from the hypothesis shown:"))
    with st.container(horizontal=True):
        forced = st.button(
            _("Force it as a prefix"),
            on_click=_put,
            args=("prefix", prefix),
            disabled=not can_force,
            help=_("Its tokens without the end token. Text that would be tokenised differently cannot be forced."),
        )
        banned = st.button(_("Ban its last token"), on_click=_ban, args=(token,))
        cleared = st.button(_("Clear prefix and bans"), on_click=_clear)
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
