"""The tokenizers of Marian models: SentencePiece cuts a text into pieces, and a vocabulary of its own numbers them.

SentencePiece reads its models with a parser in C++, which is made for files that one trusts. So such a tokenizer comes
from a folder of this machine, never from a file that a browser sends.
"""

from __future__ import annotations

import json
import reprlib
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from viz_transformer.optional import needed
from viz_transformer.sentences import SentenceError
from viz_transformer.tokenizer_files import MAX_PIECE, SPACE
from viz_transformer.tokenizers import END, PAD, UNKNOWN, EncodedText, Tokenizer, check_ids, spans_in

MAX_SPM = 16 * 2**20  # bytes of a SentencePiece model; those of Marian models have one
_NEEDED = PAD, END, UNKNOWN
# Scripts without spaces between words: there, a piece without a space before it is not the rest of a word.
_UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}


class SentencePieceTokenizer(Tokenizer):
    """One side of a Marian model, as Hugging Face's `MarianTokenizer` reads and writes it.

    With two differences: `</s>`, `<pad>` and `<unk>` are plain characters where a person types them, and a language
    prefix that the vocabulary lacks is an error, not an unknown token.

    Args:
        model: the SentencePiece model, the bytes of its file.
        pieces: the vocabulary, the piece of id 0 first; `<pad>`, `</s>` and `<unk>` are among them.
        reads_prefixes: whether a text may begin with a language prefix, `>>fra<<`, if the vocabulary has any.

    Raises:
        ValueError: a sentence about the model or the vocabulary.
        MissingPackageError: SentencePiece is not installed.
    """

    def __init__(self, model: bytes, pieces: Sequence[str], *, reads_prefixes: bool = False) -> None:
        self.model, self.pieces = model, tuple(pieces)
        self._ids = ids = _numbered(self.pieces)
        self._spm = _processor(model)
        self.unknown_id = ids[UNKNOWN]
        prefixes = tuple(piece for piece in self.pieces if piece.startswith(">>") and piece.endswith("<<"))
        self.prefixes = prefixes if reads_prefixes else ()
        # A stretch of text that SentencePiece does not know may be spelled like one of these, without being it.
        no_text = {PAD, END, UNKNOWN, *prefixes}
        self._ids_of_text = {piece: token_id for piece, token_id in ids.items() if piece not in no_text}
        self._labels = {}

    @property
    def vocab_size(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> EncodedText:
        """The tokens of `text`: its language prefix, if the vocabulary has any, and the pieces of the rest.

        Raises:
            ValueError: for a prefix that the vocabulary lacks: a sentence that lists those that it has.
        """
        prefix = self._prefix_of(text)
        rest = text[len(prefix) :]
        pieces = self._spm.encode(rest, out_type=str)
        ids = [self._ids_of_text.get(piece, self.unknown_id) for piece in pieces]
        places = spans_in(rest, pieces, self._places(rest, pieces))
        spans = [(start + len(prefix), end + len(prefix)) for start, end in places]
        labels = [
            (text[slice(*span)].strip() or UNKNOWN) if token_id == self.unknown_id else self._label(piece)
            for piece, token_id, span in zip(pieces, ids, spans, strict=True)
        ]
        unknown = [label for label, token_id in zip(labels, ids, strict=True) if token_id == self.unknown_id]
        if prefix:
            ids, labels, spans = [self._ids[prefix], *ids], [prefix, *labels], [(0, len(prefix)), *spans]
        return EncodedText(text, tuple(ids), tuple(labels), tuple(dict.fromkeys(unknown)), tuple(spans))

    def _prefix_of(self, text: str) -> str:
        """The language prefix that a text begins with, or nothing."""
        end = text.find("<<")
        if not (self.prefixes and text.startswith(">>") and end > 0):
            return ""
        prefix = text[: end + 2]
        if prefix not in self.prefixes:
            raise SentenceError(
                "This model has no language prefix {prefix}; it has {prefixes}.",
                prefix=prefix,
                prefixes=", ".join(self.prefixes),
            )
        return prefix

    def _places(self, text: str, pieces: Sequence[str]) -> list[tuple[int, int]]:
        """Where each piece lies in what was typed.

        SentencePiece cuts a normalised text, and says for each of its characters which typed one it comes from. If
        several come from one, as three do from ½, each of them has the place of that one.
        """
        _normalized, starts = self._spm.normalize(text, with_offsets=True)  # starts: one more entry than characters
        ends = list(starts[1:])
        for place in range(len(ends) - 2, -1, -1):
            if ends[place] == starts[place]:  # the next one comes from the same typed character
                ends[place] = ends[place + 1]
        places, at = [], 0
        for piece in pieces:
            places.append((starts[at], max(ends[at : at + len(piece)])))
            at += len(piece)
        return places

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`; end and padding are left out, an unknown token reads `<unk>`."""
        ids = list(ids)
        check_ids("ids", ids, self.vocab_size)
        text, known = "", []
        for piece in [*(self.pieces[i] for i in ids), PAD]:
            if piece not in (PAD, END, UNKNOWN):
                known.append(piece)
                continue
            text += self._spm.decode_pieces(known)
            known = []
            text += f" {UNKNOWN} " if piece == UNKNOWN else ""
        return text.replace(SPACE, " ").strip()

    def piece(self, token_id: int) -> str | None:
        """An entry of the vocabulary as it stands there, or None where there is none of this id."""
        return self.pieces[token_id] if 0 <= token_id < len(self.pieces) else None

    def id_of(self, piece: str) -> int | None:
        """The id of an entry of the vocabulary, or None where there is no such entry."""
        return self._ids.get(piece)

    def _label(self, piece: str) -> str:
        """A word as people write it; the rest of a word reads as in WordPiece, `##ing`."""
        if piece.startswith(SPACE):
            return piece.removeprefix(SPACE) or piece
        is_rest = piece[0].isalpha() and unicodedata.name(piece[0], "").split()[0] not in _UNSPACED
        return f"##{piece}" if is_rest else piece

    def to_json(self) -> str:
        """The tokenizer as JSON, without the SentencePiece model, which is a file beside it."""
        data = {"type": _TYPE, "reads_prefixes": bool(self.prefixes), "pieces": self.pieces}
        return json.dumps(data, ensure_ascii=False, indent=0) + "\n"


_TYPE = "SentencePiece"


def is_sentencepiece(data: Any) -> bool:
    """Whether this is what `to_json` wrote."""
    return isinstance(data, dict) and data.get("type") == _TYPE


def read_sentencepiece(data: Any, model: Path) -> SentencePieceTokenizer:
    """The tokenizer from the JSON that `to_json` wrote, `data`, and the file beside it, `model`.

    Raises:
        ValueError: a sentence about what is wrong with them.
    """
    pieces = data.get("pieces")
    if not isinstance(pieces, list):
        raise SentenceError("The field 'pieces' must be a list of pieces of text.")
    return SentencePieceTokenizer(read_spm(model), pieces, reads_prefixes=data.get("reads_prefixes") is True)


def read_spm(path: Path) -> bytes:
    """The bytes of a SentencePiece model; raises a ValueError, a sentence, where there is none, or a huge one."""
    if not path.is_file():
        raise SentenceError("There is no file {name} beside it.", name=path.name)
    if path.stat().st_size > MAX_SPM:
        raise SentenceError(
            "{name} has {size} MiB; at most {limit} are loaded.",
            name=path.name,
            size=path.stat().st_size // 2**20,
            limit=MAX_SPM // 2**20,
        )
    return path.read_bytes()


def _numbered(pieces: Sequence[Any]) -> dict[str, int]:
    """Checks the pieces, and returns the id of each."""
    for piece in pieces:
        is_text = isinstance(piece, str) and not any("\ud800" <= character <= "\udfff" for character in piece)
        if not is_text or not 1 <= len(piece) <= MAX_PIECE:
            raise SentenceError(
                "A piece of the vocabulary must have 1 to {limit} characters, and no half characters (lone "
                "surrogates); it is {piece}.",
                limit=MAX_PIECE,
                piece=reprlib.repr(piece),
            )
    ids = {piece: token_id for token_id, piece in enumerate(pieces)}
    missing = [piece for piece in _NEEDED if piece not in ids]
    if missing:
        raise SentenceError("The vocabulary lacks {missing}.", missing=", ".join(missing))
    for token_id, piece in enumerate(pieces):
        if ids[piece] != token_id:
            raise SentenceError("The vocabulary has {piece!r} twice.", piece=piece)
    return ids


def _processor(model: bytes) -> Any:
    sentencepiece = needed("sentencepiece", "Reading texts for a Marian model", "marian")
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, TypeError, ValueError) as error:
        raise SentenceError("This is not a SentencePiece model.") from error
    size = processor.get_piece_size() if model else 0
    if not size:
        raise SentenceError("This SentencePiece model is empty.")
    if any(processor.is_byte(n) for n in range(size)):
        raise SentenceError("This SentencePiece model falls back to single bytes, which Marian's vocabularies lack.")
    return processor
