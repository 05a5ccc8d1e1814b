"""What the heads of a model do on held-out sentences: means, and the sentences with the highest values."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from viz_transformer.analysis.measures import measure_heads
from viz_transformer.analysis.scores import ALIGNMENT, AlignedPair, alignment_scores
from viz_transformer.checkpoint import WEIGHTS
from viz_transformer.heads import HeadRef
from viz_transformer.translator import Translator

HEADS = "heads.json"  # beside the model's card
TOP = 3  # sentences listed for each head and measure


class Example(NamedTuple):
    """A sentence and a head's value on it; `target` is empty where it is the model's own output."""

    value: float
    source: str
    target: str


@dataclass(frozen=True, eq=False)
class HeadCatalogue:
    """The measures of every head over held-out sentences.

    Attributes:
        about: plain JSON values: "data", "count", "seed", "attribution", "target", "weights".
        means: for each head and measure the mean over the sentences that have a value; "alignment" is over tokens.
        strongest: for each head and measure the `TOP` sentences with the largest values.
    """

    about: dict[str, Any]
    means: dict[HeadRef, dict[str, float]]
    strongest: dict[HeadRef, dict[str, tuple[Example, ...]]]


def make_catalogue(
    translator: Translator, sources: Iterable[str], about: dict[str, Any], pairs: Sequence[AlignedPair] = ()
) -> HeadCatalogue:
    """Measures every head on `sources` with the model's own greedy output, and its alignment against `pairs`."""
    found: dict[HeadRef, dict[str, list[Example]]] = {}
    for source in sources:
        for ref, values in measure_heads(translator.trace(source)).items():
            for name, value in values.items():
                if not math.isnan(value):
                    found.setdefault(ref, {}).setdefault(name, []).append(Example(value, source, ""))
    means = {ref: {n: float(np.mean([e.value for e in es])) for n, es in by.items()} for ref, by in found.items()}
    if pairs:
        scores = alignment_scores(translator, pairs)
        for (layer, head), accuracy in np.ndenumerate(scores.accuracy):
            ref = HeadRef("cross", layer, head)
            means.setdefault(ref, {})[ALIGNMENT.name] = float(accuracy)
            found.setdefault(ref, {})[ALIGNMENT.name] = [
                Example(float(value), pair.source, pair.target)
                for pair, value in zip(pairs, scores.by_pair[:, layer, head], strict=True)
                if not np.isnan(value)
            ]
    return HeadCatalogue(about, means, {ref: {n: _top(es) for n, es in by.items()} for ref, by in found.items()})


def _top(examples: Sequence[Example]) -> tuple[Example, ...]:
    """Those with the largest values; among equal ones the longer sentences, which say more."""
    distinct = dict.fromkeys(sorted(examples, key=lambda e: (-e.value, -len(e.source), e.source)))
    return tuple(distinct)[:TOP]


def write_catalogue(folder: str | Path, catalogue: HeadCatalogue) -> Path:
    """Writes `heads.json` into a model's folder, with the hash of the weights that were measured."""
    sentences: dict[tuple[str, str], int] = {}
    heads: dict[str, dict[str, Any]] = {}
    for ref, means in catalogue.means.items():
        heads[".".join(map(str, ref))] = {
            name: {
                "mean": round(mean, 4),
                "strongest": [
                    [sentences.setdefault((e.source, e.target), len(sentences)), round(e.value, 4)]
                    for e in catalogue.strongest[ref][name]
                ],
            }
            for name, mean in means.items()
        }
    path = Path(folder) / HEADS
    about = {**catalogue.about, "weights": weights_hash(folder)}
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in heads.items()]
    path.write_text(
        f'{{\n"about": {json.dumps(about, ensure_ascii=False, indent=2)},\n'
        f'"sentences": {json.dumps(list(sentences), ensure_ascii=False)},\n'
        '"heads": {\n' + ",\n".join(lines) + "\n}\n}\n",
        encoding="utf-8",
    )
    return path


def read_catalogue(folder: str | Path) -> HeadCatalogue | None:
    """The catalogue that `write_catalogue` wrote; None if there is none, or if it measured other weights.

    Raises:
        ValueError: the file is something else.
    """
    path = Path(folder) / HEADS
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sentences = [tuple(map(str, sentence)) for sentence in content["sentences"]]
        means: dict[HeadRef, dict[str, float]] = {}
        strongest: dict[HeadRef, dict[str, tuple[Example, ...]]] = {}
        for text, by_name in content["heads"].items():
            module, layer, head = text.split(".")
            ref = HeadRef(module, int(layer), int(head))
            means[ref] = {name: float(values["mean"]) for name, values in by_name.items()}
            strongest[ref] = {
                name: tuple(Example(float(value), *sentences[index]) for index, value in values["strongest"])
                for name, values in by_name.items()
            }
        catalogue = HeadCatalogue(dict(content["about"]), means, strongest)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path} is not a catalogue of heads: {error!r}.") from error
    return catalogue if catalogue.about.get("weights") == weights_hash(folder) else None


def weights_hash(folder: str | Path) -> str:
    """SHA-256 of a model's weights: a catalogue belongs to these weights and no others."""
    return hashlib.sha256((Path(folder) / WEIGHTS).read_bytes()).hexdigest()
