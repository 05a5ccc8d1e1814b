"""Training: see how heads form, train a model, and break one on purpose."""

import streamlit as st

from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.shared.training_session import visitor
from viz_transformer.ui.training.live import live_film, show_result, show_runs, start_button
from viz_transformer.ui.training.models import own_models_view
from viz_transformer.ui.training.pictures import schedule_and_smoothing
from viz_transformer.ui.training.settings import choose_settings
from viz_transformer.ui.training.shipped_films import filmed_models, show_film, show_shipped_films

visitor()

st.title(_("Training"))


def train() -> None:
    """The settings, the run and its result, and a table of all runs."""
    st.markdown(
        _(
            "Train a small Transformer here, on the server's processor, or leave a part out and see what goes "
            "wrong. **Scores use sequences the model never trained on.**"
        )
    )
    settings = choose_settings()
    start_button(settings)
    run = live_film()
    if run is not None:
        show_result(run)
        show_runs()
    else:
        st.subheader(_("Until you train one: the film of the shipped model"))
        show_film(settings.task if settings.task in filmed_models() else "copy")
    with st.expander(_("The same on the command line")):
        st.code(settings.command(f"my-{settings.task}"), language="bash", wrap_lines=True)


VIEWS = {
    "watch": (_("How heads form"), show_shipped_films),
    "train": (_("Train, and break"), train),
    "pictures": (_("Learning rate and label smoothing"), schedule_and_smoothing),
    "models": (_("Your models"), own_models_view),
}
titles = {name: title for name, (title, _show) in VIEWS.items()}
VIEWS[linked_choice(_("View"), "view", titles, "watch")][1]()
link_note()
