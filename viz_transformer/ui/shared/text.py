"""The app's own sentences in the reader's language, by gettext."""

from __future__ import annotations

import gettext
from functools import cache

import streamlit as st

from viz_transformer.resources import resource

LOCALE = resource("assets/locale")
LANGUAGE_PARAMETER = "lang"


def _(message: str) -> str:
    """`message` in the language of the link (`?lang=`) or else of the browser; English where it is not translated."""
    has_language = LANGUAGE_PARAMETER in st.query_params  # a `get` that finds nothing is slow: it words an error first
    asked = str((has_language and st.query_params[LANGUAGE_PARAMETER]) or st.context.locale or "en")
    return _catalogues().get(asked.partition("-")[0], _ENGLISH).gettext(message)


_ENGLISH = gettext.NullTranslations()


@cache
def _catalogues() -> dict[str, gettext.NullTranslations]:
    """What `assets/locale` holds, by language: LANGUAGE/LC_MESSAGES/viz_transformer.mo."""
    folders = (path.parent.parent for path in LOCALE.glob("*/LC_MESSAGES/viz_transformer.mo"))
    return {folder.name: gettext.translation("viz_transformer", LOCALE, [folder.name]) for folder in folders}
