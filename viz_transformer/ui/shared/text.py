"""Which language a visitor reads: of the link, or else of the browser."""

from __future__ import annotations

import gettext
from threading import local
from typing import TYPE_CHECKING

import streamlit as st

from viz_transformer.ui.shared.link import came_by_history
from viz_transformer.ui.shared.stale_reruns import LANGUAGE
from viz_transformer.ui.shared.streamlit_private import this_run
from viz_transformer.views.text import ENGLISH, LANGUAGES, catalogues, language

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

LANGUAGE_PARAMETER = "lang"
_CHOSEN = "language"  # in the session


def of_visitor() -> gettext.NullTranslations:
    """The catalogue for `?lang=` or else for the browser's language; one object for each language."""
    run = this_run()
    if run is None:
        return _catalogue()
    # A page has hundreds of sentences, and to read the link through Streamlit is slow: it is read once a run.
    asked = run.query_string, run.context_info
    if _of_thread.asked[0] is not asked[0] or _of_thread.asked[1] is not asked[1]:
        _of_thread.asked, _of_thread.catalogue = asked, _catalogue()
    return _of_thread.catalogue


def keep_language() -> None:
    """Called once at the top of every run: a language that was chosen stays in the link from page to page.

    An empty `lang` in the link means the language that was chosen last. A link of the browser's history without `lang`
    is from before that choice, and takes it back.
    """
    asked = st.query_params.get(LANGUAGE_PARAMETER)
    if asked:
        st.session_state[_CHOSEN] = asked
    elif asked is None and came_by_history():
        st.session_state.pop(_CHOSEN, None)
    elif _CHOSEN in st.session_state:
        st.query_params[LANGUAGE_PARAMETER] = st.session_state[_CHOSEN]
    elif asked is not None:
        del st.query_params[LANGUAGE_PARAMETER]


def chosen_language() -> dict[str, str]:
    """The parameter that keeps the chosen language in a link to another page; nothing if none was chosen."""
    return {name: st.query_params[name] for name in (LANGUAGE_PARAMETER,) if name in st.query_params}


def offer_languages() -> DeltaGenerator:
    """A button for each other language, called as that language calls itself → the row in the header, for more."""
    row = st.container(key="vt-language", horizontal=True)
    with row:
        for name, (title, _tag) in LANGUAGES.items():
            if name != language():
                st.button(title, type="tertiary", key=LANGUAGE + name, on_click=_speak, args=(name,))
    return row


def _speak(name: str) -> None:
    st.query_params[LANGUAGE_PARAMETER] = st.session_state[_CHOSEN] = name


def _catalogue() -> gettext.NullTranslations:
    has_language = LANGUAGE_PARAMETER in st.query_params  # a `get` that finds nothing is slow: it words an error first
    asked = str((has_language and st.query_params[LANGUAGE_PARAMETER]) or st.context.locale or "en")
    return catalogues().get(asked.partition("-")[0], ENGLISH)


class _OfThread(local):
    """The link and the browser of the run that a thread last looked up the catalogue for, and that catalogue."""

    asked: tuple[object, object] = (None, None)
    catalogue: gettext.NullTranslations = ENGLISH


_of_thread = _OfThread()
