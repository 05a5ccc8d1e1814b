"""Attention between words, and without sinks: rows still add up, against sums written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viz_transformer as vt
from tests.helpers import assert_near, softmax
from viz_transformer.experiments.heads.words import Words, hide_keys, is_sink, merge_mask, merge_words, words_of


def random_words(draw: st.DrawFn, size: int) -> Words:
    """Neighbours in groups, of any sizes."""
    starts = [True, *draw(st.lists(st.booleans(), min_size=size - 1, max_size=size - 1))]
    groups: list[tuple[int, ...]] = []
    for place, is_start in enumerate(starts):
        groups = [*groups, (place,)] if is_start else [*groups[:-1], (*groups[-1], place)]
    return Words(tuple(groups), tuple("".join(map(str, group)) for group in groups))


@st.composite
def attention(draw: st.DrawFn) -> tuple[np.ndarray, Words, Words]:
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    scores = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(2, 3, rows, columns)) * 3
    return softmax(scores).astype(np.float32), random_words(draw, rows), random_words(draw, columns)


@given(attention())
def test_merged_rows_sum_to_one_and_are_what_the_definition_says(case: tuple[np.ndarray, Words, Words]) -> None:
    weights, queries, keys = case
    merged = merge_words(weights, queries, keys)
    assert merged.shape == (2, 3, len(queries.groups), len(keys.groups))
    assert_near(merged.sum(axis=-1), np.ones(merged.shape[:-1]), 1e-5)
    for i, query_group in enumerate(queries.groups):
        for j, key_group in enumerate(keys.groups):
            total = sum(weights[1, 2, query, key] for query in query_group for key in key_group)
            assert_near(merged[1, 2, i, j], total / len(query_group), 1e-6)


@given(attention())
def test_words_of_one_token_change_nothing(case: tuple[np.ndarray, Words, Words]) -> None:
    weights, _queries, _keys = case
    single = [Words(tuple((n,) for n in range(size)), ("",) * size) for size in weights.shape[-2:]]
    np.testing.assert_array_equal(merge_words(weights, *single), weights)


def test_a_word_may_attend_where_one_of_its_tokens_may() -> None:
    words = Words(((0,), (1, 2)), ("a", "bc"))
    causal = np.tri(3, dtype=bool)
    np.testing.assert_array_equal(merge_mask(causal, words, words), [[True, False], [True, True]])
    first_two, single = Words(((0, 1), (2,)), ("ab", "c")), Words(((0,), (1,), (2,)), ("a", "b", "c"))
    np.testing.assert_array_equal(merge_mask(causal, first_two, single), [[True, True, False], [True, True, True]])
    nothing = np.zeros((3, 3), dtype=bool)
    assert not merge_mask(nothing, words, words).any()


@given(attention(), st.data())
def test_hiding_renormalises_what_is_left(case: tuple[np.ndarray, Words, Words], data: st.DataObject) -> None:
    weights, _queries, _keys = case
    columns = weights.shape[-1]
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=columns, max_size=columns)))
    if hidden.all():
        with pytest.raises(ValueError, match="nothing left"):
            hide_keys(weights, hidden)
        return
    kept = hide_keys(weights, hidden)
    assert_near(kept.weights.sum(axis=-1), np.ones(weights.shape[:-1]), 1e-5)
    assert_near(kept.hidden, weights[..., hidden].sum(axis=-1), 1e-6)
    assert_near(kept.weights * (1 - kept.hidden)[..., None], weights[..., ~hidden], 1e-5)


def test_a_row_that_gave_the_hidden_keys_everything_has_no_numbers() -> None:
    kept = hide_keys(np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]), np.array([True, False, False]))
    assert np.isnan(kept.weights[0]).all()
    assert_near(kept.weights[1], [0.5, 0.5], 0)
    assert_near(kept.hidden, [1.0, 0.5], 0)


def test_sinks_are_start_end_and_punctuation_only() -> None:
    tokens = ("<s>", "a.", ".", ",", "«", "$", "世界", "。", "…", "<", "</s>")
    assert [token for token, is_one in zip(tokens, is_sink(tokens), strict=True) if is_one] == [
        "<s>", ".", ",", "«", "。", "…", "</s>",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "labels"),
    [
        (("<s>", "ext", "##ra", "##ord", "day", "##s", "."), ("<s>", "extraord", "days", ".")),
        (("is", "n", "'t"), ("is", "n", "'t")),
        (("#", "##a", "##"), ("#", "a", "##")),  # no letter stands before: a word of its own, without the mark
        (("un", "-", "##known"), ("un", "-", "known")),
        (("▁", "한", "##국", ".", "▁"), ("한국", ".", "▁")),  # a sign alone, at which a word begins
        (("▁", "##x", "a"), ("x", "a")),
    ],
)
def test_labels_say_what_goes_on(tokens: tuple[str, ...], labels: tuple[str, ...]) -> None:
    assert words_of(tokens).labels == labels


@pytest.mark.parametrize(
    "text", ["मैं हिन्दी सीख रहा हूँ।", "நான் தமிழ் படிக்கிறேன்", "اَلسَّلَامُ عَلَيْكُم", "한국어 공부해요", "x\u0301y ŀa e\u0301a"]
)
def test_words_of_other_scripts_are_what_stands_between_spaces(text: str) -> None:
    encoded = vt.load("en-de", "cpu").encode_source(text)
    words = words_of(encoded.tokens, text, encoded.spans)
    spans = [(encoded.spans[group[0]][0], encoded.spans[group[-1]][1]) for group in words.groups]
    assert [text[start:end] for start, end in spans if text[start:end] != "।"] == text.replace("।", "").split()


@pytest.mark.parametrize("text", ["un-known", "(unknown)", "x/y", "#known ##known", "2nd", "e-mail's", "«été»"])
def test_no_word_begins_with_the_mark_of_a_rest(text: str) -> None:
    encoded = vt.load("en-de", "cpu").encode_source(text)
    words = words_of(encoded.tokens, text, encoded.spans)
    assert "".join(words.labels) == text.replace(" ", "")


def test_tokens_that_touch_are_a_word_but_not_in_chinese() -> None:
    translator = vt.load("zh-en", "cpu")
    text = "你好世界 wonderful!42 naïve"
    encoded = translator.encode_source(text)
    words = words_of((*encoded.tokens, "</s>"), text, encoded.spans)
    assert words.labels[-1] == "</s>"
    assert {"wonderful", "!", "4", "2"} <= set(words.labels)
    assert sorted(place for group in words.groups for place in group) == list(range(len(encoded.tokens) + 1))
    assert "".join(words.labels[:-1]) == text.replace(" ", "")
    assert len(words.labels) > 6  # the Chinese words stay apart
