"""Sliders and choices in one light component, their values in the link.

Streamlit's own sliders commit on release, and a rerun renders each of them anew, which with six of them takes longer
than all the rest. These are heard of while they are dragged: by the views that go along with them, in the browser (see
`ahead.py`), and by Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import committed_fields, settle
from viz_transformer.ui.components.sliders import Bar, Slider, value_in_link
from viz_transformer.ui.shared.text import _

_AHEAD = 8


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
