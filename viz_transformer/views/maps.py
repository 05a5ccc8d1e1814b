"""All heads of a pass, or of a snapshot of a training run, as the browser reads them: two bytes a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from viz_transformer.analysis.measures import MEASURES, Unit, measure_heads
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.trace import Trace
from viz_transformer.training.snapshots import STEPS_PER_UNIT, to_codes
from viz_transformer.views.linked import clamped
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

View = TypeVar("View", bound="DataclassInstance")
Floats = NDArray[np.floating]
Sizes = Mapping[str, tuple[int, int, int, int]]  # layers, heads, T and S of each module


@dataclass(frozen=True, eq=False)
class ModuleMaps:
    """The weights of every head of one module, over tokens or over words.

    Attributes:
        weights: (layers, H, T, S) from 0 to 1; NaN in a row without weights.
        mask: (layers, T, S) True = may attend.
        queries, keys: T and S labels.
        predicted: T labels, the token that each decoder row predicts; empty for the encoder.
    """

    module: AttentionModule
    weights: Floats
    mask: NDArray[np.bool_]
    queries: Sequence[str]
    keys: Sequence[str]
    predicted: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class HeadScore:
    """A number for every head: `values[module]` is (layers, H), NaN where it is not defined.

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


def sizes_of(trace: Trace) -> Sizes:
    """The sizes of the recorded maps, by module."""
    return {
        module: (n_layers(trace.config, module), *trace.attention(module, 0).weights.shape)
        for module in ATTENTION_MODULES
    }


def measure_scores(trace: Trace) -> list[HeadScore]:
    """Every measure of every head on the recorded pass."""
    measured = measure_heads(trace)
    return [
        HeadScore(
            name,
            label,
            by_module(trace.config, {head: values.get(name, np.nan) for head, values in measured.items()}),
        )
        for name, label in measure_labels().items()
    ]


def measure_labels() -> dict[str, str]:
    """The label of each measure in the reader's language, with its unit."""
    units = unit_names()
    return {
        one.name: _(one.title)
        if one.unit == "share"
        else _("{measure}, {unit}").format(measure=_(one.title), unit=units[one.unit])
        for one in MEASURES
    }


def by_module(config: TransformerConfig, values: Mapping[HeadRef, float]) -> dict[str, Floats]:
    """Module → (layers, H); NaN where there is no value."""
    return {
        module: np.array(
            [
                [values.get(HeadRef(module, m, n), np.nan) for n in range(stack_config(config, module).n_heads)]
                for m in range(n_layers(config, module))
            ]
        )
        for module in ATTENTION_MODULES
    }


def unit_names() -> dict[Unit, str]:
    """The name of each unit in the reader's language."""
    return {"share": _("share, 0 to 1"), "tokens": _("tokens"), "bits": _("bits"), "keys": _("at least 1")}


def maps_content(maps: Sequence[ModuleMaps], scores: Sequence[HeadScore] = ()) -> dict[str, Any]:
    """The weights of all heads, for `pack`; maps.ts reads them.

    Each of `modules` has what `module_content` gives, and `codes`: layer by layer and head by head, the weights of the
    cells that may be attended to and have a number, as uint16 multiples of 1 / `steps`.

    Raises:
        ValueError: labels or scores do not fit the weights, or there is no module.
    """
    if not maps:
        raise ValueError("There is no attention module to show.")
    modules = []
    for one in maps:
        layers, heads, n_queries, n_keys = one.weights.shape
        if (n_queries, n_keys) != (len(one.queries), len(one.keys)):
            raise ValueError(
                f"{one.module}: the weights have {n_queries} rows and {n_keys} columns, "
                f"but there are {len(one.queries)} query tokens and {len(one.keys)} key tokens."
            )
        for score in scores:
            if score.values[one.module].shape != (layers, heads):
                raise ValueError(
                    f"{score.label}: {one.module} has {layers} layers of {heads} heads, "
                    f"but the scores have the shape {score.values[one.module].shape}."
                )
        mask = one.mask & np.isfinite(one.weights).all(axis=1)  # (layers, T, S)
        about = module_content(one.module, heads, mask, one.queries, one.keys, one.predicted)
        modules.append(about | {"codes": to_codes(in_cells(one.weights, mask))})
    return {
        "modules": modules,
        "steps": STEPS_PER_UNIT,
        "scores": [
            {
                "name": score.name,
                "label": score.label,
                "values": {one.module: np.asarray(score.values[one.module], dtype=np.float64) for one in maps},
            }
            for score in scores
        ],
    }


def module_content(
    module: str,
    heads: int,
    mask: NDArray[np.bool_],
    queries: Sequence[str],
    keys: Sequence[str],
    predicted: Sequence[str],
) -> dict[str, Any]:
    """What the browser is told about a module besides its numbers.

    `mask` (layers, T, S) becomes one bit a cell, most significant first; `allowed` counts the cells of each layer that
    may be attended to.
    """
    return {
        "name": module,
        "queries": list(queries),
        "keys": list(keys),
        "predicted": list(predicted),
        "layers": len(mask),
        "heads": heads,
        "allowed": mask.sum(axis=(1, 2)).tolist(),
        "mask": np.packbits(mask),
    }


def in_cells(values: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[Any]:
    """(…, layers, H, T, S) → (…, cells): by layer and head, the cells that `mask` (layers, T, S) allows."""
    *rest, layers, _heads, _queries, _keys = values.shape
    return np.concatenate(
        [values[..., m, :, :, :][..., mask[m]].reshape(*rest, -1) for m in range(layers)],  # (…, H * allowed)
        axis=-1,
    )


def within(view: View, sizes: Sizes) -> View:
    """A view's `module`, `layer`, `head` and `pinned` clamped to what there is."""
    module: str = view.module  # type: ignore[attr-defined]
    if module not in sizes:
        module = next(iter(sizes))
    layers, heads, n_queries, n_keys = sizes[module]
    changed = replace(view, module=module)
    return clamped(changed, layer=layers, head=heads, pinned=(n_queries, n_keys))
