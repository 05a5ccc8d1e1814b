"""What-if changes to the forward pass. Each is a value; its hook acts inside the pass that is recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any, Literal, Protocol, TypeVar, get_args

import torch
from torch import Tensor

from viz_transformer.config import MAX_SIZE, TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, hook_path, parse_hook_path
from viz_transformer.hooks import Hook
from viz_transformer.sentences import brief
from viz_transformer.slips import CosineTwice, InvertMasks, MaskDiagonal, QueryFromMemory, SoftmaxOverQueries

T = TypeVar("T")
Divisor = Literal["sqrt_d_k", "none", "sqrt_d_model"]
MaskMode = Literal["on", "off", "after_softmax"]
Side = Literal["source", "target", "both"]


class Intervention(Protocol):
    """A frozen, hashable description of one change. It acts before the logits, which are always those of the output."""

    def hook(self, config: TransformerConfig) -> Hook:
        """A fresh hook for one forward pass; raises a ValueError if the model cannot be changed this way."""
        ...


@dataclass(frozen=True)
class AblateHeads:
    """Sets what some heads contribute to zero, at `context`: the same as zeroing their rows of W_O's input.

    Their weights are still computed, so their heatmaps stay visible.
    """

    heads: frozenset[HeadRef]

    def __init__(self, heads: Iterable[HeadRef]) -> None:
        if isinstance(heads, HeadRef | str) or not isinstance(heads, Iterable):
            raise ValueError(f"heads must be a list of them, such as [HeadRef('cross', 0, 1)]; it was {brief(heads)}.")
        object.__setattr__(self, "heads", frozenset(map(_head, heads)))

    def hook(self, config: TransformerConfig) -> Hook:
        ablated: dict[str, list[int]] = {}
        for head in sorted(self.heads):
            head.check(config)
            ablated.setdefault(f"{hook_path(head.module, head.layer)}.context", []).append(head.head)

        def ablate(name: str, tensor: Tensor) -> Tensor | None:
            if name not in ablated:
                return None
            index = torch.tensor(ablated[name], device=tensor.device)
            return tensor.index_fill(1, index, 0.0)  # (B, H, T, D)

        return ablate


@dataclass(frozen=True)
class ScaleScores:
    """Divides QKᵀ by √d_k (the paper), by nothing, or by √d_model (a common mistake), in every module; once a pass."""

    divisor: Divisor = "none"

    def __post_init__(self) -> None:
        _check("divisor", self.divisor, get_args(Divisor))

    def hook(self, config: TransformerConfig) -> Hook:
        def factor(stack: TransformerConfig) -> float:
            divisor = {"sqrt_d_k": math.sqrt(stack.d_k), "none": 1.0, "sqrt_d_model": math.sqrt(stack.d_model)}
            return stack.score_divisor / divisor[self.divisor]

        in_encoder, in_decoder = factor(config), factor(config.decoder)

        def scale(name: str, tensor: Tensor) -> Tensor | None:
            if not name.endswith(".scaled_scores"):
                return None
            return tensor * (in_encoder if name.startswith("encoder") else in_decoder)

        return scale


@dataclass(frozen=True)
class Temperature:
    """Divides QKᵀ / √d_k by `temperature` as well, in every module: below 1 sharpens the softmax, above 1 flattens."""

    temperature: float

    def __post_init__(self) -> None:
        value = self.temperature
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-3 <= value <= 1e3:
            raise ValueError(f"temperature must be a number from 0.001 to 1000; it was {value!r}.")

    def hook(self, config: TransformerConfig) -> Hook:
        return lambda name, tensor: tensor / self.temperature if name.endswith(".scaled_scores") else None


@dataclass(frozen=True)
class ScaleHead:
    """Multiplies the scaled scores of one head by `factor`: √d_k takes its scaling away, less than 1 flattens it."""

    head: HeadRef
    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", _head(self.head))
        if isinstance(self.factor, bool) or not isinstance(self.factor, int | float) or not 1e-3 <= self.factor <= 1e3:
            raise ValueError(f"factor must be a number from 0.001 to 1000; it was {self.factor!r}.")

    def hook(self, config: TransformerConfig) -> Hook:
        self.head.check(config)
        module, layer, head = self.head
        point = f"{hook_path(module, layer)}.scaled_scores"

        def scale(name: str, tensor: Tensor) -> Tensor | None:
            if name != point:
                return None
            index = torch.tensor([head], device=tensor.device)
            return tensor.index_copy(1, index, tensor[:, head : head + 1] * self.factor)  # (B, H, T, S)

        return scale


@dataclass(frozen=True)
class ChangeMask:
    """Takes the masks of some modules away, or multiplies by them after the softmax, without renormalising.

    Off: every query may attend to every key. After the softmax: the weights are mask · softmax(scaled scores), and rows
    no longer sum to 1. The scores are scaled before the softmax, so a divisor or a temperature counts wherever it
    stands in the list; and a mask that another `ChangeMask` took away masks nothing here either. See `hooks_of`.
    """

    mode: MaskMode = "off"
    modules: frozenset[AttentionModule] = frozenset(ATTENTION_MODULES)

    def __post_init__(self) -> None:
        _check("mode", self.mode, get_args(MaskMode))
        if isinstance(self.modules, str) or not isinstance(self.modules, Iterable):
            raise ValueError(f"modules must be a list of them, such as ['cross']; it was {brief(self.modules)}.")
        object.__setattr__(self, "modules", frozenset(self.modules))
        for module in self.modules:
            _check("module", module, ATTENTION_MODULES)

    def hook(self, config: TransformerConfig) -> Hook:
        seen: dict[str, Tensor] = {}  # of the module that is being computed: one pass runs one at a time

        def change(name: str, tensor: Tensor) -> Tensor | None:
            place = parse_hook_path(name)
            if place is None or place[0] not in self.modules or self.mode == "on":
                return None
            stage = place[2]
            if self.mode == "off":
                return torch.ones_like(tensor) if stage == "mask" else None
            if stage in ("mask", "scaled_scores"):
                seen[stage] = tensor
            elif stage == "masked_scores":
                return seen["scaled_scores"]
            elif stage == "weights":
                return tensor * seen["mask"]
            return None

        return change


@dataclass(frozen=True)
class PositionsOff:
    """Adds no positional encoding: the side becomes a bag of words."""

    side: Side = "both"

    def __post_init__(self) -> None:
        _check("side", self.side, get_args(Side))

    def hook(self, config: TransformerConfig) -> Hook:
        names = _position_points(self.side, "encoding")
        return lambda name, tensor: torch.zeros_like(tensor) if name in names else None


@dataclass(frozen=True)
class ShiftPositions:
    """Gives every token the positional encoding of a place `offset` further on."""

    offset: int
    side: Side = "both"

    def __post_init__(self) -> None:
        _check("side", self.side, get_args(Side))
        if isinstance(self.offset, bool) or not isinstance(self.offset, int) or not 0 <= self.offset <= MAX_SIZE:
            raise ValueError(f"offset must be a whole number from 0 to {MAX_SIZE}; it was {self.offset!r}.")

    def hook(self, config: TransformerConfig) -> Hook:
        names = _position_points(self.side, "positions")
        return lambda name, tensor: tensor + self.offset if name in names else None


@dataclass(frozen=True)
class PermuteSource:
    """Reads the source tokens in another order: token `order[i]` comes at place i. The end token counts too."""

    order: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        if sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"order must hold each of 0 to {len(self.order) - 1} once; it was {list(self.order)}.")

    def apply(self, tokens: Sequence[T]) -> tuple[T, ...]:
        """`tokens` in the new order; raises a ValueError where their number is another."""
        if len(tokens) != len(self.order):
            raise ValueError(
                f"The order is for {len(self.order)} source tokens, the end token included; there are {len(tokens)}."
            )
        return tuple(tokens[i] for i in self.order)

    def hook(self, config: TransformerConfig) -> Hook:
        def permute(name: str, tensor: Tensor) -> Tensor | None:
            if name != "source_tokens":
                return None
            order = self.apply(range(tensor.shape[1]))
            return tensor[:, list(order)]  # (B, S)

        return permute


def hooks_of(interventions: Sequence[Intervention], config: TransformerConfig) -> list[Hook]:
    """Fresh hooks for one forward pass: in the order of the list, but for masks after the softmax, which act last.

    Such a mask gives the softmax the scores as they were before masking, so all else must have scaled them by then.

    Raises:
        ValueError: the model cannot be changed this way, the scores would have more than one divisor, or something in
            the list is no intervention.
    """
    if not isinstance(interventions, Iterable) or not all(hasattr(one, "hook") for one in interventions):
        raise ValueError(
            f"interventions must be a list of them, such as [AblateHeads(…)]; it was {brief(interventions)}."
        )
    divisors = sum(isinstance(intervention, ScaleScores) for intervention in interventions)
    if divisors > 1:
        raise ValueError(f"Scores have one divisor, but ScaleScores was listed {divisors} times; list it once.")
    return [intervention.hook(config) for intervention in sorted(interventions, key=_is_mask_after_softmax)]


def _is_mask_after_softmax(intervention: Intervention) -> bool:
    return isinstance(intervention, ChangeMask) and intervention.mode == "after_softmax"


KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        AblateHeads,
        ScaleScores,
        Temperature,
        ScaleHead,
        ChangeMask,
        PositionsOff,
        ShiftPositions,
        PermuteSource,
        SoftmaxOverQueries,
        InvertMasks,
        MaskDiagonal,
        QueryFromMemory,
        CosineTwice,
    )
}


def intervention_to_dict(intervention: Any) -> dict[str, Any]:
    """Plain JSON values: the kind's name and its fields."""
    values = {
        name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(intervention).items()
    }
    return {"kind": type(intervention).__name__, **values}


def intervention_from_dict(values: dict[str, Any]) -> Intervention:
    """The intervention that `intervention_to_dict` wrote; raises a ValueError for anything else."""
    values = dict(values)
    kind = KINDS.get(str(values.pop("kind", "")))
    if kind is None or set(values) != {field.name for field in fields(kind)}:
        raise ValueError(f"This is no intervention of this package: {values!r}.")
    try:
        intervention: Intervention = kind(**values)
    except TypeError as error:  # a number where a list should be, a list where a name should be
        raise ValueError(f"{kind.__name__} cannot be made of {values!r}: {error}.") from error
    return intervention


def _head(head: Any) -> HeadRef:
    """Of a triple, numpy's whole numbers too; raises a ValueError for anything else."""
    try:
        module, layer, number = head
    except (TypeError, ValueError):
        module = layer = number = None
    if not all(isinstance(n, Integral) and not isinstance(n, bool) for n in (layer, number)):
        raise ValueError(f"A head is a module, a layer and a number; it was {brief(head)}.")
    return HeadRef(module, int(layer), int(number))


def _check(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; it was {value!r}.")


def _position_points(side: Side, point: str) -> set[str]:
    sides = ("source", "target") if side == "both" else (side,)
    return {f"{name}_embedding.positions.{point}" for name in sides}
