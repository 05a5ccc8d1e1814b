"""What the lessons share: theory, experiment, this model; and sliders whose value is in the link, clamped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from viz_transformer.ui.choices import linked_choice
from viz_transformer.ui.controls import choose_model, examples_of
from viz_transformer.ui.models import ModelChoice, load_translator
from viz_transformer.ui.text import _


def choose_part() -> str:
    """One of "theory", "experiment", "model" (in the link as `part`)."""
    parts = {"theory": _("Theory"), "experiment": _("Experiment"), "model": _("This model")}
    return linked_choice(_("Part"), "part", parts, "experiment")


def number_in_link(name: str, low: float, high: float, default: float) -> float:
    """The number that the link asks for, clamped; the default where it asks for none."""
    try:
        value = float(st.query_params.get(name, ""))
    except ValueError:
        return default
    return default if math.isnan(value) else min(max(value, low), high)


def step_in_link(name: str, steps: Sequence[int], default: int) -> int:
    """The one of `steps` that is nearest, in ratio, to what the link asks for."""
    asked = max(number_in_link(name, steps[0], steps[-1], default), 1e-9)
    return min(steps, key=lambda step: abs(math.log(max(step, 1e-9) / asked)))


def linked_steps(label: str, name: str, steps: Sequence[int], default: int, *, help: str | None = None) -> int:
    """A slider over `steps`, so that it may be logarithmic."""
    key = f"steps of {name}"
    st.session_state[key] = step_in_link(name, steps, default)  # the link leads, so that Back works
    return int(st.select_slider(label, list(steps), key=key, on_change=lambda: _keep(name, key), help=help))


def linked_slider(
    label: str, name: str, low: float, high: float, default: float, step: float, *, help: str | None = None
) -> float:
    """A slider from `low` to `high`; whole numbers where `step` is one."""
    key = f"slider of {name}"
    value = number_in_link(name, low, high, default)
    if isinstance(step, int):
        st.session_state[key] = round(value)
        low, high = int(low), int(high)
    else:
        st.session_state[key] = float(value)
        low, high = float(low), float(high)
    return st.slider(label, low, high, step=step, key=key, on_change=lambda: _keep(name, key), help=help)


def choose_model_and_source() -> tuple[ModelChoice, str]:
    """A model and a source text (in the link as `model`, `source`)."""
    model = choose_model()
    examples = examples_of(load_translator(model.name, model.device).card)
    source = st.text_input(_("Source"), value=examples[0], key="source", bind="query-params")
    return model, source or ""


def _keep(name: str, key: str) -> None:
    value = st.session_state[key]
    st.query_params[name] = f"{value:g}" if isinstance(value, float) else str(value)
