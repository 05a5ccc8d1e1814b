"""The experiment on lengths: Gaussian vectors drawn, and the shell that they lie in."""

from __future__ import annotations

import math

import numpy as np

from viz_transformer.charts.plots import Plot
from viz_transformer.charts.scaling import density_plot, shell_plot
from viz_transformer.experiments.scaling.gaussian_lengths import length_density, length_mean, length_variance
from viz_transformer.experiments.scaling.saturation import SIZES
from viz_transformer.experiments.scaling.variance import estimate_mean, estimate_variance, histogram, normal_density
from viz_transformer.ui.components.number_table import Table, decimals
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, Values
from viz_transformer.ui.scaling.draws import CHEAP, lengths_of
from viz_transformer.ui.scaling.experiment import with_error
from viz_transformer.ui.shared.draw_sliders import D_K_STEPS, DRAW_STEPS, seed_slider
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.text import _

LENGTH_DRAWS = DRAW_STEPS[:-2]  # without the two largest: lengths are drawn at once, under no progress bar


def lengths_experiment() -> None:
    """‖x‖ of Gaussian vectors beside its density, and the shell that they lie in."""
    picture, side = picture_and_side("lengths")
    with side:
        bar = slider_bar(
            [
                Slider("d", _("d: components of x"), D_K_STEPS, 64),
                Slider("draws", _("Vectors drawn"), LENGTH_DRAWS, 1000),
                seed_slider(),
            ],
            key="lengths-sliders",
        )
    with picture:
        moving_plots(
            bar, _plots, key="lengths", is_cheap=lambda values: values["d"] * values["draws"] <= CHEAP, depends_on=()
        )


def _plots(values: Values) -> Plots:
    d, count, seed = (int(values[name]) for name in ("d", "draws", "seed"))
    lengths = lengths_of(d, count, seed)
    bars = histogram(lengths, 41)
    root = math.sqrt(d)
    low, high = max(0.0, min(root - 3, bars.edges[0])), max(root + 3, bars.edges[-1])
    x = np.linspace(low, high, 201)
    curves = {_("2r·f(r²)"): length_density(x, d), _("N(√d, ½)"): normal_density(x, root, 0.5)}
    labels = {"draw": _("draws"), "x": _("r = ‖x‖"), "y": _("density")}
    drawn_lengths = density_plot("lengths", _("Lengths of x ~ N(0, I)"), bars.edges, bars.density, curves, x, labels)
    table = Table(
        "lengths",
        _("± one standard error of the draw"),
        ["", _("this draw"), _("exact"), _("N(√d, ½)")],
        [
            [_("mean of ‖x‖"), with_error(estimate_mean(lengths)), decimals(length_mean(d)), decimals(root)],
            [_("variance of ‖x‖"), with_error(estimate_variance(lengths)), decimals(length_variance(d)), "0.5000"],
            [
                _("share with |‖x‖ − √d| < 1"),
                decimals(float((abs(lengths - root) < 1).mean())),
                decimals(_share_within_one(d)),
                decimals(math.erf(1)),
            ],
        ],
    )
    notes = [
        _(
            "At d = {d} the mean length is {mean}, √d is {root}, and {share} % of the vectors are less than 1 away "
            "from it. The radius grows like √d, but the thickness does not grow."
        ).format(
            d=d,
            mean=decimals(float(lengths.mean()), 3),
            root=decimals(root, 3),
            share=f"{100 * float((abs(lengths - root) < 1).mean()):.1f}",
        ),
        _(
            "Where all vectors have nearly the same length, only their directions tell them apart, so q·k "
            "compares angles. Layer normalisation puts vectors on that shell."
        ),
    ]
    return Plots([drawn_lengths, shell()], [table], notes)


def shell() -> Plot:
    """The exact mean of ‖x‖ and its standard deviation against d."""
    return shell_plot(
        np.array(SIZES, dtype=np.float64),
        np.array([length_mean(size) for size in SIZES]),
        np.array([math.sqrt(length_variance(size)) for size in SIZES]),
        _("A thin shell: E‖x‖ ± its standard deviation"),
        {"mean": _("E‖x‖ ± sd"), "root": _("√d"), "x": _("d"), "y": _("length")},
    )


def _share_within_one(d: int) -> float:
    """P(|‖x‖ − √d| < 1), the density summed by the trapezium rule."""
    r = np.linspace(max(0.0, math.sqrt(d) - 1), math.sqrt(d) + 1, 4001)
    return float(np.trapezoid(length_density(r, d), r))
