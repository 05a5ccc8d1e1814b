"""Named points in the forward pass, and the context that records there or intervenes there.

The active hooks live in a `ContextVar`, not on the model: every thread has its own, so any number of
visitors can trace one shared model with different interventions at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor, nn

Hook = Callable[[str, Tensor], Tensor | None]
"""Called with a point's name and its tensor. What it returns replaces the tensor; None leaves it as it is."""

_active: ContextVar[tuple[Hook, ...]] = ContextVar("viz_transformer_hooks", default=())
_every_stage: ContextVar[bool] = ContextVar("viz_transformer_every_stage", default=False)


class HookPoint(nn.Module):
    """An identity that shows its tensor to the active hooks.

    Args:
        shape: the tensor's shape in the letters of this package's legend, for people.
    """

    def __init__(self, shape: str) -> None:
        super().__init__()
        self.shape = shape
        self.name = ""  # its path in the model, set by `name_hook_points`

    def __call__(self, tensor: Tensor) -> Tensor:  # not `forward`: a module's own call takes longer than the hooks do
        for hook in _active.get():
            replacement = hook(self.name, tensor)
            if replacement is not None:
                tensor = replacement
        return tensor

    def extra_repr(self) -> str:
        return f"{self.name} {self.shape}"


def hooks_active() -> bool:
    """Whether this thread is recording or intervening, so that attention is computed as the formula says."""
    return bool(_active.get())


def every_stage_is_seen() -> bool:
    """Whether some hook wants each stage between QKᵀ and the weights as a tensor of its own."""
    return _every_stage.get()


@contextmanager
def active_hooks(*hooks: Hook, every_stage: bool = True) -> Iterator[None]:
    """Runs `hooks`, in this order, at every hook point until the block ends.

    Blocks nest: the outer block's hooks run first. Put interventions before the recorder, so that what is
    recorded is what the model went on with.

    Args:
        hooks: what is run.
        every_stage: whether they see `scores`, `scaled_scores`, `masked_scores` and `weights`. If no active block wants
            them, these are computed one after the other in one tensor, and can be made again from q, k and the mask.
    """
    tokens = _active.set(_active.get() + hooks), _every_stage.set(_every_stage.get() or every_stage)
    try:
        yield
    finally:
        _active.reset(tokens[0])
        _every_stage.reset(tokens[1])


def name_hook_points(model: nn.Module) -> None:
    """Gives every hook point below `model` its path as a name, such as `encoder.0.self_attention.scores`."""
    for name, module in model.named_modules():
        if isinstance(module, HookPoint):
            module.name = name
