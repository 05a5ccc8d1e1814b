"""Architecture: the encoder-decoder box by box, every shape, what it costs, and why its parts are as they are."""

import streamlit as st

from viz_transformer.ui.architecture.costs import costs
from viz_transformer.ui.architecture.ffn import feed_forward
from viz_transformer.ui.architecture.figure import figure
from viz_transformer.ui.architecture.heads import heads
from viz_transformer.ui.architecture.norm import norm
from viz_transformer.ui.architecture.shapes import shapes
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _

frame = Frame(_("Architecture"))
st.markdown(
    _(
        "The encoder-decoder of the paper, with the sizes of this model and your sentence, or with any "
        "sizes you choose. Each lesson: the idea, an experiment, then the same in your model."
    )
)
reading = choose_reading(frame)

LESSONS = {
    "figure": (_("The figure"), figure),
    "shapes": (_("Every shape"), shapes),
    "cost": (_("Parameters and operations"), costs),
    "heads": (_("Single and multi-head"), heads),
    "norm": (_("Residual stream and LayerNorm"), norm),
    "ffn": (_("Feed-forward, position by position"), feed_forward),
}


@st.fragment
def lesson() -> None:
    """In a fragment of its own: a slider does not run the page again."""
    titles = {name: title for name, (title, _show) in LESSONS.items()}
    chosen = linked_choice(_("Lesson"), "lesson", titles, "figure")
    LESSONS[chosen][1](reading)


lesson()
link_note()
