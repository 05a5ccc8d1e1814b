"""A model in a folder: safetensors for the weights, JSON for everything else. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from viz_transformer.config import TransformerConfig
from viz_transformer.model import Transformer
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer, is_sentencepiece, read_sentencepiece
from viz_transformer.sentences import N_, SentenceError, brief, reason
from viz_transformer.strict_json import parse_json
from viz_transformer.tokenizers import END, PAD, START, UNKNOWN, Tokenizer

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.json"
SOURCE_TOKENIZER, TARGET_TOKENIZER = "source_tokenizer.json", "target_tokenizer.json"
SOURCE_SPM, TARGET_SPM = "source.spm", "target.spm"  # SentencePiece models, where the tokenizers have them
_SPM = {SOURCE_TOKENIZER: SOURCE_SPM, TARGET_TOKENIZER: TARGET_SPM}
MAX_HEADER = 2**20  # bytes of the header, which lists the tensors; a model of forty layers takes a tenth of it
MAX_BYTES = 512 * 2**20  # a folder larger than this is no model of this project's kind
# The most bytes of a JSON file, which is read whole: parsed, it takes some twenty times as much memory.
_LIMITS = {CONFIG: 2**16, CARD: 2**20, SOURCE_TOKENIZER: 2**22, TARGET_TOKENIZER: 2**22}
# How layers fill new parameters.
_DRAWS = (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_, Tensor.uniform_)
# Which tokens the special ids of a config must be in both vocabularies. An imported model may start with any token.
_SPECIAL = {"pad_id": (PAD,), "start_id": (START, PAD), "end_id": (END,), "unknown_id": (UNKNOWN,)}
_LONGEST = 100  # characters of a field's name and of its value in a config
NOT_FROM_A_BROWSER = N_(
    "Models with SentencePiece tokenizers, such as imported ones, are opened from a folder on the server "
    "(--models), never from a file uploaded in the browser."
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

    A SentencePiece tokenizer's model is written beside it, as a file of its own.
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
        is_trusted: whether its files may be given to SentencePiece, whose parser is not made for untrusted files.

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
    config = read_config(folder / CONFIG)
    with opened_weights(folder / WEIGHTS) as weights:
        _check_weights(weights, config)  # first, before any weight is read
        card = read_json(folder / CARD)
        source_tokenizer = _read_tokenizer(folder / SOURCE_TOKENIZER, config, config.source_vocab_size, is_trusted)
        target_tokenizer = _read_tokenizer(folder / TARGET_TOKENIZER, config, config.target_vocab_size, is_trusted)
        return _filled(weights, config), source_tokenizer, target_tokenizer, card


def is_folder(path: Path) -> bool:
    """Whether the folder exists."""
    try:
        return path.is_dir()
    except OSError:  # a name longer than any that a file system allows
        return False


@contextmanager
def opened_weights(path: Path) -> Iterator[Any]:
    """The weights as `safe_open` gives them, which reads only the list of tensors."""
    try:
        with path.open("rb") as file:
            header = int.from_bytes(file.read(8), "little")
        if MAX_HEADER < header <= path.stat().st_size:  # else it is no safetensors file at all
            raise CheckpointError(
                "{weights} lists too many tensors: its list takes {header} bytes, but at most {limit} are allowed.",
                weights=WEIGHTS,
                header=header,
                limit=MAX_HEADER,
            )
        with safe_open(path, framework="pt") as weights:
            yield weights
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            "{weights} is not a safetensors file: {reason}.",
            weights=WEIGHTS,
            reason=reason(error),
        ) from error


def _check_weights(weights: Any, config: TransformerConfig) -> None:
    """Raises a CheckpointError if the weights do not fit the config, before anything as large as the model is made."""
    expected = _shapes(config)
    found = {name: tuple(weights.get_slice(name).get_shape()) for name in weights.keys()}  # noqa: SIM118  not a dict
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise CheckpointError(
                "{weights} does not fit {config}: {name} should be {expected} but is {found}.",
                weights=WEIGHTS,
                config=CONFIG,
                name=brief(name),
                expected=expected.get(name, "absent"),
                found=brief(found[name]) if name in found else "absent",
            )
    for name in found:
        kind = weights.get_tensor(name).dtype  # a look into the file: nothing is copied
        if kind not in _NUMBERS:
            raise CheckpointError(
                "{weights} holds {name!r} as {kind}; the types allowed are {allowed}.",
                weights=WEIGHTS,
                name=name,
                kind=str(kind).removeprefix("torch."),
                allowed=", ".join(str(number).removeprefix("torch.") for number in _NUMBERS),
            )


def _shapes(config: TransformerConfig) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, by name. One layer of each stack stands for all: making hundreds takes seconds."""
    if config.positions == "sinusoidal":  # a table that is computed is no parameter
        config = replace(config, positions="none")
    with torch.device("meta"), unfilled():  # shapes alone: nothing is allocated
        small = Transformer(replace(config, n_encoder_layers=1, n_decoder_layers=1))
    layers = {"encoder_layers": config.n_encoder_layers, "decoder_layers": config.n_decoder_layers}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, parameter in small.named_parameters():
        stack, _dot, rest = name.partition(".0.")
        names = [f"{stack}.{n}.{rest}" for n in range(layers[stack])] if stack in layers else [name]
        shapes |= dict.fromkeys(names, tuple(parameter.shape))
    return shapes


class unfilled(TorchFunctionMode):
    """Within `with unfilled():` a new model's parameters hold anything: they are to be read from a file.

    Nothing is drawn from torch's generator, which belongs to all threads: a training run in another one would end with
    other weights. And for tensors of shapes alone PyTorch would import its compiler to fill them, which takes longer
    than all the rest of a start.
    """

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function in _DRAWS:
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return function(*args, **kwargs)


def _filled(weights: Any, config: TransformerConfig) -> Transformer:
    """The model with these weights, whose names and shapes have been checked."""
    for name in weights.keys():  # noqa: SIM118  not a dict
        if not bool(weights.get_tensor(name).isfinite().all()):
            raise CheckpointError(
                "In {weights}, {name!r} holds values that are not finite numbers.", weights=WEIGHTS, name=name
            )
    with unfilled():
        model = Transformer(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights.get_tensor(name))
    return for_reading(model)


def for_reading(model: Transformer) -> Transformer:
    """The model itself, in eval mode, its weights laid out for decoding and no longer trained."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            # torch stores Wᵀ. Stored as W, it is read from front to back for a decoding step's few rows: much faster.
            module.weight.data = module.weight.data.T.contiguous().T
    return model.eval().requires_grad_(False)


def read_config(path: Path) -> TransformerConfig:
    """The config in a file, checked; a CheckpointError says what is wrong with it."""
    values = read_json(path)
    for name, value in values.items():
        if isinstance(value, dict | list) or max(len(name), len(str(value))) > _LONGEST:
            raise CheckpointError(
                "In {config}, each field holds one number or one short word; {name} is {value}.",
                config=CONFIG,
                name=brief(name),
                value=brief(value),
            )
    try:
        config = TransformerConfig.from_dict(values)
    except ValueError as error:
        raise CheckpointError("{config}: {reason}", config=CONFIG, reason=error) from error
    return config


def read_json(path: Path) -> dict[str, Any]:
    """The object in one of the JSON files of a model; a CheckpointError says what is wrong with it."""
    text = _read(path)
    try:
        value = parse_json(text)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:  # also for a lone surrogate, which cannot be encoded
        raise CheckpointError("{name} is not JSON: {reason}.", name=path.name, reason=error) from error
    if not isinstance(value, dict):
        raise CheckpointError(
            "{name} should hold one JSON object; it holds a {kind}.", name=path.name, kind=type(value).__name__
        )
    return value


def _read_tokenizer(path: Path, config: TransformerConfig, vocab_size: int, is_trusted: bool) -> Tokenizer:
    text = _read(path)
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
    for name, expected in _SPECIAL.items():
        value = getattr(config, name)
        may_be_any = name == "start_id" and isinstance(tokenizer, SentencePieceTokenizer)
        if (piece := tokenizer.piece(value)) not in expected and not may_be_any:
            raise CheckpointError(
                "{config} says that {name} is {value}, but that is {piece} in {file}.",
                config=CONFIG,
                name=name,
                value=value,
                piece=brief(str(piece)),
                file=path.name,
            )
    return tokenizer


def _read(path: Path) -> str:
    limit = _LIMITS[path.name]
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)  # the size that the file system reports may be wrong
    except OSError as error:
        raise CheckpointError("{name} cannot be read: {reason}.", name=path.name, reason=error.strerror) from error
    if len(content) > limit:
        raise CheckpointError(
            "{name} is too large; at most {limit} KiB are read.", name=path.name, limit=limit // 2**10
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError("{name} is not UTF-8 text: {reason}.", name=path.name, reason=error) from error


def _sentencepiece_in(text: str) -> dict[str, Any] | None:
    """The content of a SentencePiece tokenizer's file, or None where it is another tokenizer's."""
    try:
        data = parse_json(text)
    except ValueError:
        return None  # Tokenizer.from_json says what is wrong
    return data if is_sentencepiece(data) else None
