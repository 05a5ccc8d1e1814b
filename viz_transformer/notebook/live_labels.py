"""The texts of a file one can type into, in the reader's language; frontend/src/live/page.ts shows them."""

from __future__ import annotations

from viz_transformer.sentences import N_
from viz_transformer.views.text import _

# What the model refuses a text or a file with, in the browser as in Python.
REFUSALS = (
    N_("The {side} text is empty: type at least one word or symbol."),
    N_(
        "The {side} text has {count} tokens, and this model reads at most {limit}. Nothing was cut off: "
        "please shorten it."
    ),
    N_(
        "The {side} text has {count} characters, and this model reads at most {limit} tokens. Nothing was cut "
        "off: please shorten it."
    ),
    N_("The {side} text has half a character, a lone surrogate, at position {place}."),
    N_("This file is damaged: a part of it is missing or has been changed."),
    N_("This model has {count} parameters; a browser computes models of up to {limit}."),
    N_("This browser has not enough memory for a model of {count} parameters."),
)


def refusals() -> dict[str, str]:
    """Each of `REFUSALS` → the same in the reader's language."""
    return {sentence: _(sentence) for sentence in REFUSALS}


def page_labels(*, is_rounded: bool) -> dict[str, str]:
    """The texts of the page around the views; `is_rounded`: the weights have only eight bits."""
    return {
        "source": _("Source: type any text"),
        "target": _("Target"),
        "target_hint": _("the model's own output"),
        "view": _("View"),
        "module": _("Module"),
        "language": _("Language"),
        "overview": _("Overview"),
        "glance": _("At a glance"),
        "arcs": _("Arcs"),
        "query_key": _("Query · key"),
        "steps": _("Attention step by step"),
        "tree": _("Beam search"),
        "unpacking": _("unpacking the model …"),
        "reading": _("reading the weights: {percent} %"),
        "computing": _("computing …"),
        "computed": _("computed in this browser, weights rounded to 8 bits")
        if is_rounded
        else _("computed in this browser"),
        "stopped": _("nothing to show yet"),
        "earlier": _("The picture is still that of the earlier text: {text}"),
        "failed": _("The program of this file failed: {reason}"),
    }
