from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_sentence
from viz_transformer.tokenizers import train_tokenizer
from viz_transformer.training.corpus import (
    Batch,
    CorpusBatches,
    TaskBatches,
    make_batch,
    pad,
    read_pairs,
    refuse_overlap,
)
from viz_transformer.training.tasks import Task

DIGITS = Task("copy").tokenizer()
PAIRS = Task("reverse").pairs(60, seed=0)


def batches(pairs: list[tuple[str, str]] = PAIRS, batch_tokens: int = 100, seed: int = 0) -> CorpusBatches:
    return CorpusBatches(pairs, DIGITS, DIGITS, batch_tokens=batch_tokens, max_len=24, seed=seed)


def as_lists(batch: Batch) -> tuple[list[list[int]], ...]:
    return batch.source_ids.tolist(), batch.target_ids.tolist(), batch.label_ids.tolist()


def rows_of(batch: Batch) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of a batch as ids, without padding, start and end."""
    sources = [tuple(i for i in row if i not in (0, 2)) for row in batch.source_ids.tolist()]
    targets = [tuple(i for i in row if i not in (0, 2)) for row in batch.label_ids.tolist()]
    return list(zip(sources, targets, strict=True))


# --- one batch -------------------------------------------------------------------------------------------------


def test_a_batch_has_start_end_and_padding_where_they_belong() -> None:
    batch = make_batch([[5], [6, 7]], [[8, 9], []])
    assert batch.source_ids.tolist() == [[5, 2, 0], [6, 7, 2]]
    assert batch.target_ids.tolist() == [[1, 8, 9], [1, 0, 0]]  # what the decoder reads …
    assert batch.label_ids.tolist() == [[8, 9, 2], [2, 0, 0]]  # … and what it is to say: one place further
    assert batch.source_ids.dtype == torch.int64


def test_padding_fills_up_on_the_right() -> None:
    assert pad([[1, 2, 3], [4]]).tolist() == [[1, 2, 3], [4, 0, 0]]


# --- endless tasks ---------------------------------------------------------------------------------------------


def test_task_batches_are_a_function_of_seed_and_number() -> None:
    one, other = TaskBatches(Task("sort"), 8, seed=1), TaskBatches(Task("sort"), 8, seed=1)
    other[7], other[0]
    assert as_lists(one[3]) == as_lists(other[3]) == as_lists(one[3])
    assert as_lists(one[3]) != as_lists(one[4])
    assert as_lists(one[3]) != as_lists(TaskBatches(Task("sort"), 8, seed=2)[3])
    # seeds and numbers are not simply added up
    assert as_lists(one[3]) != as_lists(TaskBatches(Task("sort"), 8, seed=2)[2])


def test_task_batches_hold_right_answers() -> None:
    for source, target in rows_of(TaskBatches(Task("reverse"), 16, seed=0)[5]):
        assert target == source[::-1]


# --- a corpus --------------------------------------------------------------------------------------------------


def test_corpus_batches_are_a_function_of_seed_and_number() -> None:
    one, other = batches(), batches()
    numbers = range(3 * one.batches_per_epoch)
    forwards = [as_lists(one[n]) for n in numbers]
    backwards = [as_lists(other[n]) for n in reversed(numbers)]
    assert forwards == backwards[::-1]
    assert forwards != [as_lists(batches(seed=1)[n]) for n in numbers]


@pytest.mark.parametrize("batch_tokens", [1, 40, 100, 10_000])
def test_every_row_comes_once_an_epoch(batch_tokens: int) -> None:
    corpus = batches(batch_tokens=batch_tokens)
    expected = Counter((DIGITS.encode(source).ids, DIGITS.encode(target).ids) for source, target in PAIRS)
    size = corpus.batches_per_epoch
    for epoch in range(3):
        assert Counter(row for n in range(size) for row in rows_of(corpus[epoch * size + n])) == expected


def test_epochs_have_different_orders() -> None:
    corpus = batches()
    size = corpus.batches_per_epoch
    first, second = ([as_lists(corpus[epoch * size + n]) for n in range(size)] for epoch in (0, 1))
    assert size > 3
    assert first != second


lengths = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=40)


@given(lengths=lengths, batch_tokens=st.integers(1, 120))
def test_a_batch_has_at_most_as_many_tokens_as_was_said(lengths: list[tuple[int, int]], batch_tokens: int) -> None:
    corpus = batches([("1" * source, "2" * target) for source, target in lengths], batch_tokens)
    for number in range(corpus.batches_per_epoch):
        rows = rows_of(corpus[number])
        longest = max(len(source) + len(target) for source, target in rows)
        assert len(rows) * longest <= batch_tokens or len(rows) == 1  # one pair alone may be longer


def test_pairs_too_long_for_the_model_are_counted_and_left_out() -> None:
    corpus = batches([("1" * 23, "1"), ("1" * 24, "1"), ("1", "1" * 30), ("1", "2")])
    assert (len(corpus.rows), corpus.skipped) == (2, 2)  # 23 and the end token fit into 24 places
    assert max(corpus[0].source_ids.shape[1], corpus[1 % corpus.batches_per_epoch].source_ids.shape[1]) == 24


@pytest.mark.parametrize("pairs", [[], [("1" * 24, "1")], [(" ", "1")]])
def test_nothing_to_train_on_is_refused_with_a_sentence(pairs: list[tuple[str, str]]) -> None:
    with pytest.raises(ValueError) as caught:
        batches(pairs)
    assert_sentence(caught.value)


# --- final punctuation -----------------------------------------------------------------------------------------

LINES = [("I see.", "You see."), ("I see!", "You see?"), ("I see", "You see."), (".", "."), ("I see.", "You 猫")]
ENGLISH = train_tokenizer([text for pair in LINES[:4] for text in pair] * 3, 150, "en")


def dropped(pairs: list[tuple[str, str]], share: float, epochs: int = 1) -> list[tuple[str, str]]:
    corpus = CorpusBatches(pairs, ENGLISH, ENGLISH, 10_000, 24, seed=0, drop_punctuation=share)
    rows = [row for epoch in range(epochs) for row in rows_of(corpus[epoch])]
    return sorted((ENGLISH.decode(source), ENGLISH.decode(target)) for source, target in rows)


def test_final_punctuation_is_dropped_on_both_sides_or_on_none() -> None:
    assert dropped(LINES[:2], 1.0) == [("I see", "You see"), ("I see", "You see")]
    assert dropped(LINES[2:3], 1.0) == LINES[2:3]
    assert dropped(LINES[:2], 0.0) == sorted(LINES[:2])


def test_dropping_punctuation_leaves_no_side_empty() -> None:
    assert dropped(LINES[3:4], 1.0) == [(".", ".")]


def test_only_punctuation_is_dropped() -> None:
    # The vocabulary lacks 。, so its id is that of everything unknown: a final unknown word must not go with it.
    assert dropped(LINES[4:], 1.0) == [("I see.", "You <unk>")]


def test_punctuation_is_dropped_as_often_as_was_said() -> None:
    rows = dropped(LINES[:1] * 40, 0.25, epochs=10)
    assert 60 <= sum(row == ("I see", "You see") for row in rows) <= 140  # 100 of 400, within 4.6 σ


# --- files -----------------------------------------------------------------------------------------------------


def test_pairs_are_read_from_the_first_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("你好\tHello\tCC BY 2.0 FR\n再见\tBye\n", encoding="utf-8")
    assert read_pairs(path) == read_pairs(str(path)) == [("你好", "Hello"), ("再见", "Bye")]


def test_a_byte_order_mark_is_no_part_of_the_first_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("你好\tHello\n\ufeff再见\tBye\n", encoding="utf-8-sig")
    assert read_pairs(path) == [("你好", "Hello"), ("\ufeff再见", "Bye")]  # inside the file it is a character


@pytest.mark.parametrize("line", ["no tab here", "\tno source", "no target\t", "no target\t \tmore"])
def test_a_wrong_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(f"a\tb\nc\td\n{line}\ne\tf\n", encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read_pairs(path)
    assert_sentence(caught.value, path, "line 3", repr(line))


def test_blank_lines_and_any_line_end_part_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\tb\r\n\r\nc\td\n  \ne\tf\rg\th\n\n")
    assert read_pairs(path) == [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


@pytest.mark.parametrize("encoding", ["latin-1", "gbk", "utf-16"])
def test_another_encoding_is_refused_with_the_number_of_the_line(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "pairs.tsv"
    text = "a\tb\r\n\r\nc\td\n" + ("你\té\n" if encoding != "latin-1" else "é\tx\n")
    path.write_bytes(text.encode(encoding, errors="replace"))
    with pytest.raises(ValueError) as caught:
        read_pairs(path)
    assert_sentence(caught.value, path, "line 1:" if encoding == "utf-16" else "line 4:", "UTF-8")


@pytest.mark.parametrize("separator", ["\u2028", "\x0b", "\x0c", "\x85", "\x1e"])
def test_only_line_ends_end_a_line(tmp_path: Path, separator: str) -> None:
    # Scraped text holds such characters inside sentences; no editor and no `wc -l` counts them as lines.
    path = tmp_path / "pairs.tsv"
    path.write_text(f"one{separator}two\tthree\r\nfour\tfive\n", encoding="utf-8", newline="")
    assert read_pairs(path) == [(f"one{separator}two", "three"), ("four", "five")]


# --- held-out data ---------------------------------------------------------------------------------------------

TRAIN = [("我爱你。", "I love you."), ("你好", "Hello")]


@pytest.mark.parametrize(
    "held_out",
    [
        ("我爱你。", "Something else"),  # the source
        ("别的", "I love you."),  # the target
        ("我爱你", "x"),  # without its full stop
        ("别的", "i LOVE  you!"),  # case, spaces, another mark
        ("我 爱 你!", "x"),
        ("别的", "Ｉ ｌｏｖｅ ｙｏｕ．"),  # wide letters
    ],
)
def test_a_held_out_sentence_that_is_trained_on_is_found_and_named(held_out: tuple[str, str]) -> None:
    with pytest.raises(ValueError) as caught:
        refuse_overlap(TRAIN, [("别人", "Nobody"), held_out], "test.tsv")
    assert_sentence(caught.value, "test.tsv")
    assert any(repr(text) in str(caught.value) for text in held_out)


def test_quotes_that_every_tokenizer_reads_alike_are_no_difference() -> None:
    with pytest.raises(ValueError):
        refuse_overlap([("a", "I don't know")], [("b", "I don’t know")], "test.tsv")


def test_other_sentences_pass_even_when_sides_are_swapped() -> None:
    assert refuse_overlap(TRAIN, [("Hello", "你好"), ("我爱他。", "I love him.")], "test.tsv") is None
