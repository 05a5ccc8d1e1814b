"""Curves, bars and points as values: what a plot shows, before anything draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["bars", "line", "points"]
LayerHue = Literal["attention", "recurrent", "convolution", "dilated", "restricted"]
Hue = Literal["draw", "theory", "scaled", "unscaled", "other", "query", "key"] | LayerHue
Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Axis:
    """One axis of a plot.

    Attributes:
        title: its name, with the unit.
        log: 0 for a linear axis, else the base of its ticks: 2 or 10.
        low, high: it reaches at least to here; None leaves it to the data.
        labels: texts for the places 0, 1, … instead of numbers.
        is_fixed: it ends at `low` and `high`, and what lies beyond is left out: for plots that are compared.
    """

    title: str
    log: Literal[0, 2, 10] = 0
    low: float | None = None
    high: float | None = None
    labels: tuple[str, ...] = ()
    is_fixed: bool = False


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers that belong together.

    Attributes:
        x: (n,) places; of bars their (n + 1,) edges.
        y: (n,) heights. What is not finite, or not above 0 on a logarithmic axis, is left out of the picture.
        error: (n,) drawn as y ± error; None draws none.
        dashed: for a line.
        texts: n names of its points, said where one is pointed at.
    """

    name: str
    kind: Kind
    x: Numbers
    y: Numbers
    hue: Hue
    error: Numbers | None = None
    dashed: bool = False
    texts: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}; it was {self.kind!r}.")
        n = len(self.y)
        if len(self.x) != n + (self.kind == "bars"):
            raise ValueError(f"{self.name}: there are {n} heights, but {len(self.x)} places for {self.kind}.")
        if (self.error is not None and len(self.error) != n) or (self.texts and len(self.texts) != n):
            raise ValueError(f"{self.name}: there must be {n} errors and {n} texts, or none.")


@dataclass(frozen=True, eq=False)
class Plot:
    """One picture: a title, two axes, and its series, painted in their order.

    Attributes:
        name: unique among the plots that are shown together; of its test ids and files.
        is_wide: whether it has a row of its own.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    is_wide: bool = False

    def __getitem__(self, name: str) -> Series:
        """The series of that name."""
        return next(series for series in self.series if series.name == name)
