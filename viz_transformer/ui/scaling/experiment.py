"""The experiments of the page on scaling: q·k drawn, and what it does to the softmax."""

from __future__ import annotations

import math

import numpy as np

from viz_transformer.charts.plots import Plot
from viz_transformer.charts.scaling import density_plot, saturation_plot, variance_plot, weight_plot
from viz_transformer.experiments.scaling.saturation import (
    MAX_HIDDEN,
    MAX_KEYS,
    MECHANISMS,
    SIZES,
    Saturation,
    saturation,
)
from viz_transformer.experiments.scaling.variance import (
    Draws,
    Estimate,
    estimate_mean,
    estimate_variance,
    histogram,
    lattice_step,
    normal_density,
    theory,
)
from viz_transformer.ui.components.number_table import Table, decimals
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, Values, steps
from viz_transformer.ui.scaling.draws import (
    CHEAP,
    by_size,
    draw_bar,
    drawn,
    drawn_at_once,
    scores_by_size,
    seed_slider,
    settings_of,
)
from viz_transformer.ui.shared.text import _


def products_experiment() -> None:
    """q and k drawn, q·k and q·k / √d_k beside the theory."""
    bar = draw_bar()
    drawn(settings_of(bar.values))  # under a progress bar, where it takes long

    def plots(values: Values) -> Plots:
        draws = drawn_at_once(settings_of(values))
        table = Table("moments", _("± one standard error of the draw"), _moment_columns(), _moments(draws))
        return Plots([*_histograms(draws), _variance_plot(draws)], [table], _remarks(draws))

    moving_plots(bar, plots, key="products", is_cheap=lambda values: values["dk"] * values["draws"] <= CHEAP)


def _histograms(draws: Draws) -> list[Plot]:
    settings, expected = draws.settings, theory(draws.settings)
    plots = []
    root = math.sqrt(settings.d_k)
    for name, title, factor, x_title, assumed_name in (
        ("product", _("Not scaled: q·k"), 1.0, _("q·k"), _("N(0, d_k), as the paper assumes")),
        ("scaled", _("Scaled: q·k / √d_k"), root, _("q·k / √d_k"), _("N(0, 1), as the paper assumes")),
    ):
        bars = histogram(draws.products / factor, step=lattice_step(settings) / factor)
        assumed = settings.d_k / factor**2
        reach = 3 * math.sqrt(assumed)
        x = np.linspace(min(bars.edges[0], -reach), max(bars.edges[-1], reach), 161)
        curves = {assumed_name: normal_density(x, 0, assumed)}
        if not settings.is_as_assumed and 0 < expected.variance < math.inf:
            curves[_("normal, with the mean and variance of these settings")] = normal_density(
                x, expected.mean / factor, expected.variance / factor**2
            )
        labels = {"draw": _("draws"), "x": x_title, "y": _("density")}
        plots.append(density_plot(name, title, bars.edges, bars.density, curves, x, labels))
    return plots


def _variance_plot(draws: Draws) -> Plot:
    swept = by_size(draws.settings)
    sizes = np.array(swept.sizes, dtype=np.float64)
    unit = theory(draws.settings).variance / draws.settings.d_k
    labels = {
        "unscaled": _("q·k"),
        "scaled": _("q·k / √d_k"),
        "theory": _("theory"),
        "x": _("d_k"),
        "y": _("variance"),
    }
    return variance_plot(
        sizes,
        np.array([one.value for one in swept.variances]),
        np.array([one.error for one in swept.variances]),
        sizes * unit if math.isfinite(unit) else None,
        _("Variance against d_k, {draws} draws each").format(draws=f"{swept.draws:,}"),
        labels,
    )


def _moment_columns() -> list[str]:
    return ["", _("this draw"), _("the paper's assumption"), _("theory for these settings")]


def _moments(draws: Draws) -> list[list[str]]:
    d_k, expected = draws.settings.d_k, theory(draws.settings)
    root = math.sqrt(d_k)
    rows: list[list[str]] = []
    for name, factor in ((_("q·k"), 1.0), (_("q·k / √d_k"), root)):
        values = draws.products / factor
        rows.append(
            [
                _("mean of {what}").format(what=name),
                with_error(estimate_mean(values)),
                "0",
                _theory_text(expected.mean / factor),
            ]
        )
        rows.append(
            [
                _("variance of {what}").format(what=name),
                with_error(estimate_variance(values)),
                _("d_k = {d_k}").format(d_k=d_k) if factor == 1 and d_k > 1 else "1",
                _theory_text(expected.variance / factor**2),
            ]
        )
    return rows


def with_error(estimate: Estimate) -> str:
    """ "0.123 ± 0.045", or words where there is no such number."""
    if math.isnan(estimate.value):
        return _("none: one draw has no variance")
    if math.isnan(estimate.error):
        return _("{value}, error unknown").format(value=decimals(estimate.value, 3))
    return f"{decimals(estimate.value, 3)} ± {decimals(estimate.error, 3)}"


def _theory_text(value: float) -> str:
    if math.isnan(value):
        return _("does not exist")
    return "∞" if math.isinf(value) else decimals(value, 3)


def _remarks(draws: Draws) -> list[str]:
    """What a person should know about these settings."""
    settings = draws.settings
    found = []
    if settings.distribution == "student":
        if settings.degrees <= 2:
            found.append(
                _(
                    "Student's t with ν ≤ 2 has infinite variance: the number in the table only reflects the largest "
                    "draw, and division by √d_k does not help."
                )
            )
        else:
            found.append(
                _("Student's t: the variance of a component is σ² ν / (ν − 2) = {variance}.").format(
                    variance=decimals(settings.deviation**2, 3)
                )
            )
            if settings.degrees <= 4:
                found.append(
                    _("With ν ≤ 4 the fourth moment is infinite, so the error of the variance cannot be trusted.")
                )
    if settings.mean or settings.correlation:
        found.append(
            _(
                "The assumption fails here: E[q·k] = d_k (μ² + ρ s²), which grows with d_k itself, not with √d_k. "
                "After division by √d_k the mean still grows with √d_k."
            )
        )
    if settings.d_k < 8:
        found.append(
            _(
                "At so small a d_k the mean and the variance are what the theory predicts, but the shape is not "
                "normal: that takes a sum of many terms."
            )
        )
    if settings.draws == 1:
        found.append(_("A single draw is its own mean and has no variance."))
    if settings.scale == 0:
        found.append(_("With σ = 0 every component is μ, so q·k is the same number in every draw."))
    outside = histogram(draws.products).outside
    if outside:
        found.append(
            _("{count} of {draws} draws lie outside this plot, far out in the tails.").format(
                count=f"{outside:,}", draws=f"{settings.draws:,}"
            )
        )
    return found


def softmax_experiment() -> None:
    """The softmax over n keys as d_k grows, for three ways to score."""
    bar = slider_bar(
        [
            Slider("dk", _("d_k: components of q and of k"), SIZES, 64),
            Slider("keys", _("n: keys"), steps(1, MAX_KEYS, 1), 16),
            seed_slider(),
        ],
        key="softmax",
    )
    moving_plots(bar, _softmax_plots, key="softmax-plots")


def _softmax_plots(values: Values) -> Plots:
    d_k, n_keys, seed = (int(values[name]) for name in ("dk", "keys", "seed"))
    at = SIZES.index(d_k)
    measured = saturation(scores_by_size(seed), n_keys)
    names = {
        "dot": _("q·k, not scaled"),
        "scaled": _("q·k / √d_k"),
        "additive": _("additive, vᵀ tanh(W_q q + W_k k)"),
        "here": _("the chosen d_k"),
        "draw": _("weight"),
        "x": _("d_k"),
    }
    keys = {**names, "x": _("key"), "y": _("softmax weight")}
    weights = [weight_plot(name, names[name], measured.weights[name][at, 0], keys) for name in MECHANISMS]
    sizes = np.array(SIZES, dtype=np.float64)
    plots = [
        saturation_plot(name, title, sizes, values, at, {**names, "y": y}, high)
        for name, title, y, values, high in (
            ("entropy", _("Entropy of the weights"), _("bits"), measured.entropy, math.log2(n_keys) or None),
            ("largest", _("Largest weight"), _("weight"), measured.largest, 1.0),
            ("gradient", _("Gradient that gets through: ‖∂w/∂s‖"), _("Frobenius norm"), measured.gradient, None),
        )
    ]
    table = Table(
        "saturation",
        _("At d_k = {d_k}, {n} keys: means of 24 draws ± one standard error").format(d_k=d_k, n=n_keys),
        ["", _("entropy, bits"), _("largest weight"), _("norm of the Jacobian")],
        [
            [
                names[name],
                *(
                    with_error(Estimate(float(values[name][0, at]), float(values[name][1, at])))
                    for values in (measured.entropy, measured.largest, measured.gradient)
                ),
            ]
            for name in MECHANISMS
        ],
    )
    notes = [_saturation_note(measured, at)]
    if n_keys == 1:
        notes = [_("A single key always has weight 1, whatever its score: entropy and gradient are 0.")]
    return Plots([*weights, *plots], [table], notes)


_MUCH = 0.75  # of the gradient with scaling: what is left without it, where scaling begins to matter


def _saturation_note(measured: Saturation, at: int) -> str:
    """What scaling does at one d_k, by the means that are drawn."""
    (largest, gradient), (scaled_largest, scaled_gradient) = (
        (float(measured.largest[name][0, at]), float(measured.gradient[name][0, at])) for name in ("dot", "scaled")
    )
    numbers = _(
        "Without scaling, the largest weight is {largest} on average and the norm of the Jacobian {gradient}; divided "
        "by √d_k, they are {scaled_largest} and {scaled_gradient}."
    ).format(
        largest=decimals(largest, 3),
        gradient=decimals(gradient, 3),
        scaled_largest=decimals(scaled_largest, 3),
        scaled_gradient=decimals(scaled_gradient, 3),
    )
    meaning = (
        _("Without scaling the softmax saturates: weight gathers on one key, and less gradient flows back.")
        if gradient < _MUCH * scaled_gradient
        else _("At this d_k scaling makes little difference: raise d_k and see it grow.")
    )
    additive = _(
        "Additive attention needs no scaling, because tanh keeps its terms between −1 and 1. Here it has d_k hidden "
        "units, at most {units}."
    ).format(units=MAX_HIDDEN)
    return f"{numbers} {meaning} {additive}"
