"""Masks: what may be attended to, in a batch of typed sentences, and what goes wrong without them."""

from viz_transformer.ui.masks.causality import causality
from viz_transformer.ui.masks.controls import Lesson, choose_batch
from viz_transformer.ui.masks.lessons import encoder_leak, matrices, teacher_forcing
from viz_transformer.ui.masks.softmax import around_the_softmax
from viz_transformer.ui.shared.batch import batch_of, sentences_to_read
from viz_transformer.ui.shared.choices import linked_number
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab, picture_and_side
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import explain_text_errors, note_reading
from viz_transformer.views.text import _

LESSONS = {
    "matrices": Tab(
        _("The masks"),
        _("A mask says which keys a query may attend to. Which cells does each of them remove?"),
        matrices,
    ),
    "softmax": Tab(
        _("Softmax"),
        _("Where does the mask go, and what must a masked cell contain so that no weight leaks into it?"),
        around_the_softmax,
    ),
    "causality": Tab(
        _("Break causality"),
        _("Editing a later token must not change an earlier row. Does it, with the causal mask and without?"),
        causality,
    ),
    "teacher": Tab(
        _("Teacher forcing"),
        _("In training the decoder reads the correct target, shifted right by one: every row predicts the next token."),
        teacher_forcing,
    ),
    "encoder": Tab(
        _("Encoder leak"),
        _(
            "Without its padding mask, the encoder's output for a sentence depends on how long the other sentences "
            "in its batch are."
        ),
        encoder_leak,
    ),
}
frame = Frame(_("Masks"), LESSONS, "lesson")
model, typed = choose_batch(frame)
translator = load_translator(model.name, model.device)
with explain_text_errors():
    sentences = sentences_to_read(translator, typed)
    batch, recorded = batch_of(model, sentences)
note_reading(translator, sentences)

lengths = batch.source_lengths
shortest = lengths.index(min(lengths)) + 1
picture, side = picture_and_side("masks")
with side:
    sentence = linked_number(_("Sentence of the batch"), "sentence", len(sentences), default=shortest)
with explain_text_errors():
    LESSONS[frame.view].show(Lesson(model, translator, sentences, batch, recorded, sentence, picture, side))
link_note()
