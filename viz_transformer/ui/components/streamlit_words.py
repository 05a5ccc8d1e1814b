"""What Streamlit says itself, which it does in English only: the browser puts the reader's language in its place."""

from __future__ import annotations

from viz_transformer.views.text import _


def streamlit_words() -> dict[str, str]:
    """Text by text as Streamlit writes it → in the reader's language, and without what is of no use to a visitor."""
    gone = _("The server is not responding. This page stays as it is, and continues as soon as the server is back.")
    no_page = _("There is no page with this name. Here is the first page instead.")
    return {
        "Skip to main content": _("Skip to main content"),
        "App pages": _("App pages"),
        "Expand sidebar": _("Open the menu"),
        "Collapse sidebar": _("Close the menu"),
        "Open": _("Open"),
        "Close": _("Close"),
        "Clear value": _("Clear"),
        "Clear entry": _("Clear"),
        "Increment": _("Increase"),
        "Decrement": _("Decrease"),
        "No results": _("Nothing found"),
        "Copy to clipboard": _("Copy"),
        "Upload": _("Choose a file"),
        "per file": _("at most"),  # after a size: "200MB per file"
        "Help for": _("Help for"),  # before a label
        "Press Enter to apply": _("Press Enter"),
        "Press Ctrl+Enter to apply": _("Press Ctrl+Enter"),
        "Press ⌘+Enter to apply": _("Press ⌘+Enter"),
        "Running...": _("Running"),
        "Stop": _("Stop"),
        "Stopping...": _("Stopping"),
        "Connecting": _("Connecting"),
        "Connecting to Streamlit server": _("Connecting"),
        "Unable to connect to Streamlit server": gone,
        "Connection error": _("No connection"),
        "Streamlit server is not responding. Are you connected to the internet?": gone,
        "Is Streamlit still running? If you accidentally stopped Streamlit, just restart it in your terminal:": gone,
        "Page not found": _("Page not found"),
        "The page that you have requested does not seem to exist. Running the app's main page.": no_page,
    }
