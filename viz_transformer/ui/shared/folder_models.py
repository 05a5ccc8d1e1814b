"""The models in the folder that `viz-transformer app --models` or `VIZ_MODELS` names: this server's, for everybody.

A model is listed by what its small files say; its weights are read when somebody first chooses it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from viz_transformer.checkpoint import (
    CARD,
    CONFIG,
    MAX_BYTES,
    SOURCE_TOKENIZER,
    TARGET_TOKENIZER,
    WEIGHTS,
    CheckpointError,
    is_folder,
    opened_weights,
    read_config,
    read_json,
)
from viz_transformer.config import TransformerConfig
from viz_transformer.training.tasks import TASKS
from viz_transformer.translator import Translator, load
from viz_transformer.ui.shared.byte_cache import CACHE, Kept, kept

MODELS = "VIZ_MODELS"  # of the environment
PREFIX = "models/"  # of their names: no shipped model and no visitor's has a slash in its name
FILES = (WEIGHTS, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, CARD)
MAX_WORDS = 200  # characters of what a card says
BYTES = 4  # of a number in memory, whatever it takes in the file

Stamp = tuple[tuple[int, int] | None, ...]  # for each of `FILES`: when written, and its size; None: missing


@dataclass(frozen=True, eq=False)
class FolderModel:
    """What is known of a model before it is loaded.

    Attributes:
        name: in lists and links: `PREFIX`, and its folder's name verbatim.
        fault: why it cannot be chosen; None where it can.
        size: bytes of its files.
        parameters: how many numbers its weights hold.
        card: what the pages need of it, each of the right kind.
    """

    name: str
    folder: Path
    fault: CheckpointError | None = None
    size: int = 0
    parameters: int = 0
    config: TransformerConfig | None = None
    card: Mapping[str, str] = field(default_factory=dict)


_loaded: dict[str, Stamp] = {}  # name → the stamp of its files at that time
_faults: dict[tuple[str, Stamp], CheckpointError] = {}  # found only by loading
_TRANSLATORS: Kept[tuple[str, str], Translator] = Kept()
_ONE_AT_A_TIME = Lock()  # two at once need twice the memory


def models_folder() -> Path | None:
    """The folder, as the environment names it."""
    named = os.environ.get(MODELS, "").strip()
    return Path(named) if named else None


def folder_models() -> dict[str, FolderModel]:
    """All models by name, in alphabetical order: every subfolder with a file of a model in it, also a damaged one."""
    found = {}
    for folder in _subfolders(models_folder()):
        stamp = _stamp_of(folder)
        if any(stamp):
            name = PREFIX + folder.name
            found[name] = _described(folder, stamp, _faults.get((name, stamp)), _loaded.get(name, stamp))
    return found


def usable_names() -> list[str]:
    """The names of the models that can be chosen."""
    return [name for name, one in folder_models().items() if one.fault is None]


def is_loaded(name: str, device: str) -> bool:
    """Whether it is there already, so that nobody has to wait."""
    return _TRANSLATORS.get((name, device)) is not None


def load_folder_model(name: str, device: str) -> Translator:
    """The model, one for everybody; it is read when it is first asked for.

    Raises:
        KeyError: there is none of this name.
        CheckpointError: a sentence that says what is wrong with it.
    """
    known = _TRANSLATORS.get((name, device))
    return known or _TRANSLATORS.computed((name, device), lambda: _load(name, device))


def _load(name: str, device: str) -> Translator:
    with _ONE_AT_A_TIME:
        one = folder_models()[name]
        if one.fault is not None:
            raise one.fault
        stamp = _stamp_of(one.folder)
        try:
            read = load(one.folder, device)
        except (CheckpointError, OSError) as error:
            if isinstance(error, OSError):
                error = CheckpointError(
                    "{folder!r} cannot be read: {reason}.", folder=one.folder.name, reason=error.strerror
                )
            _faults[name, stamp] = error
            raise error from None
        _loaded[name] = stamp
        card = {**one.card, "simplify": read.reads_chinese}
        return Translator(read.model.standard_form(), read.source_tokenizer, read.target_tokenizer, card)


def _subfolders(folder: Path | None) -> list[Path]:
    """The subfolders that are not hidden and have a name that a link can hold."""
    try:
        with os.scandir(folder or os.devnull) as entries:
            return sorted(Path(one) for one in entries if _is_visible(one.name) and is_folder(Path(one)))
    except OSError:  # there is no such folder, or none any more
        return []


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and not any("\ud800" <= sign <= "\udfff" for sign in name)


def _stamp_of(folder: Path) -> Stamp:
    return tuple(map(_written, (folder / name for name in FILES)))


def _written(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    # Regular files only: to open a pipe would wait until somebody writes into it.
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None


@kept()
def _described(folder: Path, stamp: Stamp, fault: CheckpointError | None, loaded: Stamp) -> FolderModel:
    """The model as its files describe it; read anew when `stamp` changes.

    Args:
        fault: found by loading it.
        loaded: the stamp when the model was loaded. The passes that are kept are of that model.
    """
    name, size = PREFIX + folder.name, sum(one[1] for one in stamp if one)
    about: dict[str, Any] = {}
    try:
        if not all(stamp):
            missing = ", ".join(file for file, one in zip(FILES, stamp, strict=True) if not one)
            raise CheckpointError("{folder!r} is not a model: it lacks {missing}.", folder=folder.name, missing=missing)
        if size > MAX_BYTES:
            raise CheckpointError(
                "{folder!r} holds {size} MiB; at most {limit} are loaded.",
                folder=folder.name,
                size=size // 2**20,
                limit=MAX_BYTES // 2**20,
            )
        about["card"] = _known_fields(read_json(folder / CARD))
        about["config"] = read_config(folder / CONFIG)
        about["parameters"] = _count(folder / WEIGHTS)
        _refuse_unfit(about["config"], BYTES * about["parameters"])
        if stamp != loaded:
            raise CheckpointError(
                "Its files have changed since this server read them: restart the server to show the new version."
            )
    except CheckpointError as error:
        fault = fault or error
    return FolderModel(name, folder, fault, size, **about)


def _count(path: Path) -> int:
    """How many numbers the file says that it holds; none of them is read."""
    with opened_weights(path) as weights:
        shapes = [weights.get_slice(name).get_shape() for name in weights.keys()]  # noqa: SIM118  not a dict
    count = 0
    for shape in shapes:
        numbers = 1
        for side in shape:
            numbers *= side
        count += numbers
    return count


def _refuse_unfit(config: TransformerConfig, held: int) -> None:
    """Refuses a model that no page could show, or that would leave no room for anything else."""
    if not config.has_attention:
        raise CheckpointError("This model has no attention, so the pages would have nothing to show.")
    if not config.residuals:
        raise CheckpointError("This model has no residual connections, but all the pages refer to them.")
    if held > CACHE.limit // 2:
        raise CheckpointError(
            "It takes {size} MB of memory, and this server may use {limit} MB in total (VIZ_MEMORY_MB): set that "
            "to more than twice the model's size.",
            size=held // 10**6,
            limit=CACHE.limit // 10**6,
        )


def _known_fields(card: Mapping[str, Any]) -> dict[str, str]:
    """Of a card only what the pages need, each a short text."""
    named = {
        "task": card.get("task"),
        "source_language": card.get("source_language"),
        "target_language": card.get("target_language"),
        "licence": card.get("licence", card.get("license")),
        "source": card.get("imported_from", card.get("source")),
    }
    texts = {name: text for name, text in named.items() if isinstance(text, str) and text}
    if texts.get("task") not in TASKS:
        texts.pop("task", None)
    return {name: text if len(text) <= MAX_WORDS else f"{text[:MAX_WORDS]} …" for name, text in texts.items()}
