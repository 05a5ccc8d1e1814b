"""Decoding: greedy, beam and sampling, token by token, in step with the attention of the hypothesis."""

import streamlit as st

from viz_transformer.ui.decoding.controls import choose_search
from viz_transformer.ui.decoding.facts import show_facts, show_outputs
from viz_transformer.ui.decoding.forcing import teacher_forcing
from viz_transformer.ui.decoding.hypothesis import hypothesis_view
from viz_transformer.ui.decoding.progress import search_with_progress
from viz_transformer.ui.decoding.search import greedys_path, run_search
from viz_transformer.ui.decoding.what_if import choose_what_if
from viz_transformer.ui.shared.controls import choose_model, choose_texts, link_note
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import explain_errors, explain_text_errors, note_reading
from viz_transformer.ui.shared.text import _

st.title(_("Decoding"))
st.markdown(
    _(
        "The decoder writes one token at a time. The tree holds every candidate that the search "
        "considered; the step slider moves the tree and the attention together. The attention was "
        "**recorded from the pass over the hypothesis shown**."
    )
)
model = choose_model()
texts = choose_texts(model)
translator = load_translator(model.name, model.device)
with explain_text_errors():
    note_reading(translator, [texts.source], texts.target)
    changed = choose_what_if(translator, texts.source)
    translator.encode_source(changed.source)
settings = choose_search(changed.settings)

max_len = translator.model.config.max_len
with explain_errors():
    search = search_with_progress(model, changed.source, settings, max_len)
    greedy = greedys_path(model, changed.source, search)
    is_changed = changed.source != texts.source or not settings.is_unchanged
    before = run_search(model, texts.source, settings.unchanged()) if is_changed else None

show_outputs(translator, before, search)
show_facts(search, greedy, translator)


@st.fragment
def hypothesis() -> None:
    """In a fragment of its own: another hypothesis does not run the page again."""
    hypothesis_view(model, translator, changed.source, search, greedy)


hypothesis()
with explain_text_errors():
    teacher_forcing(model, translator, changed.source, texts.target, search)
link_note()
