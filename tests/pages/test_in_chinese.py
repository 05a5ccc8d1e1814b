"""The app in Chinese: no English word is left on any page, in any view, and two visitors in two languages never mix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.english import english_in
from tests.packed import listed, unpacked
from tests.pages.helpers import ROOT, open_page, opened
from viz_transformer import shipped_models
from viz_transformer.translator import model_folder
from viz_transformer.ui.shared import box, frame
from viz_transformer.ui.shared.attributions import SHIPPED

PAGES = [path.stem for path in sorted((ROOT / "pages").glob("*.py"))]
# Fields that nobody reads: of Streamlit's elements, of the components' messages, of a chart.
UNREAD = set(
    re.findall(
        r"\S+",
        """
        id element_id form_id unique_id user_key key component_name icon type url language code_text
        query_param_key revision view link name hue kind lit code formula look href elsewhere stage main letters visitor
        allowed_types slugs packed lecture line scenes target deferred_file_id sign ask panel
        """,
    )
)
READ_IN_CHARTS = ("title", "text")
READ_IN_FIGURES = ("title", "text", "name", "labels", "hovertemplate")


class Opened:
    """Stands in for an expander that the visitor has opened."""

    open = True

    def __init__(self, title: str, **_more: Any) -> None:
        self.box = st.expander(title)

    def __enter__(self) -> Any:
        return self.box.__enter__()

    def __exit__(self, *how: Any) -> Any:
        return self.box.__exit__(*how)


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The tabs that a page shows, by their parameter; and every box is open."""
    found: dict[str, list[str]] = {}
    draw = frame.linked_tabs

    def linked_tabs(place: Any, label: str, name: str, options: Mapping[str, str], *more: Any) -> str:
        found[name] = list(options)
        return draw(place, label, name, options, *more)

    monkeypatch.setattr(frame, "linked_tabs", linked_tabs)
    monkeypatch.setattr(box, "st", SimpleNamespace(fragment=st.fragment, expander=Opened))
    return found


def texts_in(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in a message of Streamlit or in plain data, with the names of the fields on the way."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Message):
        for field, inner in value.ListFields():
            if not (field.message_type and field.message_type.GetOptions().map_entry):
                yield from texts_in(inner, (*path, field.name))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from texts_in(inner, (*path, name))
    elif not isinstance(value, bytes | int | float | None):
        for inner in value:
            yield from texts_in(inner, path)


def elements(block: Any) -> Iterator[tuple[str, Message]]:
    for child in block.children.values():
        if child.proto is not None:
            yield child.type, child.proto
        yield from elements(child) if hasattr(child, "children") else ()


def texts_of(app: AppTest) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text that the app sent to be read."""
    for part in app._tree.children.values():
        for kind, proto in elements(part):
            if kind == "bidi_component":
                message = unpacked(proto.bytes)
                yield from texts_in(message["request"], ("request",))
                for packed in message.get("bodies", [message.get("content")]):
                    yield from texts_in(listed(unpacked(packed.tobytes())), ("content",))
            elif kind in ("vega_lite_chart", "arrow_vega_lite_chart"):
                found = texts_in(json.loads(proto.spec), ("chart",))
                yield from ((path, text) for path, text in found if path[-1] in READ_IN_CHARTS)
            elif kind == "plotly_chart":
                found = texts_in(json.loads(proto.spec), ("figure",))
                yield from ((path, without_markup(text)) for path, text in found if path[-1] in READ_IN_FIGURES)
            else:
                yield from texts_in(proto, (kind,))


def without_markup(template: str) -> str:
    """What a person reads of a template of Plotly."""
    return re.sub(r"%\{[^}]*\}|<[^>]*>", " ", template)


def opened_in_chinese(page: str, **query: str) -> AppTest:
    """A page in Chinese, with a toy model that reads and writes digits: every English word is the app's."""
    if page == "lecture":  # the home page, from which a link with a model goes on to Overview
        return opened(AppTest.from_file(str(ROOT / "pages/lecture.py"), default_timeout=120), lang="zh", **query)
    return open_page(f"pages/{page}.py", lang="zh", model="copy", **query)


@pytest.mark.parametrize("page", PAGES)
def test_no_english_word_is_left(page: str, views: dict[str, list[str]]) -> None:
    apps = [opened_in_chinese(page)]
    first, *_rest = [*views.items(), ("", [])]
    for view in first[1]:
        views.pop("part", None)
        apps.append(opened_in_chinese(page, **{first[0]: view}))
        apps += [opened_in_chinese(page, **{first[0]: view, "part": part}) for part in views.get("part", [])]
    texts = {one for app in apps for one in texts_of(app)}
    tensors = {text for path, text in texts if path[-1] == "stage"}  # called as in the model's code
    left = {
        (".".join(path), word, text[:80])
        for path, text in texts
        if not UNREAD & set(path) and text not in tensors
        for word in english_in(text)
    }
    assert left == set()
    assert any(re.search(r"[\u4e00-\u9fff]", text) for _path, text in texts)


def test_no_english_word_is_left_beside_a_translation(views: dict[str, list[str]]) -> None:
    """Only the app's own texts count: this model's output is English, here "Hello world!"."""
    texts = set(texts_of(open_page("pages/overview.py", lang="zh", model="zh-en", source="你好,世界!")))
    said = {text for path, text in texts if not UNREAD & set(path) and path[0] != "content"}
    assert {word for text in said for word in english_in(text)} - {"Hello", "world"} == set()


def test_whose_data_a_model_learned_from_is_said_in_chinese() -> None:
    for name in shipped_models():
        for file in ("card.json", "heads.json"):
            about = json.loads((model_folder(name) / file).read_text(encoding="utf-8"))
            assert not about.get("attribution") or about["attribution"] in SHIPPED


def test_no_english_word_is_left_in_what_is_refused() -> None:
    app = open_page("pages/overview.py", lang="zh", model="copy", source="7 " * 40)
    said = [text for path, text in texts_of(app) if path[0] in ("error", "html")]
    assert any("词元" in text and "缩短" in text for text in said)
    assert not {word for text in said for word in english_in(text)}


def test_two_visitors_in_two_languages_never_mix() -> None:
    """In turns, so that cached results are asked for in both languages; tests/browser has both visitors at once."""
    titles = {"en": ["Masks", "Positions", "Heads"], "zh": ["掩码", "位置", "注意力头"]}
    for _n in range(2):
        for place, page in enumerate(("masks", "positions", "heads")):
            for language, expected in titles.items():
                app = open_page(f"pages/{page}.py", lang=language, model="copy")
                assert [title.value for title in app.title] == [expected[place]]
                is_chinese = any(re.search(r"[\u4e00-\u9fff]", text) for _path, text in texts_of(app))
                assert is_chinese == (language == "zh")


def two_languages() -> None:
    """What app.py does with the language: AppTest runs that file once, and from then on only the page."""
    import streamlit as st

    from viz_transformer.ui.shared.text import keep_language, offer_languages
    from viz_transformer.views.text import _

    keep_language()
    offer_languages()
    st.title(_("Inside attention"))


def test_a_button_switches_and_the_rest_of_the_link_stays() -> None:
    app = opened(AppTest.from_function(two_languages), layer="2")
    assert [(one.label, app.title[0].value) for one in app.button] == [("中文", "Inside attention")]
    app.button[0].click().run()
    assert [(one.label, app.title[0].value) for one in app.button] == [("English", "走进注意力")]
    assert dict(app.query_params) == {"layer": "2", "lang": "zh"}
    app.button[0].click().run()
    assert [(one.label, app.title[0].value) for one in app.button] == [("中文", "Inside attention")]
    assert dict(app.query_params) == {"layer": "2", "lang": "en"}


def test_the_button_is_on_every_page() -> None:
    app = opened(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120), model="copy", lang="zh")
    assert app.button(key="speak en").label == "English"


def test_a_language_that_was_chosen_stays_from_page_to_page() -> None:
    app = opened(AppTest.from_function(two_languages), lang="zh")
    app.query_params.clear()  # as the navigation does
    app.run()
    assert app.title[0].value == "走进注意力"
    assert app.query_params["lang"] == "zh"


def test_components_are_told_the_language() -> None:
    for language, tag in (("zh", "zh-Hans"), ("en", "en")):
        app = open_page("pages/masks.py", lang=language, model="copy")
        assert {unpacked(one.proto.bytes)["request"]["language"] for one in app.get("bidi_component")} == {tag}


def test_links_to_other_pages_keep_it() -> None:
    app = opened_in_chinese("architecture")
    links = [text for path, text in texts_of(app) if path[-1] == "href"]
    assert links
    assert all("lang=zh" in link for link in links)
    app = opened_in_chinese("masks", lesson="causality")
    assert any("lesson_of_run=no-mask&lang=zh" in text for _path, text in texts_of(app))
