"""Whole numbers from 1 to very many on a slider, in the link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def linked_size(
    label: str,
    name: str,
    options: Sequence[int],
    default: int,
    *,
    highest: int,
    lowest: int = 1,
    help: str | None = None,
) -> int:
    """A whole number from `lowest` to `highest` on a slider whose steps are `options`.

    The link may hold any number in between: it becomes a step of the slider. Larger ones are clamped, what is no
    number is the default.
    """
    key = f"size {name}"
    asked = size_in_link(name, default, lowest, highest)
    seen: set[int] = st.session_state.setdefault(f"{key} seen", set())
    seen.add(asked)  # and stays, so that the slider does not change under the hand
    st.session_state[key] = asked  # the link leads, so that Back works

    def keep() -> None:
        st.query_params[name] = str(st.session_state[key])

    steps = sorted({*options, *seen, default})
    return int(st.select_slider(label, steps, format_func=size_text, key=key, on_change=keep, help=help))


def size_in_link(name: str, default: int, lowest: int, highest: int) -> int:
    """The number that the link has under `name`, clamped; `default` where it has none."""
    text = st.query_params.get(name, "")
    if not (text.isascii() and text.isdecimal()):
        return default
    return max(lowest, min(int(text[:12]), highest))


def size_text(value: int) -> str:
    """37,000 as people write it."""
    return f"{value:,}"
