"""What nobody foresaw: the visitor gets a sentence and a number, and the log the place in the code, by that number.

An error's message may quote what somebody typed, so it is written nowhere.
"""

from __future__ import annotations

import logging
import secrets
from traceback import format_tb

import streamlit as st

from viz_transformer.translator import shipped_models
from viz_transformer.ui.shared.folder_models import PREFIX
from viz_transformer.ui.shared.models import ModelDamaged
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, in_a_row

_log = logging.getLogger(__name__)
# Streamlit's own, which write an error with its message.
_LOGGERS = ("streamlit.error_util", "streamlit.runtime.app_session")


def say_fault(error: Exception) -> bool:
    """For `st.App(on_script_error=…)`: of a page, of a fragment and of a callback. True: nothing else is shown."""
    number = secrets.token_hex(4)
    _log.error("Request %s\n%s", number, place_of(error))
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
            "The model {name} cannot be read: on this server its files are damaged or missing. Others are: {others}."
        ).format(name=error.name, others=others)
    return _(
        "Something went wrong on this server, and this part of the page could not be drawn. What you typed is kept in "
        "the link: reload the page, or change what you asked for."
    )


def place_of(error: BaseException | None) -> str:
    """Where in the code it was raised, and of which kind it is; likewise of what it was raised from."""
    places: list[str] = []
    while error is not None and len(places) < 9:  # errors can be each other's cause
        places.append("".join(format_tb(error.__traceback__)) + type(error).__qualname__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\n".join(reversed(places))


def keep_texts_out_of_the_log() -> None:
    """Once a process: what Streamlit would write of an error itself is written without the error's message."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if _without_message not in logger.filters:
            logger.addFilter(_without_message)


def _without_message(record: logging.LogRecord) -> bool:
    """A record as it may be written; False: not at all, since `say_fault` writes it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.exc_info, record.exc_text = None, place_of(error)
    return record.name != "streamlit.error_util" or error is None
