"""Masks: what may be attended to, in a batch of typed sentences, and what goes wrong without."""

import streamlit as st

from viz_transformer.ui.masks.causality import causality
from viz_transformer.ui.masks.controls import Lesson, batch_of, choose_sentences, sentences_to_read
from viz_transformer.ui.masks.lessons import encoder_leak, matrices, teacher_forcing
from viz_transformer.ui.masks.softmax import around_the_softmax
from viz_transformer.ui.shared.choices import linked_choice, linked_number
from viz_transformer.ui.shared.controls import choose_model, link_note
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading
from viz_transformer.ui.shared.text import _

st.title(_("Masks"))
st.markdown(
    _(
        "A mask says which keys a query may attend to. Type two or three sentences of different lengths: the model "
        "reads them as one batch, the short ones padded, and every number below comes from its passes over that batch."
    )
)
model = choose_model()
translator = load_translator(model.name, model.device)
typed = choose_sentences(model)
with explain_text_errors():
    sentences = sentences_to_read(translator, typed)
    batch, recorded = batch_of(model, sentences)
note_reading(translator, sentences)

LESSONS = {
    "matrices": (_("The masks"), matrices),
    "softmax": (_("Before or after the softmax"), around_the_softmax),
    "causality": (_("Break causality"), causality),
    "teacher": (_("Teacher forcing"), teacher_forcing),
    "encoder": (_("Encoder without its mask"), encoder_leak),
}
titles = {name: title for name, (title, _show) in LESSONS.items()}
lengths = batch.source_lengths
shortest = lengths.index(min(lengths)) + 1
left, right = st.columns([5, 2])
with left:
    chosen = linked_choice(_("Lesson"), "lesson", titles, "matrices")
with right:
    sentence = linked_number(_("Sentence of the batch"), "sentence", len(sentences), default=shortest)
with explain_text_errors():
    LESSONS[chosen][1](Lesson(model, translator, sentences, batch, recorded, sentence))
link_note()
