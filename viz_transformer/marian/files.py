"""Reads a Marian checkpoint from a folder or a model in memory: without `transformers`, running no pickled code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from viz_transformer.checkpoint import CheckpointError
from viz_transformer.optional import needed
from viz_transformer.sentencepiece_tokenizer import read_spm

CONFIG, GENERATION, TOKENIZER_CONFIG = "config.json", "generation_config.json", "tokenizer_config.json"
SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
SAFE_INDEX, PICKLED_INDEX = f"{SAFE}.index.json", f"{PICKLED}.index.json"  # of weights in several files
SAFE_SHARDS, PICKLED_SHARDS = "model-*.safetensors", "pytorch_model-*.bin"
VOCAB, TARGET_VOCAB, SOURCE_SPM, TARGET_SPM = "vocab.json", "target_vocab.json", "source.spm", "target.spm"
ADDED, README = "added_tokens.json", "README.md"
_SMALL = [CONFIG, GENERATION, TOKENIZER_CONFIG, VOCAB, TARGET_VOCAB, SOURCE_SPM, TARGET_SPM, ADDED, README]
MAX_JSON, MAX_WEIGHTS = 32 * 2**20, 4 * 2**30  # bytes
MAX_FRONT = 65_536  # characters of a README's front matter
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class MarianTokenizers:
    """What a `MarianTokenizer` is made of: two SentencePiece models, and a vocabulary for both sides or for each."""

    source_spm: bytes
    target_spm: bytes
    vocab: dict[str, Any]
    target_vocab: dict[str, Any] | None
    settings: dict[str, Any]  # of tokenizer_config.json
    added: tuple[str, ...] = ()  # tokens that are in neither vocabulary


@dataclass(frozen=True)
class MarianCheckpoint:
    """All that an import reads.

    Attributes:
        name, source: what the model is called, and where it came from.
        weights: by the names that `transformers` gives them.
        config, generation: its JSON files.
        about: what the README's front matter says, such as the licence.
    """

    name: str
    source: str
    weights: Mapping[str, Tensor]
    config: dict[str, Any]
    generation: dict[str, Any]
    tokenizers: MarianTokenizers
    about: dict[str, str] = field(default_factory=dict)


def read_folder(folder: Path, source: str | None = None) -> MarianCheckpoint:
    """The checkpoint in a folder: one that `save_pretrained` of model and tokenizer wrote, or one from the hub.

    Raises:
        CheckpointError: a sentence about the file that is missing or wrong.
    """
    config = _read_json(folder / CONFIG)
    if config.get("model_type") != "marian":  # first: other kinds of model have other files
        raise CheckpointError(
            "{config}: {name} is {value!r}; a Marian model can be imported only with {allowed}.",
            config=CONFIG,
            name="model_type",
            value=config.get("model_type"),
            allowed="marian",
        )
    return MarianCheckpoint(
        name=folder.resolve().name,
        source=source or folder.resolve().name,
        weights=_read_weights(folder),
        config=config,
        generation=_read_json(folder / GENERATION, is_needed=False),
        tokenizers=read_tokenizers(folder),
        about=_front_matter(folder / README),
    )


def read_model(model: nn.Module, tokenizer: Any = None) -> MarianCheckpoint:
    """The checkpoint of a `transformers.MarianMTModel` in memory.

    Args:
        model: the `MarianMTModel`.
        tokenizer: a `MarianTokenizer`, or the folder of one; None takes the folder that the model came from.

    Raises:
        CheckpointError: a sentence about what is missing.
    """
    kind = type(model).__name__
    if kind != "MarianMTModel":
        raise CheckpointError("Only a MarianMTModel can be imported; this is a {kind}.", kind=kind)
    config: Any = model.config
    name = str(getattr(model, "name_or_path", "") or "")
    if tokenizer is None and not Path(name, VOCAB).is_file():
        raise CheckpointError("A MarianMTModel comes without its tokenizer: pass it as well, as tokenizer=….")
    found = Path(name) if tokenizer is None else tokenizer
    generation: Any = getattr(model, "generation_config", None)
    return MarianCheckpoint(
        name=Path(name).name or "marian",
        source=Path(name).name if Path(name).is_dir() else name or kind,
        weights={name: tensor.detach().cpu() for name, tensor in model.state_dict().items()},
        config=config.to_dict(),
        generation=generation.to_diff_dict() if generation is not None else {},
        tokenizers=read_tokenizers(Path(found)) if isinstance(found, str | Path) else _of_object(found),
    )


def read_tokenizers(folder: Path) -> MarianTokenizers:
    """The tokenizers of a folder; raises a CheckpointError, a sentence about the file that is missing or wrong."""
    settings = _read_json(folder / TOKENIZER_CONFIG, is_needed=False)
    spm = []
    for name in (SOURCE_SPM, TARGET_SPM):
        try:
            spm.append(read_spm(folder / name))
        except ValueError as error:
            raise CheckpointError("{name}: {reason}", name=name, reason=error) from error
    is_separate = settings.get("separate_vocabs") is True
    target_vocab = _read_json(folder / TARGET_VOCAB) if is_separate else None
    vocab, listed = _read_json(folder / VOCAB), settings.get("added_tokens_decoder")
    added = {*_read_json(folder / ADDED, is_needed=False)}
    if isinstance(listed, dict):
        added |= {str(one["content"]) for one in listed.values() if isinstance(one, dict) and "content" in one}
    return MarianTokenizers(spm[0], spm[1], vocab, target_vocab, settings, tuple(sorted(added - vocab.keys())))


def _of_object(tokenizer: Any) -> MarianTokenizers:
    if type(tokenizer).__name__ != "MarianTokenizer":
        raise CheckpointError(
            "The tokenizer must be a MarianTokenizer, or the folder of one; this is a {kind}.",
            kind=type(tokenizer).__name__,
        )
    return MarianTokenizers(
        tokenizer.spm_source.serialized_model_proto(),
        tokenizer.spm_target.serialized_model_proto(),
        tokenizer.encoder,
        tokenizer.target_encoder if tokenizer.separate_vocabs else None,
        dict(tokenizer.init_kwargs),
        tuple(sorted(tokenizer.get_added_vocab().keys() - tokenizer.encoder.keys())),
    )


def download(hub_id: str) -> tuple[Path, str]:
    """Downloads a model of the hub; returns the folder with its files, and where they come from, with the version.

    Raises:
        CheckpointError: a sentence where the hub cannot be reached, or has no such model.
        MissingPackageError: `huggingface_hub` is not installed.
    """
    hub = needed("huggingface_hub", "Reading a model from the Hugging Face hub", "marian")
    try:
        folder = Path(hub.snapshot_download(hub_id, allow_patterns=[*_SMALL, SAFE, SAFE_INDEX, SAFE_SHARDS]))
        if not any((folder / name).is_file() for name in (SAFE, SAFE_INDEX)):  # older models; one kind is enough
            pickled = [PICKLED, PICKLED_INDEX, PICKLED_SHARDS]
            folder = Path(hub.snapshot_download(hub_id, allow_patterns=[*_SMALL, *pickled]))
    except Exception as error:  # whatever stands between here and the hub: its library, httpx, the system
        raise CheckpointError(
            "{hub_id!r} is not a folder here, and the Hugging Face hub, which needs the internet, could not be "
            "read: {kind}. A folder downloaded elsewhere can be imported offline.",
            hub_id=hub_id,
            kind=type(error).__name__,
        ) from error
    return folder, f"huggingface.co/{hub_id}, version {folder.name}"


def _read_weights(folder: Path) -> dict[str, Tensor]:
    kinds = (SAFE, SAFE_INDEX, PICKLED, PICKLED_INDEX)
    found = next((folder / name for name in kinds if (folder / name).is_file()), None)
    if found is None:
        raise CheckpointError(
            "{folder!r} has no weights: neither {safe} nor {pickled}, nor an index of several files.",
            folder=folder.name,
            safe=SAFE,
            pickled=PICKLED,
        )
    paths = [found] if found.name in (SAFE, PICKLED) else _shards(found)
    size = sum(path.stat().st_size for path in paths)
    if size > MAX_WEIGHTS:
        raise CheckpointError(
            "{name} has {size} MiB; at most {limit} are loaded.",
            name=found.name,
            size=size // 2**20,
            limit=MAX_WEIGHTS // 2**20,
        )
    weights: dict[str, Tensor] = {}
    for path in paths:
        weights |= _read_tensors(path)
    return weights


def _shards(index: Path) -> list[Path]:
    """The files next to an index that it names."""
    names = _read_json(index).get("weight_map")
    if not isinstance(names, dict) or not names:
        raise CheckpointError("{name} should say, in weight_map, which file each tensor is in.", name=index.name)
    allowed = SAFE_SHARDS if index.name == SAFE_INDEX else PICKLED_SHARDS
    for name in (found := sorted({*map(str, names.values())})):
        if not fnmatchcase(name, allowed) or Path(name).name != name:
            raise CheckpointError(
                "{name}: files of weights must be named like {allowed}; {value!r} is not.",
                name=index.name,
                allowed=allowed,
                value=name,
            )
        if not (index.parent / name).is_file():
            raise CheckpointError(
                "{folder!r} is not a Marian model: it lacks {name}.", folder=index.parent.name, name=name
            )
    return [index.parent / name for name in found]


def _read_tensors(path: Path) -> dict[str, Tensor]:
    is_safe = path.suffix == ".safetensors"
    try:
        weights = load_file(path) if is_safe else torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file makes its readers raise nearly anything
        if not is_safe:  # torch's own message tells how to load it unsafely
            raise CheckpointError(
                "{name} is damaged, or holds more than weights; its author can save it as {safe} instead.",
                name=path.name,
                safe=SAFE,
            ) from error
        raise CheckpointError(
            "{name} is damaged, or holds more than weights: {reason}.",
            name=path.name,
            reason=(str(error).splitlines() or [type(error).__name__])[0].rstrip("."),
        ) from error
    if not isinstance(weights, dict) or not all(isinstance(tensor, Tensor) for tensor in weights.values()):
        raise CheckpointError("{name} should hold tensors by name, and nothing else.", name=path.name)
    for name, tensor in weights.items():
        # A tensor of stride 0 repeats one number: a file of 200 KB can hold a trillion.
        if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
            raise CheckpointError(
                "{name}: {tensor} is larger than what the file holds of it.", name=path.name, tensor=name
            )
    return weights


def _read_json(path: Path, *, is_needed: bool = True) -> dict[str, Any]:
    if not path.is_file():
        if not is_needed:
            return {}
        raise CheckpointError(
            "{folder!r} is not a Marian model: it lacks {name}.", folder=path.parent.name, name=path.name
        )
    try:
        if path.stat().st_size > MAX_JSON:
            raise CheckpointError("{name} is larger than {limit} MiB.", name=path.name, limit=MAX_JSON // 2**20)
        value = json.loads(path.read_text(encoding="utf-8"))
    except CheckpointError:
        raise
    except (ValueError, RecursionError) as error:  # also what is not UTF-8, or nested too deeply
        raise CheckpointError("{name} is not JSON: {reason}.", name=path.name, reason=error) from error
    if not isinstance(value, dict):
        raise CheckpointError(
            "{name} should hold one JSON object; it holds a {kind}.", name=path.name, kind=type(value).__name__
        )
    return value


def _front_matter(path: Path) -> dict[str, str]:
    """The fields at the top of a README, `license: apache-2.0`; the items of a list (`- en`) are joined by commas."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = file.read(MAX_FRONT).splitlines()
    except (OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    name = ""
    for line in lines[1:] if lines[:1] == ["---"] else []:
        if line.strip() == "---":
            break
        key, colon, value = line.partition(":")
        if line.startswith("- ") or line.startswith("  - "):
            found[name] = ", ".join(filter(None, [found.get(name, ""), line.strip(" -\"'")]))
        elif colon and not line.startswith(" "):
            name = key.strip()
            found[name] = value.strip(" \"'")
    return found
