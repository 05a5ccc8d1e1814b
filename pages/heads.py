"""Heads: see all of them, measure what they do, knock them out, compare them."""

import streamlit as st

from viz_transformer.ui.heads.compare import heads_compare
from viz_transformer.ui.heads.explore import arcs, chosen_head, glance, query_key
from viz_transformer.ui.heads.importance import heads_importance
from viz_transformer.ui.heads.knock_out import heads_knock_out
from viz_transformer.ui.heads.measured import heads_measured
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _

st.title(_("Heads"))
st.markdown(
    _(
        "Every head of the model on a typed sentence. Module, layer, head, token and threshold are switched in the "
        "browser. **Attention is not explanation:** a weight says how much of a key's value a head takes in, not what "
        "the output owes to it."
    )
)
reading = choose_reading()

VIEWS = {
    "glance": (_("All heads at a glance"), glance),
    "arcs": (_("Arcs between tokens"), arcs),
    "query-key": (_("From query and key to the weight"), query_key),
    "measured": (_("What a head does"), lambda one: heads_measured(one.model, one.trace)),
    "knock-out": (_("Knock-out"), lambda one: heads_knock_out(one.model, one.texts.source, one.trace)),
    "effect": (
        _("Attention, contribution, effect"),
        lambda one: heads_importance(one.model, one.trace, chosen_head(one)),
    ),
    "compare": (_("Compare"), lambda one: heads_compare(one.model, one.texts, one.trace, chosen_head(one))),
}
titles = {name: title for name, (title, _show) in VIEWS.items()}
chosen = linked_choice(_("View"), "view", titles, "glance")
VIEWS[chosen][1](reading)
link_note()
