"""Overview: type a sentence, click a word of the output, see where a head looked when it was written."""

import streamlit as st

from viz_transformer.ui.components.trace_view import trace_view
from viz_transformer.ui.overview.card import model_card
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.models import opening_head, own_output
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.tokens import output_text, token_strip
from viz_transformer.ui.shared.trace_file import offer_trace
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

reading = choose_reading(Frame(_("Overview"), has_field=True))
model, translator, texts, trace = reading.model, reading.translator, reading.texts, reading.trace
output = own_output(model, reading.encoded[0]) if texts.target else trace


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
st.markdown(
    explained(
        "A small Transformer read your sentence and wrote its output; every number here was **recorded from the "
        "forward pass of that output**. Attention shows where a head looked; it does not by itself explain why."
    )
)
output_text(_("Output of the model, greedy"), translator.decode(output), translator.card.get("target_language"))
if output.predicted_ids[-1] != output.config.end_id:
    st.caption(_("Stopped here: this is as many tokens as the model can write."))
if texts.target:
    st.caption(
        _(
            "The matrices above were recorded while the decoder read your target; the model's own output is "
            "the line above."
        )
    )
left, right = st.columns(2)
with left:
    st.html(token_strip(_("Source tokens, as the encoder reads them"), trace.source_tokens, trace.source_ids))
with right:
    st.html(token_strip(_("Target tokens, as the decoder predicts them"), trace.predicted_tokens, trace.predicted_ids))
offer_trace(reading)
link_note()
model_card(translator.card)
