"""Sliders for whole numbers from 1 to very large ones, whose values are in the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Bar, Slider, Values
from viz_transformer.ui.shared.link import read
from viz_transformer.views.linked import Number


@dataclass(frozen=True)
class Size:
    """A whole number from `lowest` to `highest`.

    Attributes:
        name: in the link, which may hold any number of the range: one that is no step of the slider becomes one.
        label, hint: shown.
        steps: of the slider.
        default: the number where the link has none.
        unit: what 1 is shown as, such as 0.01 where the link counts hundredths.
        is_more: see `Slider`.
    """

    name: str
    label: str
    steps: Sequence[int]
    default: int
    highest: int
    lowest: int = 1
    hint: str = ""
    unit: float = 1.0
    is_more: bool = False


def size_bar(sizes: Sequence[Size], *, key: str, choices: Sequence[Slider] = ()) -> Bar:
    """Shows the sizes, then the choices, in one bar. See `whole` for its values.

    A number in the link that is too large or too small is clamped; anything else means the default.
    """
    return slider_bar([*(_slider(size) for size in sizes), *choices], key=key)


def whole(values: Values) -> dict[str, int]:
    """The sizes by name; for a choice, the index of the chosen option."""
    return {name: int(value) for name, value in values.items()}


def _slider(size: Size) -> Slider:
    key = f"seen of {size.name}"
    seen: set[int] = st.session_state.setdefault(key, set())
    seen.add(size_in_link(size))  # and stays a step, so that the slider does not change while it is dragged
    steps = sorted({step for step in {*size.steps, *seen, size.default} if size.lowest <= step <= size.highest})
    values = tuple(float(step) for step in steps)
    return Slider(size.name, size.label, values, float(size.default), size.hint, unit=size.unit, is_more=size.is_more)


def size_in_link(size: Size) -> int:
    """The number that the link has, clamped; the default where it has none."""
    return int(read(size.name, Number(size.lowest, size.highest, digits=10), size.default))
