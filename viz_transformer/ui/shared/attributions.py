"""Whose data the shipped models learned from and are measured on."""

from __future__ import annotations

from viz_transformer.sentences import N_
from viz_transformer.views.text import _

# As the cards have it, in English; a model of one's own says what its card says.
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
    """What a card or a catalogue says about that, in the reader's language; empty where it says nothing."""
    said = str(about.get("attribution") or "")
    return _(said) if said in SHIPPED else said
