"""The experiments of the page on positions: the encoding, distances and rotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from viz_transformer.charts.positions import curve_plot, offset_plot
from viz_transformer.experiments.positions.encoding import (
    distances,
    dot_of_offset,
    encode,
    encoding,
    rotation,
    rotation_error,
    wavelengths,
)
from viz_transformer.ui.components.matrix_view import moving_matrices
from viz_transformer.ui.components.number_table import Table, decimals
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, Values, steps, values_in
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.notes import note
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.text import _, in_a_row

WIDTHS = (2, 4, 6, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512)
LENGTHS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)
BASES = (1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000)


def encoding_sliders(length: int = 48) -> list[Slider]:
    """The sliders of the width, the base and the number of positions."""
    return [
        Slider("dm", _("d_model: dimensions"), WIDTHS, 64),
        Slider("base", _("Base"), BASES, 10_000, _("The paper's is 10,000.")),
        Slider("len", _("Positions"), LENGTHS, length, is_more=True),
    ]


def note_odd_width() -> None:
    """Says so where the link asks for an odd d_model; the bar of sliders then puts the nearest width into the link."""
    asked = st.query_params.to_dict().get("dm", "")
    if asked.isascii() and asked.isdecimal() and len(asked) < 9 and int(asked) % 2:
        note(
            _(
                "d_model must be even, as each wavelength has a sine and a cosine; the link asked for {asked}, so "
                "the nearest width on the slider is shown."
            ).format(asked=asked)
        )


def encoding_experiment() -> None:
    """Curves of two wavelengths, and the whole matrix."""
    shared = encoding_sliders()
    width = int(_value(shared, "dm"))
    last = width // 2 - 1
    pairs = [
        Slider("pair", _("i: first pair, dimensions 2i and 2i + 1"), steps(0, last, 1), 0),
        Slider("other", _("Second pair"), steps(0, last, 1), min(4, last), is_more=True),
    ]
    picture, side = picture_and_side("encoding")
    with side:
        note_odd_width()
        bar = slider_bar([*shared, *pairs], key="encoding")
    with picture:
        moving_plots(bar, _curves, key="curves", depends_on=())
        moving_matrices(bar, _whole_encoding, key="encoding-matrix", depends_on=())


def _sizes(values: Values) -> tuple[int, int, float]:
    """Positions, d_model, base."""
    return int(values["len"]), int(values["dm"]), values["base"]


def _curves(values: Values) -> Plots:
    length, width, base = _sizes(values)
    first, second = (min(int(values[name]), width // 2 - 1) for name in ("pair", "other"))
    matrix = encoding(length, width, base)
    positions = np.arange(length, dtype=np.float64)
    fine = np.linspace(0, max(length - 1, 1), 8 * max(length - 1, 1) + 1)
    between = encode(fine, width, base)
    waves = wavelengths(width, base)
    shown = [column for pair in dict.fromkeys((first, second)) for column in (2 * pair, 2 * pair + 1)]
    names = {column: _("dimension {n}").format(n=column) for column in shown}
    curves = {names[column]: (matrix[:, column], between[:, column]) for column in shown}
    table = Table(
        "wavelengths",
        _("λ = 2π · base^(2i / d_model)"),
        [_("pair i"), _("dimensions"), _("wavelength, in positions"), _("turn per position, in degrees")],
        [
            [
                str(pair),
                _("{sine}: sine, {cosine}: cosine").format(sine=2 * pair, cosine=2 * pair + 1),
                f"{waves[pair]:,.2f}",
                decimals(360 / float(waves[pair])),
            ]
            for pair in dict.fromkeys((0, first, second, width // 2 - 1))
        ],
    )
    labels = {"title": _("The encoding along the positions"), "x": _("position"), "y": _("PE")}
    return Plots([curve_plot(positions, fine, curves, labels)], [table], [_turns(first, waves, length)])


def _turns(pair: int, waves: NDArray[np.float64], length: int) -> str:
    """How often the first pair and the last go round."""
    last = len(waves) - 1
    said = _("Over {length} positions, pair {pair} goes round {turns} times, once every {wave} positions.").format(
        length=length, pair=pair, turns=f"{length / waves[pair]:.2f}", wave=f"{waves[pair]:,.2f}"
    )
    if pair == last:
        return said
    slow = _(
        "The last pair, {last}, goes round {turns} times: fast pairs tell neighbours apart, slow ones show the "
        "rough region."
    ).format(last=last, turns=f"{length / waves[last]:.4f}")
    return in_a_row(said, slow)


def _value(sliders: Sequence[Slider], name: str) -> float:
    return values_in(sliders, st.query_params)[name]


def _whole_encoding(values: Values) -> list[Matrix]:
    matrix = encoding(*_sizes(values))
    return [
        Matrix(
            _("PE, every position and dimension"),
            matrix,
            rows=_("position"),
            columns=_("dimension"),
            first_index=0,
            scale="diverging",
            scale_name=_("PE"),
            note=_("{rows} × {columns}").format(rows=matrix.shape[0], columns=matrix.shape[1]),
            is_pinnable=False,
            name="encoding",
        )
    ]


def distance_experiment() -> None:
    """PE·PEᵀ, distances, and the rotation that moves every position k further."""
    further = Slider("k", _("k: positions further on"), steps(0, 32, 1), 4)
    picture, side = picture_and_side("distance")
    with side:
        note_odd_width()
        bar = slider_bar([further, *encoding_sliders(32)], key="distance")
    with picture:
        left, right = st.columns(2)
        with left:
            moving_plots(bar, _offsets, key="offsets", depends_on=())
        with right:
            moving_matrices(bar, _rotations, key="rotation-matrix", depends_on=())
        moving_matrices(bar, _pairs_of_positions, key="distance-matrices", depends_on=())


def _offsets(values: Values) -> Plots:
    length, width, base = _sizes(values)
    k = int(values["k"])
    matrix = encoding(max(length, k + 1), width, base)
    offsets = np.arange(len(matrix), dtype=np.float64)
    dots = matrix @ matrix[0]
    labels = {"title": _("PE(pos)·PE(pos + k) against k"), "x": _("k"), "y": _("dot product")}
    plot = offset_plot(
        "offsets",
        offsets,
        {_("Σ cos(ω_i k)"): dot_of_offset(offsets, width, base)},
        {_("from the vectors, pos = 0"): dots},
        labels,
        at=(_("k = {k}").format(k=k), k),
    )
    error = rotation_error(k, length, width, base)
    table = Table(
        "rotation",
        _("PE(pos + k) = M_k PE(pos)"),
        ["", _("value")],
        [
            [_("largest difference, all positions and dimensions"), decimals(error)],
            [_("|PE(pos)|² = d_model / 2"), decimals(float(dots[0]))],
            [_("M_k as a rotation: largest |M_k M_kᵀ − I|"), decimals(_orthogonality(k, width, base))],
        ],
    )
    notes = [
        _(
            "Positions k = {k} apart have the dot product {dot}, which is {share} % of that of a position with "
            "itself, {own}. This holds wherever they are."
        ).format(
            k=k,
            dot=decimals(float(dots[k]), 2),
            own=decimals(float(dots[0]), 2),
            share=f"{100 * dots[k] / dots[0]:.1f}".replace("-", "−"),
        ),
        _(
            "The same rotation M_k leads from any position to the one k further on, so a linear map can look "
            "there. A difference of about 1e−15 is rounding error."
        ),
    ]
    return Plots([plot], [table], notes)


def _pairs_of_positions(values: Values) -> list[Matrix]:
    matrix = encoding(*_sizes(values))
    square: dict[str, Any] = {
        "rows": _("position"),
        "columns": _("other position"),
        "first_index": 0,
        "is_pinnable": False,
        **unlabelled(len(matrix)),
    }
    products = matrix @ matrix.T
    return [
        Matrix(_("PE · PEᵀ"), products, scale="diverging", scale_name=_("dot product"), name="gram", **square),
        Matrix(_("Distance"), distances(matrix), scale_name=_("‖PE − PE′‖"), name="map", **square),
    ]


def _rotations(values: Values) -> list[Matrix]:
    _length, width, base = _sizes(values)
    k = int(values["k"])
    return [
        Matrix(
            _("M_k, k = {k}").format(k=k),
            rotation(k, width, base),
            rows=_("dimension"),
            columns=_("dimension of PE(pos)"),
            first_index=0,
            scale="diverging",
            scale_name=_("entry"),
            is_pinnable=False,
            name="rotation",
            **unlabelled(width),
        )
    ]


def unlabelled(count: int) -> dict[str, Any]:
    """Empty labels on both axes: the cells are square, and indices alone stand beside them."""
    return {"row_labels": ("",) * count, "column_labels": ("",) * count}


def _orthogonality(k: int, width: int, base: float) -> float:
    matrix = rotation(k, width, base)
    return float(np.abs(matrix @ matrix.T - np.eye(width)).max())
