"""Overview: type a sentence, see the output, its tokens, and where every head looked when it was written."""

import streamlit as st

from viz_transformer.tokenizers import END_ID
from viz_transformer.ui.components.trace_view import trace_view
from viz_transformer.ui.overview.card import model_card
from viz_transformer.ui.shared.controls import choose_model, choose_texts, link_note
from viz_transformer.ui.shared.models import load_translator, opening_head, own_output, recorded_trace
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.shared.tokens import output_text, token_strip

st.title(_("Inside attention"))
st.markdown(
    _(
        "Type a sentence: a small Transformer writes its output, and everything below was **recorded from "
        "the forward pass of that output**. Attention shows where a head looked; it does not by itself "
        "explain why."
    )
)
model = choose_model()
texts = choose_texts(model)
translator = load_translator(model.name, model.device)

with explain_text_errors():
    read = note_reading(translator, [texts.source], texts.target)
    output = own_output(model, read[0])
    trace = recorded_trace(model, *read)

output_text(_("Output of the model, greedy"), translator.decode(output), translator.card.get("target_language"))
if output.predicted_ids[-1] != END_ID:
    st.caption(_("Stopped here: this is as many tokens as the model can write."))
if texts.target:
    st.caption(
        _(
            "The matrices below were recorded while the decoder read your target; the model's own output is "
            "the line above."
        )
    )
left, right = st.columns(2)
with left:
    token_strip(_("Source tokens, as the encoder reads them"), trace.source_tokens, trace.source_ids)
with right:
    token_strip(_("Target tokens, as the decoder predicts them"), trace.predicted_tokens, trace.predicted_ids)


@st.fragment
def attention() -> None:
    """In a fragment of its own: settling on another head or step does not run the page again."""
    trace_view(
        trace,
        key="trace_view",
        opens_with=opening_head(translator),
        token_label=translator.target_tokenizer.label,
        target_given=bool(texts.target),
    )


attention()
link_note()
model_card(translator.card)
