"""What one forward pass computed at every hook point: what was kept, and what is made again when it is looked at.

The stages from QKᵀ to the weights take T × S numbers a head, the logits T × V: more than all the rest together. They
follow from the rest by the operations of the pass itself, so they are made anew, the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import torch
from torch import Tensor

from viz_transformer.attention import attention_stages
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import parse_hook_path, stack_config

STAGES = ("scores", "scaled_scores", "masked_scores", "weights")


class Recording(Mapping[str, Tensor]):
    """Hook points by name, in the order of the pass, with the tensor that each saw.

    Args:
        kept: what was recorded. What is in it is not made again: under interventions the stages are in it.
        config: of the model.
        logits_of: makes the logits of "decoder_output"; None where they are kept, or the model is not at hand.
        device: where the pass ran, and what is made again is made; None where `kept` is.

    Attributes:
        kept: the same, all that takes memory.
    """

    def __init__(
        self,
        kept: Mapping[str, Tensor],
        config: TransformerConfig,
        logits_of: Callable[[Tensor], Tensor] | None = None,
        device: torch.device | None = None,
    ) -> None:
        self.kept = kept
        self._config, self._logits_of, self._device = config, logits_of, device

    @cached_property
    def _names(self) -> dict[str, None]:
        return dict.fromkeys(point for name in self.kept for point in (name, *self._made_after(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Tensor:
        """What the point saw; a KeyError where the model has no such point."""
        if name in self.kept:
            return self.kept[name]
        if name not in self._names:
            raise KeyError(name)
        with torch.inference_mode():
            return self._made(name)

    def on_cpu(self) -> Recording:
        """The same in the memory of the processor; what is made again is still made where the pass ran."""
        devices = {tensor.device for tensor in self.kept.values()}
        kept = {name: tensor.cpu() for name, tensor in self.kept.items()}
        device = next(iter(devices), None)
        return Recording(kept, self._config, self._logits_of, device)

    def shape(self, name: str) -> tuple[int, ...]:
        """That of `self[name]`, without making it."""
        path, _, point = name.rpartition(".")
        if name not in self.kept and point in STAGES:
            return (*self.kept[f"{path}.q"].shape[:3], self.kept[f"{path}.k"].shape[2])
        if name not in self.kept and name == "logits":
            return (*self.kept["decoder_output"].shape[:2], self._config.target_vocab_size)
        return tuple(self[name].shape)

    def stages(self, path: str) -> dict[str, Tensor]:
        """Scores, scaled scores, masked scores and weights of one attention module, each (B, H, T, S)."""
        if f"{path}.weights" in self.kept:
            return {stage: self.kept[f"{path}.{stage}"] for stage in STAGES}
        found: dict[str, Tensor] = {}

        def see(stage: str, tensor: Tensor) -> Tensor:
            found[stage] = self._back(tensor)
            return tensor

        place = parse_hook_path(f"{path}.weights")
        assert place is not None  # every mask is that of an attention module
        divisor = stack_config(self._config, place[0]).score_divisor
        q, k, mask = (self._operand(f"{path}.{point}") for point in ("q", "k", "mask"))
        with torch.inference_mode():
            attention_stages(q, k, mask, divisor, see)
        return found

    def _operand(self, name: str) -> Tensor:
        return self.kept[name].to(self._device)

    def _back(self, made: Tensor) -> Tensor:
        return made if self._device is None else made.cpu()

    def _made_after(self, name: str) -> list[str]:
        """The points that follow from `name` and what came before it."""
        path, _, point = name.rpartition(".")
        if point == "mask":
            return [f"{path}.{made}" for made in (*STAGES, "context")]
        return ["logits"] if name == "decoder_output" and self._logits_of else []

    def _made(self, name: str) -> Tensor:
        path, _, point = name.rpartition(".")
        if self._logits_of is not None and name == "logits":
            logits: Tensor = self._logits_of(self._operand("decoder_output"))
            return self._back(logits)
        if point == "context":
            by_head: Tensor = self.kept[f"{path}.concatenated"].unflatten(2, (self.kept[f"{path}.q"].shape[1], -1))
            return by_head.transpose(1, 2)  # (B, T, H, D) -> (B, H, T, D)
        return self.stages(path)[point]
