"""What a figure is made of, checked before it is drawn: every message says what was given and what is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]


def array(name: str, values: ArrayLike, n_axes: int, *, is_finite: bool = True) -> Floats:
    """The values as an array of numbers with `n_axes` axes, none of them empty; float32 stays float32.

    They may be a torch tensor, also one of bfloat16 or one that requires a gradient.

    Raises:
        ValueError: they are anything else.
    """
    given = np.asarray(_readable(values))
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be numbers; it has {given.dtype}.")
    if given.ndim != n_axes or 0 in given.shape:
        raise ValueError(f"{name} must have {n_axes} axes and not be empty; its shape is {given.shape}.")
    floats = given if given.dtype.kind == "f" else given.astype(np.float64)
    if is_finite and not np.isfinite(floats).all():
        raise ValueError(f"{name} must be finite; {int((~np.isfinite(floats)).sum())} of its numbers are not.")
    return floats


def _readable(values: Any) -> Any:
    """A torch tensor as numpy can read it, without importing torch (bfloat16 becomes float32); else the values."""
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach().cpu()
    return tensor.float() if tensor.is_floating_point() and tensor.itemsize < 4 else tensor


def same_length(**sequences: Sequence[Any] | Floats) -> None:
    """Checks that all have the same number of entries.

    Raises:
        ValueError: they have not.
    """
    if len({len(one) for one in sequences.values()}) > 1:
        raise ValueError(
            "As many are needed of each: there are "
            + ", ".join(f"{len(one)} {name.replace('_', ' ')}" for name, one in sequences.items())
            + "."
        )


def tokens(name: str, given: Sequence[str], count: int) -> list[str]:
    """The labels of an axis with `count` places.

    Raises:
        ValueError: there are more or fewer, or one is no str.
    """
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"{name} must be a list of texts; it was {str(given)[:60]!r}.")
    if len(given) != count:
        raise ValueError(f"{name} must have a text for each of {count} places; it has {len(given)}.")
    return list(given)


def allowed(mask: ArrayLike | None, shape: tuple[int, int]) -> Bools:
    """The mask as bools (T, S), True = may attend; None allows every cell.

    Raises:
        ValueError: it has another shape, or is not of bools.
    """
    if mask is None:
        return np.ones(shape, dtype=np.bool_)
    given = np.asarray(mask)
    if given.dtype != np.bool_ or given.shape != shape:
        raise ValueError(
            f"mask must be bools of shape {shape}, True = may attend; it has {given.dtype} of shape {given.shape}."
        )
    return given


def texts(usual: Mapping[str, str], given: Mapping[str, str] | None) -> dict[str, str]:
    """The texts of a figure by name: those that are given, else `usual`, which is in English.

    Raises:
        ValueError: a name is none of the figure's.
    """
    unknown = sorted(set(given or {}) - set(usual))
    if unknown:
        raise ValueError(f"labels may have {', '.join(usual)}; {', '.join(unknown)} is none of them.")
    return {**usual, **(given or {})}
