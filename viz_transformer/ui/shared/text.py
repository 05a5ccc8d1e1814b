"""The app's own sentences in the reader's language, by gettext."""

from __future__ import annotations

import gettext
from functools import cache
from threading import local
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz_transformer.sentences import DOMAIN, LOCALE, SaidError

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

LANGUAGE_PARAMETER = "lang"
# As each language calls itself, and as a browser knows it, for fonts and voices.
LANGUAGES = {"en": ("English", "en"), "zh": ("中文", "zh-Hans")}
_CHOSEN = "language"  # in the session: the navigation clears the link


def _(message: str) -> str:
    """`message` in the language of the link (`?lang=`) or else of the browser; English where it is not translated."""
    return spoken().gettext(message)


def sentence(error: Exception) -> str:
    """What an error says, in that language where it is one of this package's."""
    return error.said(_) if isinstance(error, SaidError) else str(error)


def in_a_row(*sentences: str) -> str:
    """Sentences as one text: after a Chinese full stop there is no space."""
    said = ""
    for sentence in sentences:
        said += sentence if not said or said[-1] in "。？！" else f" {sentence}"
    return said


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


def language() -> str:
    """That language, one of `LANGUAGES`."""
    catalogue = spoken()
    return next((name for name, one in _catalogues().items() if one is catalogue), "en")


def keep_language() -> None:
    """Once at the top of every run: a language that was chosen stays in the link from page to page."""
    if LANGUAGE_PARAMETER in st.query_params:
        st.session_state[_CHOSEN] = st.query_params[LANGUAGE_PARAMETER]
    elif _CHOSEN in st.session_state:
        st.query_params[LANGUAGE_PARAMETER] = st.session_state[_CHOSEN]


def chosen_language() -> dict[str, str]:
    """The parameter of a link to another page that keeps it."""
    return {name: st.query_params[name] for name in (LANGUAGE_PARAMETER,) if name in st.query_params}


def offer_languages() -> DeltaGenerator:
    """A button for each other language, called as that language calls itself → the row in the header, for more."""
    row = st.container(key="vt-language", horizontal=True)
    with row:
        for name, (title, _tag) in LANGUAGES.items():
            if name != language():
                st.button(title, type="tertiary", key=f"speak {name}", on_click=_speak, args=(name,))
    return row


def _speak(name: str) -> None:
    st.query_params[LANGUAGE_PARAMETER] = st.session_state[_CHOSEN] = name


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
    folders = (path.parent.parent for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return {folder.name: gettext.translation(DOMAIN, LOCALE, [folder.name]) for folder in folders}
