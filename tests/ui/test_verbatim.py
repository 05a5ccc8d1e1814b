"""Visitors' texts in sentences that are Markdown: a Markdown parser shows them as they are."""

from __future__ import annotations

from html import unescape

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from viz_transformer.ui.shared.verbatim import CUT, verbatim
from viz_transformer.visible import visible

# Control characters are no text to a browser, nor can Markdown hold all of them.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t")
TEXTS = st.text(CHARACTERS) | st.text("*_`~$:[]()!<>#-+=.|&\\{}/ \n1wx@;").filter(bool)
PARSER = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def shown(markdown: str) -> str:
    """The one paragraph that there must be, without the marks that only Streamlit knows."""
    html = PARSER.render(markdown)
    assert html.startswith("<p>") and html.endswith("</p>\n")
    inside = html.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inside  # no element, not even a line break
    return unescape(inside).replace(CUT, "")


@given(TEXTS)
@example("![x](http://127.0.0.1:9/x.png)")
@example("[x](http://127.0.0.1:9)")
@example("<img src=x>")
@example("x\n\n# y\n\n- z\n\n    code")
@example("&amp;")
@example(r"\*x\*")
def test_a_text_in_a_sentence_is_shown_as_it_is(text: str) -> None:
    assert (
        shown(f"It was «{verbatim(text)}», and that is no number.")
        == f"It was «{visible(text)}», and that is no number."
    )


@given(TEXTS.map(str.strip).filter(bool))
@example("1. x")
@example("1) x")
@example("---")
@example("    code")
@example("a\n---")
def test_a_text_that_is_the_whole_sentence_is_shown_as_it_is(text: str) -> None:
    assert shown(verbatim(text)) == visible(text)


@given(TEXTS)
def test_nothing_is_left_that_streamlit_replaces_by_itself(text: str) -> None:
    """`:red[…]`, `:material/…:` and `$…$` are in no standard: none of their signs is in the Markdown."""
    assert not set(verbatim(text).replace(CUT, "")) & set(":$[]{}`<>@~=")
