"""Every message of the app has a translation that fits: complete, with the same placeholders and marks, compiled."""

from __future__ import annotations

import ast
import gettext
import re
import string
from io import BytesIO
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests import messages
from tests.english import english_in
from tests.sources import sources
from viz_transformer.checkpoint import CheckpointError
from viz_transformer.sentences import SentenceError, Word
from viz_transformer.views.text import LANGUAGES

FILES = messages.files()
ENTRIES = [message for path in FILES for message in messages.read(path) if message.id]
CJK = "\u4e00-\u9fff"


def test_each_language_that_is_offered_has_its_catalogue() -> None:
    assert {path.parent.parent.name for path in FILES} == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_catalogue_holds_what_the_app_says_and_all_of_it_is_translated(path: Path) -> None:
    said = {message.id for message in messages.said() if message.id}
    found = {message.id: message for message in messages.read(path) if message.id}
    assert said - set(found) == set(), "make messages, and translate these"
    assert set(found) - said == set(), "make messages: nobody says these any more"
    assert [one.id for one in found.values() if not one.string] == []
    assert [one.id for one in found.values() if one.fuzzy] == []


@pytest.mark.parametrize("path", FILES, ids=str)
def test_what_is_compiled_is_what_is_written(path: Path) -> None:
    assert path.with_suffix(".mo").read_bytes() == messages.compiled(messages.read(path)), "make messages"
    compiled = gettext.GNUTranslations(BytesIO(path.with_suffix(".mo").read_bytes()))
    for message in messages.read(path):
        if message.id:
            assert compiled.gettext(message.id) == message.string


def placeholders(text: str) -> list[tuple[str | None, ...]]:
    """The fields in braces with their formats, and those of `%`."""
    fields = [field[1:] for field in string.Formatter().parse(text) if field[1] is not None]
    return sorted([*fields, *((found,) for found in re.findall(r"%(?:\(\w+\))?[sr]", text))], key=str)


def test_a_placeholder_that_differs_is_seen() -> None:
    assert placeholders("{a:.2f} of {b!r}") == placeholders("{b!r}: {a:.2f}")
    for other in ("{a}, {b!r}", "{a:.2f}", "{a:.2f}, {b}", "{a:.2f} {b!r} {b!r}", "{c:.2f} {b!r}", "%s {a:.2f} {b!r}"):
        assert placeholders("{a:.2f} of {b!r}") != placeholders(other)


def test_a_translation_has_the_placeholders_of_its_message() -> None:
    assert [one.id for one in ENTRIES if placeholders(one.string) != placeholders(one.id)] == []


def marks(text: str) -> dict[str, int]:
    """How many elements of each kind Markdown makes of a text, once a word is in the place of each placeholder."""
    html = MarkdownIt().render(re.sub(r"\{[^}]*\}", "x", text))
    return {tag: html.count(f"<{tag}") for tag in ("strong", "em", "code", "a ", "li", "p", "img")}


def test_a_translation_has_the_markdown_of_its_message() -> None:
    """Beside Chinese characters `**` does not always end bold text: after a full stop, a space must follow it."""
    assert [one.string for one in ENTRIES if marks(one.string) != marks(one.id)] == []
    verbatim = re.compile(r"`[^`]+`|\]\([^)]+\)|</?\w+>")
    assert [one.string for one in ENTRIES if not all(text in one.string for text in verbatim.findall(one.id))] == []


def test_marks_that_would_be_seen_as_asterisks_are_found() -> None:
    assert marks("**注意力。**它") != marks("**Attention.** It")
    assert marks("**注意力。** 它") == marks("**Attention.** It")


def test_chinese_has_chinese_punctuation() -> None:
    half = re.compile(rf"[{CJK}”][,;:?!]|[,;:?!][{CJK}“]|[{CJK}]\.(?!\w|\.)|[«»「」]|[{CJK}]\((?!x W)")
    text = re.compile(r"`[^`]*`|\]\([^)]*\)|\{[^}]*\}")
    assert [one.string for one in ENTRIES if half.search(text.sub("x", one.string))] == []


# What a person types on the command line or writes into a card, which is the same in every language.
TYPED = {"all", "batch", "false", "runs", "seed", "steps", "task", "temperature", "true"}


def test_no_english_word_is_left_in_a_translation() -> None:
    chinese = [one.string for path in FILES if path.parent.parent.name == "zh" for one in messages.read(path) if one.id]
    assert len(chinese) > 1500
    left = {text: english for text in chinese if (english := english_in(text) - TYPED)}
    assert left == {}


def test_an_error_tells_itself_in_another_language() -> None:
    words = {"{who} is {what}: {why}": "{why} {who} = {what}", "source": "SOURCE", "{n!r} is too long": "{n!r} LONG"}
    why = CheckpointError("{n!r} is too long", n="source")
    error = SentenceError("{who} is {what}: {why}", who=Word("source"), what="source", why=why)
    assert str(error) == "source is source: 'source' is too long"
    assert error.said(words.__getitem__) == "'source' LONG SOURCE = source"
    assert str(SentenceError("{no values")) == SentenceError("{no values").said(str) == "{no values"


def test_nothing_is_said_inside_of_an_f_string() -> None:
    """It would not be extracted, and so never be translated."""
    for source in sources("app.py", "pages/*.py", "viz_transformer/**/*.py"):
        for text in source.nodes:
            for node in ast.walk(text) if isinstance(text, ast.JoinedStr) else ():
                called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                is_said = called in messages.FUNCTIONS and isinstance(node.args[0], ast.Constant)  # type: ignore[attr-defined]
                assert not is_said, f"{source.name}, line {node.lineno}"  # type: ignore[attr-defined]


def test_nothing_is_said_when_a_module_is_imported() -> None:
    """A sentence that a module keeps would be in the language of whoever came first."""
    for source in sources("viz_transformer/**/*.py"):
        waiting: list[ast.AST] = [source.tree]
        while waiting:
            for node in ast.iter_child_nodes(waiting.pop()):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    continue
                called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                is_said = called in ("_", "explained")
                assert not is_said, f"{source.name}, line {node.lineno}"  # type: ignore[attr-defined]
                waiting.append(node)


# Turns of phrase that no native speaker would use; CONTRIBUTING has what to say instead.
RIDDLES = {
    "a relative clause without a noun": r"(?:^|[.:;] )Who \w+s\b|(?:^|[.:;] )Were \w+|\bwhat stands\b",
    "no in place of not a": r"\}[’'”»]? is (?:no|none) (?!longer\b)|\bit is no (?!longer\b)\w+",
    "a … a …": r"\ba \w+ an? (?:line|batch|scene|page|week)\b|\b(?:tokens|pairs|options|one) a (?:line|batch)\b",
    "taken away": r"\bmask\w* tak(?:e|es) away\b|\btake away\b",
    "which for what": r"\bWhich (?:probability|weight|share|variance) (?:has|does)\b|\bFrom (?:which|what) \S+ on\b",
    "words that are not used so": r"\b(?:dearer|started anew|as ever|or so|told wrong)\b|\b[Rr]eplace (?:\w+ )+by\b",
}
RIDDLES_IN_CHINESE = {"times smaller": r"小了 ?(?:\{\w+\}|[0-9]+) ?倍", "no glossary term": r"起始词元|结束词元"}


@pytest.mark.parametrize("kind", RIDDLES)
def test_english_is_said_as_one_speaks(kind: str) -> None:
    assert [one.id for one in ENTRIES if re.search(RIDDLES[kind], one.id)] == []


@pytest.mark.parametrize("kind", RIDDLES_IN_CHINESE)
def test_chinese_is_said_as_one_speaks(kind: str) -> None:
    assert [one.string for one in ENTRIES if re.search(RIDDLES_IN_CHINESE[kind], one.string)] == []


def test_each_kind_of_riddle_is_found() -> None:
    riddles = (
        "Who retrains a model changes it.", "{answer} is no number.", "TSV, a pair a line", "the mask takes away cells",
        "Which probability has it?", "The loss falls as ever.",
    )  # fmt: skip
    assert all(re.search(RIDDLES[kind], one) for kind, one in zip(RIDDLES, riddles, strict=True))
    assert all(re.search(one, "它小了 4 倍，只剩起始词元") for one in RIDDLES_IN_CHINESE.values())
