"""Whose data the shipped models learned from and are measured on."""

from __future__ import annotations

from viz_transformer.sentences import N_
from viz_transformer.views.text import _

# Word for word as in the cards, so that they can be translated; any other attribution is shown as it is.
SHIPPED = (
    N_("Sentences from Tatoeba, CC BY 2.0 FR"),
    N_("Sentences from Tatoeba (tatoeba.org), CC BY 2.0 FR; phrasebook by this project"),
    N_("Sentences from Tatoeba (tatoeba.org) via manythings.org/anki, CC BY 2.0 FR, cleaned"),
    N_(
        "Sentences from Tatoeba (tatoeba.org) via manythings.org/anki, CC BY 2.0 FR, cleaned; "
        "phrasebook by this project"
    ),
)


def attribution_of(about: dict[str, object]) -> str:
    """The attribution in a card or a catalogue, translated where it is one of `SHIPPED`; empty where there is none."""
    said = str(about.get("attribution") or "")
    return _(said) if said in SHIPPED else said
