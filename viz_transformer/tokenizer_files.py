"""The tokenizers that this project writes, and reading one back from a file that a stranger may have written.

The library does whatever such a file says: pad every text to 10**12 tokens, cut texts, replace by a pattern that takes
forever; some of it ends the process. So only the vocabulary and its merges are taken from a file, once
they are checked; everything else must match one of three known forms, and is built anew.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from viz_transformer.sentences import SentenceError, brief
from viz_transformer.strict_json import parse_json

UNKNOWN = "<unk>"
SPECIAL_TOKENS = ("<pad>", "<s>", "</s>", UNKNOWN)  # ids 0, 1, 2, 3 in every vocabulary
SPACE = "▁"  # stands for the space before a word, as in SentencePiece
MAX_PIECE = 256  # characters of one vocabulary entry, so that an output of a thousand tokens can be shown

_CLITIC = r"'(?:[sdmt]|ll|re|ve)(?!\p{L})"
# A clitic, or, with the space before it, a word, one digit, or one other character.
_WORDS = rf"{_CLITIC}|{SPACE}?(?:[\p{{L}}\p{{M}}]+|\p{{N}}|[^\p{{L}}\p{{M}}\p{{N}}{SPACE}])"
_HALF = re.compile("[\ud800-\udfff]")  # of a character: a lone surrogate
_HAN = r"\p{Han}+|[^\P{L}\p{Han}]+|\p{N}|[^\p{L}\p{N}]"  # a run of Han characters, a word, one digit, one other


def one_symbol_a_token() -> Tokenizer:
    """Single characters, spaces between them optional; without a vocabulary."""
    rust = Tokenizer(models.WordLevel({}, unk_token=UNKNOWN))
    rust.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("."), "isolated")]
    )
    return rust


def chinese_pieces() -> Tokenizer:
    """Byte-pair encoding of runs of Han characters, words, digits and signs; without a vocabulary."""
    rust = _pieces()
    rust.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(_HAN), "isolated")]
    )
    rust.decoder = decoders.Fuse()
    return rust


def word_pieces() -> Tokenizer:
    """Byte-pair encoding of words, each with the space before it, digits and signs; without a vocabulary."""
    rust = _pieces()
    rust.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always", split=False),
            pre_tokenizers.Split(Regex(_WORDS), "isolated"),
        ]
    )
    rust.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="always", split=False)
    return rust


def _pieces() -> Tokenizer:
    rust = Tokenizer(models.BPE(unk_token=UNKNOWN))
    rust.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Replace(Regex("[‘’]"), "'"),
            normalizers.Replace(Regex("[“”]"), '"'),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
        ]
    )
    return rust


def read_tokenizer(text: str) -> Tokenizer:
    """The tokenizer of one of the three forms that `text` holds as JSON.

    Raises:
        ValueError: a sentence that names the field that is wrong and says what is allowed.
    """
    try:
        data = parse_json(text)
    except ValueError as error:
        raise SentenceError("This is not JSON: {reason}.", reason=error) from error
    fields = _flat(data)
    form = _matching_form(fields)
    vocab = _checked_vocab(fields.get("model.vocab"))
    if fields["model.type"] == "WordLevel":
        form.model = models.WordLevel(vocab, unk_token=UNKNOWN)
    else:
        form.model = models.BPE(vocab, _checked_merges(fields.get("model.merges"), vocab), unk_token=UNKNOWN)
    return form


def _flat(data: Any) -> dict[str, Any]:
    """The fields of a tokenizer's JSON, those of its model under the name "model.field"."""
    if not isinstance(data, dict) or not isinstance(data.get("model"), dict):
        raise SentenceError('A tokenizer is a JSON object with an object "model"; this is something else.')
    return {**{f"model.{key}": value for key, value in data.pop("model").items()}, **data}


def _matching_form(fields: dict[str, Any]) -> Tokenizer:
    """The form that has these fields, but for the vocabulary and its merges."""
    forms = {form: _flat(json.loads(form.to_str())) for form in (one_symbol_a_token(), chinese_pieces(), word_pieces())}
    known = dict.fromkeys(("model.type", "decoder"))  # first the two that tell the forms apart
    for name in known | dict.fromkeys(name for form in forms.values() for name in form) | fields:
        if name in ("model.vocab", "model.merges"):
            continue
        allowed = [form.get(name) for form in forms.values()]
        forms = {form: written for form, written in forms.items() if written.get(name) == fields.get(name)}
        if not forms:
            choices = " or ".join(dict.fromkeys(json.dumps(value, ensure_ascii=False) for value in allowed))
            raise SentenceError(
                "The field {name} is {value}; in the tokenizers that this project writes and loads it is {choices}.",
                name=brief(name),
                value=brief(fields.get(name)),
                choices=choices,
            )
    return next(iter(forms))


def _checked_vocab(vocab: Any) -> dict[str, int]:
    """The vocabulary, checked: every id from 0 on once, no piece empty or too long."""
    if not isinstance(vocab, dict) or not all(type(token_id) is int for token_id in vocab.values()):
        raise SentenceError("The field 'model.vocab' must give each piece of text a whole number, its id.")
    if set(vocab.values()) != set(range(len(vocab))):
        raise SentenceError("The ids in 'model.vocab' must be 0 to {last}, each once.", last=len(vocab) - 1)
    for piece in vocab:
        if not 1 <= len(piece) <= MAX_PIECE or _HALF.search(piece):
            raise SentenceError(
                "A piece in 'model.vocab' must have 1 to {limit} characters, and no half characters (lone "
                "surrogates); it is {piece}.",
                limit=MAX_PIECE,
                piece=brief(piece),
            )
    return vocab


def _checked_merges(merges: Any, vocab: dict[str, int]) -> list[tuple[str, str]]:
    """The merges, checked: pairs of pieces, of which the vocabulary has both, and the two joined."""
    if not isinstance(merges, list):
        raise SentenceError("The field 'model.merges' must be a list of pairs.")
    for merge in merges:
        if not (
            isinstance(merge, list)
            and len(merge) == 2
            and all(isinstance(piece, str) and piece in vocab for piece in merge)
            and "".join(merge) in vocab
        ):
            raise SentenceError(
                "An entry of 'model.merges' must be a pair of pieces that are both in 'model.vocab', and so must "
                "the two joined together; it is {merge}.",
                merge=brief(merge),
            )
    return [(left, right) for left, right in merges]
