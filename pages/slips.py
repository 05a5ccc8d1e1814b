"""Slips: ten mistakes that nearly everybody makes once, each beside what is right."""

from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab, picture_and_side
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.slips.attention import diagonal, polarity, softmax_axis, sqrt_d_model
from viz_transformer.ui.slips.kept_graphs import graphs
from viz_transformer.ui.slips.other_slips import cos_cos, encoder_mask, loss
from viz_transformer.ui.slips.pad_loss import pad_loss
from viz_transformer.ui.slips.slip_context import SlipContext
from viz_transformer.ui.slips.wrong_side import query
from viz_transformer.views.text import _

SLIPS = {
    "softmax-axis": Tab(
        _("Softmax axis"),
        _("The softmax runs over the queries in place of the keys: what do the rows add up to?"),
        softmax_axis,
    ),
    "sqrt-d-model": Tab(
        "√d_model",
        _("The scores are divided by √d_model in place of √dₖ: which picture is too pale?"),
        sqrt_d_model,
    ),
    "polarity": Tab(
        _("Polarity"),
        _("True means “may attend” here and “masked” there: where does a query look when the two are mixed up?"),
        polarity,
    ),
    "diagonal": Tab(
        _("Diagonal"),
        _("The causal mask hides the diagonal, too, so no token may attend to itself: what is left for the first row?"),
        diagonal,
    ),
    "encoder-mask": Tab(
        _("No encoder mask"),
        _("The decoder has its causal mask, but nothing masks the padding of the source: who looks at it?"),
        encoder_mask,
    ),
    "query": Tab(
        _("Whose query"),
        _("In cross-attention Q comes from the encoder, or K from the decoder: what shape do the weights have?"),
        query,
    ),
    "loss": Tab(
        _("Loss ÷ twice"),
        _("The loss is a mean already, and is divided by the number of tokens: what becomes of the gradient?"),
        loss,
    ),
    "pad-loss": Tab(
        _("Padded loss"),
        _("The labels of padding count like all others: what does the loss of a sentence depend on?"),
        pad_loss,
    ),
    "graphs": Tab(
        _("Kept graphs"),
        _("The losses are added up as they come: what else does the total keep?"),
        graphs,
    ),
    "cos-cos": Tab(
        "cos/cos",
        _("The positional encoding has cosines where its sines should be: which positions come to look alike?"),
        cos_cos,
    ),
}
frame = Frame(_("Slips"), SLIPS, "slip")
reading = choose_reading(frame)
SLIPS[frame.view].show(SlipContext(reading, *picture_and_side("slip", side=340)))
link_note()
