"""Heads: see all of them, measure what they do, knock them out, compare them."""

import streamlit as st

from viz_transformer.ui.choices import linked_choice
from viz_transformer.ui.controls import choose_model, choose_texts, link_note
from viz_transformer.ui.heads_compare import heads_compare
from viz_transformer.ui.heads_explore import HeadsPage, arcs, glance, query_key
from viz_transformer.ui.heads_importance import heads_importance
from viz_transformer.ui.heads_knock_out import heads_knock_out
from viz_transformer.ui.heads_measured import heads_measured
from viz_transformer.ui.look import through_app
from viz_transformer.ui.models import load_translator, recorded_trace
from viz_transformer.ui.notes import explain_text_errors, note_reading
from viz_transformer.ui.text import _

through_app()

st.title(_("Heads"))
st.markdown(
    _(
        "Every head of the model on a typed sentence. Module, layer, head, token and threshold are switched in the "
        "browser. **Attention is not explanation:** a weight says how much of a key's value a head takes in, not what "
        "the output owes to it."
    )
)
model = choose_model()
texts = choose_texts(model)
translator = load_translator(model.name, model.device)
with explain_text_errors():
    note_reading(translator, texts)
    trace = recorded_trace(model, texts.source, texts.target)

VIEWS = {
    "glance": (_("All heads at a glance"), glance),
    "arcs": (_("Arcs between tokens"), arcs),
    "query-key": (_("From query and key to the weight"), query_key),
    "measured": (_("What a head does"), lambda page: heads_measured(page.model, page.trace)),
    "knock-out": (_("Knock-out"), lambda page: heads_knock_out(page.model, page.texts.source, page.trace)),
    "effect": (_("Attention, contribution, effect"), lambda page: heads_importance(page.model, page.trace, page.head)),
    "compare": (_("Compare"), lambda page: heads_compare(page.model, page.texts, page.trace, page.head)),
}
titles = {name: title for name, (title, _show) in VIEWS.items()}
chosen = linked_choice(_("View"), "view", titles, "glance")
VIEWS[chosen][1](HeadsPage(model, translator, texts, trace))
link_note()
