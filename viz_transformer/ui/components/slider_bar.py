"""Sliders and choices in one light component, their values in the link.

Streamlit's own sliders commit on release, and a rerun renders each of them anew, which with six of them takes longer
than all the rest. These report their values while they are dragged: to the views that follow them, in the browser (see
`slider_prefetch.py`), and to Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.sliders import Bar, Slider, place_in
from viz_transformer.ui.shared.link import keep
from viz_transformer.views.linked import FLAG, INDICES, clamped, linked
from viz_transformer.views.text import _

_FURTHER = 8


@dataclass(frozen=True)
class BarView:
    """The index of each slider's value, and whether a view has no content for these values and waits for it."""

    places: tuple[int, ...] = linked(None, INDICES)
    awaited: bool = linked(None, FLAG, False)


_BAR = Component("slider_bar", BarView)


def slider_bar(sliders: Sequence[Slider], *, key: str) -> Bar:
    """Shows the sliders, and returns where they are. Where they come to rest is written into the link.

    A value in the link that a slider cannot have is replaced there by the nearest one.
    """
    asked = BarView(tuple(place_in(slider, st.query_params) for slider in sliders))
    for slider, place in zip(sliders, asked.places, strict=True):
        if slider.name in st.query_params:
            keep(slider.name, slider.spelling, slider.in_link(place))

    def fit(view: BarView) -> BarView:
        if len(view.places) != len(sliders):
            return asked
        return clamped(view, places=tuple(len(slider.values) for slider in sliders))

    def keep_places() -> None:
        committed = _BAR.committed(key)
        if committed is None:
            return
        places = fit(committed).places
        for slider, place in zip(sliders, places, strict=True):
            keep(slider.name, slider.spelling, slider.in_link(place))
        moved = [n for n, (place, before) in enumerate(zip(places, asked.places, strict=True)) if place != before]
        if moved:
            st.session_state[moved_key] = moved[0]

    moved_key = f"{key}:moved"
    committed = _BAR.committed(key)
    # The committed view is preferred: the link does not say whether a view waits.
    view = committed if committed is not None and committed.places == asked.places else asked
    _BAR.show(
        SharedPayload(tuple(sliders), lambda: _content(sliders)), key=key, view=view, fit=fit, on_change=keep_places
    )
    nearby = () if view.awaited else _places_nearby(sliders, asked.places, st.session_state.get(moved_key))
    return Bar(key, tuple(sliders), asked.places, nearby)


def _content(sliders: Sequence[Slider]) -> dict[str, Any]:
    return {
        "label": _("Settings"),
        "more": _("More settings"),
        "sliders": [
            {
                "name": slider.name,
                "label": slider.label,
                "hint": slider.hint,
                "texts": slider.texts,
                "usual": slider.values.index(slider.default),
                "isChoice": bool(slider.options),
                "isMore": slider.is_more,
                "needs": _needed(sliders, slider),
            }
            for slider in sliders
        ],
    }


def _places_nearby(sliders: Sequence[Slider], at: tuple[int, ...], moved: int | None) -> tuple[tuple[int, ...], ...]:
    """All places with one slider moved, nearest first; distances of the one that moved last count 1 / `_FURTHER`."""
    ways = []
    for n, slider in enumerate(sliders):
        for place in range(len(slider.values)):
            distance = 1 if slider.options else abs(place - at[n])
            ways.append((distance / (_FURTHER if n == moved else 1), n, place))
    return tuple((*at[:n], place, *at[n + 1 :]) for distance, n, place in sorted(ways) if place != at[n])


def _needed(sliders: Sequence[Slider], slider: Slider) -> list[int] | None:
    """The slider that this one depends on and the place it must be at, as indices; None if it depends on none."""
    if slider.needs is None:
        return None
    name, option = slider.needs
    n = next(n for n, one in enumerate(sliders) if one.name == name)
    return [n, [option_name for option_name, _text in sliders[n].options].index(option)]
