"""Sliders and choices in one light component, their values in the link.

Streamlit's own sliders commit on release, and a rerun renders each of them anew, which with six of them takes longer
than all the rest. These are heard of while they are dragged: by the views that go along with them, in the browser (see
`ahead.py`), and by Python.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import committed_fields, settle
from viz_transformer.ui.shared.text import _

_AHEAD = 8


@dataclass(frozen=True)
class Slider:
    """One number, or one of a few named choices.

    Attributes:
        name: in the link.
        label: shown.
        values: what it can be, ascending; of choices 0, 1, ….
        default: one of them.
        hint: a tooltip.
        options: names of the choices in the link and their texts; then it is a row of buttons.
    """

    name: str
    label: str
    values: tuple[float, ...]
    default: float
    hint: str = ""
    options: tuple[tuple[str, str], ...] = ()


Values = Mapping[str, float]  # of sliders, by name


@dataclass(frozen=True)
class Bar:
    """Where sliders are.

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


def choice(name: str, label: str, options: Mapping[Any, str], default: str) -> Slider:
    """A row of buttons; `options` are names in the link and texts."""
    names = list(options)
    values = tuple(float(n) for n in range(len(names)))
    return Slider(name, label, values, float(names.index(default)), options=tuple(options.items()))


def value_in_link(slider: Slider) -> float:
    """The value nearest to what the link asks for; the default where it asks for none.

    Of a choice the link holds the name.
    """
    asked = st.query_params.to_dict().get(slider.name)
    if asked is None:
        return slider.default
    if slider.options:
        names = [name for name, _text in slider.options]
        return float(names.index(asked)) if asked in names else slider.default
    try:
        wanted = float(asked)
    except ValueError:
        return slider.default
    if math.isnan(wanted):
        return slider.default
    return min(slider.values, key=lambda value: abs(value - max(slider.values[0], min(wanted, slider.values[-1]))))


def slider_bar(sliders: Sequence[Slider], *, key: str) -> Bar:
    """Shows the sliders, and returns where they are. Where they come to rest is written into the link."""
    asked = tuple(slider.values.index(value_in_link(slider)) for slider in sliders)

    def keep() -> None:
        committed = _committed(key, sliders)
        if committed is None:
            return
        st.query_params.update(
            {slider.name: _link_text(slider, place) for slider, place in zip(sliders, committed, strict=True)}
        )
        moved = [n for n, (place, before) in enumerate(zip(committed, asked, strict=True)) if place != before]
        if moved:
            st.session_state[moved_key] = moved[0]

    moved_key = f"{key}:moved"
    content = " ".join(f"{slider.name}:{len(slider.values)}" for slider in sliders)
    sent = settle(key, asked, _committed(key, sliders), content=content)
    request = {
        "key": key,
        "revision": sent.revision,
        "view": {"places": list(sent.shown)},
        "sliders": [
            {
                "name": slider.name,
                "label": slider.label,
                "hint": slider.hint,
                "texts": [text for _name, text in slider.options] or [_number_text(value) for value in slider.values],
                "isChoice": bool(slider.options),
            }
            for slider in sliders
        ],
        "label": _("Settings"),
    }
    component("slider_bar")(key=key, data=frame(request), on_view_change=keep)
    is_awaited = (committed_fields(key) or {}).get("isAwaited", False)
    nearby = () if is_awaited else _places_nearby(sliders, asked, st.session_state.get(moved_key))
    return Bar(key, tuple(sliders), asked, nearby)


def _places_nearby(sliders: Sequence[Slider], at: tuple[int, ...], moved: int | None) -> tuple[tuple[int, ...], ...]:
    """One slider somewhere else, the nearest places first; of the one that moved last, `_AHEAD` times as far."""
    ways = []
    for n, slider in enumerate(sliders):
        for place in range(len(slider.values)):
            distance = 1 if slider.options else abs(place - at[n])
            ways.append((distance / (_AHEAD if n == moved else 1), n, place))
    return tuple((*at[:n], place, *at[n + 1 :]) for distance, n, place in sorted(ways) if place != at[n])


def chosen(slider: Slider, values: Values) -> str:
    """The name of a choice."""
    return slider.options[int(values[slider.name])][0]


def _committed(key: str, sliders: Sequence[Slider]) -> tuple[int, ...] | None:
    raw = (committed_fields(key) or {}).get("places")
    if not isinstance(raw, list) or len(raw) != len(sliders):
        return None
    places = [place if isinstance(place, int) else 0 for place in raw]
    return tuple(max(0, min(place, len(one.values) - 1)) for place, one in zip(places, sliders, strict=True))


def _link_text(slider: Slider, place: int) -> str:
    return slider.options[place][0] if slider.options else f"{slider.values[place]:.10g}"


def _number_text(value: float) -> str:
    return f"{value:,.10g}".replace("-", "−")
