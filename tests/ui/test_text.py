"""In which language the app speaks: the link's, else the browser's, else English; asked once a run."""

from __future__ import annotations

import gettext

import pytest
from streamlit.testing.v1 import AppTest

from viz_transformer.ui.shared import text
from viz_transformer.views.text import _


class Marked(gettext.NullTranslations):
    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def gettext(self, message: str) -> str:
        return f"{self.language}: {message}"


@pytest.fixture(autouse=True)
def two_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogues = {language: Marked(language) for language in ("zh", "fr")}
    monkeypatch.setattr(text, "catalogues", lambda: catalogues)


def page() -> None:
    import streamlit as st

    from viz_transformer.views.text import _

    @st.fragment
    def part() -> None:
        st.text(_("Head"))

    for _n in range(20):
        st.text(_("Run"))
    part()
    if st.button("again") and "again" not in st.session_state:
        st.session_state["again"] = True
        st.rerun()


def spoken(app: AppTest) -> set[str]:
    return {element.value for element in app.text}


def test_it_is_what_the_link_says_in_every_run() -> None:
    app = AppTest.from_function(page)
    assert spoken(app.run()) == {"Run", "Head"}
    for language, prefix in (("zh", "zh: "), ("fr-CA", "fr: "), ("zh-CN", "zh: "), ("xx", ""), ("fr", "fr: ")):
        app.query_params["lang"] = language
        assert spoken(app.run()) == {f"{prefix}Run", f"{prefix}Head"}
        assert spoken(app.button[0].click().run()) == {f"{prefix}Run", f"{prefix}Head"}


def test_each_visitor_has_a_language() -> None:
    visitors = {language: AppTest.from_function(page) for language in ("zh", "fr")}
    for _n in range(3):
        for language, app in visitors.items():
            app.query_params["lang"] = language
            assert spoken(app.run()) == {f"{language}: Run", f"{language}: Head"}


def test_the_link_is_asked_once_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    catalogue = text._catalogue
    monkeypatch.setattr(text, "_catalogue", lambda: asked.append(1) or catalogue())
    app = AppTest.from_function(page)
    app.query_params["lang"] = "zh"
    app.run()
    assert len(asked) == 1
    app.run()
    assert len(asked) == 2


def test_without_a_run_it_is_english() -> None:
    assert _("Run") == "Run"
