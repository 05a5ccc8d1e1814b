"""The random draws of the page on scaling that are not in `shared/draws.py`; and the sliders of their settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from viz_transformer.experiments.scaling.gaussian_lengths import draw_lengths
from viz_transformer.experiments.scaling.variance import DrawSettings, VarianceBySize, variance_by_size
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Bar
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.draw_sliders import pair_sliders, settings_in
from viz_transformer.ui.shared.draws import as_read
from viz_transformer.ui.shared.scheduler import scheduler

CHEAP = 1_100_000  # random components: a draw of more waits until somebody asks for it


def draw_bar() -> Bar:
    """The sliders of the draws' settings; `settings_of` reads their values."""
    return slider_bar(pair_sliders(), key="draw")


def settings_in_link() -> DrawSettings:
    """The same settings, from the link, where the sliders are not shown."""
    return settings_in(st.query_params)


def by_size(settings: DrawSettings) -> VarianceBySize:
    """The variance at every d_k; all other settings are as in `settings`."""
    return _by_size(replace(as_read(settings), d_k=1))


@kept()
def _by_size(settings: DrawSettings) -> VarianceBySize:
    with scheduler.short():
        return variance_by_size(settings)


@kept()
def lengths_of(d: int, draws: int, seed: int) -> NDArray[np.float64]:
    """What `draw_lengths` draws."""
    with scheduler.short():
        return draw_lengths(d, draws, seed)
