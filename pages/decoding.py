"""Decoding: greedy, beam and sampling, token by token, in step with the attention of the hypothesis."""

import streamlit as st

from viz_transformer.ui.decoding.controls import choose_search, methods
from viz_transformer.ui.decoding.facts import show_facts
from viz_transformer.ui.decoding.forcing import teacher_forcing
from viz_transformer.ui.decoding.hypothesis import hypothesis_view
from viz_transformer.ui.decoding.outputs import show_outputs
from viz_transformer.ui.decoding.progress import search_with_progress
from viz_transformer.ui.decoding.search import greedys_path, run_search
from viz_transformer.ui.decoding.what_if import choose_what_if
from viz_transformer.ui.shared.controls import choose_model, choose_texts, link_note, offer_sentences
from viz_transformer.ui.shared.frame import Frame, picture_and_side
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import explain_errors, explain_text_errors, note_reading
from viz_transformer.ui.shared.reading import chip
from viz_transformer.views.text import _

frame = Frame(_("Decoding"), methods(), "method")
with chip(frame, _("greedy")) as before:
    model = choose_model()
    texts = choose_texts(model)
translator = load_translator(model.name, model.device)
offer_sentences(texts.source)
with explain_text_errors():
    note_reading(translator, [texts.source], texts.target, before.encoded_of(model, texts))

picture, side = picture_and_side("decoding")
with side:
    outputs, rest = st.container(key="vt-decoding-output"), st.container(key="vt-decoding-rest")
with rest:
    numbers, what_if = st.container(), st.container()
with what_if:
    changed = choose_what_if(translator, texts.source)
with numbers:
    settings = choose_search(frame.view, changed.settings)

max_len = translator.model.config.max_len
with picture, explain_errors():
    search = search_with_progress(model, changed.source, settings, max_len)
    greedy = greedys_path(model, changed.source, search)
    is_changed = changed.source != texts.source or not settings.is_unchanged
    unchanged = run_search(model, texts.source, settings.unchanged()) if is_changed else None
with outputs:
    show_outputs(model, translator, unchanged, search, greedy)
with rest:
    show_facts(search, greedy)


@st.fragment
def hypothesis() -> None:
    """In a fragment of its own: another hypothesis does not run the page again."""
    hypothesis_view(model, translator, changed.source, search, greedy)


with picture:
    hypothesis()
teacher_forcing(model, translator, changed.source, texts.target, search)
link_note()
