"""What of a page is hidden: in a frame on another site, and while a scene is presented."""

from __future__ import annotations

import re
import tomllib
from types import SimpleNamespace

import pytest

from viz_transformer.resources import resource
from viz_transformer.ui.shared import look
from viz_transformer.ui.shared.look import PARTS, apply_look, hidden_parts, keep_hidden


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The styles that a run sends; `look.st` stands for Streamlit."""
    styles: list[str] = []
    page = SimpleNamespace(
        html=styles.append, query_params={}, session_state={}, context=SimpleNamespace(is_embedded=True)
    )
    monkeypatch.setattr(look, "st", page)
    return styles


def test_a_picture_that_stays_in_sight_has_the_background_of_the_page(said: list[str]) -> None:
    apply_look()
    theme = tomllib.loads(resource(".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    light, dark = (theme[scheme]["backgroundColor"] for scheme in ("light", "dark"))
    assert f"background: light-dark({light}, {dark});" in "".join(said)


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("", []),
        ("line,side", ["line", "side"]),
        ("side,line,side", ["line", "side"]),
        ("*{color:red}</style><script>,line ,LINE", []),
        ("text,body{display:none}", ["text"]),
    ],
)
def test_only_names_of_ours_hide_something(said: list[str], asked: str, parts: list[str]) -> None:
    look.st.query_params["hide"] = asked
    assert hidden_parts() == parts
    apply_look()
    hidden = re.search(r"^(.*) \{ display: none !important; \}\n", said[-1].partition("padding")[2], re.MULTILINE)
    assert hidden and hidden[1] == ", ".join(["#vt-nothing", *(PARTS[name] for name in parts)])
    assert ("--vt-side: none" in said[-1]) == ("side" in parts)


def test_what_is_hidden_stays_from_page_to_page_of_a_frame(said: list[str]) -> None:
    look.st.query_params["hide"] = "side"
    keep_hidden()
    look.st.query_params.clear()
    keep_hidden()
    assert look.st.query_params == {"hide": "side"}


def test_only_a_scene_is_presented(said: list[str]) -> None:
    """Without a scene, nothing on the screen would lead out of the presentation."""
    look.st.context.is_embedded = False
    look.st.query_params["present"] = "1"
    apply_look()
    assert len(said) == 1
    look.st.query_params["scene"] = "2"
    apply_look()
    assert ".stAppHeader" in said[-1] and len(said) == 3


def test_of_a_presented_scene_only_its_picture_is_shown(said: list[str]) -> None:
    look.st.context.is_embedded = False
    look.st.query_params.update(present="1", scene="2", picture="heads-glance")
    apply_look()
    assert ":has(.st-key-heads-glance)" in said[-1]
    for name in ("", "a b", "a{}", "<b>", "x" * 41):
        look.st.query_params["picture"] = name
        apply_look()
        assert ".st-key-predict" not in said[-1]


def test_nothing_is_hidden_outside_of_a_frame(said: list[str]) -> None:
    look.st.context.is_embedded = False
    look.st.query_params["hide"] = "side"
    keep_hidden()
    apply_look()
    assert len(said) == 1
    assert look.st.session_state == {}


def test_the_docs_name_every_part() -> None:
    from tests.test_docs import text_of

    row = next(line for line in text_of("docs/links.md").splitlines() if line.startswith("| `hide` |"))
    assert set(PARTS) == set(re.findall(r"`(\w+)` \(", row))
