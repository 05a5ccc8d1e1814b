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
    """The catalogue of `?lang=` or else of the browser, always the same object."""
    run = this_run()
    if run is None:
        return _catalogue()
    # A page has hundreds of sentences, and Streamlit takes long to say what the link says: it is asked once a run.
    asked = run.query_string, run.context_info
    if _of_thread.asked[0] is not asked[0] or _of_thread.asked[1] is not asked[1]:
        _of_thread.asked, _of_thread.catalogue = asked, _catalogue()
    return _of_thread.catalogue


def keep_language() -> None:
    """Once at the top of every run: a language that was chosen stays in the link from page to page.

    A link that says an empty one means that which was chosen last. One of the browser's history that says none is of
    before that choice, and takes it back.
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
    """The parameter of a link to another page that keeps it."""
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
    """What a visitor's thread was last asked for: the link and the browser that the run came with."""

    asked: tuple[object, object] = (None, None)
    catalogue: gettext.NullTranslations = ENGLISH


_of_thread = _OfThread()
