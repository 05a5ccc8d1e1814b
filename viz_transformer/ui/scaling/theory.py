"""The theory of the page on scaling: every line of the proof with its numbers from a draw."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from viz_transformer.experiments.scaling.gaussian_lengths import length_mean, length_variance
from viz_transformer.experiments.scaling.saturation import (
    MECHANISMS,
    SIZES,
    jacobian,
    jacobian_norm,
    saturation,
    softmax,
)
from viz_transformer.experiments.scaling.variance import Draws, estimate_mean, estimate_variance, theory
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.scaling.draws import settings_in_link
from viz_transformer.ui.scaling.experiment import gradient_plot, with_error
from viz_transformer.ui.scaling.lengths import shell
from viz_transformer.ui.shared.draw_sliders import distributions
from viz_transformer.ui.shared.draws import drawn, scores_by_size
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_SIDE = 440  # px, wide enough for the formulas, which do not wrap
_KEYS = 16


def products_theory() -> None:
    """The proof that Var(q·k) = d_k, folded out line by line."""
    settings = settings_in_link()
    draws = drawn(settings)
    proof, side = picture_and_side("proof")
    side.markdown(
        explained(
            "**Claim.** If the components of q and k are independent, with mean 0 and variance 1, then q·k has "
            "mean 0 and variance d_k, and q·k / √d_k has variance 1. The numbers next to each line come from "
            "{draws} pairs drawn with d_k = {d_k}, {distribution}, μ = {mean}, σ = {scale}, ρ = {rho}. The "
            "sliders are in the experiment: move them and see which line breaks."
        ).format(
            draws=f"{settings.draws:,}",
            d_k=settings.d_k,
            distribution=distributions()[settings.distribution],
            mean=f"{settings.mean:g}",
            scale=f"{settings.scale:g}",
            rho=f"{settings.correlation:g}",
        )
    )
    for n, (title, formula, rows) in enumerate(_lines(draws), start=1):
        with proof.expander(f"{n}. {title}", expanded=True):
            st.latex(formula)
            number_table(
                f"line-{n}",
                _("This line in numbers"),
                ["", _("this draw"), _("if the assumptions hold")],
                rows,
            )


def _lines(draws: Draws) -> list[tuple[str, str, list[list[str]]]]:
    """Title, formula, and the numbers of each line of the proof."""
    settings = draws.settings
    d_k, n = settings.d_k, settings.draws
    products, variance = estimate_mean(draws.products), estimate_variance(draws.products)
    scaled, overdone = (estimate_variance(draws.products / divisor) for divisor in (math.sqrt(d_k), d_k))
    cross_error = math.sqrt(2 * d_k * (d_k - 1) / n)
    expected = theory(settings)
    summed = decimals(draws.own_variances, 3) if n > 1 else _("none: one draw has no variance")
    return [
        (
            _("The mean of one term: independence lets the product split"),
            r"\mathbb E[q_i k_i] = \mathbb E[q_i]\,\mathbb E[k_i] = 0\cdot 0 = 0",
            [
                [_("mean of all q_i"), decimals(draws.mean_q), "0"],
                [_("mean of all k_i"), decimals(draws.mean_k), "0"],
                [_("mean of all q_i k_i"), decimals(draws.mean_qk), "0"],
            ],
        ),
        (
            _("The mean of the sum"),
            r"\mathbb E[q\cdot k] = \sum_{i=1}^{d_k} \mathbb E[q_i k_i] = 0",
            [[_("mean of q·k"), with_error(products), "0"]],
        ),
        (
            _("The variance of one term: independence lets the squares split"),
            r"\operatorname{Var}(q_i k_i) = \mathbb E[q_i^2 k_i^2] - 0^2"
            r" = \mathbb E[q_i^2]\,\mathbb E[k_i^2] = 1\cdot 1 = 1",
            [
                [_("mean of q_i²"), decimals(draws.mean_q2), "1"],
                [_("mean of k_i²"), decimals(draws.mean_k2), "1"],
                [_("mean of q_i² k_i²"), decimals(draws.mean_q2k2), "1"],
                [
                    _("their difference, E[q_i² k_i²] − E[q_i²] E[k_i²]"),
                    decimals(draws.mean_q2k2 - draws.mean_q2 * draws.mean_k2),
                    "0",
                ],
            ],
        ),
        (
            _("The variance of the sum: independence makes the cross terms 0"),
            r"\operatorname{Var}(q\cdot k) = \sum_{i} \operatorname{Var}(q_i k_i)"
            r" + \underbrace{\sum_{i\neq j} \operatorname{Cov}(q_i k_i,\, q_j k_j)}_{=\,0} = d_k",
            [
                [_("sum of the {d_k} variances").format(d_k=d_k), summed, str(d_k)],
                [
                    _("sum of the {pairs} cross terms").format(pairs=f"{d_k * (d_k - 1):,}"),
                    decimals(draws.cross_terms, 3) if n > 1 else _("none: one draw has no variance"),
                    _("0 ± {error}").format(error=decimals(cross_error, 3)),
                ],
                [_("variance of q·k"), with_error(variance), str(d_k)],
                [
                    _("in theory, for these settings"),
                    "∞" if math.isinf(expected.variance) else decimals(expected.variance, 3),
                    str(d_k),
                ],
            ],
        ),
        (
            _("Division by √d_k; by d_k would be too much"),
            r"\begin{aligned}\operatorname{Var}\!\left(\frac{q\cdot k}{\sqrt{d_k}}\right)"
            r" &= \frac{1}{d_k}\operatorname{Var}(q\cdot k) = 1\\"
            r"\operatorname{Var}\!\left(\frac{q\cdot k}{d_k}\right) &= \frac{1}{d_k}\end{aligned}",
            [
                [_("variance of q·k / √d_k"), with_error(scaled), "1"],
                [_("variance of q·k / d_k"), with_error(overdone), decimals(1 / d_k, 4)],
            ],
        ),
    ]


def softmax_theory() -> None:
    """The Jacobian of the softmax, and its norm for scores that grow."""
    picture, side = picture_and_side("softmax-theory", side=_SIDE)
    scores = scores_by_size(settings_in_link().seed)
    measured = saturation(scores, _KEYS)
    names = {"dot": _("q·k"), "scaled": _("q·k / √d_k"), "additive": _("additive")}
    with picture:
        plot_view([gradient_plot(measured, SIZES.index(64))], key="theory-gradient")
        first, *_between, last = measured.gradient["dot"][0]
        st.caption(
            _("Over {n} keys, ‖J‖ falls from {first} at d_k = 1 to {last} at d_k = 1024 without scaling.").format(
                n=_KEYS, first=decimals(float(first)), last=decimals(float(last))
            )
        )
        number_table(
            "jacobian",
            _("The softmax of three scores"),
            [_("scores"), _("weights"), _("largest entry of J"), _("‖J‖")],
            [_softmax_row(np.array([0.0, 1.0, 2.0]) * factor) for factor in (0, 1, 2, 4, 8, 16)],
        )
        number_table(
            "spread",
            _("Mean standard deviation of the scores of one query, over 64 keys"),
            [_("d_k"), *names.values()],
            [
                [str(size), *(decimals(float(scores[name][n].std(axis=-1, ddof=1).mean()), 3) for name in MECHANISMS)]
                for n, size in enumerate(SIZES)
            ],
        )
    with side:
        st.latex(
            r"\begin{aligned}w &= \operatorname{softmax}(s)\\"
            r"\frac{\partial w_i}{\partial s_j} &= w_i(\delta_{ij} - w_j)\\"
            r"J &= \operatorname{diag}(w) - w w^\top\end{aligned}"
        )
        st.latex(r"\lVert J\rVert_F^2 = \sum_i w_i^2 - 2\sum_i w_i^3 + \Bigl(\sum_i w_i^2\Bigr)^2")
        st.markdown(
            explained(
                "**The softmax depends on differences between scores.** Its derivative is made up of the weights "
                "themselves. Where one weight is 1 and the others are 0, every entry of J is 0: the scores get "
                "**no gradient** and nothing can be learned through them. Scores with variance d_k differ by "
                "about √d_k, so a large d_k leads there; divided by √d_k they differ by about 1 at any d_k. The "
                "first table spreads three scores further and further apart."
            )
        )
        st.markdown(
            explained(
                "**Additive attention** (Bahdanau et al.) scores with vᵀ tanh(W_q q + W_k k): tanh lies between "
                "−1 and 1, so its scores keep the same size as d_k grows and need no division. The paper chose "
                "the dot product, which is a single matrix multiplication, and divides by √d_k. The second table "
                "shows how far the scores spread in one draw."
            )
        )


def _softmax_row(scores: np.ndarray) -> list[str]:
    """Scores (n,), their weights, the largest entry of the Jacobian and its norm, as they are shown."""
    weights = softmax(scores)
    return [
        ", ".join(f"{score:g}" for score in scores),
        ", ".join(decimals(float(weight)) for weight in weights),
        decimals(float(np.abs(jacobian(weights)).max())),
        decimals(float(jacobian_norm(weights))),
    ]


def lengths_theory() -> None:
    """Where the density 2r·f(r²) comes from, and its limit."""
    picture, side = picture_and_side("lengths-theory", side=_SIDE)
    with picture:
        plot_view([shell()], key="theory-shell")
        number_table(
            "theory-lengths",
            _("The exact mean and variance, from Γ, beside the limit"),
            [_("d"), _("E‖x‖"), _("√d"), _("Var‖x‖"), _("limit")],
            [
                [str(d), decimals(length_mean(d)), decimals(math.sqrt(d)), decimals(length_variance(d)), "0.5"]
                for d in (1, 4, 16, 64, 256, 1024)
            ],
        )
    with side:
        st.latex(r"f(t) = \frac{t^{d/2-1}\,e^{-t/2}}{2^{d/2}\,\Gamma(d/2)},\qquad t > 0")
        st.markdown(
            explained(
                "**How long is x, if its d components are independent N(0, 1)?** ‖x‖² is a sum of d "
                "squares: χ² with d degrees of freedom, whose density is this f."
            )
        )
        st.markdown(
            explained("‖x‖ is its square root. P(‖x‖ ≤ r) = P(‖x‖² ≤ r²), and the derivative with respect to r is")
        )
        st.latex(r"p(r) = 2r\, f(r^2)")
        st.markdown(
            explained(
                "Each square has mean 1 and variance 2, so by the central limit theorem ‖x‖² is nearly N(d, 2d). "
                "The square root divides a small deviation by 2√d:"
            )
        )
        st.latex(
            r"\begin{aligned}\lVert x\rVert &\approx \sqrt d + \frac{\lVert x\rVert^2 - d}{2\sqrt d}\\"
            r"\Longrightarrow\ \lVert x\rVert &\to \mathcal N\!\left(\sqrt d,\ \frac{2d}{4d}\right)"
            r" = \mathcal N\!\left(\sqrt d,\ \tfrac12\right)\end{aligned}"
        )
        st.markdown(
            explained(
                "So vectors lie in a **thin shell** of radius √d, whose thickness does not depend on d. Layer "
                "normalisation gives the components of a vector mean 0 and mean square 1, so ‖x‖ = √d exactly, "
                "before its gain and bias act:"
            )
        )
        st.latex(
            r"\hat x_i = \frac{x_i - \bar x}{\sqrt{\frac1d\sum_j (x_j - \bar x)^2}}\quad\Longrightarrow"
            r"\quad \lVert\hat x\rVert = \sqrt d"
        )
        st.markdown(
            explained(
                "And the dot product of a query of length √d_k with a random key has variance ‖q‖² = d_k: the same "
                "√d_k again."
            )
        )
