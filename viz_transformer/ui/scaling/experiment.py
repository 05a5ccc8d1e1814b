"""The experiments of the page on scaling: q·k drawn, and what it does to the softmax."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from viz_transformer.charts.plots import Plot
from viz_transformer.charts.scaling import compared_densities_plot, saturation_plot, variance_plot, weight_plot
from viz_transformer.experiments.scaling.saturation import (
    MAX_HIDDEN,
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
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.scaling.draws import CHEAP, by_size, draw_bar
from viz_transformer.ui.shared.draw_sliders import settings_of, softmax_sliders
from viz_transformer.ui.shared.draws import drawn, drawn_at_once, scores_by_size
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.text import _, in_a_row


def products_experiment() -> None:
    """q and k drawn, q·k and q·k / √d_k beside the theory."""
    picture, side = picture_and_side("products")
    with side:
        bar = draw_bar()

    def plots(values: Values) -> Plots:
        draws = drawn_at_once(settings_of(values))
        table = Table("moments", _("± one standard error of the draw"), _moment_columns(), _moments(draws))
        notes = [_what_division_does(draws), *_remarks(draws)]
        return Plots([_histograms(draws)], [table], notes, [_variance_plot(draws)])

    with picture:
        drawn(settings_of(bar.values))  # under a progress bar, where it takes long
        moving_plots(
            bar, plots, key="products", is_cheap=lambda values: values["dk"] * values["draws"] <= CHEAP, depends_on=()
        )


def _histograms(draws: Draws) -> Plot:
    """q·k and q·k / √d_k on one axis, so that one sees what the division does."""
    settings, expected = draws.settings, theory(draws.settings)
    reach = _reach(draws)
    x = np.linspace(-reach, reach, 641)
    bars, assumed, actual = {}, {}, {}
    for name, factor, bins in ((_("q·k"), 1.0, 61), (_("q·k / √d_k"), math.sqrt(settings.d_k), 25)):
        found = histogram(draws.products / factor, bins, lattice_step(settings) / factor)
        bars[name] = found.edges, found.density
        variance = settings.d_k / factor**2
        assumed[_("N(0, {variance})").format(variance=f"{variance:.0f}")] = normal_density(x, 0, variance)
        if not settings.is_as_assumed and 0 < expected.variance < math.inf:
            actual[_("normal, with these settings: {what}").format(what=name)] = normal_density(
                x, expected.mean / factor, expected.variance / factor**2
            )
    return compared_densities_plot(
        "product",
        _("q·k and q·k / √d_k on one axis"),
        bars,
        {**assumed, **actual},
        x,
        reach,
        {"x": _("score"), "y": _("density")},
    )


_REACH = 40  # of the axis, in standard deviations of one term q_i k_i: the same at every d_k, so that a change is seen


def _reach(draws: Draws) -> float:
    """How far the axis goes to both sides: as far as the draws, if the mean grows with d_k or no variance is known."""
    term = theory(replace(draws.settings, d_k=1))
    if term.mean == 0 and 0 < term.variance < math.inf:
        return _REACH * math.sqrt(term.variance)
    edges = histogram(draws.products).edges
    return float(max(1.0, abs(edges[0]), abs(edges[-1])))


def _what_division_does(draws: Draws) -> str:
    """The numbers of the plot in a sentence."""
    settings = draws.settings
    if settings.draws == 1:
        return _("A single draw is its own mean and has no variance.")
    spread, root = float(draws.products.std(ddof=1)), math.sqrt(settings.d_k)
    said = _(
        "Both are drawn on one axis: division by √d_k = {root} changes the standard deviation from {before} to {after}."
    ).format(root=decimals(root, 2), before=decimals(spread, 2), after=decimals(spread / root, 2))
    if settings.d_k == 1:
        return _("With d_k = 1 the division by √1 changes nothing: raise d_k, and q·k spreads out.")
    if not settings.is_as_assumed:
        return said
    return in_a_row(said, _("At any d_k it comes out near 1, and that is why the scores are divided."))


def _variance_plot(draws: Draws) -> Plot:
    swept = by_size(draws.settings)
    sizes = np.array(swept.sizes, dtype=np.float64)
    unit = theory(draws.settings).variance / draws.settings.d_k
    labels = {
        "unscaled": _("q·k"),
        "scaled": _("q·k / √d_k"),
        "theory": _("theory: {name}"),
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
                "With such a small d_k the mean and the variance are what the theory predicts, but the shape is "
                "not normal: that takes a sum of many terms."
            )
        )
    if settings.scale == 0:
        found.append(_("With σ = 0 every component is μ, so q·k is the same number in every draw."))
    edges, reach = histogram(draws.products).edges, _reach(draws)
    low, high = max(edges[0], -reach), min(edges[-1], reach)
    outside = int(((draws.products < low) | (draws.products > high)).sum())
    if outside:
        found.append(
            _("{count} of {draws} draws of q·k lie beyond the edges of this plot.").format(
                count=f"{outside:,}", draws=f"{settings.draws:,}"
            )
        )
    return found


def softmax_experiment() -> None:
    """The softmax over n keys as d_k grows, for three ways to score."""
    picture, side = picture_and_side("softmax")
    with side:
        bar = slider_bar(softmax_sliders(), key="softmax")
    with picture:
        moving_plots(bar, _softmax_plots, key="softmax-plots", depends_on=())


def _softmax_plots(values: Values) -> Plots:
    d_k, n_keys, seed = (int(values[name]) for name in ("dk", "keys", "seed"))
    at = SIZES.index(d_k)
    measured = saturation(scores_by_size(seed), n_keys)
    names = _names(at)
    keys = {**names, "x": _("key"), "y": _("softmax weight")}
    titles = {
        "dot": _("Weights: softmax(q·k)"),
        "scaled": _("Weights: softmax(q·k / √d_k)"),
        "additive": _("Weights: softmax(vᵀ tanh(W_q q + W_k k))"),
    }
    weights = {name: weight_plot(name, titles[name], measured.weights[name][at, 0], keys) for name in MECHANISMS}
    sizes = np.array(SIZES, dtype=np.float64)
    measures = {
        name: saturation_plot(name, title, sizes, values, at, {**names, "y": y}, high)
        for name, title, y, values, high in (
            ("entropy", _("Entropy of the weights"), _("bits"), measured.entropy, math.log2(n_keys) or None),
            ("largest", _("Largest weight"), _("weight"), measured.largest, 1.0),
        )
    }
    table = Table(
        "saturation",
        _(
            "At d_k = {d_k}, {n} keys: means of {draws} draws (additive attention: {additive}) ± one standard error"
        ).format(
            d_k=d_k,
            n=n_keys,
            draws=f"{measured.weights['dot'].shape[1]:,}",
            additive=f"{measured.weights['additive'].shape[1]:,}",
        ),
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
    notes = [
        _saturation_note(measured, at),
        _(
            "Additive attention, vᵀ tanh(W_q q + W_k k), needs no scaling, because tanh keeps its terms between −1 and "
            "1. Here it has d_k hidden units, at most {units}."
        ).format(units=MAX_HIDDEN),
    ]
    if n_keys == 1:
        notes = [_("A single key always has weight 1, whatever its score: entropy and gradient are 0.")]
    first = [weights["dot"], weights["scaled"], gradient_plot(measured, at)]
    return Plots(first, [table], notes, [weights["additive"], measures["entropy"], measures["largest"]])


def _names(at: int) -> dict[str, str]:
    return {
        "dot": _("q·k, not scaled"),
        "scaled": _("q·k / √d_k"),
        "additive": _("additive"),
        "here": _("d_k = {d_k}").format(d_k=SIZES[at]),
        "draw": _("weight"),
        "x": _("d_k"),
    }


def gradient_plot(measured: Saturation, at: int) -> Plot:
    """The norm of the softmax's Jacobian against d_k; `at`: the place of the marked one in `SIZES`."""
    sizes, labels = np.array(SIZES, dtype=np.float64), {**_names(at), "y": _("‖∂w/∂s‖")}
    return saturation_plot("gradient", _("Gradient that gets through"), sizes, measured.gradient, at, labels)


_MUCH = 0.75  # of the gradient with scaling: if less is left without it, the softmax counts as saturated


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
    return in_a_row(numbers, meaning)
