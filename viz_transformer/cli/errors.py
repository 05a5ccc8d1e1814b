"""What the command line says of an error."""

from __future__ import annotations

from gettext import gettext as _

from viz_transformer.sentences import SaidError


def said(error: Exception) -> str:
    """One sentence, in the reader's language where the package wrote it."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return _("There is no file {file}.").format(file=error.filename)
    return error.said(_) if isinstance(error, SaidError) else str(error)
