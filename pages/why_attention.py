"""Why attention: against recurrence and convolution, counted, timed and drawn; and as a soft look-up."""

import streamlit as st

from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.why_attention.lookup import lookup
from viz_transformer.ui.why_attention.paths import paths
from viz_transformer.ui.why_attention.table import table
from viz_transformer.ui.why_attention.timing import timing
from viz_transformer.views.text import _

LESSONS = {
    "table": Tab(
        _("Table 1"),
        _("Make the text longer: from which length on does self-attention cost more, and what does it buy?"),
        table,
    ),
    "timing": Tab(
        _("Measured here"), _("Does a real layer take as long as its number of operations suggests?"), timing
    ),
    "paths": Tab(
        _("What a layer sees"),
        _("Choose an input and an output: how many connections must a signal cross between them?"),
        paths,
    ),
    "lookup": Tab(
        _("Soft look-up"),
        _("Drag the query, then narrow the kernel: when does an average become a look-up?"),
        lookup,
    ),
}
frame = Frame(_("Why attention"), LESSONS, "lesson")
reading = choose_reading(frame)
st.fragment(LESSONS[frame.view].show)(reading)  # a slider does not run the page again
link_note()
