"""Scaling: why the scores are divided by √d_k, in theory, in an experiment, and in the model."""

from viz_transformer.ui.scaling.experiment import products_experiment, softmax_experiment
from viz_transformer.ui.scaling.lengths import lengths_experiment
from viz_transformer.ui.scaling.model import lengths_model, products_model, softmax_model
from viz_transformer.ui.scaling.theory import lengths_theory, products_theory, softmax_theory
from viz_transformer.ui.shared.lesson_controls import Lesson, show_lessons
from viz_transformer.views.text import _

LESSONS = {
    "products": Lesson(
        _("Variance"),
        _(
            "The variance of a dot product grows with the number of its terms. How much of it is left after "
            "division by √d_k?"
        ),
        products_theory,
        products_experiment,
        products_model,
    ),
    "softmax": Lesson(
        _("Softmax"),
        _("Large scores put nearly all the weight on one key. How much gradient still gets through?"),
        softmax_theory,
        softmax_experiment,
        softmax_model,
    ),
    "lengths": Lesson(
        _("Lengths"),
        _("How long is a vector of d random components, and how much do the lengths differ?"),
        lengths_theory,
        lengths_experiment,
        lengths_model,
    ),
}
show_lessons(_("Scaling"), LESSONS)
