"""Why attention: against recurrence and convolution, counted, timed and drawn; and as a soft look-up."""

import streamlit as st

from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.why_attention.lookup import lookup
from viz_transformer.ui.why_attention.paths import paths
from viz_transformer.ui.why_attention.table import table
from viz_transformer.ui.why_attention.timing import timing

LESSONS = {
    "table": (
        _("Table 1"),
        _("Make the text longer: from which length on does self-attention cost more, and what does it buy?"),
        table,
    ),
    "timing": (_("Measured here"), _("Does a real layer take as long as its operations say?"), timing),
    "paths": (
        _("What a layer sees"),
        _("Choose an input and an output: how many connections must a signal cross between them?"),
        paths,
    ),
    "lookup": (
        _("Soft look-up"),
        _("Drag the query, then narrow the kernel: when does an average become a look-up?"),
        lookup,
    ),
}
frame = Frame(_("Why attention"), {name: title for name, (title, _lede, _show) in LESSONS.items()}, "lesson")
reading = choose_reading(frame)
_title, lede, show = LESSONS[frame.view]
frame.lede(lede)


@st.fragment
def lesson() -> None:
    """In a fragment of its own: a slider does not run the page again."""
    show(reading)


lesson()
link_note()
