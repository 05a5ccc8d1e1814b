"""Positions: how the model is told the order of the words, in theory, in an experiment, and in the model."""

from viz_transformer.ui.positions.experiment import distance_experiment, encoding_experiment
from viz_transformer.ui.positions.learned import order_experiment
from viz_transformer.ui.positions.model import distance_model, encoding_model, order_model
from viz_transformer.ui.positions.theory import distance_theory, encoding_theory, order_theory
from viz_transformer.ui.shared.lesson_controls import Lesson, show_lessons
from viz_transformer.views.text import _

LESSONS = {
    "encoding": Lesson(
        _("Encoding"),
        _("Attention does not see the order of the tokens. Which vector, added to each of them, encodes its position?"),
        encoding_theory,
        encoding_experiment,
        encoding_model,
    ),
    "distance": Lesson(
        _("Distance"),
        _("What do the encodings of two positions tell us about how far apart they are, wherever they are?"),
        distance_theory,
        distance_experiment,
        distance_model,
    ),
    "order": Lesson(
        _("Order"),
        _("What can a model do without positions, and are learned ones better than sinusoids?"),
        order_theory,
        order_experiment,
        order_model,
    ),
}
show_lessons(_("Positions"), LESSONS)
