"""Unforeseen errors: the visitor gets a sentence and a number, by which the log has the place in the code."""

from __future__ import annotations

import streamlit as st

from viz_transformer.translator import shipped_models
from viz_transformer.ui.shared.folder_models import PREFIX
from viz_transformer.ui.shared.log import write_error
from viz_transformer.ui.shared.models import ModelDamaged
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, in_a_row


def say_fault(error: Exception) -> bool:
    """Logs and shows an error of a page, fragment or callback, for `st.App(on_script_error=…)`. True: it is handled."""
    number = write_error(error)
    st.error(in_a_row(_sentence(error), _("The number of this request is {number}.").format(number=number)))
    return True


def _sentence(error: Exception) -> str:
    if isinstance(error, ModelDamaged) and error.name.startswith(PREFIX):
        return _("The model {name} cannot be read: {reason}").format(
            name=verbatim(error.name), reason=verbatim(error.reason())
        )
    if isinstance(error, ModelDamaged):
        others = ", ".join(f"[{name}](?model={name})" for name in shipped_models() if name != error.name)
        return _(
            "The model {name} cannot be read: its files on this server are damaged or missing. Other models: {others}."
        ).format(name=error.name, others=others)
    return _(
        "Something went wrong on this server, and this part of the page could not be drawn. What you typed is kept in "
        "the link: reload the page, or change what you asked for."
    )
