"""The app's own sentences in the reader's language, by gettext."""

from __future__ import annotations

import gettext
from functools import cache
from threading import local

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz_transformer.resources import resource

LOCALE = resource("assets/locale")
LANGUAGE_PARAMETER = "lang"


def _(message: str) -> str:
    """`message` in the language of the link (`?lang=`) or else of the browser; English where it is not translated."""
    return spoken().gettext(message)


def spoken() -> gettext.NullTranslations:
    """The catalogue of that language, always the same object."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:
        return _catalogue()
    # A page has hundreds of sentences, and Streamlit takes long to say what the link says: it is asked once a run.
    asked = run.query_string, run.context_info
    if _of_thread.asked[0] is not asked[0] or _of_thread.asked[1] is not asked[1]:
        _of_thread.asked, _of_thread.catalogue = asked, _catalogue()
    return _of_thread.catalogue


def _catalogue() -> gettext.NullTranslations:
    has_language = LANGUAGE_PARAMETER in st.query_params  # a `get` that finds nothing is slow: it words an error first
    asked = str((has_language and st.query_params[LANGUAGE_PARAMETER]) or st.context.locale or "en")
    return _catalogues().get(asked.partition("-")[0], _ENGLISH)


_ENGLISH = gettext.NullTranslations()


class _OfThread(local):
    """What a visitor's thread was last asked for: the link and the browser that the run came with."""

    asked: tuple[object, object] = (None, None)
    catalogue: gettext.NullTranslations = _ENGLISH


_of_thread = _OfThread()


@cache
def _catalogues() -> dict[str, gettext.NullTranslations]:
    """What `assets/locale` holds, by language: LANGUAGE/LC_MESSAGES/viz_transformer.mo."""
    folders = (path.parent.parent for path in LOCALE.glob("*/LC_MESSAGES/viz_transformer.mo"))
    return {folder.name: gettext.translation("viz_transformer", LOCALE, [folder.name]) for folder in folders}
