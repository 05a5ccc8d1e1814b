"""The app's own sentences in the reader's language, by gettext."""

from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path

import streamlit as st

LOCALE = Path(__file__).resolve().parent.parent.parent / "assets" / "locale"
LANGUAGE_PARAMETER = "lang"


def _(message: str) -> str:
    """`message` in the language of the link (`?lang=`) or else of the browser; English where it is not translated."""
    return _catalogue(_language()).gettext(message)


def _language() -> str:
    return str(st.query_params.get(LANGUAGE_PARAMETER) or st.context.locale or "en")


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    tags = [language.replace("-", "_"), language.partition("-")[0]]
    return gettext.translation("viz_transformer", LOCALE, languages=tags, fallback=True)
