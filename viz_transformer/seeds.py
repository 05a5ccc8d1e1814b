"""Random numbers of torch that depend on one seed alone, whatever other threads draw meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode


class seeded(TorchDispatchMode):
    """Within `with seeded(seed):` this thread draws on the CPU what it would draw after `torch.manual_seed(seed)`.

    torch's own generator belongs to all threads: one that seeds it changes what the others draw, and they what
    it draws. Here each draw is given a generator of this context; torch's own stays as it is.

    Draw weights and inputs inside and compute with them outside: every operation in here is slower.

    Raises:
        NotImplementedError: for an operation that may draw and takes no generator, such as fused attention.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(
        self, func: OpOverload, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if torch.Tag.nondeterministic_seeded in func.tags and kwargs.get("generator") is None:
            if not any(argument.name == "generator" for argument in func._schema.arguments):
                if "generator" not in func.overloadpacket.overloads():
                    raise NotImplementedError(f"{func} takes no generator, so no seed fixes what it draws here.")
                func = func.overloadpacket.generator
            kwargs["generator"] = self.generator
        return func(*args, **kwargs)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here; True would import torch's compiler, a second and 70 MB
