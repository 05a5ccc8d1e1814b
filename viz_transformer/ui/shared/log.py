"""What the log says of an error: where it was raised, and never its message, which may quote what somebody typed."""

from __future__ import annotations

import logging
import secrets
from traceback import format_tb
from typing import Any

_log = logging.getLogger(__name__)
_NUMBER = "_viz_number"  # attribute of an error that is in the log


def keep_texts_out_of_the_log() -> None:
    """Called once a process: from then on no logger, also of Streamlit or its server, writes an error's message."""
    if logging.getLogRecordFactory() is not _record:
        logging.setLogRecordFactory(_record)


def _record(*arguments: Any, **more: Any) -> logging.LogRecord:
    record = logging.LogRecord(*arguments, **more)
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.exc_info, record.exc_text = None, _said(error)
    return record


def write_error(error: BaseException) -> str:
    """Writes it into the log, if it is not there yet, and returns the number by which it is found there."""
    if _NUMBER not in vars(error):
        _log.error(_said(error))
    number: str = vars(error)[_NUMBER]
    return number


def _said(error: BaseException) -> str:
    number = vars(error).setdefault(_NUMBER, secrets.token_hex(4))
    return f"Request {number}\n{place_of(error)}"


def place_of(error: BaseException | None) -> str:
    """Where in the code the error was raised, and its type; the same for the errors that it was raised from."""
    places: list[str] = []
    while error is not None and len(places) < 9:  # errors can be each other's cause
        places.append("".join(format_tb(error.__traceback__)) + type(error).__qualname__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\n".join(reversed(places))
