"""What explains the marked terms of a page, in the browser; see ui/shared/terms.py."""

from __future__ import annotations

from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.components.once import Once
from viz_transformer.ui.shared.terms import glossary


def explain_terms() -> None:
    """Once a run. It takes no room, and its bytes differ from language to language only."""
    _TERMS.show(Once(None, lambda: {"terms": glossary()}), key="terms", view=NoView())


_TERMS = Component("terms", NoView, stays=True)
