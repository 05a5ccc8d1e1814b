"""The theory of the page on positions, each claim with its numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer import charts
from viz_transformer.charts.plots import Plot
from viz_transformer.charts.positions import curve_plot, offset_plot
from viz_transformer.experiments.positions.encoding import (
    dot_of_offset,
    encode,
    encoding,
    frequencies,
    rotation,
    wavelengths,
)
from viz_transformer.experiments.scaling.saturation import softmax
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.figures import show_plotly, theme_of_page
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_WIDTH = 8  # small enough for all of its numbers to be read
_SHOWN = 40  # positions of a plot
_SIDE = 440  # px, wide enough for the formulas, which do not wrap


_TOKENS = np.random.default_rng(0).standard_normal((5, _WIDTH))
_ORDER = [2, 0, 4, 1, 3]


def _attend(x: np.ndarray) -> np.ndarray:
    """X (L, d) → softmax(XXᵀ / √d) X."""
    mixed: np.ndarray = softmax(x @ x.T / _WIDTH**0.5) @ x
    return mixed


def encoding_theory() -> None:
    """The formula and its wavelengths, and what they make of the first positions."""
    picture, side = picture_and_side("encoding-theory", side=_SIDE)
    with picture:
        waves, turns = wavelengths(_WIDTH), frequencies(_WIDTH)
        plot_view([_pairs_plot()], key="theory-pairs")
        closed_box(_("Three of these clocks in space: turn them"), _path, key="space", in_link=True)
        number_table(
            "theory-wavelengths",
            _("All wavelengths for d_model = {width}").format(width=_WIDTH),
            [_("pair i"), _("ω_i, radians per position"), _("wavelength, in positions")],
            [[str(i), decimals(float(turns[i]), 6), f"{waves[i]:,.2f}"] for i in range(_WIDTH // 2)],
        )
        number_table(
            "theory-encoding",
            _("The first positions"),
            [_("position"), *(str(column) for column in range(_WIDTH))],
            [[str(pos), *(decimals(float(value)) for value in row)] for pos, row in enumerate(encoding(6, _WIDTH))],
        )
        st.caption(_("Even columns are sines, odd ones cosines. Positions and dimensions count from 0 on this page."))
    with side:
        st.latex(
            r"\begin{aligned}PE_{(pos,\,2i)} &= \sin\bigl(\omega_i\, pos\bigr)\\"
            r"PE_{(pos,\,2i+1)} &= \cos\bigl(\omega_i\, pos\bigr)\end{aligned}"
        )
        st.latex(
            r"\begin{aligned}\omega_i &= 10000^{-2i/d_{model}} = e^{-\ln(10000)\cdot 2i/d_{model}}\\"
            r"\lambda_i &= 2\pi/\omega_i\end{aligned}"
        )
        st.markdown(
            explained("Code often uses the second form: it gives the same number, by an exponential and a logarithm.")
        )
        st.markdown(
            explained(
                "Attention has no notion of order: it compares every query with every key, wherever they stand. So the "
                "paper adds this vector to each token's embedding: it depends on the token's position alone."
            )
        )
        st.markdown(
            explained(
                "Each pair of dimensions is the hand of a clock that turns by ω_i at every position. The first "
                "hand goes round once in 2π ≈ 6.28 positions, the last once in nearly 10,000 · 2π. Together they "
                "distinguish any two positions: the fast hands tell neighbours apart, the slow ones show the "
                "rough region."
            )
        )


def _pairs_plot() -> Plot:
    """The sines of all pairs along the first positions: each turns a tenth as fast as the one before."""
    positions = np.arange(_SHOWN, dtype=np.float64)
    fine = np.linspace(0, _SHOWN - 1, 8 * _SHOWN)
    at_positions, at_fine = encoding(_SHOWN, _WIDTH), encode(fine, _WIDTH)
    curves = {
        _("dimension {n}").format(n=column): (at_positions[:, column], at_fine[:, column])
        for column in range(0, _WIDTH, 2)
    }
    labels = {"title": _("Each pair turns more slowly than the one before"), "x": _("position"), "y": _("PE")}
    return curve_plot(positions, fine, curves, labels)


def _path() -> None:
    """The first three pairs as paths in space, which rise with the position."""
    fine = np.linspace(0, _SHOWN - 1, 8 * _SHOWN)
    labels = {
        "position": _("position"),
        "pair": _("dimensions {first} and {second}"),
        "sine": _("sine, PE(pos, 2i)"),
        "cosine": _("cosine, PE(pos, 2i+1)"),
    }
    figure = charts.position_path(
        encoding(_SHOWN, _WIDTH), fine=(fine, encode(fine, _WIDTH)), labels=labels, theme=theme_of_page()
    )
    show_plotly(figure, key="space-figure")
    st.caption(
        _(
            "The vertical axis is the position; the horizontal plane has the two numbers of a pair, a sine and a "
            "cosine, so each path lies on a cylinder of radius 1. The first pair winds round once in 2π ≈ 6.28 "
            "positions, each of the others a tenth as fast as the one before. Points mark whole positions."
        )
    )


def distance_theory() -> None:
    """PE(pos + k) is a rotation of PE(pos), and dot products depend on the distance alone."""
    picture, side = picture_and_side("distance-theory", side=_SIDE)
    with picture:
        offsets = np.arange(_SHOWN, dtype=np.float64)
        labels = {"title": _("PE(pos)·PE(pos + k) against k"), "x": _("k"), "y": _("dot product")}
        dots = {_("pos = {pos}").format(pos=pos): _dots_from(pos) for pos in (0, 20)}
        formula = {_("Σ cos(ω_i k)"): dot_of_offset(offsets, _WIDTH)}
        plot_view([offset_plot("offsets", offsets, formula, dots, labels)], key="theory-offsets")
        vectors, moved = encoding(9, _WIDTH), rotation(3, _WIDTH)
        number_table(
            "theory-rotation",
            _("k = 3, d_model = {width}: PE(pos + 3) beside M_3 PE(pos)").format(width=_WIDTH),
            [_("pos"), _("PE(pos + 3), first four"), _("M_3 PE(pos), first four"), _("largest difference of all")],
            [
                [
                    str(pos),
                    ", ".join(decimals(float(value)) for value in vectors[pos + 3, :4]),
                    ", ".join(decimals(float(value)) for value in (moved @ vectors[pos])[:4]),
                    decimals(float(np.abs(vectors[pos + 3] - moved @ vectors[pos]).max())),
                ]
                for pos in (0, 1, 5)
            ],
        )
    with side:
        st.latex(
            r"\begin{aligned}&\begin{pmatrix}\sin\omega_i(pos+k)\\ \cos\omega_i(pos+k)\end{pmatrix}\\"
            r"&=\begin{pmatrix}\cos\omega_i k & \sin\omega_i k\\ -\sin\omega_i k & \cos\omega_i k\end{pmatrix}"
            r"\begin{pmatrix}\sin\omega_i\,pos\\ \cos\omega_i\,pos\end{pmatrix}\end{aligned}"
        )
        st.latex(r"PE(pos+k) = M_k\, PE(pos)")
        st.markdown(
            explained(
                "**A step of k positions is a rotation**, the same from every position. For each pair, this "
                "follows from the addition theorems."
            )
        )
        st.markdown(explained("**Dot products depend only on how far apart two positions are**, and so do distances:"))
        st.latex(
            r"\begin{aligned}&PE(pos)\cdot PE(pos+k)\\"
            r"&= \sum_i \bigl(\sin\omega_i pos\,\sin\omega_i(pos+k)\\"
            r"&\qquad + \cos\omega_i pos\,\cos\omega_i(pos+k)\bigr)\\ &= \sum_i \cos \omega_i k\end{aligned}"
        )
        st.latex(
            r"\begin{aligned}&\lVert PE(pos) - PE(pos+k)\rVert^2\\ &= d_{model} - 2\sum_i \cos\omega_i k\end{aligned}"
        )
        st.markdown(_slip())
        st.markdown(
            explained(
                "For k = 0 every cosine is 1, so each encoding has length √(d_model / 2). Nearby positions are "
                "similar, and the similarity fades with distance."
            )
        )


def _dots_from(pos: int) -> np.ndarray:
    """PE(pos) · PE(pos + k) for every k: (k,)."""
    vectors = encoding(pos + _SHOWN, _WIDTH)
    dots: np.ndarray = vectors[pos:] @ vectors[pos]
    return dots


def _slip() -> str:
    """What becomes of the dot product where both columns of a pair are cosines."""
    places = ((0, 3), (5, 8))
    cosines = np.repeat(encoding(9, _WIDTH)[:, 1::2], 2, axis=1)
    right, wrong = ([float(one[i] @ one[j]) for i, j in places] for one in (encoding(9, _WIDTH), cosines))
    return explained(
        "A common mistake is a cosine in both columns of a pair. Then positions 0 and 3 have the dot product "
        "{first}, but 5 and 8, just as far apart, have {second}; with sine and cosine both have {both}. So each "
        "pair needs one of each."
    ).format(first=decimals(wrong[0], 2), second=decimals(wrong[1], 2), both=decimals(right[0], 2))


def order_theory() -> None:
    """Why an encoder without positions sees a sentence as a bag of words."""
    picture, side = picture_and_side("order-theory", side=_SIDE)
    with picture:
        matrix_view(_order_matrices(), key="theory-outputs")
        rows = []
        for name, positions in ((_("without positions"), 0.0), (_("with positions"), 1.0)):
            straight, permuted = (_attend(x + positions * encoding(5, _WIDTH)) for x in (_TOKENS, _TOKENS[_ORDER]))
            rows.append([name, decimals(float(np.abs(permuted - straight[_ORDER]).max()))])
        number_table(
            "theory-order",
            _("Five random tokens read in the order 3 1 5 2 4: softmax(XXᵀ / √d) X, computed here"),
            ["", _("largest |output of PX − P output of X|")],
            rows,
        )
    with side:
        st.latex(
            r"\begin{aligned}&\operatorname{softmax}\!\left(\tfrac{PQ\,(PK)^\top}{\sqrt{d_k}}\right) PV\\"
            r"&= P\operatorname{softmax}\!\left(\tfrac{QK^\top}{\sqrt{d_k}}\right) P^\top P\, V\\"
            r"&= P\operatorname{softmax}\!\left(\tfrac{QK^\top}{\sqrt{d_k}}\right) V\end{aligned}"
        )
        st.markdown(
            explained(
                "**Without positions an encoder cannot know the order.** Let P permute the tokens, so that X "
                "becomes PX. Queries, keys and values are computed row by row, so they become PQ, PK and PV, and "
                "the softmax works on each row by itself."
            )
        )
        st.markdown(
            explained(
                "The outputs are the same vectors, permuted like the words. Feed-forward, residuals and layer "
                "norms work on each row alone and do not change that, so it holds for the whole encoder: it sees "
                "a **bag of words**. The decoder reads the encoder's output as a set of keys and values, so it "
                "writes the same text for *dog bites man* and *man bites dog*.\n\n**Three ways to encode "
                "positions:** *sinusoidal*, computed, for any length; *learned*, a trained vector for each "
                "position up to the size of the table; *none*. The paper found the first two nearly equal (Table "
                "3, row E) and chose sinusoids, since they might extend to longer sequences than those in "
                "training. The experiment trains all three; *this model* turns positions off and permutes the "
                "words that you type."
            )
        )


def _order_matrices() -> list[Matrix]:
    """The outputs for the tokens as they stand, and for the same tokens in another order; each row names its token."""
    straight, permuted = _attend(_TOKENS), _attend(_TOKENS[_ORDER])
    extent = float(np.abs(straight).max())
    orders = {"straight": (straight, range(len(_ORDER))), "permuted": (permuted, _ORDER)}
    titles = {
        "straight": _("Outputs of the tokens 1 2 3 4 5"),
        "permuted": _("Outputs of the tokens {order}").format(order=" ".join(str(n + 1) for n in _ORDER)),
    }
    return [
        Matrix(
            titles[name],
            values,
            rows=_("token"),
            columns=_("dimension"),
            row_labels=[str(n + 1) for n in order],
            first_index=0,
            scale="diverging",
            scale_name=_("value"),
            extent=extent,
            is_pinnable=False,
            name=name,
        )
        for name, (values, order) in orders.items()
    ]
