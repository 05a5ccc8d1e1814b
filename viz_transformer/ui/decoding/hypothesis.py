"""The tree with one of its hypotheses, and what a person may do with the step that is shown."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz_transformer.translator import Translator
from viz_transformer.ui.components.component import ByView
from viz_transformer.ui.decoding.search import trace_of
from viz_transformer.ui.decoding.view import DECODING, usual_view
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.models import ModelChoice, opening_head
from viz_transformer.ui.shared.notes import note
from viz_transformer.views.decoding.pack import pack_search, shown_content
from viz_transformer.views.decoding.tree import GreedyPath, Search
from viz_transformer.views.decoding.view import DecodingView, fitted
from viz_transformer.views.text import _

_KEY = "decoding"
_packed = kept()(pack_search)  # the same search is shown again at every run
_CHANGED, _UNFORCED = "a step was forced or banned", "could not be forced"  # in the session, from a callback to its run


def hypothesis_view(
    model: ModelChoice, translator: Translator, source: str, search: Search, greedy: GreedyPath
) -> None:
    """Shows the component; when a step of a hypothesis is forced or banned in it, the page runs again."""
    config, tokenizer = translator.model.config, translator.target_tokenizer
    n_source = len(translator.encode_source(source).ids) + 1
    packed = _packed(search, greedy, tokenizer, config, n_source)

    def content_of(view: DecodingView) -> dict[str, Any]:
        trace = trace_of(model, source, search.ids(*view.node), search.settings.interventions)
        return shown_content(packed, trace, view.node, tokenizer)

    DECODING.show_linked(
        ByView(packed, content_of),
        key=_KEY,
        usual=usual_view(search, opening_head(translator)),
        fit=lambda view: fitted(view, search, config),
        on_change=lambda: _take_up(translator, search),
    )
    if text := st.session_state.pop(_UNFORCED, None):
        note(_("This cannot be forced, because the model would read the text as other tokens:"), [text])
    if st.session_state.pop(_CHANGED, False):
        st.rerun()


def _take_up(translator: Translator, search: Search) -> None:
    """A callback: writes what a person asked for the step shown into the fields of the what-ifs."""
    view = DECODING.committed(_KEY)
    if view is None or view.asked is None or not search.has(*view.node):
        return
    fields = what_is_asked(translator, search, view, str(st.session_state.get("ban") or ""))
    for name, text in fields.items():
        if name not in st.session_state:  # the box is closed: a field drawn later does not write into the link
            st.query_params[name] = text
        st.session_state[name] = text
        st.session_state[_CHANGED] = True
    if not fields:
        st.session_state[_UNFORCED] = translator.target_tokenizer.decode(search.ids(*step_shown(search, view)))


def step_shown(search: Search, view: DecodingView) -> tuple[int, int]:
    """The node that the shown hypothesis has reached at the step of the clock."""
    path = search.path(*view.node)
    return path[min(view.step, len(path) - 1)]


def what_is_asked(translator: Translator, search: Search, view: DecodingView, banned: str) -> dict[str, str]:
    """The field of the what-ifs that changes → its new text; `banned` is the text in the field of the bans.

    Empty if the output up to the step shown cannot be forced, because its text would be read as other tokens.
    """
    level, rank = step_shown(search, view)
    if view.asked == "ban":
        return {"ban": " ".join(dict.fromkeys([*banned.split(), search.levels[level][rank].token]))}
    ids = tuple(token_id for token_id in search.ids(level, rank) if token_id != search.end_id)
    prefix = translator.target_tokenizer.decode(ids)
    return {"prefix": prefix} if ids and translator.target_tokenizer.encode(prefix).ids == ids else {}
