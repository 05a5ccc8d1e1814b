"""The texts that every picture has."""

from __future__ import annotations

from viz_transformer.views.text import _


def picture_labels() -> dict[str, str]:
    """The texts of the full-screen button, of the menu that saves the picture, and of its interactive HTML file."""
    return {
        "full_screen": _("Full screen (f)"),
        "save": _("save"),
        "save_png": _("PNG picture"),
        "save_svg": _("SVG picture"),
        "save_copy": _("copy as picture"),
        "save_csv": _("CSV table"),
        "save_html": _("HTML file, interactive"),
        "model": _("Model"),
        "source": _("Source"),
        "target": _("Target"),
        "made_by": _("Made by"),
        "reopen": _("Open this view in the app"),
        "needs_script": _("To move through this file, enable JavaScript."),
        "copied": _("copied"),
        "copy_failed": _("the browser refused to copy"),
    }
