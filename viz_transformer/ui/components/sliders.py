"""Sliders and choices as data: what they can be, where they are, and what the link asks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viz_transformer.views.linked import Number, OneOf, Spelling, read_in

_MOST_DECIMALS = 2  # at most so many are given to all values of a slider because one has them


@dataclass(frozen=True)
class Slider:
    """One number, or one of a few named choices.

    Attributes:
        name: in the link.
        label: shown.
        values: its possible values, ascending; for a choice 0, 1, ….
        default: one of them.
        hint: a sentence below it.
        options: names of the choices in the link and their texts; then it is a row of buttons.
        unit: what a value of 1 is shown as.
        is_more: whether it stands behind "more", below the main ones.
        needs: a choice of the same bar and its option, without which this does nothing and cannot be moved.
    """

    name: str
    label: str
    values: tuple[float, ...]
    default: float
    hint: str = ""
    options: tuple[tuple[str, str], ...] = ()
    unit: float = 1.0
    is_more: bool = False
    needs: tuple[str, str] | None = None

    @property
    def texts(self) -> list[str]:
        """The text of each value; all numbers have the same number of decimals, so that the digits do not jump."""
        if self.options:
            return [text for _name, text in self.options]
        shown = [f"{value * self.unit:,.10g}" for value in self.values]
        decimals = max(len(text.partition(".")[2]) for text in shown)
        if "e" not in "".join(shown) and decimals <= _MOST_DECIMALS:
            shown = [f"{value * self.unit:,.{decimals}f}" for value in self.values]
        return [text.replace("-", "−") for text in shown]

    @property
    def spelling(self) -> Spelling[Any]:
        """How its value is written in the link: a number as it is, a choice by its name."""
        if self.options:
            return OneOf(tuple(name for name, _text in self.options))
        return Number(self.values[0], self.values[-1], digits=10)

    def in_link(self, place: int) -> Any:
        """What `spelling` writes for a place in `values`."""
        return self.options[place][0] if self.options else self.values[place]


Values = Mapping[str, float]  # of sliders, by name


@dataclass(frozen=True)
class Bar:
    """The sliders of one bar, and where they are.

    Attributes:
        key: of the component.
        at: the place of each slider's value in its `values`.
        nearby: places that a person may go to next, the likeliest first; none where the browser waits for an answer.
    """

    key: str
    sliders: tuple[Slider, ...]
    at: tuple[int, ...]
    nearby: tuple[tuple[int, ...], ...] = ()

    @property
    def values(self) -> Values:
        return self.values_at(self.at)

    def values_at(self, place: tuple[int, ...]) -> Values:
        return {slider.name: slider.values[n] for slider, n in zip(self.sliders, place, strict=True)}


def steps(low: float, high: float, step: float) -> tuple[float, ...]:
    """low, low + step, … high, without the rounding of repeated sums."""
    return tuple(round(low + n * step, 10) for n in range(round((high - low) / step) + 1))


def choice(name: str, label: str, options: Mapping[Any, str], default: str, *, is_more: bool = False) -> Slider:
    """A row of buttons; `options` maps names in the link to texts."""
    names = list(options)
    values = tuple(float(n) for n in range(len(names)))
    return Slider(name, label, values, float(names.index(default)), options=tuple(options.items()), is_more=is_more)


def place_in(slider: Slider, parameters: Mapping[str, str]) -> int:
    """The place of the value nearest to what a link asks for; that of the default where it asks for none."""
    usual = slider.in_link(slider.values.index(slider.default))
    asked = read_in(parameters, slider.name, slider.spelling, usual)
    places = range(len(slider.values))
    if slider.options:
        return next(place for place in places if slider.in_link(place) == asked)
    return min(places, key=lambda place: abs(slider.values[place] - asked))


def values_in(sliders: Sequence[Slider], parameters: Mapping[str, str]) -> Values:
    """The values at the places that a link asks for."""
    return {slider.name: slider.values[place_in(slider, parameters)] for slider in sliders}


def chosen(slider: Slider, values: Values) -> str:
    """The name of the chosen option."""
    return slider.options[int(values[slider.name])][0]
