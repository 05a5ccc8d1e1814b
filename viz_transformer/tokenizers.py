"""Text to ids and back, on the `tokenizers` library.

A tokenizer here is one JSON file: normalisation, splitting and vocabulary travel together. Special tokens are
plain entries of the vocabulary that no text can produce: a person who types `<s>` gets the three characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral

from tokenizers import Tokenizer as RustTokenizer
from tokenizers import decoders, models, trainers

from viz_transformer.chinese import cut_chinese
from viz_transformer.tokenizer_files import (
    MAX_PIECE,
    SPACE,
    SPECIAL_TOKENS,
    chinese_pieces,
    one_symbol_a_token,
    read_tokenizer,
    word_pieces,
)

PAD, START, END, UNKNOWN = SPECIAL_TOKENS
PAD_ID, START_ID, END_ID, UNKNOWN_ID = range(4)  # in the tokenizers that this project trains; others' are in configs
STARTS = frozenset({START, PAD})  # what a target begins with: in Marian models with the padding token

_ASCII = [chr(code) for code in range(33, 127)]


@dataclass(frozen=True)
class EncodedText:
    """The tokens of one text, without start and end.

    Attributes:
        text: what was read: of a Chinese source its simplified characters, else what was typed; without signs that
            nobody sees and the vocabulary lacks.
        ids: one vocabulary id a token.
        tokens: one label a token, to be shown. An unknown token is labelled with the typed text that it stands for; a
            character that was typed in parts, such as a letter and its accent, is shown as the one that was read.
        unknown: the pieces of text that the vocabulary lacks, each once, in order.
        spans: start and end of each token in the text, the end exclusive; without the space around it, but with accents
            that were typed after a letter. A token that is only `▁`, the sign of a word's beginning, stands for no
            text: its span is empty, and lies where the word begins.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    unknown: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class Tokenizer:
    """Text ↔ ids for one side of a model.

    Args:
        rust: a tokenizer whose first four vocabulary entries are `SPECIAL_TOKENS`.

    Raises:
        ValueError: where they are not.
    """

    def __init__(self, rust: RustTokenizer) -> None:
        for token_id, token in enumerate(SPECIAL_TOKENS):
            if rust.id_to_token(token_id) != token:
                raise ValueError(
                    f"A tokenizer's first ids must be {', '.join(SPECIAL_TOKENS)}; "
                    f"id {token_id} is {rust.id_to_token(token_id)!r}."
                )
        self._rust = rust
        self._marks_words = isinstance(rust.decoder, decoders.Metaspace)
        self._labels: dict[int, str] = {}  # a cache

    @property
    def vocab_size(self) -> int:
        return self._rust.get_vocab_size()

    def encode(self, text: str) -> EncodedText:
        """The tokens of `text`. White space separates words and is not a token of its own."""
        encoding = self._rust.encode(text, add_special_tokens=False)
        places = encoding.offsets  # read once: the library makes a new list each time
        labels = [self._label(piece) for piece in encoding.tokens]
        unknown = [place for place, token_id in enumerate(encoding.ids) if token_id == UNKNOWN_ID]
        if unknown:
            read = self._normalized(text)
            # Normalising twice changes nothing more.
            places_in_read = self._rust.encode(read, add_special_tokens=False).offsets
            for place in unknown:
                labels[place] = self._unknown_piece(text, places[place], read, places_in_read[place])
        found = dict.fromkeys(labels[place] for place in unknown)
        spans = spans_in(text, encoding.tokens, places)
        return EncodedText(text, tuple(encoding.ids), tuple(labels), tuple(found), spans)

    def _unknown_piece(self, text: str, typed_at: tuple[int, int], read: str, read_at: tuple[int, int]) -> str:
        """The typed text of one token; where that lacks a part of what was read, the text that was read.

        A letter and an accent after it are read as one character, but the library's offsets cover only the letter.
        """
        typed, piece = text[slice(*typed_at)].strip(), read[slice(*read_at)].strip()
        return (typed if piece in self._normalized(typed) else piece) or UNKNOWN

    def _normalized(self, text: str) -> str:
        return self._rust.normalizer.normalize_str(text) if self._rust.normalizer else text

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`; start, end and padding are left out, an unknown token reads `<unk>`."""
        ids = list(ids)
        check_ids("ids", ids, self.vocab_size)
        kept = [token_id for token_id in ids if token_id not in (PAD_ID, START_ID, END_ID)]
        return self._rust.decode(kept, skip_special_tokens=False)

    def label(self, token_id: int) -> str:
        """What a chart shows for one vocabulary id."""
        label = self._labels.get(token_id)
        if label is None:
            piece = self.piece(token_id) if 0 <= token_id < self.vocab_size else None
            if piece is None:
                raise ValueError(f"Token ids go from 0 to {self.vocab_size - 1}; {token_id} was asked for.")
            label = self._labels[token_id] = piece if piece in SPECIAL_TOKENS else self._label(piece)
        return label

    def labels(self, ids: Iterable[int]) -> tuple[str, ...]:
        """`label` for each of `ids`."""
        return tuple(self.label(token_id) for token_id in ids)

    def piece(self, token_id: int) -> str | None:
        """An entry of the vocabulary as it stands there, or None where there is none of this id."""
        return self._rust.id_to_token(token_id)

    def id_of(self, piece: str) -> int | None:
        """The id of an entry of the vocabulary, or None where there is no such entry."""
        token_id: int | None = self._rust.token_to_id(piece)
        return token_id

    def ids_of_label(self, label: str) -> tuple[int, ...]:
        """The ids that are shown as `label`, in order; a few labels stand for two. Nothing where it is no label."""
        pieces = (label, f"{SPACE}{label}", label.removeprefix("##"))
        found = {token_id for piece in pieces if (token_id := self.id_of(piece)) is not None}
        return tuple(sorted(token_id for token_id in found if self.label(token_id) == label))

    def _label(self, piece: str) -> str:
        """A word as people write it; where words are marked, the rest of a word reads as in WordPiece, `##ing`."""
        if piece.startswith(SPACE):
            return piece.removeprefix(SPACE) or piece
        return f"##{piece}" if self._marks_words and piece[0].isalpha() else piece

    def to_json(self) -> str:
        return self._rust.to_str(pretty=False)

    @classmethod
    def from_json(cls, text: str) -> Tokenizer:
        """The tokenizer that `to_json` wrote; anything else raises a ValueError with a sentence."""
        return cls(read_tokenizer(text))


def spans_in(text: str, pieces: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """`EncodedText.spans`, from the offsets that a library gives for each piece.

    They include the space before a word, and where several typed characters are read as one, perhaps only the first.
    """
    is_read = [False] * len(text)
    for start, end in places:
        is_read[start:end] = [True] * (end - start)
    spans = []
    for piece, (start, end) in zip(pieces, places, strict=True):
        while start < len(text) and text[start].isspace():
            start += 1
        end = max(start, len(text[:end].rstrip()))
        if piece == SPACE:
            end = start
        else:
            while end < len(text) and not is_read[end] and not text[end].isspace():
                end += 1
        spans.append((start, end))
    return tuple(spans)


def check_ids(name: str, ids: Iterable[int], vocab_size: int) -> None:
    """Raises a ValueError, a sentence, if one of `ids` is not in the vocabulary, or `ids` is no list."""
    if not isinstance(ids, Iterable):
        raise ValueError(f"{name} must be a list of whole numbers from 0 to {vocab_size - 1}; it was {ids!r}.")
    for token_id in ids:
        if not isinstance(token_id, Integral) or not 0 <= token_id < vocab_size:
            raise ValueError(f"{name} must be whole numbers from 0 to {vocab_size - 1}; {token_id!r} is not.")


def symbol_tokenizer(symbols: Sequence[str]) -> Tokenizer:
    """One token a character, for toy tasks; spaces between symbols are optional. Decodes with spaces."""
    vocab = {token: i for i, token in enumerate([*SPECIAL_TOKENS, *symbols])}
    rust = one_symbol_a_token()
    rust.model = models.WordLevel(vocab, unk_token=UNKNOWN)
    return Tokenizer(rust)


def train_tokenizer(lines: Iterable[str], vocab_size: int, language: str) -> Tokenizer:
    """A byte-pair encoding (Sennrich et al. 2016) whose pieces are words or parts of words.

    Args:
        lines: sentences.
        vocab_size: the number of entries, special tokens included; fewer if the text has no more pairs.
        language: "zh" is trained on text that jieba has cut into words, so that pieces are words and not phrases; the
            finished tokenizer needs no jieba. Any other language is cut at spaces and punctuation.
    """
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=_ASCII,
        min_frequency=2,
        max_token_length=MAX_PIECE,
        show_progress=False,
    )
    rust = chinese_pieces() if language == "zh" else word_pieces()
    if language == "zh":
        lines = cut_chinese(lines)
    rust.train_from_iterator(lines, trainer)
    return Tokenizer(_without_added_tokens(rust))


def _without_added_tokens(rust: RustTokenizer) -> RustTokenizer:
    """The same tokenizer, its special tokens ordinary entries that only the program can produce.

    The library looks for *added* tokens in the text before anything else, so a typed `<s>` would become START.
    """
    data = json.loads(rust.to_str())
    data["added_tokens"] = []
    return RustTokenizer.from_str(json.dumps(data, ensure_ascii=False))
