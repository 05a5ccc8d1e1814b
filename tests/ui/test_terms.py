"""Terms in sentences: which are marked, and that nothing else changes; and that app and docs have one glossary."""

from __future__ import annotations

import ast
import gettext
import re
import tomllib
from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from markdown_it import MarkdownIt

from tests import messages
from tests.pages.helpers import unmarked
from viz_transformer.resources import resource
from viz_transformer.ui.heads.measured import DEFINITIONS
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views import terms, text
from viz_transformer.views.codec import pack
from viz_transformer.views.terms import TERMS, explained, glossary, marked, named_in

ENGLISH = gettext.NullTranslations()
CHINESE = text.catalogues()["zh"]
LANGUAGES = {"en": ENGLISH, "zh": CHINESE}
PARSER = MarkdownIt("gfm-like", {"linkify": False})
FORMS = [form for catalogue in LANGUAGES.values() for term in TERMS for form in terms._forms(term, catalogue)]
PIECES = some.sampled_from(
    [
        *FORMS,
        *" ,.:;!?()[]{}*~_`$<>#&-=/\\",
        "**",
        "$$",
        "[a](b)",
        "\n\n",
        " ",
        " ",
        "word",
        "词",
        "3",
        ":small[",
        "</s>",
    ]
)


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a visitor gets who reads Chinese."""
    monkeypatch.setattr(text, "_of_reader", lambda: CHINESE)


def slugs_in(markdown: str) -> list[str]:
    return re.findall(r"\]\(#term-([\w-]+)\)", markdown)


def read(markdown: str) -> str:
    """What Markdown makes of a text, without the links of terms."""
    return re.sub(r'<a href="#term-[\w-]+">(.*?)</a>', r"\1", PARSER.render(markdown))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("A mask says which keys a query may attend to.", ["mask", "key", "query"]),
        ("Attention, attention.", ["attention"]),
        ("The causal mask is a mask of self-attention.", ["causal-mask", "mask", "self-attention"]),
        ("Queries, hypotheses, softmaxes, entropies", ["query", "softmax", "entropy"]),
        ("LayerNorm is layer normalisation", ["layer-normalisation"]),
        ("The token's logit", ["token", "logit"]),
        ("tokenizer, headed, monkeys, key-value, d_head, attention-only", []),
        ("**Attention is not explanation.**", ["attention"]),
        ("**Scores use** sequences; scores rank them", ["score"]),
        ("Forward passes of a residual stream", ["forward-pass", "residual-stream"]),
    ],
)
def test_terms_are_found_as_whole_words_once_the_longest_first(said: str, found: list[str]) -> None:
    assert slugs_in(explained(said)) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("每个查询对各个键的注意力权重", ["query", "key", "weight"]),
        ("因果掩码也是掩码", ["causal-mask", "mask"]),
        ("从头开始按键，得到数值和最大值", []),
        ("词元（token）经 softmax 得到 log p", ["token", "softmax", "log-probability"]),
        ("都**注意力权重**它", []),  # with a link there, Markdown would show the `**`
        ("**注意力**（attention）", ["attention"]),
    ],
)
@pytest.mark.usefixtures("in_chinese")
def test_chinese_has_no_signs_between_words(said: str, found: list[str]) -> None:
    assert slugs_in(marked(said)) == found


@pytest.mark.parametrize(
    "said",
    [
        "`attention`",
        "```\nattention\n```",
        "$attention$ and $$\nattention\n$$",
        "[attention](heads)",
        "[a [head] of attention](heads?view=arcs)",
        "![attention](a.png)",
        "<attention>",
        "# Attention\n",
        "{attention} {head:.2f}",
        ":key: :red[attention]",
        "https://example.org/attention",
        r"\head",
    ],
)
def test_code_formulas_links_tags_headings_and_placeholders_stay_as_they_are(said: str) -> None:
    assert explained(said) == said


@pytest.mark.parametrize("language", LANGUAGES)
@given(pieces=some.lists(PIECES, max_size=12))
@example(pieces=["!", "head", "(", "3", ")"])
@example(pieces=["词", "**", "head", "**", "词"])
def test_without_its_marks_it_is_the_text_and_markdown_reads_the_same(language: str, pieces: list[str]) -> None:
    said = "".join(pieces)
    marks = terms._marked(said, LANGUAGES[language])
    assert unmarked(marks) == unmarked(said)
    assert len(slugs_in(marks)) == len(set(slugs_in(marks)))


def of_the_app() -> Iterator[tuple[str, str]]:
    """Every sentence of the app, in each language."""
    for message in messages.read(messages.files()[0]):
        if message.id:
            yield "en", message.id
            yield "zh", message.string


def test_every_sentence_of_the_app_is_read_as_before() -> None:
    for language, said in of_the_app():
        marks = terms._marked(said, LANGUAGES[language])
        assert unmarked(marks) == said
        assert read(marks) == read(said), said


def said_in_sources(names: set[str]) -> Iterator[str]:
    """What these functions are called with, as it stands in the sources."""
    for path in messages.SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                for one in node.args[:2] if node.func.id in ("Tab", "Titled") else node.args[:1]:
                    call = one if isinstance(one, ast.Constant) else next(iter(getattr(one, "args", [])), None)
                    if isinstance(call, ast.Constant):
                        yield str(call.value)


def test_every_term_occurs_in_what_the_app_explains() -> None:
    said = [*said_in_sources({"explained", "Tab", "Titled"}), *(one.definition for one in DEFINITIONS.values())]
    assert len(said) > 90
    found = {
        slug
        for one in said
        for catalogue in LANGUAGES.values()
        for slug in slugs_in(terms._marked(catalogue.gettext(one), catalogue))
    }
    assert {term.slug for term in TERMS} - found == set()


def rows_of_the_docs() -> Iterator[tuple[list[str], list[str]]]:
    """The rows of docs/glossary.md: what a thing is called in English, and in Chinese."""
    for row in (messages.ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines():
        if row.startswith("| ") and not row.startswith("| English"):
            english, chinese, *_what = (cell.strip() for cell in row.strip("|").split("|"))
            yield re.split(r", |; ", english), re.split("[、，；]", chinese)


def test_the_app_and_the_docs_have_one_glossary() -> None:
    rows = [*rows_of_the_docs()]
    for name in chain.from_iterable((term.name, *term.also) for term in TERMS):
        [chinese] = [chinese for english, chinese in rows if name in english] or [[]]
        assert CHINESE.gettext(name) in chinese, f"{name} in docs/glossary.md"


def test_each_term_has_one_sentence_and_a_place_of_its_own() -> None:
    assert len({term.slug for term in TERMS}) == len(TERMS)
    for term in TERMS:
        assert re.fullmatch(r"[A-Z][^.]*\.", term.said), term.said
        assert re.search("[。]$", CHINESE.gettext(term.said)), term.said
    assert glossary()["causal-mask"]["title"] == "causal mask"


@pytest.mark.usefixtures("in_chinese")
def test_in_chinese_the_english_term_stands_beside_it() -> None:
    assert glossary()["causal-mask"]["title"] == "因果掩码（causal mask）"
    assert glossary()["softmax"]["title"] == "softmax"
    for term in TERMS:
        assert glossary()[term.slug]["title"] in (term.name, f"{CHINESE.gettext(term.name)}（{term.name}）")


def test_chinese_has_one_term_for_one_thing() -> None:
    """Where the English term stands in brackets, the Chinese before it is the glossary's; no other word is in use."""
    chinese_of = {name: chinese for english, chinese in rows_of_the_docs() for name in english}
    said = [one.string for path in messages.files() for one in messages.read(path) if one.id]
    beside = [
        found
        for one in said
        for found in re.findall(r"([\u4e00-\u9fff]+)\**（([a-z][a-z -]+)）", one)
        if found[1] != "none"
    ]
    assert len(beside) > 40
    glossary_says = {english: tuple(chinese_of.get(english, ())) for _chinese, english in beside}
    assert [one for one in beside if not any(form in one[0] for form in glossary_says[one[1]])] == []
    others = re.compile(
        "遮罩|掩膜|屏蔽|令牌|记号|集束|波束|贪婪|权值|标准化|规范化|正则化|位置嵌入|词嵌入|点乘|内积|跳跃连接|"
        "讲课|场景|热身|学习速率|混淆度|词汇表|取样|前馈神经|您"
    )
    assert [one for one in said if others.search(one)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_is_long_enough_to_be_sent_once(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit sends a shorter message anew with every run."""
    monkeypatch.setattr(text, "_of_reader", lambda: LANGUAGES[language])
    settings = tomllib.loads(resource(".streamlit/config.toml").read_text(encoding="utf-8"))
    assert len(pack({"terms": glossary()})) > settings["global"]["minCachedMessageSize"]


def test_what_is_typed_is_never_marked() -> None:
    assert "#term" not in explained("You typed «{text}».").format(text=verbatim("attention [head](#term-head)"))


def test_what_a_picture_names_it_shows() -> None:
    assert named_in("Padding mask", "1 = True") == "padding-mask mask"
    assert named_in("query: target token", "Keys, and more keys").split() == ["query", "token", "key"]
    assert named_in("PE · PEᵀ") == ""
