"""A visitor's models: loaded in this session or trained in this browser, under names that nobody else has."""

from __future__ import annotations

import io
import secrets
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from viz_transformer.checkpoint import (
    CARD,
    CONFIG,
    NOT_FROM_A_BROWSER,
    SOURCE_TOKENIZER,
    TARGET_TOKENIZER,
    WEIGHTS,
    CheckpointError,
    load_checkpoint,
    read_config,
    save_checkpoint,
)
from viz_transformer.config import TransformerConfig
from viz_transformer.machine import budget
from viz_transformer.sentences import brief, reason
from viz_transformer.training.tasks import TASKS
from viz_transformer.translator import Translator
from viz_transformer.ui.shared.sizes import size_of
from viz_transformer.ui.shared.training_session import finished_runs

FILES = (WEIGHTS, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, CARD)
MAX_FILE, MAX_UNPACKED = 24 * 2**20, 48 * 2**20  # bytes of the file that is loaded, and of what it unpacks to
MAX_CONTEXT, MAX_LAYERS, MAX_HEADS = 1024, 12, 16
MAX_PASS = 256 * 2**20  # bytes of the longest pass that is recorded
MAX_KEPT = 12
MAX_HELD = budget() // 4  # bytes of all visitors' models together, which the cache does not count
# What Python's reader of zip files raises where one is damaged.
_DAMAGED = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, ValueError, EOFError, RuntimeError, OSError,
)  # fmt: skip
_KEY = "own models"
_SEEN = "kept models"  # names of those that are or were on this session's list
PREFIX = "my-"  # of their names, and of no shipped one
LANGUAGES = ("zh", "en", "de")
_HELD: WeakValueDictionary[str, Translator] = WeakValueDictionary()  # by name, of all visitors


def own_models() -> dict[str, Translator]:
    """The visitor's models by name, the oldest first, including that of a run which has just finished."""
    kept: set[str] = st.session_state.setdefault(_SEEN, set())
    for run in finished_runs():
        if run.translator is None or not run.settings.is_for_all_pages or run.is_forgotten:
            continue
        if not run.model_name:
            run.model_name = keep_model(run.settings.task, run.translator)
        elif run.model_name not in kept:  # this tab was loaded anew
            _keep(run.model_name, run.translator)
    models: dict[str, Translator] = st.session_state.get(_KEY, {})
    return models


def keep_model(what: str, translator: Translator) -> str:
    """Adds a model to the list, where the oldest makes room if there are too many; returns its name.

    The name cannot be guessed: caches are shared by all sessions, and anybody who knows a name can ask them for it.
    """
    name = f"{PREFIX}{what}-{secrets.token_hex(4)}"
    _keep(name, translator)
    return name


def _keep(name: str, translator: Translator) -> None:
    models: dict[str, Translator] = st.session_state.setdefault(_KEY, {})
    st.session_state.setdefault(_SEEN, set()).add(name)
    models[name] = _HELD[name] = translator
    while len(models) > MAX_KEPT:
        models.pop(next(iter(models)))


def forget_model(name: str) -> None:
    """Takes a model off the list; its run stays in the table."""
    models: dict[str, Translator] = st.session_state.get(_KEY, {})
    models.pop(name, None)
    for run in finished_runs():
        run.is_forgotten |= run.model_name == name


def to_zip(name: str, translator: Translator) -> bytes:
    """The model as one file: a folder called `name`, as `load` reads it."""
    packed = io.BytesIO()
    with TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        tokenizers = translator.source_tokenizer, translator.target_tokenizer
        save_checkpoint(folder, translator.model, *tokenizers, translator.card)
        for file in FILES:
            archive.write(Path(folder) / file, f"{name}/{file}")
    return packed.getvalue()


def from_zip(data: bytes) -> Translator:
    """The model in a file that `to_zip` wrote. Nothing in it is run, and only its five files are read.

    Raises:
        CheckpointError: a sentence that says what is wrong with it.
    """
    if len(data) > MAX_FILE:
        raise CheckpointError(
            "The file is {size:.1f} MiB; the limit is {limit} MiB.", size=len(data) / 2**20, limit=MAX_FILE // 2**20
        )
    contents = _unpacked(data)
    try:
        with TemporaryDirectory() as folder:
            for name, content in contents.items():
                (Path(folder) / name).write_bytes(content)
            _refuse_large(read_config(Path(folder) / CONFIG))
            model, source, target, card = load_checkpoint(folder, is_trusted=False)
    except OSError as error:
        raise CheckpointError(
            "This server cannot write temporary files: its disk is full, or may not be written to."
        ) from error
    if not model.config.has_attention:
        raise CheckpointError("This model has no attention, so the pages would have nothing to show.")
    if not model.config.residuals:
        raise CheckpointError("This model has no residual connections, but all the pages refer to them.")
    translator = Translator(model.standard_form(), source, target, _known_fields(card))
    if sum(map(size_of, [*_HELD.values(), translator])) > MAX_HELD:
        raise CheckpointError(
            "This server has no room for another model: its visitors' models already take up all its space. "
            "Delete one of yours, or try again later."
        )
    return translator


def _unpacked(data: bytes) -> dict[str, bytes]:
    contents = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            found = _checked_names(members)
            room = MAX_UNPACKED
            for file, member in found.items():
                with archive.open(member) as packed:  # what the archive says of its size may be a lie
                    content = packed.read(room + 1)
                room -= len(content)
                if room < 0:
                    raise CheckpointError("The file unpacks to more than {limit} MiB.", limit=MAX_UNPACKED // 2**20)
                contents[file] = content
    except CheckpointError:
        raise
    except _DAMAGED as error:
        raise CheckpointError("This is not a complete zip file of a model: {reason}.", reason=reason(error)) from error
    return contents


def _checked_names(members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The five files by name; they lie side by side, and there are no others."""
    if any(member.filename.endswith(".spm") for member in members):
        raise CheckpointError(NOT_FROM_A_BROWSER)
    if len(members) > len(FILES):
        raise CheckpointError(
            "The zip file holds {count} files; a model has {usual}.", count=len(members), usual=len(FILES)
        )
    found = {}
    for member in members:
        path = PurePosixPath(member.filename)
        is_odd = path.is_absolute() or ".." in path.parts or len(path.parts) > 2 or "\\" in member.filename
        if is_odd or stat.S_ISLNK(member.external_attr >> 16) or path.name not in FILES or path.name in found:
            raise CheckpointError(
                "The zip file holds {filename}, which is not part of a model.", filename=brief(member.filename)
            )
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # other ways may ask for gigabytes to unpack a kilobyte
            raise CheckpointError(
                "The zip file packs {filename} in an unusual way; use {method}.", filename=path.name, method="deflate"
            )
        found[path.name] = member
    missing = [file for file in FILES if file not in found]
    if missing:
        raise CheckpointError("The zip file lacks {missing}.", missing=", ".join(missing))
    return found


def _refuse_large(config: TransformerConfig) -> None:
    """Refuses sizes that would keep this server busy; everything else is the checkpoint's to check."""
    limits = {
        "max_len": MAX_CONTEXT,
        "n_encoder_layers": MAX_LAYERS,
        "n_decoder_layers": MAX_LAYERS,
        "n_heads": MAX_HEADS,
        "n_decoder_heads": MAX_HEADS,
    }
    for name, limit in limits.items():
        value = getattr(config, name)
        if value is not None and value > limit:
            raise CheckpointError(
                "The model's {name} is {value}; the limit here is {limit}.", name=name, value=value, limit=limit
            )
    size = recorded_bytes(config)
    if size > MAX_PASS:
        raise CheckpointError(
            "One pass over {max_len} tokens, the model's max_len, would take {size} MiB; at most {limit} are recorded "
            "here.",
            max_len=config.max_len,
            size=size // 2**20,
            limit=MAX_PASS // 2**20,
        )


def recorded_bytes(config: TransformerConfig) -> int:
    """Bytes of the longest recorded pass: states, the matrices of the heads, log-probabilities."""
    length, width = config.max_len, config.d_model
    encoder = 16 * width + config.d_ff + 4 * config.n_heads * length  # scores, scaled, masked, weights
    decoder = 27 * width + config.decoder.d_ff + 8 * config.decoder.n_heads * length
    numbers = config.n_encoder_layers * encoder + config.n_decoder_layers * decoder + 2 * config.target_vocab_size
    return 4 * length * numbers  # float32


def _known_fields(card: dict[str, Any]) -> dict[str, Any]:
    """Of a stranger's card only what the pages need, each of the right kind."""
    task = card.get("task")
    languages = {side: card.get(side) for side in ("source_language", "target_language")}
    return {
        "task": task if isinstance(task, str) and task in TASKS else None,
        **{side: value if value in LANGUAGES else None for side, value in languages.items()},
    }
