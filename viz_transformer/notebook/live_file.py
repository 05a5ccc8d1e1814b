"""A file one can type into: a model, the program that runs it in the browser, and the app's views of it."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save

from viz_transformer.chinese import dictionaries
from viz_transformer.heads import ATTENTION_MODULES, n_layers
from viz_transformer.interventions import Intervention, intervention_to_dict
from viz_transformer.notebook import front_end
from viz_transformer.notebook.live_labels import page_labels, refusals
from viz_transformer.notebook.seven_bits import as_text
from viz_transformer.resources import package_version
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer
from viz_transformer.sentences import SentenceError
from viz_transformer.translator import Translator
from viz_transformer.views.codec import pack
from viz_transformer.views.head_sheet import sheet_labels
from viz_transformer.views.kinds import ARCS, GLANCE, OVERVIEW, OVERVIEW_OF_GIVEN, QUERY_KEY, STEPS, TREE, Kind
from viz_transformer.views.maps import measure_labels
from viz_transformer.views.picture_labels import picture_labels
from viz_transformer.views.terms import glossary
from viz_transformer.views.text import LANGUAGES, _, language, speaking
from viz_transformer.visible import escape

KINDS: dict[str, Kind[Any]] = {
    "overview": OVERVIEW,
    "glance": GLANCE,
    "arcs": ARCS,
    "query_key": QUERY_KEY,
    "steps": STEPS,
    "tree": TREE,
}


@dataclass(frozen=True)
class Opening:
    """What a live file opens with.

    Attributes:
        source, target: the texts; without a target, the model's own output.
        interventions: changes to every forward pass.
        kind: one of `KINDS`.
        still: what is shown where no JavaScript runs, an SVG.
    """

    source: str
    target: str | None = None
    interventions: Sequence[Intervention] = ()
    kind: str = "overview"
    still: str = ""


def live_file(translator: Translator, opening: Opening, *, theme: str, is_rounded: bool) -> str:
    """The text of the file, in the language that is spoken; the other languages are in it, too.

    Args:
        is_rounded: weights are rounded to eight bits, which takes half the room.

    Raises:
        ValueError: a sentence where the browser cannot run the model.
    """
    _refuse(translator)
    spoken_first = language()
    title = _title(translator)
    front = {
        "code": front_end.inline_module(),
        "model": translator.name,
        "source": opening.source,
        "target": opening.target,
        "interventions": [intervention_to_dict(one) for one in opening.interventions],
        "opens": opening.kind,
        "layers": {module: n_layers(translator.model.config, module) for module in ATTENTION_MODULES},
        "language": spoken_first,
        "texts": {name: _texts(translator, opening, name, is_rounded) for name in LANGUAGES},
    }
    archives = {"front": _archive(front), "model": _archive(_model(translator, is_rounded))}
    filled = {
        "language": LANGUAGES[spoken_first][1],
        "theme": theme,
        "version": package_version(),
        "title": escape(title),
        "loading": escape(page_labels(is_rounded=is_rounded)["unpacking"]),
        "fallback": f"<p>{escape(picture_labels()['needs_script'])}</p>{opening.still}",
        "code": front_end.live(),
        **{name: text for name, (text, _size) in archives.items()},
        **{f"{name}_size": str(size) for name, (_text, size) in archives.items()},
    }
    return re.sub(r"\{(\w+)\}", lambda found: filled.get(found[1], found[0]), front_end.live_page())


def _refuse(translator: Translator) -> None:
    if isinstance(translator.source_tokenizer, SentencePieceTokenizer):
        raise SentenceError("Models with SentencePiece tokenizers, such as imported ones, cannot be run in a browser.")
    if not translator.model.config.has_attention:
        raise SentenceError("This model has no attention: its layers are feed-forward only.")


def _title(translator: Translator) -> str:
    name = translator.name or _("a model of your own")
    return _("{model}: type, and see what it attends to").format(model=name)


def _texts(translator: Translator, opening: Opening, name: str, is_rounded: bool) -> dict[str, Any]:
    with speaking(name):
        changes = "; ".join(str(intervention_to_dict(one)) for one in opening.interventions)
        weights = _("rounded to 8 bits") if is_rounded else _("exact, as the model has them")
        return {
            "name": LANGUAGES[name][0],
            "tag": LANGUAGES[name][1],
            "title": _title(translator),
            "facts": [
                [_("Model"), translator.name or _("a model of your own")],
                [_("Weights"), weights],
                *([[_("Changes"), changes]] if changes else []),
                [picture_labels()["made_by"], f"viz_transformer {package_version()}"],
            ],
            "page": page_labels(is_rounded=is_rounded),
            "contents": {**OVERVIEW.labels(), **measure_labels(), **sheet_labels()},
            "views": {
                key: {"panel": kind.panel, "labels": {**picture_labels(), **kind.labels()}}
                for key, kind in {**KINDS, "overview_given": OVERVIEW_OF_GIVEN}.items()
            },
            "terms": {slug: one["said"] for slug, one in glossary().items()},
            "sentences": refusals(),
            "words": {word: _(word) for word in ("source", "target")},
        }


def _archive(content: Mapping[str, Any]) -> tuple[str, int]:
    zipped = gzip.compress(pack(content), mtime=0)
    return as_text(zipped), len(zipped)


def _model(translator: Translator, is_rounded: bool) -> dict[str, Any]:
    """The files of the model, as frontend/src/live/model_files.ts reads them."""
    planes, width = _planes(_rounded(translator) if is_rounded else _exact(translator))
    return {
        "config": json.dumps(translator.model.config.to_dict()),
        "card": json.dumps(_kept(translator)),
        "sourceTokenizer": _bytes(translator.source_tokenizer.to_json()),
        "targetTokenizer": _bytes(translator.target_tokenizer.to_json()),
        "weights": planes,
        "width": width,
        "dictionaries": [json.dumps(one, ensure_ascii=False) for one in dictionaries()]
        if translator.reads_chinese
        else [],
    }


def _kept(translator: Translator) -> dict[str, Any]:
    """Of the card, what the browser reads."""
    return {
        name: translator.card[name] for name in ("simplify", "source_language", "opens_with") if name in translator.card
    }


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)  # an array: where both tokenizers are one, it is sent once


def _exact(translator: Translator) -> dict[str, np.ndarray]:
    """Every weight, in sixteen bits where that loses nothing, as with the shipped models."""
    weights = {name: one.detach().to("cpu", torch.float32).numpy() for name, one in _parameters(translator)}
    halves = {name: values.astype(np.float16) for name, values in weights.items()}
    is_whole = all(np.array_equal(halves[name].astype(np.float32), values) for name, values in weights.items())
    return halves if is_whole else weights


def _rounded(translator: Translator) -> dict[str, np.ndarray]:
    """Every matrix as integers of eight bits, with a scale for each row, as model/weights.ts reads them."""
    rounded = {}
    for name, values in _exact(translator).items():
        if values.ndim != 2:
            rounded[name] = values
            continue
        values = values.astype(np.float32)
        largest = np.abs(values).max(axis=1)
        scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        rounded[name] = np.round(values / scale[:, None]).astype(np.int8)
        rounded[f"{name}.scale"] = scale
    return rounded


def _parameters(translator: Translator) -> list[tuple[str, torch.Tensor]]:
    return [*translator.model.named_parameters()]  # a shared matrix once


def _planes(weights: Mapping[str, np.ndarray]) -> tuple[np.ndarray, int]:
    """A safetensors file, and how many planes its bytes are sorted into.

    All first bytes of numbers, then all second ones: the bytes that hold exponents then stand together, and compress.
    """
    file = np.frombuffer(save({name: np.ascontiguousarray(one) for name, one in weights.items()}), np.uint8)
    widths = {one.dtype.itemsize for one in weights.values()}
    width = widths.pop() if len(widths) == 1 else 1
    return file.reshape(-1, width).T.ravel(), width
