"""Architecture: the encoder-decoder box by box, every shape, what it costs, and why its parts are as they are."""

import streamlit as st

from viz_transformer.ui.architecture.costs import costs
from viz_transformer.ui.architecture.ffn import feed_forward
from viz_transformer.ui.architecture.figure import figure
from viz_transformer.ui.architecture.heads import heads
from viz_transformer.ui.architecture.norm import norm
from viz_transformer.ui.architecture.shapes import shapes
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.views.text import _

LESSONS = {
    "figure": Tab(
        _("The figure"),
        _("Choose a box: what does it do, and which of your sentence's numbers does it hold?"),
        figure,
    ),
    "shapes": Tab(_("Shapes"), _("Change a size: which tensors grow with it, and which stay the same?"), shapes),
    "cost": Tab(_("Cost"), _("Where are the parameters, where is the work, and what grows with the length?"), costs),
    "heads": Tab(
        _("Heads"), _("Change the width and the length: what do more heads cost, and what do they bring?"), heads
    ),
    "norm": Tab(
        _("Norm"), _("Make the stack deeper: what grows on the way up, and what is left on the way down?"), norm
    ),
    "ffn": Tab(
        _("Feed-forward"),
        _("One token's vector is doubled on its way into a sub-layer: how far does each output move?"),
        feed_forward,
    ),
}
frame = Frame(_("Architecture"), LESSONS, "lesson")
reading = choose_reading(frame)
st.fragment(LESSONS[frame.view].show)(reading)  # a slider does not run the page again
link_note()
