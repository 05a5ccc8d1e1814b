"""What the page on scaling draws: its settings, all in the link, and what it draws besides `shared/draws.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.scaling.gaussian_lengths import draw_lengths
from viz_transformer.experiments.scaling.variance import (
    Distribution,
    DrawSettings,
    VarianceBySize,
    variance_by_size,
)
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Bar, Slider, Values, choice, steps, value_in_link
from viz_transformer.ui.shared.draws import as_read
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.slots import compute_slots
from viz_transformer.views.text import _

D_K_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
DRAW_STEPS = (1, 10, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000)
DEFAULT = DrawSettings(draws=1000)
CHEAP = 1_100_000  # components drawn before anybody asks for them


def distributions() -> dict[Distribution, str]:
    return {
        "normal": _("normal"),
        "uniform": _("uniform"),
        "rademacher": _("Rademacher: +1 or −1"),
        "student": _("Student's t: heavy tails"),
    }


def sliders() -> list[Slider]:
    """Of everything that is drawn."""
    return [
        Slider("dk", _("d_k: components of q and of k"), D_K_STEPS, DEFAULT.d_k),
        Slider("draws", _("Draws of a pair q, k"), DRAW_STEPS, DEFAULT.draws),
        choice("dist", _("Distribution of a component"), distributions(), DEFAULT.distribution),
        Slider("mean", _("μ: mean of a component"), steps(-2, 2, 0.1), 0.0, is_more=True),
        Slider(
            "sd",
            _("σ: factor of each component"),
            steps(0, 3, 0.1),
            1.0,
            _("The standard deviation, except for Student's t, whose variance is σ² ν / (ν − 2)."),
            is_more=True,
        ),
        Slider(
            "rho",
            _("ρ: correlation of q_i and k_i"),
            steps(-1, 1, 0.1),
            0.0,
            _("With probability |ρ|, k_i is a copy of q_i (mirrored where ρ < 0) instead of a draw of its own."),
            is_more=True,
        ),
        Slider(
            "nu",
            _("ν: degrees of freedom of Student's t"),
            steps(1, 30, 0.5),
            DEFAULT.degrees,
            _("Only with Student's t: the fewer, the heavier its tails."),
            is_more=True,
            needs=("dist", "student"),
        ),
        seed_slider(),
    ]


def seed_slider() -> Slider:
    return Slider("seed", _("Seed"), steps(0, 99, 1), 0.0, is_more=True)


def draw_bar() -> Bar:
    """The sliders of everything that is drawn. See `settings_of` for its values."""
    return slider_bar(sliders(), key="draw")


def settings_in_link() -> DrawSettings:
    """The same settings without the sliders."""
    return settings_of({slider.name: value_in_link(slider) for slider in sliders()})


def settings_of(values: Values) -> DrawSettings:
    """The settings that the sliders are at."""
    return DrawSettings(
        int(values["dk"]),
        int(values["draws"]),
        list(distributions())[int(values["dist"])],
        values["nu"],
        values["mean"],
        values["sd"],
        values["rho"],
        int(values["seed"]),
    )


def by_size(settings: DrawSettings) -> VarianceBySize:
    """The variance at every d_k, under these settings but for their own d_k."""
    return _by_size(replace(as_read(settings), d_k=1))


@kept()
def _by_size(settings: DrawSettings) -> VarianceBySize:
    with compute_slots.short():
        return variance_by_size(settings)


@kept()
def lengths_of(d: int, draws: int, seed: int) -> NDArray[np.float64]:
    """What `draw_lengths` draws."""
    with compute_slots.short():
        return draw_lengths(d, draws, seed)
