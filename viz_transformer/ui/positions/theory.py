"""The theory of the page on positions, each claim with its numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.positions.encoding import encoding, frequencies, rotation, wavelengths
from viz_transformer.experiments.scaling.saturation import softmax
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.shared.terms import explained
from viz_transformer.ui.shared.text import _

_WIDTH = 8  # small enough for all of its numbers to be read


_TOKENS = np.random.default_rng(0).standard_normal((5, _WIDTH))
_ORDER = [2, 0, 4, 1, 3]


def _attend(x: np.ndarray) -> np.ndarray:
    """X (L, d) → softmax(XXᵀ / √d) X."""
    mixed: np.ndarray = softmax(x @ x.T / _WIDTH**0.5) @ x
    return mixed


def encoding_theory() -> None:
    """The formula and its wavelengths."""
    st.latex(
        r"PE_{(pos,\,2i)} = \sin\bigl(\omega_i\, pos\bigr),\quad PE_{(pos,\,2i+1)} = \cos\bigl(\omega_i\, pos\bigr),"
    )
    st.latex(r"\omega_i = 10000^{-2i/d_{model}},\qquad \lambda_i = 2\pi/\omega_i")
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
            "tell any position from any other: the fast hands tell neighbours apart, the slow ones tell the "
            "region."
        )
    )
    waves, turns = wavelengths(_WIDTH), frequencies(_WIDTH)
    number_table(
        "theory-wavelengths",
        _("All wavelengths for d_model = {width}").format(width=_WIDTH),
        [_("pair i"), _("ω_i, radians per position"), _("wavelength, positions")],
        [[str(i), decimals(float(turns[i]), 6), f"{waves[i]:,.2f}"] for i in range(_WIDTH // 2)],
    )
    number_table(
        "theory-encoding",
        _("The first positions"),
        [_("position"), *(str(column) for column in range(_WIDTH))],
        [[str(pos), *(decimals(float(value)) for value in row)] for pos, row in enumerate(encoding(6, _WIDTH))],
    )
    st.caption(_("Even columns are sines, odd ones cosines. Positions and dimensions count from 0 on this page."))


def distance_theory() -> None:
    """PE(pos + k) is a rotation of PE(pos), and dot products know only the distance."""
    st.latex(
        r"\begin{pmatrix}\sin\omega_i(pos+k)\\ \cos\omega_i(pos+k)\end{pmatrix} ="
        r"\begin{pmatrix}\cos\omega_i k & \sin\omega_i k\\ -\sin\omega_i k & \cos\omega_i k\end{pmatrix}"
        r"\begin{pmatrix}\sin\omega_i\,pos\\ \cos\omega_i\,pos\end{pmatrix}"
    )
    st.latex(r"PE(pos+k) = M_k\, PE(pos)")
    st.markdown(
        explained(
            "**A step of k positions is a rotation**, the same from every position. The addition theorems say "
            "so for each pair."
        )
    )
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
    st.markdown(explained("**Dot products depend only on how far apart two positions are**, and so do distances:"))
    st.latex(
        r"PE(pos)\cdot PE(pos+k) = \sum_i \bigl(\sin\omega_i pos\,\sin\omega_i(pos+k) + \cos\omega_i pos\,"
        r"\cos\omega_i(pos+k)\bigr) = \sum_i \cos \omega_i k"
    )
    st.latex(r"\lVert PE(pos) - PE(pos+k)\rVert^2 = d_{model} - 2\sum_i \cos\omega_i k")
    st.markdown(_slip())
    st.markdown(
        explained(
            "For k = 0 every cosine is 1, so each encoding has length √(d_model / 2). Near positions are "
            "similar, and the similarity fades with distance."
        )
    )


def _slip() -> str:
    """What becomes of the dot product where both columns of a pair are cosines."""
    places = ((0, 3), (5, 8))
    cosines = np.repeat(encoding(9, _WIDTH)[:, 1::2], 2, axis=1)
    right, wrong = ([float(one[i] @ one[j]) for i, j in places] for one in (encoding(9, _WIDTH), cosines))
    return explained(
        "A common mistake is a cosine in both columns of a pair. Then positions 0 and 3 have the dot product {first}, "
        "5 and 8, as far apart, {second}; with sine and cosine both have {both}. So the pair needs one of each."
    ).format(first=decimals(wrong[0], 2), second=decimals(wrong[1], 2), both=decimals(right[0], 2))


def order_theory() -> None:
    """Why an encoder without positions is a map of bags of words."""
    st.latex(
        r"\operatorname{softmax}\!\left(\frac{PQ\,(PK)^\top}{\sqrt{d_k}}\right) PV"
        r" = P\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) P^\top P\, V"
        r" = P\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"
    )
    st.markdown(
        explained(
            "**Without positions an encoder cannot know the order.** Let P permute the tokens, so that X becomes PX. "
            "Queries, keys and values are made row by row, so they become PQ, PK and PV, and the softmax works on each "
            "row by itself."
        )
    )
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
    st.markdown(
        explained(
            "The outputs are the same vectors, permuted like the words. Feed-forward, residuals and layer "
            "norms work on each row alone and do not change that, so it holds for the whole encoder: a **bag "
            "of words**. The decoder reads the encoder's output as a set of keys and values, so it writes the "
            "same text for *dog bites man* and *man bites dog*.\n\n**Three ways to tell positions:** "
            "*sinusoidal*, computed, for any length; *learned*, a trained vector for each position up to the "
            "size of the table; *none*. The paper found the first two nearly equal (Table 3, row E) and chose "
            "sinusoids, since they might extend to longer sequences than those in training. The experiment "
            "trains all three; *this model* turns positions off and permutes the words that you type."
        )
    )
