"""Why attention: against recurrence and convolution, counted, timed and drawn; and as a soft look-up."""

import streamlit as st

from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.why_attention.lookup import lookup
from viz_transformer.ui.why_attention.paths import paths
from viz_transformer.ui.why_attention.table import table
from viz_transformer.ui.why_attention.timing import timing

frame = Frame(_("Why attention"))
st.markdown(
    _(
        "What attention buys and what it costs, compared with recurrent and convolutional layers; and why "
        "it is called a soft look-up. Each lesson: the idea, an experiment, then the same in your model."
    )
)
reading = choose_reading(frame)

LESSONS = {
    "table": (_("Table 1"), table),
    "timing": (_("Measured here"), timing),
    "paths": (_("What a layer sees"), paths),
    "lookup": (_("Soft look-up"), lookup),
}


@st.fragment
def lesson() -> None:
    """In a fragment of its own: a slider does not run the page again."""
    titles = {name: title for name, (title, _show) in LESSONS.items()}
    chosen = linked_choice(_("Lesson"), "lesson", titles, "table")
    LESSONS[chosen][1](reading)


lesson()
link_note()
