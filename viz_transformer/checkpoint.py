"""A model in a folder: safetensors for the weights, JSON for everything else. Nothing is ever unpickled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from viz_transformer.config import TransformerConfig
from viz_transformer.model import Transformer
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer, is_sentencepiece, read_sentencepiece
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.tokenizers import Tokenizer

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.json"
SOURCE_TOKENIZER, TARGET_TOKENIZER = "source_tokenizer.json", "target_tokenizer.json"
SOURCE_SPM, TARGET_SPM = "source.spm", "target.spm"  # SentencePiece models, where the tokenizers have them
_SPM = {SOURCE_TOKENIZER: SOURCE_SPM, TARGET_TOKENIZER: TARGET_SPM}
MAX_HEADER = 2**20  # bytes that list the tensors; a model of forty layers takes a tenth
MAX_BYTES = 512 * 2**20  # a folder larger than this is no model of this project's kind
NOT_FROM_A_BROWSER = N_(
    "Models with SentencePiece tokenizers, such as imported ones, are opened from a folder of the server (--models), "
    "never from a file that a browser sends."
)
_NUMBERS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class CheckpointError(SentenceError):
    """The folder is not a model that can be loaded; the message says why."""


def save_checkpoint(
    folder: str | Path,
    model: Transformer,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    card: dict[str, Any],
    *,
    half: bool = True,
) -> None:
    """Writes five files: weights (float16 unless `half` is False), config, two tokenizers, model card.

    Beside a tokenizer that has a SentencePiece model, that is a file of its own.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if half else torch.float32
    # named_parameters lists a shared matrix once
    weights = {name: p.detach().to("cpu", dtype).contiguous() for name, p in model.named_parameters()}
    save_file(weights, folder / WEIGHTS)
    (folder / CONFIG).write_text(json.dumps(model.config.to_dict(), indent=2) + "\n", encoding="utf-8")
    for name, tokenizer in ((SOURCE_TOKENIZER, source_tokenizer), (TARGET_TOKENIZER, target_tokenizer)):
        (folder / name).write_text(tokenizer.to_json(), encoding="utf-8")
        if isinstance(tokenizer, SentencePieceTokenizer):
            (folder / _SPM[name]).write_bytes(tokenizer.model)
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_checkpoint(
    folder: str | Path, *, is_trusted: bool = True
) -> tuple[Transformer, Tokenizer, Tokenizer, dict[str, Any]]:
    """The model (float32, CPU, eval mode), its tokenizers and its card.

    Args:
        folder: what `save_checkpoint` wrote.
        is_trusted: whether its files may be given to SentencePiece, whose parser is not made for those of a stranger.

    Raises:
        CheckpointError: a sentence that says which file is missing or wrong, and how.
    """
    folder = Path(folder)
    if not is_folder(folder):
        raise CheckpointError("There is no folder {folder!r}.", folder=str(folder))
    names = (WEIGHTS, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, CARD)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(
            "{folder!r} is not a model: it lacks {missing}.", folder=str(folder), missing=", ".join(missing)
        )
    size = sum((folder / name).stat().st_size for name in names)
    if size > MAX_BYTES:
        raise CheckpointError(
            "{folder!r} holds {size} MiB; at most {limit} are loaded.",
            folder=str(folder),
            size=size // 2**20,
            limit=MAX_BYTES // 2**20,
        )
    card = _read_json(folder / CARD)
    try:
        config = TransformerConfig.from_dict(_read_json(folder / CONFIG))
    except ValueError as error:
        raise CheckpointError("{config}: {reason}", config=CONFIG, reason=error) from error
    source_tokenizer = _read_tokenizer(folder / SOURCE_TOKENIZER, config.source_vocab_size, is_trusted)
    target_tokenizer = _read_tokenizer(folder / TARGET_TOKENIZER, config.target_vocab_size, is_trusted)
    return _load_weights(folder / WEIGHTS, config), source_tokenizer, target_tokenizer, card


def is_folder(path: Path) -> bool:
    """Whether the folder exists."""
    try:
        return path.is_dir()
    except OSError:  # a name longer than any that a file system allows
        return False


def _load_weights(path: Path, config: TransformerConfig) -> Transformer:
    with path.open("rb") as file:
        header = int.from_bytes(file.read(8), "little")
    if MAX_HEADER < header <= path.stat().st_size:  # else it is no safetensors file at all
        raise CheckpointError(
            "{weights} lists too many tensors: in {header} bytes, where {limit} are allowed.",
            weights=WEIGHTS,
            header=header,
            limit=MAX_HEADER,
        )
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            "{weights} is not a safetensors file: {reason}.", weights=WEIGHTS, reason=error
        ) from error
    with torch.device("meta"):  # shapes first: a hostile config must not make this process allocate
        expected = {name: tuple(p.shape) for name, p in Transformer(config).named_parameters()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise CheckpointError(
                "{weights} does not fit {config}: {name!r} should be {expected} and is {found}.",
                weights=WEIGHTS,
                config=CONFIG,
                name=name,
                expected=expected.get(name, "absent"),
                found=found.get(name, "absent"),
            )
    for name, tensor in weights.items():
        if tensor.dtype not in _NUMBERS:
            allowed = ", ".join(str(dtype).removeprefix("torch.") for dtype in _NUMBERS)
            raise CheckpointError(
                "{weights} holds {name!r} as {kind}; allowed are {allowed}.",
                weights=WEIGHTS,
                name=name,
                kind=str(tensor.dtype).removeprefix("torch."),
                allowed=allowed,
            )
    if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
        raise CheckpointError("{weights} holds values that are not finite numbers.", weights=WEIGHTS)
    model = Transformer(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])
    return for_reading(model)


def for_reading(model: Transformer) -> Transformer:
    """The model itself, in eval mode, its weights laid out for decoding and no longer trained."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            # torch lays out Wᵀ. Laid out as W, the few rows of a decoding step read it from front to back, much faster.
            module.weight.data = module.weight.data.T.contiguous().T
    return model.eval().requires_grad_(False)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # also what is not UTF-8, or nested too deeply
        raise CheckpointError("{name} is not JSON: {reason}.", name=path.name, reason=error) from error
    if not isinstance(value, dict):
        raise CheckpointError(
            "{name} should hold one JSON object; it holds a {kind}.", name=path.name, kind=type(value).__name__
        )
    return value


def _read_tokenizer(path: Path, vocab_size: int, is_trusted: bool) -> Tokenizer:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError("{name} is not UTF-8 text: {reason}.", name=path.name, reason=error) from error
    try:
        data = _sentencepiece_in(text)
        if data is not None and not is_trusted:
            raise SentenceError(NOT_FROM_A_BROWSER)
        spm = path.with_name(_SPM[path.name])
        tokenizer = Tokenizer.from_json(text) if data is None else read_sentencepiece(data, spm)
    except ValueError as error:
        raise CheckpointError("{name}: {reason}", name=path.name, reason=error) from error
    if tokenizer.vocab_size != vocab_size:
        raise CheckpointError(
            "{name} has {count} entries, but {config} says {size}.",
            name=path.name,
            count=tokenizer.vocab_size,
            config=CONFIG,
            size=vocab_size,
        )
    return tokenizer


def _sentencepiece_in(text: str) -> dict[str, Any] | None:
    """What the file of a SentencePiece tokenizer says, or None where it is another one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None  # Tokenizer.from_json says what is wrong
    return data if is_sentencepiece(data) else None
