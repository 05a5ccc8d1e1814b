"""The types of layers by name."""

from __future__ import annotations

from viz_transformer.views.text import _


def layer_names() -> dict[str, str]:
    """The name of each `LayerType`."""
    return {
        "attention": _("Self-attention"),
        "recurrent": _("Recurrent"),
        "convolution": _("Convolution"),
        "dilated": _("Dilated convolution"),
        "restricted": _("Restricted attention"),
    }
