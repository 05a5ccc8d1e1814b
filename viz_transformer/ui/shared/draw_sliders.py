"""The sliders for random draws. They say what a link of Scaling means, for that page and for questions of a lecture."""

from __future__ import annotations

from collections.abc import Mapping

from viz_transformer.experiments.scaling.saturation import MAX_KEYS, SIZES
from viz_transformer.experiments.scaling.variance import Distribution, DrawSettings
from viz_transformer.ui.components.sliders import Slider, Values, choice, steps, values_in
from viz_transformer.views.text import _

D_K_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
DRAW_STEPS = (1, 10, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000)
DEFAULT = DrawSettings(draws=1000)


def distributions() -> dict[Distribution, str]:
    return {
        "normal": _("normal"),
        "uniform": _("uniform"),
        "rademacher": _("Rademacher: +1 or −1"),
        "student": _("Student's t: heavy tails"),
    }


def pair_sliders() -> list[Slider]:
    """The sliders for pairs q, k; `settings_of` turns their values into settings."""
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
            _("With probability |ρ|, k_i is a copy of q_i (negated where ρ < 0); otherwise it is drawn independently."),
            is_more=True,
        ),
        Slider(
            "nu",
            _("ν: degrees of freedom of Student's t"),
            steps(1, 30, 0.5),
            DEFAULT.degrees,
            _("For Student's t only: the fewer, the heavier its tails."),
            is_more=True,
            needs=("dist", "student"),
        ),
        seed_slider(),
    ]


def softmax_sliders() -> list[Slider]:
    """The sliders for the softmax over n keys; `draws.scores_by_size` draws the scores."""
    return [
        Slider("dk", _("d_k: components of q and of k"), SIZES, 64),
        Slider("keys", _("n: keys"), steps(1, MAX_KEYS, 1), 16),
        seed_slider(),
    ]


def seed_slider() -> Slider:
    return Slider("seed", _("Seed"), steps(0, 99, 1), 0.0, is_more=True)


def settings_in(parameters: Mapping[str, str]) -> DrawSettings:
    """The settings of pairs that a link asks for."""
    return settings_of(values_in(pair_sliders(), parameters))


def settings_of(values: Values) -> DrawSettings:
    """The settings that the sliders of pairs are at."""
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
