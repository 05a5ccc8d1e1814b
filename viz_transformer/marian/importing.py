"""From a Marian model of Hugging Face to a Translator, which traces it as it traces ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from viz_transformer.checkpoint import CheckpointError, is_folder
from viz_transformer.config import TransformerConfig
from viz_transformer.marian.fields import config_of
from viz_transformer.marian.files import (
    CONFIG,
    HUB_ID,
    TARGET_VOCAB,
    TOKENIZER_CONFIG,
    VOCAB,
    MarianCheckpoint,
    MarianTokenizers,
    download,
    read_folder,
    read_model,
)
from viz_transformer.marian.weights import BIAS, filled
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer
from viz_transformer.tokenizers import END, PAD, UNKNOWN
from viz_transformer.translator import Translator

NOT_STATED = "not stated"
_SPECIAL = {"pad_token": PAD, "eos_token": END, "unk_token": UNKNOWN}


def from_huggingface(model: nn.Module | str | Path, *, tokenizer: Any = None) -> Translator:
    """A Marian model, such as those of OPUS-MT, as a Translator.

    Args:
        model: a folder; the name of a model on the hub, "Helsinki-NLP/opus-mt-en-de"; or a
            `transformers.MarianMTModel`.
        tokenizer: that of a `MarianMTModel`: a `transformers.MarianTokenizer`, or the folder of one. None where the
            model was read from such a folder.

    Raises:
        TypeError: where `model` is neither a module nor a str or a Path.
        CheckpointError: a sentence that names what is missing or does not fit.
        MissingPackageError: SentencePiece is not installed, or for a name on the hub `huggingface_hub`.
    """
    if not isinstance(model, nn.Module | str | Path):
        raise TypeError(f"What is imported is a MarianMTModel, a folder or a name on the hub; it was {model!r}.")
    if isinstance(model, nn.Module):
        found = read_model(model, tokenizer)
    elif is_folder(Path(model)):
        found = read_folder(Path(model))
    elif HUB_ID.fullmatch(str(model)):
        folder, source = download(str(model))
        found = read_folder(folder, source)
    else:
        raise CheckpointError(
            "There is no folder {name!r}, and it is not a name on the Hugging Face hub either; such a name looks "
            "like {example}.",
            name=str(model),
            example="Helsinki-NLP/opus-mt-en-de",
        )
    return _translator(found)


def _translator(found: MarianCheckpoint) -> Translator:
    source, target = _tokenizers(found.tokenizers)
    config = config_of(found.config, unknown_id=source.unknown_id, output_bias=BIAS in found.weights)
    target_file = VOCAB if found.tokenizers.target_vocab is None else TARGET_VOCAB
    _check_vocabulary(source, VOCAB, config.source_vocab_size, config)
    _check_vocabulary(target, target_file, config.target_vocab_size, config)
    return Translator(filled(config, found.weights), source, target, _card(found))


def _check_vocabulary(tokenizer: SentencePieceTokenizer, file: str, size: int, config: TransformerConfig) -> None:
    """Refuses a vocabulary of another size, or with padding and end elsewhere than the config says."""
    if tokenizer.vocab_size < size:
        raise CheckpointError(
            "{config} says {size} tokens, but {name} has {count}: the matrices have rows that belong to no token."
            " First make them as large as the vocabulary, with resize_token_embeddings({count}).",
            config=CONFIG,
            size=size,
            name=file,
            count=tokenizer.vocab_size,
        )
    if tokenizer.vocab_size > size:
        raise CheckpointError(
            "{name} has {count} entries, but {config} says {size}.",
            name=file,
            count=tokenizer.vocab_size,
            config=CONFIG,
            size=size,
        )
    for piece, name, token_id in ((PAD, "pad_token_id", config.pad_id), (END, "eos_token_id", config.end_id)):
        if tokenizer.pieces[token_id] != piece:
            raise CheckpointError(
                "{config}: {name} is {token_id}, which in {file} is {found!r} and not {piece!r}.",
                config=CONFIG,
                name=name,
                token_id=token_id,
                file=file,
                found=tokenizer.pieces[token_id],
                piece=piece,
            )


def _tokenizers(found: MarianTokenizers) -> tuple[SentencePieceTokenizer, SentencePieceTokenizer]:
    for field, usual in _SPECIAL.items():
        value = found.settings.get(field, usual)
        value = value.get("content") if isinstance(value, dict) else value
        if str(value) != usual:
            raise CheckpointError(
                "{config}: {name} is {value!r}; a Marian model can be imported only with {allowed}.",
                config=TOKENIZER_CONFIG,
                name=field,
                value=value,
                allowed=usual,
            )
    if found.added:
        raise CheckpointError(
            "This model's tokenizer has added tokens that its vocabulary lacks: {tokens}. Such a model cannot be "
            "imported: texts are cut at these tokens before SentencePiece reads the rest.",
            tokens=", ".join(map(repr, found.added)),
        )
    pieces = _pieces(found.vocab, VOCAB)
    is_joint = found.target_vocab is None
    target_pieces = pieces if found.target_vocab is None else _pieces(found.target_vocab, TARGET_VOCAB)
    try:  # with separate vocabularies there are no prefixes, as in MarianTokenizer
        source = SentencePieceTokenizer(found.source_spm, pieces, reads_prefixes=is_joint)
        return source, SentencePieceTokenizer(found.target_spm, target_pieces)
    except ValueError as error:
        raise CheckpointError("The tokenizer: {reason}", reason=error) from error


def _pieces(vocab: dict[str, Any], file: str) -> list[str]:
    if sorted(map(repr, vocab.values())) != sorted(map(repr, range(len(vocab)))):
        raise CheckpointError("The ids in {file} must be 0 to {last}, each once.", file=file, last=len(vocab) - 1)
    return sorted(vocab, key=vocab.__getitem__)


def _card(found: MarianCheckpoint) -> dict[str, Any]:
    settings = found.tokenizers.settings
    return {
        "name": found.name,
        "imported_from": found.source,
        "licence": found.about.get("license") or NOT_STATED,
        "languages": found.about.get("language") or NOT_STATED,
        "task": None,
        "source_language": settings.get("source_lang") or None,
        "target_language": settings.get("target_lang") or None,
        "simplify": False,  # it reads characters as they are typed, traditional ones too
        "generation": found.generation,
    }
