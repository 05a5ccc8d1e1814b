from __future__ import annotations

import json
import sys
import unicodedata
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_sentence
from viz_transformer import load
from viz_transformer.tokenizers import SPECIAL_TOKENS, UNKNOWN_ID, Tokenizer, symbol_tokenizer, train_tokenizer
from viz_transformer.training.tasks import Task

ENGLISH_LINES = [
    "I love you.",
    "I don't know what you're talking about.",
    'He said, "I can\'t."',
    "It's the dogs' food; she's here!",
    "We'll see (maybe) at 10:30.",
    "They'd say that I'm late, but we've got time.",
] * 3
CHINESE_LINES = ["我爱你。", "我爱我的猫。", "今天天气很好。", "你好,世界!", "我昨天在学校看见了他。", "他们很好。"] * 3

DIGITS = Task("copy").tokenizer()
ENGLISH = train_tokenizer(ENGLISH_LINES, 320, "en")


@pytest.fixture(scope="module")
def chinese() -> Tokenizer:
    with warnings.catch_warnings():
        # jieba's own files warn when Python first compiles them (invalid escape sequences), and nobody can fix that.
        warnings.simplefilter("ignore")
        import jieba  # noqa: F401
    return train_tokenizer(CHINESE_LINES, 200, "zh")


# --- special tokens --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", [*SPECIAL_TOKENS, "<s>1</s>", "a <pad> b", "<s", "</s></s>", "< s >"])
@pytest.mark.parametrize("language", ["digits", "en", "zh"])
def test_no_typed_text_becomes_a_special_token(typed: str, language: str, request: pytest.FixtureRequest) -> None:
    tokenizer = {"digits": DIGITS, "en": ENGLISH}.get(language) or request.getfixturevalue("chinese")
    encoded = tokenizer.encode(typed)
    assert not {0, 1, 2} & set(encoded.ids)
    assert not set(SPECIAL_TOKENS) & set(encoded.tokens)
    if language != "digits":  # all of ASCII is in the alphabet
        assert not encoded.unknown


@given(text=st.text(alphabet=st.sampled_from("<s>/pad unk▁'12猫"), max_size=12))
def test_no_text_at_all_becomes_a_special_token(text: str) -> None:
    for tokenizer in (DIGITS, ENGLISH):
        assert not {0, 1, 2} & set(tokenizer.encode(text).ids)


@pytest.mark.parametrize("tokenizer", [DIGITS, ENGLISH], ids=["digits", "en"])
def test_special_tokens_are_the_first_four_and_left_out_of_texts(tokenizer: Tokenizer) -> None:
    assert tokenizer.labels(range(4)) == SPECIAL_TOKENS
    ids = tokenizer.encode("1 2").ids
    assert tokenizer.decode([1, *ids, 2, 0, 0]) == tokenizer.decode(ids) == "1 2"
    assert "<unk>" in tokenizer.decode([UNKNOWN_ID])  # what a model wrote is not hidden


# --- unknown text ----------------------------------------------------------------------------------------------


def test_unknown_digits_task_symbols_are_reported_and_labelled_by_their_own_text() -> None:
    encoded = DIGITS.encode("1 x 2🙂x")
    assert encoded.ids == (5, 3, 6, 3, 3)
    assert encoded.tokens == ("1", "x", "2", "🙂", "x")
    assert encoded.unknown == ("x", "🙂")  # each once


@pytest.mark.parametrize("character", ["é", "猫", "🙂"])
@pytest.mark.parametrize("text", ["{}", "a{}", "I love {}."])
def test_unknown_characters_in_english_are_reported_and_labelled_by_their_own_text(text: str, character: str) -> None:
    encoded = ENGLISH.encode(text.format(character))
    assert encoded.unknown == (character,)
    assert [label for label, i in zip(encoded.tokens, encoded.ids, strict=True) if i == UNKNOWN_ID] == [character]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("e\u0301", "é"),
        ("A\u030a", "Å"),
        ("\u1112\u1161\u11ab", "한"),
        ("ｶﾞ", "ガ"),
        ("e\u0302\u0301", "ế"),
    ],
)
@pytest.mark.parametrize("text", ["{}", "a{}b", "I love {}. {}"])
def test_unknown_characters_typed_in_parts_are_reported_whole(text: str, typed: str, read: str) -> None:
    encoded, whole = ENGLISH.encode(text.format(typed, typed)), ENGLISH.encode(text.format(read, read))
    assert (encoded.ids, encoded.tokens, encoded.unknown) == (whole.ids, whole.tokens, whole.unknown)
    assert encoded.unknown == (read,)


def test_unknown_marks_are_reported_each_by_itself() -> None:
    assert ENGLISH.encode("x\u0301").unknown == ("\u0301",)  # there is no x with an accent
    assert ENGLISH.encode("a\u0327\u0301").unknown == ("á", "\u0327")  # in the order in which they are read
    assert ENGLISH.encode("㊙ ½").unknown == ("㊙", "½")  # as typed, where one sign is read as another


@given(text=st.text(alphabet=st.sampled_from("aex é\u0301\u0302\u0327\u030a\u1112\u1161\u11abｶﾞ½ﬁ㊙猫"), max_size=10))
def test_every_unknown_piece_holds_what_was_read(text: str) -> None:
    encoded = ENGLISH.encode(text)
    assert all(UNKNOWN_ID in ENGLISH.encode(piece).ids for piece in encoded.unknown)
    assert all(len(unicodedata.normalize("NFC", piece)) == 1 for piece in encoded.unknown)


def test_unknown_chinese_characters_are_reported_and_labelled_by_their_own_text(chinese: Tokenizer) -> None:
    encoded = chinese.encode("我爱龘。")
    assert encoded.tokens == ("我", "爱", "龘", "。")
    assert encoded.unknown == ("龘",)


def test_known_texts_have_nothing_unknown(chinese: Tokenizer) -> None:
    assert all(not ENGLISH.encode(line).unknown for line in ENGLISH_LINES)
    assert all(not chinese.encode(line).unknown for line in CHINESE_LINES)


# --- English ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        *ENGLISH_LINES[:6],
        "Don't!",
        "'tis the season",
        "rock 'n' roll",
        "it ' s",
        "it 's",
        "100%",
        "e-mail: me@x.org",
        "O'Brien's",
        'say "hi"',
        '"I\'m", she said.',
        "(a) [b] {c} <d>",
        "3.14, 1/2 & 50 + 7",
    ],
)
def test_an_english_sentence_comes_back_as_it_was(sentence: str) -> None:
    assert ENGLISH.decode(ENGLISH.encode(sentence).ids) == sentence


@given(words=st.lists(st.text(alphabet=[chr(code) for code in range(33, 127)], min_size=1), min_size=1, max_size=6))
def test_any_ascii_text_with_single_spaces_comes_back(words: list[str]) -> None:
    text = " ".join(words)
    assert ENGLISH.decode(ENGLISH.encode(text).ids) == text


def test_contractions_and_punctuation_are_tokens_of_their_own() -> None:
    assert ENGLISH.encode("I don't, you're").tokens == ("I", "don", "'t", ",", "you", "'re")
    assert ENGLISH.encode("10:30").tokens == ("1", "0", ":", "3", "0")  # one digit, one token


def test_typographic_quotes_and_wide_letters_are_read_as_plain_ones() -> None:
    assert ENGLISH.encode("“I don’t”").ids == ENGLISH.encode('"I don\'t"').ids
    assert ENGLISH.encode("Ｉ  love\tyou．").ids == ENGLISH.encode("I love you.").ids


def test_the_rest_of_a_word_is_marked_in_labels() -> None:
    tokens = ENGLISH.encode("loveable").tokens
    assert tokens[0] == "love"
    assert all(token.startswith("##") for token in tokens[1:])
    assert "".join(token.removeprefix("##") for token in tokens) == "loveable"


def test_spans_point_into_the_text() -> None:
    text = "I don't know."
    encoded = ENGLISH.encode(text)
    assert [text[start:end] for start, end in encoded.spans] == list(encoded.tokens)
    assert encoded.tokens == ("I", "don", "'t", "know", ".")


@given(
    st.lists(
        st.sampled_from([*"ab,. \t\u3000½ﬁ你한😀", "love", " don't", "e\u0301", "\u1112\u1161\u11ab", "\u200b"]),
        max_size=12,
    )
)
def test_every_letter_lies_in_a_span_and_no_space_does(parts: list[str]) -> None:
    text = "".join(parts)
    for tokenizer in (ENGLISH, DIGITS):
        encoded = tokenizer.encode(text)
        assert list(encoded.spans) == sorted(encoded.spans)
        assert not any(sign.isspace() for start, end in encoded.spans for sign in text[start:end])
        covered = {place for span in encoded.spans for place in range(*span)}
        assert covered >= {place for place, sign in enumerate(text) if unicodedata.category(sign)[0] in "LMN"}
        for token, (start, end) in zip(encoded.tokens, encoded.spans, strict=True):
            assert (start == end) == (token == "▁")


# --- Chinese and digits ----------------------------------------------------------------------------------------


def test_chinese_pieces_are_words(chinese: Tokenizer) -> None:
    assert chinese.encode("今天天气很好。").tokens == ("今天", "天气", "很", "好", "。")
    assert chinese.encode("你好,世界!").tokens == ("你", "好", ",", "世界", "!")
    assert chinese.encode("我爱你。").tokens == ("我", "爱", "你", "。")  # a class sees 我 · 爱 · 你, not one phrase


@pytest.mark.parametrize("text", ["我爱你。", "今天天气很好。", "你好,世界!", "他们在学校。"])
def test_a_chinese_text_comes_back_as_it_was(chinese: Tokenizer, text: str) -> None:
    assert chinese.decode(chinese.encode(text).ids) == text


def test_using_a_chinese_tokenizer_needs_no_word_cutter(chinese: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)  # importing it would fail
    read_back = Tokenizer.from_json(chinese.to_json())
    assert read_back.encode("今天天气很好。") == chinese.encode("今天天气很好。")


def test_digits_are_one_token_each_with_or_without_spaces() -> None:
    assert DIGITS.vocab_size == 14
    assert DIGITS.encode("3 1 4").ids == DIGITS.encode(" 314\n").ids == (7, 5, 8)
    assert DIGITS.decode((7, 5, 8)) == "3 1 4"
    assert DIGITS.labels((7, 5, 8)) == ("3", "1", "4")


def test_a_vocabulary_has_the_size_asked_for_at_most() -> None:
    assert train_tokenizer(ENGLISH_LINES, 120, "en").vocab_size == 120
    assert train_tokenizer(ENGLISH_LINES, 5000, "en").vocab_size < 400


def test_training_twice_gives_the_same_tokenizer() -> None:
    assert train_tokenizer(ENGLISH_LINES, 200, "en").to_json() == train_tokenizer(ENGLISH_LINES, 200, "en").to_json()


# --- files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["I can't.", "<s> é"])
def test_a_tokenizer_survives_json(text: str) -> None:
    read_back = Tokenizer.from_json(ENGLISH.to_json())
    assert read_back.vocab_size == ENGLISH.vocab_size
    assert read_back.encode(text) == ENGLISH.encode(text)
    assert read_back.decode(ENGLISH.encode(text).ids) == ENGLISH.decode(ENGLISH.encode(text).ids)


def without_specials() -> str:
    data = json.loads(DIGITS.to_json())
    data["model"]["vocab"] = {str(i): i for i in range(14)}
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    ["", "not json", "{}", "[]", "null", "3", '{"version": "1.0"}', "[" * 100_000, DIGITS.to_json()[:-20], "\0"],
    ids=lambda text: text[:12],
)
def test_json_that_is_no_tokenizer_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        Tokenizer.from_json(text)
    assert_sentence(caught.value)


def test_a_tokenizer_with_other_special_tokens_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError) as caught:
        Tokenizer.from_json(without_specials())
    assert_sentence(caught.value, "<pad>", "id 0")


@pytest.mark.parametrize("token_id", [14, 10_000, -1, 2**70])
def test_an_id_that_is_not_in_the_vocabulary_has_no_label(token_id: int) -> None:
    with pytest.raises(ValueError) as caught:
        DIGITS.label(token_id)
    assert_sentence(caught.value, "0 to 13", token_id)
    with pytest.raises(ValueError) as caught:
        DIGITS.decode([5, token_id])
    assert_sentence(caught.value, "0 to 13", token_id)


def test_symbols_may_be_any_characters() -> None:
    letters = symbol_tokenizer("abé猫")
    assert letters.encode("猫 aé").tokens == ("猫", "a", "é")
    assert letters.decode(letters.encode("猫aé").ids) == "猫 a é"


def test_a_long_text_of_signs_that_it_does_not_know_is_read_at_once() -> None:
    """Its cost once grew with the square of the length: minutes, and a page that did not answer."""
    assert DIGITS.encode("x" * 100_000).ids == (UNKNOWN_ID,) * 100_000


@pytest.mark.parametrize("name", ["zh-en", "en-de", "copy"])
def test_a_label_leads_back_to_every_id_that_it_is_shown_for(name: str) -> None:
    translator = load(name, "cpu")
    for tokenizer in (translator.source_tokenizer, translator.target_tokenizer):
        by_label: dict[str, list[int]] = {}
        for token_id in range(tokenizer.vocab_size):
            by_label.setdefault(tokenizer.label(token_id), []).append(token_id)
        assert {label: list(tokenizer.ids_of_label(label)) for label in by_label} == by_label
        for other in ("", "##", "no such piece", "▁▁"):
            assert list(tokenizer.ids_of_label(other)) == by_label.get(other, [])
