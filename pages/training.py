"""Training: see how heads form, train a model, and break one on purpose."""

import streamlit as st

from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab, picture_and_side
from viz_transformer.ui.shared.training_session import visitor
from viz_transformer.ui.training.conclusion import show_conclusion
from viz_transformer.ui.training.live import live_film, live_status, show_result, show_runs, start_button
from viz_transformer.ui.training.models import own_models_view
from viz_transformer.ui.training.pictures import schedule_and_smoothing
from viz_transformer.ui.training.settings import choose_lesson, choose_settings
from viz_transformer.ui.training.shipped_films import say_losses, show_shipped_film, show_shipped_films
from viz_transformer.views.text import _


def train() -> None:
    """The lesson, the run beside its button, its result, and a table of all runs; below, every setting."""
    picture, side = picture_and_side("training-run")
    result, more = st.container(), st.expander(_("Settings of the run"))
    with side:
        choose_lesson()
    with more:
        settings = choose_settings()
    with side:
        start_button(settings)
        live_status()
        say_losses(settings.label_smoothing)
    with picture:
        run = live_film()
        if run is None:
            show_shipped_film(settings.task)
    with result:
        if run is not None:
            show_conclusion(run)
            show_result(run)
            show_runs()
    with st.expander(_("The same on the command line")):
        if settings.slip != "none":
            st.caption(_("The command line has no option for slips: this is the run without the slip."))
        st.code(settings.command(f"my-{settings.task}"), language="bash", wrap_lines=True)


VIEWS = {
    "watch": Tab(
        _("How heads form"),
        _("Press play: at which step do the heads find their diagonals, and what happens to the exact match then?"),
        show_shipped_films,
    ),
    "train": Tab(
        _("Train and break"),
        _("Train a small Transformer, or leave a part out: **scores use sequences the model never trained on.**"),
        train,
    ),
    "pictures": Tab(
        _("Schedule, smoothing"),
        _("How fast should the model learn at each step, and how certain should it become?"),
        schedule_and_smoothing,
    ),
    "models": Tab(
        _("Your models"),
        _("The models that you trained or loaded are yours: nobody else sees them."),
        own_models_view,
    ),
}
frame = Frame(_("Training"), VIEWS)
visitor()
VIEWS[frame.view].show()
link_note()
