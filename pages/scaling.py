"""Scaling: why the scores are divided by √d_k, in theory, in an experiment, and in the model."""

import streamlit as st

from viz_transformer.ui.scaling.experiment import products_experiment, softmax_experiment
from viz_transformer.ui.scaling.lengths import lengths_experiment
from viz_transformer.ui.scaling.model import lengths_model, products_model, softmax_model
from viz_transformer.ui.scaling.theory import lengths_theory, products_theory, softmax_theory
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.lesson_controls import choose_part
from viz_transformer.ui.shared.text import _

LESSONS = {
    "products": (_("Variance of q·k"), products_theory, products_experiment, products_model),
    "softmax": (_("What it does to the softmax"), softmax_theory, softmax_experiment, softmax_model),
    "lengths": (_("Lengths of vectors"), lengths_theory, lengths_experiment, lengths_model),
}


st.title(_("Scaling"))
st.markdown(
    _(
        "softmax(QKᵀ **/ √d_k**)V: why divide? Because the variance of a dot product grows with the number "
        "of its terms, and almost no gradient gets through a softmax of large scores. Draw vectors and "
        "see; then look into the model."
    )
)
left, right = st.columns([5, 3])
with left:
    chosen = linked_choice(_("Lesson"), "lesson", {name: one[0] for name, one in LESSONS.items()}, "products")
with right:
    part = choose_part()
_title, theory, experiment, model = LESSONS[chosen]
st.fragment({"theory": theory, "experiment": experiment, "model": model}[part])()
link_note()
