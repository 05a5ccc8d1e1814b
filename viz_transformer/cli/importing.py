"""The command `import`: a Marian model of Hugging Face, such as those of OPUS-MT, becomes a folder of ours."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from gettext import gettext as _
from pathlib import Path

from viz_transformer.checkpoint import CARD, MAX_BYTES, CheckpointError, save_checkpoint
from viz_transformer.marian.importing import from_huggingface

MODELS = "VIZ_MODELS"  # environment variable: the folder of one's own models, which the app lists


def add_import(parser: argparse.ArgumentParser) -> None:
    """The options of `import`."""
    parser.set_defaults(command=import_model)
    parser.add_argument("model", help=_("a folder, or a name on the Hugging Face hub: Helsinki-NLP/opus-mt-en-de"))
    parser.add_argument("name", help=_("its name: a folder in that of --models, or a path"))
    parser.add_argument(
        "--models", help=_("the folder of your models (default: the environment variable VIZ_MODELS, or this folder)")
    )
    parser.add_argument("--half", action="store_true", help=_("save in float16: half the size, rounded"))


def import_model(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Writes the folder, and says where it is.

    Raises:
        CheckpointError: the model cannot be imported, or there is such a folder already.
    """
    models = Path(options.models or os.environ.get(MODELS) or ".")
    folder = models / options.name if Path(options.name).name == options.name else Path(options.name)
    if folder.exists():
        raise CheckpointError("{folder!r} already exists: choose another name, or delete it.", folder=str(folder))
    translator = from_huggingface(options.model)
    n_bytes = translator.parameter_count * (2 if options.half else 4)
    if n_bytes > MAX_BYTES * 15 // 16:  # the rest of the folder needs room, too
        raise CheckpointError(
            "The model takes {size} MiB, but a folder may have at most {limit} in all: try --half, which halves "
            "its size.",
            size=n_bytes // 2**20,
            limit=MAX_BYTES // 2**20,
        )
    tokenizers = translator.source_tokenizer, translator.target_tokenizer
    save_checkpoint(folder, translator.model, *tokenizers, translator.card, half=options.half)
    config, millions = translator.model.config, translator.parameter_count / 1e6
    print(
        _("{folder}: {encoder} + {decoder} layers, {millions:.1f} million parameters. Licence: {licence}.").format(
            folder=folder,
            encoder=config.n_encoder_layers,
            decoder=config.n_decoder_layers,
            millions=millions,
            licence=translator.card["licence"],
        )
    )
    print(_("{card} says where the model comes from. Open it with the app's --models.").format(card=folder / CARD))
