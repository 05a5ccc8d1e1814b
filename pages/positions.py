"""Positions: how the model is told the order of the words, in theory, in an experiment, and in the model."""

import streamlit as st

from viz_transformer.ui.positions.experiment import distance_experiment, encoding_experiment
from viz_transformer.ui.positions.learned import order_experiment
from viz_transformer.ui.positions.model import distance_model, encoding_model, order_model
from viz_transformer.ui.positions.theory import distance_theory, encoding_theory, order_theory
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.lesson_controls import choose_part
from viz_transformer.ui.shared.text import _

LESSONS = {
    "encoding": (_("The encoding"), encoding_theory, encoding_experiment, encoding_model),
    "distance": (_("Distances and rotations"), distance_theory, distance_experiment, distance_model),
    "order": (_("Order, or a bag of words"), order_theory, order_experiment, order_model),
}

st.title(_("Positions"))
st.markdown(
    _(
        "Attention compares every token with every other and does not see their order. A positional "
        "encoding, added to each token's embedding, tells it where the token stands."
    )
)
left, right = st.columns([5, 3])
with left:
    chosen = linked_choice(_("Lesson"), "lesson", {name: one[0] for name, one in LESSONS.items()}, "encoding")
with right:
    part = choose_part()
_title, theory, experiment, model = LESSONS[chosen]
st.fragment({"theory": theory, "experiment": experiment, "model": model}[part])()
link_note()
