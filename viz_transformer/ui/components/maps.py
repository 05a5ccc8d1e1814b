"""All heads of a trace as the component of heads_view.py reads them: weights in two bytes each, or every stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.trace import AttentionRecord, Trace
from viz_transformer.training.snapshots import STEPS_PER_UNIT, to_codes
from viz_transformer.ui.components.frames import frame

Floats = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class ModuleMaps:
    """The weights of every head of one module, over tokens or over words.

    Attributes:
        weights: (layers, H, T, S) in 0 … 1; NaN where a row has none.
        mask: (layers, T, S) True = may attend.
        queries, keys: T and S labels.
        predicted: T labels, what each decoder row predicts, or none.
    """

    module: AttentionModule
    weights: Floats
    mask: NDArray[np.bool_]
    queries: Sequence[str]
    keys: Sequence[str]
    predicted: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class HeadScore:
    """A number for every head: `values[module]` is (layers, H); NaN where there is none.

    Attributes:
        name: in the link; letters, digits and dashes.
        label: shown, with its unit.
    """

    name: str
    label: str
    values: Mapping[str, Floats] = field(default_factory=dict)


def maps_of(trace: Trace) -> list[ModuleMaps]:
    """The recorded weights of all three modules, token by token."""
    maps = []
    for module in ATTENTION_MODULES:
        records = [trace.attention(module, layer) for layer in range(n_layers(trace.config, module))]
        maps.append(
            ModuleMaps(
                module,
                np.stack([record.weights for record in records]),
                np.stack([record.mask for record in records]),
                records[0].query_tokens,
                records[0].key_tokens,
                () if module == "encoder_self" else trace.predicted_tokens,
            )
        )
    return maps


def pack_maps(maps: Sequence[ModuleMaps], scores: Sequence[HeadScore] = ()) -> bytes:
    """The weights of all heads.

    A JSON header (see `frame`), then for each module its mask, one bit a cell, most significant first, (layers, T, S),
    then the weights of the cells that may be attended to and have a number, uint16 (layers, H, those cells), in
    fractions of `STEPS_PER_UNIT`; the header has the number of those cells for each layer. Little-endian; each section
    is padded to a multiple of four bytes.

    Raises:
        ValueError: labels or scores that do not fit the weights, or no module.
    """
    if not maps:
        raise ValueError("There is no attention module to show.")
    sections, modules = [], []
    for one in maps:
        layers, heads, n_queries, n_keys = one.weights.shape
        if (n_queries, n_keys) != (len(one.queries), len(one.keys)):
            raise ValueError(
                f"{one.module}: the weights have {n_queries} rows and {n_keys} columns, "
                f"but there are {len(one.queries)} query tokens and {len(one.keys)} key tokens."
            )
        mask = one.mask & np.isfinite(one.weights).all(axis=1)  # (layers, T, S)
        cells = [to_codes(one.weights[layer][:, mask[layer]]).tobytes() for layer in range(layers)]
        sections += [_padded(np.packbits(mask).tobytes()), _padded(b"".join(cells))]
        labels = _labels_of(one.module, one.queries, one.keys, one.predicted)
        modules.append({**labels, "layers": layers, "allowed": mask.sum(axis=(1, 2)).tolist()})
        for score in scores:
            if score.values[one.module].shape != (layers, heads):
                raise ValueError(
                    f"{score.label}: {one.module} has {layers} layers of {heads} heads, "
                    f"but the scores have the shape {score.values[one.module].shape}."
                )
    header = {
        "modules": modules,
        "heads": maps[0].weights.shape[1],
        "steps": STEPS_PER_UNIT,
        "scores": [
            {
                "name": score.name,
                "label": score.label,
                "values": {one.module: [_numbers(row) for row in score.values[one.module]] for one in maps},
            }
            for score in scores
        ],
    }
    return b"".join([frame(header), *sections])


def pack_stages(trace: Trace) -> bytes:
    """From q and k to the weights, for all heads, every number as it was recorded.

    A JSON header, then for each module its mask, uint8 (layers, T, S), padded to a multiple of four bytes, then for
    each of its layers q (H, T, D), k (H, S, D), scores, scaled scores and weights, each (H, T, S), float32.
    """
    sections, modules = [], []
    for module in ATTENTION_MODULES:
        records = [trace.attention(module, layer) for layer in range(n_layers(trace.config, module))]
        sections.append(_padded(np.stack([record.mask for record in records]).astype(np.uint8).tobytes()))
        sections += [_stages(record) for record in records]
        predicted = () if module == "encoder_self" else trace.predicted_tokens
        labels = _labels_of(module, records[0].query_tokens, records[0].key_tokens, predicted)
        modules.append({**labels, "layers": len(records)})
    header = {"modules": modules, "heads": trace.config.n_heads, "depth": trace.config.d_model // trace.config.n_heads}
    return b"".join([frame(header), *sections])


def _stages(record: AttentionRecord) -> bytes:
    stages = (record.q, record.k, record.scores, record.scaled_scores, record.weights)
    return b"".join(stage.astype("<f4").tobytes() for stage in stages)


def _labels_of(module: str, queries: Sequence[str], keys: Sequence[str], predicted: Sequence[str]) -> dict[str, Any]:
    return {"name": module, "queries": list(queries), "keys": list(keys), "predicted": list(predicted)}


def _numbers(row: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in row]  # JSON has no NaN


def _padded(section: bytes) -> bytes:
    return section + bytes(-len(section) % 4)
