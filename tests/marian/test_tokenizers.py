"""The tokenizers of imported models, against `MarianTokenizer`; what a person types is text, never a special token."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceTrainer
from transformers import MarianTokenizer

from tests.helpers import assert_sentence, examples
from tests.marian.opus import PREFIXES, opus, pieces_of, sentences, their_tokenizer, write_tokenizer
from viz_transformer import TextError, Translator, from_huggingface
from viz_transformer.marian.files import read_tokenizers
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer

SPECIAL = "<pad>", "</s>", "<unk>"


@cache
def joint(prefixes: tuple[str, ...] = ()) -> tuple[MarianTokenizer, SentencePieceTokenizer, SentencePieceTokenizer]:
    folder = Path(mkdtemp())
    write_tokenizer(folder, prefixes=prefixes)
    files = read_tokenizers(folder)
    pieces = sorted(files.vocab, key=files.vocab.__getitem__)
    source = SentencePieceTokenizer(files.source_spm, pieces, reads_prefixes=True)
    return their_tokenizer(folder), source, SentencePieceTokenizer(files.target_spm, pieces)


@cache
def separate() -> tuple[MarianTokenizer, SentencePieceTokenizer, SentencePieceTokenizer]:
    folder = Path(mkdtemp())
    write_tokenizer(folder, is_joint=False)
    files = read_tokenizers(folder)
    assert files.target_vocab
    sides = [sorted(vocab, key=vocab.__getitem__) for vocab in (files.vocab, files.target_vocab)]
    return (
        their_tokenizer(folder),
        SentencePieceTokenizer(files.source_spm, sides[0]),
        SentencePieceTokenizer(files.target_spm, sides[1]),
    )


@cache
def multilingual() -> Translator:
    folder = Path(mkdtemp())
    opus(folder, prefixes=PREFIXES)
    return from_huggingface(folder)


@pytest.mark.parametrize("kind", [joint, separate])
@pytest.mark.parametrize("side", [0, 1])
def test_a_thousand_sentences_are_read_as_marian_tokenizer_reads_them(kind: object, side: int) -> None:
    theirs, *ours = kind()  # type: ignore[operator]
    for text in sentences(side):
        # by default theirs looks for special tokens in the text; for us they are characters
        given = {"text": text} if side == 0 else {"text_target": text}
        ids = theirs(**given, split_special_tokens=True, add_special_tokens=False)["input_ids"]
        assert list(ours[side].encode(text).ids) == ids, text


@pytest.mark.parametrize("kind", [joint, separate])
def test_a_thousand_outputs_are_written_as_marian_tokenizer_writes_them(kind: object) -> None:
    theirs, source, target = kind()  # type: ignore[operator]
    assert theirs.pad_token_id == source.pieces.index("<pad>")
    end, pad = target.pieces.index("</s>"), target.pieces.index("<pad>")
    by_chance = [[*range(start, start + 10, 3)] for start in range(2, target.vocab_size - 12, 7)]
    for ids in [*by_chance, *([*target.encode(text).ids] for text in sentences(1))]:
        # With two vocabularies, theirs knows the special ids of the source's only.
        known = [i for i in ids if i not in (target.unknown_id, end, pad, theirs.pad_token_id)]
        assert target.decode(known) == theirs.decode(known)
        assert target.decode([pad, *known, end, pad, pad]) == target.decode(known)
        if kind is joint:
            assert target.decode([*known, end, pad]) == theirs.decode([*known, end, pad], skip_special_tokens=True)


def test_an_unknown_token_is_written_and_not_dropped() -> None:
    _theirs, _source, target = joint()
    ids = [*target.encode("你好").ids, target.unknown_id, *target.encode("世界").ids]
    assert target.decode(ids) == "你好 <unk> 世界"


TYPED = ["</s>", "<pad>", "<unk>", "a</s>b", "</s> </s>", "Hello</s>", "<pad><pad>", "a >>yue<<", ">>yue<<"]


@pytest.mark.parametrize("text", TYPED)
def test_what_is_typed_is_text_and_never_a_special_token(text: str) -> None:
    target = of_digits()
    for tokenizer in (*joint()[1:], joint(PREFIXES)[2], target):
        special = {tokenizer.pieces.index(piece) for piece in (*SPECIAL[:2], ">>yue<<") if piece in tokenizer.pieces}
        assert not special & {*tokenizer.encode(text).ids}
    # A SentencePiece model that knows none of the signs does make one piece of them, so there is something to test.
    assert "</s>" in target._spm.encode("</s>", out_type=str)
    assert "</s>" in target.encode("</s>").unknown


@cache
def of_digits() -> SentencePieceTokenizer:
    """A tokenizer whose SentencePiece model knows nothing but digits."""
    file = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["0123456789"] * 20),
        model_writer=file,
        vocab_size=16,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = file.getvalue()
    return SentencePieceTokenizer(model, ["</s>", "<unk>", *pieces_of(model), ">>yue<<", "<pad>"])


def test_unknown_text_is_named_as_it_was_typed() -> None:
    _theirs, source, _target = joint()
    encoded = source.encode("a ₤ b € c")
    assert encoded.unknown == ("₤", "€")
    assert [token for token, i in zip(encoded.tokens, encoded.ids, strict=True) if i == source.unknown_id] == ["₤", "€"]


def test_labels_are_words_as_people_write_them() -> None:
    _theirs, source, target = joint()
    assert source.encode("The good cat.").tokens == ("The", "good", "cat", ".")
    assert "".join(target.encode("你好").tokens).replace("▁", "") == "你好"  # no ## where words have no spaces
    rest = next(n for n, piece in enumerate(source.pieces) if piece == "ing")
    assert source.label(rest) == "##ing"
    assert [source.label(source.pieces.index(piece)) for piece in SPECIAL] == [*SPECIAL]
    with pytest.raises(ValueError, match="Token ids go from 0"):
        source.label(source.vocab_size)


def spanned(tokenizer: SentencePieceTokenizer, text: str) -> Iterator[tuple[str, str]]:
    encoded = tokenizer.encode(text)
    for token, (start, end) in zip(encoded.tokens, encoded.spans, strict=True):
        yield token, text[start:end]


def test_spans_lie_in_what_was_typed() -> None:
    _theirs, source, target = joint()
    assert [*spanned(source, "  The  good\tcat.  ")] == [(word, word) for word in ("The", "good", "cat", ".")]
    text = "ﬁsh"  # one sign, two letters
    assert {typed for _token, typed in spanned(source, text)} <= {"ﬁ", "ﬁsh", "s", "h", "sh"}
    halves = [typed for token, typed in spanned(source, "½") if token != "▁"]
    assert halves and set(halves) == {"½"}
    assert [typed for _token, typed in spanned(target, "e\u0301")][-1] == "e\u0301"
    assert [typed for token, typed in spanned(target, "你好😀") if token == "😀"] == ["😀"]


def check_spans(tokenizer: SentencePieceTokenizer, text: str) -> None:
    encoded = tokenizer.encode(text)
    assert encoded.text == text
    assert len(encoded.ids) == len(encoded.tokens) == len(encoded.spans)
    starts = [start for start, _end in encoded.spans]
    assert starts == sorted(starts)
    assert all(0 <= start <= end <= len(text) for start, end in encoded.spans)
    covered = {place for span in encoded.spans for place in range(*span)}
    for place, sign in enumerate(text):  # nothing that is read is left out
        if unicodedata.category(sign)[0] in "LN" and tokenizer._spm.normalize(sign):
            assert place in covered, (sign, encoded)
    for start, end in encoded.spans:
        assert text[start:end] == text[start:end].strip() or not text[start:end].strip()


@given(st.text(max_size=40))
@examples(12)
def test_every_text_has_its_spans(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    for tokenizer in joint()[1:]:
        check_spans(tokenizer, text)


@given(st.lists(st.sampled_from([*"ab ﬁ½你é😀ﷺ①\u0301\u3000\u200b▁</s>", "Hello", " world", "e\u0301"]), max_size=12))
@examples(12)
def test_signs_that_become_several_and_several_that_become_one_have_spans(parts: list[str]) -> None:
    for tokenizer in joint()[1:]:
        check_spans(tokenizer, "".join(parts))


# --- language prefixes ------------------------------------------------------------------------------------------


def test_a_language_prefix_is_one_token() -> None:
    theirs, source, _target = joint(PREFIXES)
    for text in (">>yue<< Hello!", ">>cmn_Hans<<Hello!", ">>yue<<", "a >>yue<< b", " >>yue<< Hello", ">>", ">> a"):
        encoded = source.encode(text)
        assert list(encoded.ids) == theirs(text, add_special_tokens=False)["input_ids"], text
    encoded = source.encode(">>yue<< The cat.")
    assert encoded.tokens == (">>yue<<", "The", "cat", ".")
    assert encoded.spans == ((0, 7), (8, 11), (12, 15), (15, 16))


def test_a_prefix_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    translator = multilingual()
    assert translator.trace(">>yue<< Hello!", "你好!").source_tokens[0] == ">>yue<<"
    with pytest.raises(TextError) as caught:
        translator.translate(">>fra<< Hello!")
    assert_sentence(caught.value, ">>fra<<", *PREFIXES)


def test_a_target_has_no_prefix_and_without_prefixes_a_source_is_plain_text() -> None:
    assert ">>yue<<" not in multilingual().encode_target(">>yue<< 你好").tokens
    _theirs, source, _target = joint()
    assert source.prefixes == ()
    assert len(source.encode(">>fra<< Hello!").ids) > 3


# --- what the rest of the package does with them ----------------------------------------------------------------


def test_chinese_is_read_as_it_stands(tmp_path: Path) -> None:
    opus(tmp_path)
    translator = from_huggingface(tmp_path)
    translator.card["source_language"] = "zh"
    assert not translator.reads_chinese
    assert translator.read_as("繁體") == "繁體"
    del translator.card["simplify"]
    assert translator.reads_chinese


def test_an_empty_text_is_refused() -> None:
    for text in ("", "   ", "\u3000"):
        with pytest.raises(TextError):
            multilingual().encode_source(text)
