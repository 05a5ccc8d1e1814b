from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections.abc import Iterator

import pytest

from tests.helpers import assert_sentence, random_translator
from viz_transformer import TextError
from viz_transformer.chinese import WITHOUT_OPENCC, _converter, can_simplify, to_simplified
from viz_transformer.cli.main import main

needs_opencc = pytest.mark.skipif(
    importlib.util.find_spec("opencc") is None, reason="OpenCC is optional: without it Chinese is read as it stands"
)


@pytest.fixture(autouse=True)
def converter_of_this_test() -> Iterator[None]:
    _converter.cache_clear()
    yield
    _converter.cache_clear()


@needs_opencc
@pytest.mark.parametrize(
    ("text", "simplified"),
    [("我愛學習,漢語。", "我爱学习,汉语。"), ("我爱你。", "我爱你。"), ("abc 12 <s> 🙂", "abc 12 <s> 🙂"), ("", "")],
)
def test_traditional_characters_are_simplified_and_nothing_else_changes(text: str, simplified: str) -> None:
    assert to_simplified(text) == simplified


def test_without_opencc_a_text_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)  # importing it fails
    assert to_simplified("我愛學習") == "我愛學習"


def test_without_opencc_unknown_characters_get_a_sentence_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    assert not can_simplify()
    assert main(["translate", "zh-en", "我愛鱷魚。"]) == 0
    *_, unknown, advice = capsys.readouterr().err.splitlines()
    assert "愛" in unknown
    assert advice == WITHOUT_OPENCC
    assert_sentence(advice, "pip install 'viz-transformer[chinese]'")
    assert main(["translate", "copy", "1 x"]) == 0  # reads no Chinese
    assert WITHOUT_OPENCC not in capsys.readouterr().err


@needs_opencc
def test_with_opencc_nobody_is_told_to_install_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", "zh-en", "我🙂。"]) == 0
    error = capsys.readouterr().err
    assert "🙂" in error and WITHOUT_OPENCC not in error


@needs_opencc
def test_only_a_model_that_reads_chinese_reads_simplified_characters() -> None:
    plain = random_translator()
    chinese = dataclasses.replace(plain, card={"source_language": "zh"})
    assert (plain.read_as("漢語"), chinese.read_as("漢語")) == ("漢語", "汉语")
    assert chinese.encode_source("漢").tokens == ("汉",)  # the label is what the model was given
    assert chinese.encode_target("漢").tokens == ("漢",)


def test_half_a_character_is_refused_by_a_model_that_reads_chinese_too() -> None:
    chinese = dataclasses.replace(random_translator(), card={"source_language": "zh"})
    with pytest.raises(TextError):
        chinese.trace("漢\ud83d", "1")
