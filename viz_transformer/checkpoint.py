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
from viz_transformer.tokenizers import Tokenizer

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.json"
SOURCE_TOKENIZER, TARGET_TOKENIZER = "source_tokenizer.json", "target_tokenizer.json"
MAX_HEADER = 2**20  # bytes that list the tensors; a model of forty layers takes a tenth
MAX_BYTES = 512 * 2**20  # a folder larger than this is no model of this project's kind
_NUMBERS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class CheckpointError(ValueError):
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
    """Writes five files: weights (float16 unless `half` is False), config, two tokenizers, model card."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if half else torch.float32
    # named_parameters lists a shared matrix once
    weights = {name: p.detach().to("cpu", dtype).contiguous() for name, p in model.named_parameters()}
    save_file(weights, folder / WEIGHTS)
    (folder / CONFIG).write_text(json.dumps(model.config.to_dict(), indent=2) + "\n", encoding="utf-8")
    (folder / SOURCE_TOKENIZER).write_text(source_tokenizer.to_json(), encoding="utf-8")
    (folder / TARGET_TOKENIZER).write_text(target_tokenizer.to_json(), encoding="utf-8")
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_checkpoint(folder: str | Path) -> tuple[Transformer, Tokenizer, Tokenizer, dict[str, Any]]:
    """The model (float32, CPU, eval mode), its tokenizers and its card.

    Raises:
        CheckpointError: a sentence that says which file is missing or wrong, and how.
    """
    folder = Path(folder)
    if not is_folder(folder):
        raise CheckpointError(f"There is no folder {str(folder)!r}.")
    names = (WEIGHTS, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, CARD)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(f"{str(folder)!r} is not a model: it lacks {', '.join(missing)}.")
    size = sum((folder / name).stat().st_size for name in names)
    if size > MAX_BYTES:
        raise CheckpointError(f"{str(folder)!r} holds {size // 2**20} MiB; at most {MAX_BYTES // 2**20} are loaded.")
    card = _read_json(folder / CARD)
    try:
        config = TransformerConfig.from_dict(_read_json(folder / CONFIG))
    except ValueError as error:
        raise CheckpointError(f"{CONFIG}: {error}") from error
    source_tokenizer = _read_tokenizer(folder / SOURCE_TOKENIZER, config.source_vocab_size)
    target_tokenizer = _read_tokenizer(folder / TARGET_TOKENIZER, config.target_vocab_size)
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
        raise CheckpointError(f"{WEIGHTS} lists too many tensors: in {header} bytes, where {MAX_HEADER} are allowed.")
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{WEIGHTS} is not a safetensors file: {error}.") from error
    with torch.device("meta"):  # shapes first: a hostile config must not make this process allocate
        expected = {name: tuple(p.shape) for name, p in Transformer(config).named_parameters()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise CheckpointError(
                f"{WEIGHTS} does not fit {CONFIG}: {name!r} should be "
                f"{expected.get(name, 'absent')} and is {found.get(name, 'absent')}."
            )
    for name, tensor in weights.items():
        if tensor.dtype not in _NUMBERS:
            allowed = ", ".join(str(dtype).removeprefix("torch.") for dtype in _NUMBERS)
            raise CheckpointError(
                f"{WEIGHTS} holds {name!r} as {str(tensor.dtype).removeprefix('torch.')}; allowed are {allowed}."
            )
    if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
        raise CheckpointError(f"{WEIGHTS} holds values that are not finite numbers.")
    model = Transformer(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])
    for module in model.modules():
        if isinstance(module, nn.Linear):
            # torch lays out Wᵀ. Laid out as W, the few rows of a decoding step read it from front to back, much faster.
            module.weight.data = module.weight.data.T.contiguous().T
    return model.eval().requires_grad_(False)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # also what is not UTF-8, or nested too deeply
        raise CheckpointError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path.name} should hold one JSON object; it holds a {type(value).__name__}.")
    return value


def _read_tokenizer(path: Path, vocab_size: int) -> Tokenizer:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{path.name} is not UTF-8 text: {error}.") from error
    try:
        tokenizer = Tokenizer.from_json(text)
    except ValueError as error:
        raise CheckpointError(f"{path.name}: {error}") from error
    if tokenizer.vocab_size != vocab_size:
        raise CheckpointError(f"{path.name} has {tokenizer.vocab_size} entries, but {CONFIG} says {vocab_size}.")
    return tokenizer
