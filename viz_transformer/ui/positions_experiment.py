"""The experiments of the page on positions: the encoding, distances and rotations, learned against none."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.charts.positions import curve_plot, kinds_plot, offset_plot
from viz_transformer.config import PositionKind
from viz_transformer.experiments.learned_positions import (
    N_TOKENS,
    STEPS,
    TRAINED_LENGTH,
    LearnedOrder,
    learn_order,
)
from viz_transformer.experiments.positions import (
    distances,
    dot_of_offset,
    encode,
    encoding,
    rotation,
    rotation_error,
    wavelengths,
)
from viz_transformer.ui.matrix_view import Matrix, matrix_view
from viz_transformer.ui.models import compute_slots
from viz_transformer.ui.number_table import decimals
from viz_transformer.ui.plot_view import Table, plot_view
from viz_transformer.ui.slider_bar import Slider, slider_bar, steps, value_in_link
from viz_transformer.ui.text import _

WIDTHS = (2, 4, 6, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512)
LENGTHS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)
BASES = (1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000)
_BAR_AFTER = 0.3  # seconds


def encoding_sliders(length: int = 48) -> list[Slider]:
    """Of the width, the base and the number of positions."""
    return [
        Slider("dm", _("d_model: dimensions"), WIDTHS, 64),
        Slider("base", _("base"), BASES, 10_000, _("The paper's is 10,000.")),
        Slider("len", _("positions"), LENGTHS, length),
    ]


def note_odd_width() -> list[str]:
    """What to say where the link asks for an odd d_model."""
    asked = st.query_params.to_dict().get("dm", "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 9 and int(asked) % 2):
        return []
    return [
        _(
            "d_model must be even, as each wavelength has a sine and a cosine; the link asked for {asked}, and the "
            "nearest width of the slider is shown."
        ).format(asked=asked)
    ]


def encoding_experiment() -> None:
    """Curves of two wavelengths, and the whole matrix."""
    shared = encoding_sliders()
    width = int(_value(shared, "dm"))
    pairs = [
        Slider("pair", _("i: first pair of dimensions, 2i and 2i + 1"), steps(0, width // 2 - 1, 1), 0),
        Slider("other", _("second pair"), steps(0, width // 2 - 1, 1), min(4, width // 2 - 1)),
    ]
    values = slider_bar([*shared, *pairs], key="encoding")
    base, length = values["base"], int(values["len"])
    first, second = (min(int(values[name]), width // 2 - 1) for name in ("pair", "other"))
    matrix = encoding(length, width, base)
    positions = np.arange(length, dtype=np.float64)
    fine = np.linspace(0, max(length - 1, 1), 20 * max(length - 1, 1) + 1)
    between = encode(fine, width, base)
    waves = wavelengths(width, base)
    shown = [column for pair in dict.fromkeys((first, second)) for column in (2 * pair, 2 * pair + 1)]
    names = {column: _("dimension {n}").format(n=column) for column in shown}
    curves = {names[column]: (matrix[:, column], between[:, column]) for column in shown}
    table = Table(
        "wavelengths",
        _("λ = 2π · base^(2i / d_model)"),
        [_("pair i"), _("dimensions"), _("wavelength, in positions"), _("turn a position, in degrees")],
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
    labels = {"title": _("The encoding over the positions"), "x": _("position"), "y": _("PE")}
    plot_view([curve_plot(positions, fine, curves, labels)], key="curves", tables=[table], notes=note_odd_width())
    matrix_view([_encoding_matrix(_("PE, every position and dimension"), matrix, "encoding")], key="encoding-matrix")


def _value(sliders: Sequence[Slider], name: str) -> float:
    return next(value_in_link(slider) for slider in sliders if slider.name == name)


def _encoding_matrix(title: str, matrix: np.ndarray, name: str) -> Matrix:
    return Matrix(
        title,
        matrix,
        rows=_("position + 1"),
        columns=_("dimension + 1"),
        scale="diverging",
        scale_name=_("PE"),
        note=_("{rows} × {columns}").format(rows=matrix.shape[0], columns=matrix.shape[1]),
        is_pinnable=False,
        name=name,
    )


def distance_experiment() -> None:
    """PE·PEᵀ, distances, and the rotation that moves every position k further."""
    shared = encoding_sliders(32)
    values = slider_bar([*shared, Slider("k", _("k: how much further"), steps(0, 32, 1), 4)], key="distance")
    width, length, k, base = (int(values["dm"]), int(values["len"]), int(values["k"]), values["base"])
    matrix = encoding(length, width, base)
    offsets = np.arange(length, dtype=np.float64)
    dots = matrix @ matrix.T
    labels = {"title": _("PE(pos)·PE(pos + k) against k"), "x": _("k"), "y": _("dot product")}
    plot = offset_plot(
        "offsets",
        offsets,
        {_("Σ cos(ω_i k)"): dot_of_offset(offsets, width, base)},
        {_("from the vectors, pos = 0"): dots[0]},
        labels,
    )
    error = rotation_error(k, length, width, base)
    table = Table(
        "rotation",
        _("PE(pos + k) = M_k PE(pos)"),
        ["", _("value")],
        [
            [_("largest difference, all positions and dimensions"), decimals(error)],
            [_("|PE(pos)|² = d_model / 2"), decimals(float(dots[0, 0]))],
            [_("|M_k| as a rotation: largest |M_k M_kᵀ − I|"), decimals(_orthogonality(k, width, base))],
        ],
    )
    notes = [
        _(
            "The same M_k for every position: a linear map of the encoding can look k places away, whatever the "
            "position. A difference of about 1e−15 is rounding."
        )
    ]
    plot_view([plot], key="offsets", tables=[table], notes=[*note_odd_width(), *notes])
    square: dict[str, Any] = {"rows": _("position + 1"), "columns": _("other position + 1"), "is_pinnable": False}
    matrix_view(
        [
            Matrix(
                _("PE · PEᵀ"),
                dots,
                scale="diverging",
                scale_name=_("dot product"),
                name="gram",
                **_ticks(length),
                **square,
            ),
            Matrix(
                _("Distance"), distances(matrix), scale_name=_("‖PE − PE′‖"), name="map", **_ticks(length), **square
            ),
        ],
        key="distance-matrices",
    )
    matrix_view(
        [
            Matrix(
                _("M_k, k = {k}").format(k=k),
                rotation(k, width, base),
                rows=_("dimension + 1"),
                columns=_("dimension of PE(pos) + 1"),
                scale="diverging",
                scale_name=_("entry"),
                is_pinnable=False,
                name="rotation",
                **_ticks(width),
            ),
        ],
        key="rotation-matrix",
    )


def _ticks(count: int) -> dict[str, Any]:
    """Labels, so that the cells are square: the numbers from 0."""
    return {"row_labels": ("",) * count, "column_labels": ("",) * count}


def _orthogonality(k: int, width: int, base: float) -> float:
    matrix = rotation(k, width, base)
    return float(np.abs(matrix @ matrix.T - np.eye(width)).max())


@st.cache_resource(show_spinner=False)
def _kept_orders() -> dict[tuple[PositionKind, int], LearnedOrder]:
    return {}


def _learned(kinds: Sequence[PositionKind], seed: int) -> dict[PositionKind, LearnedOrder]:
    """Trains each kind once for all visitors, under a progress bar; others compute in between."""
    kept, place, started = _kept_orders(), st.empty(), monotonic()
    for n, kind in enumerate(kinds):
        if (kind, seed) in kept:
            continue
        training = learn_order(kind, seed)
        while (kind, seed) not in kept:
            with compute_slots:
                done, result = next(training)
            if result is not None:
                kept[kind, seed] = result
            elif monotonic() - started > _BAR_AFTER:
                share = (n + done / STEPS) / len(kinds)
                place.progress(share, _("training with {kind} positions, step {step}").format(kind=kind, step=done))
    place.empty()
    return {kind: kept[kind, seed] for kind in kinds}


def order_experiment() -> None:
    """Sinusoidal, learned and no positions on a task that needs order, trained here and now."""
    values = slider_bar([Slider("run", _("Training run"), steps(0, 4, 1), 0)], key="learned")
    names: dict[PositionKind, str] = {"sinusoidal": _("sinusoidal"), "learned": _("learned"), "none": _("none")}
    st.markdown(
        _(
            "A single attention layer is to **name the token before** each token of a random sequence. It trains for "
            "{steps} steps on {length} places, from nothing, once for each kind of positions; then it is asked about "
            "twice as many places."
        ).format(steps=STEPS, length=TRAINED_LENGTH)
    )
    learned = _learned(tuple(names), int(values["run"]))
    places = np.arange(len(learned["none"].accuracy), dtype=np.float64)
    done = np.arange(STEPS, dtype=np.float64) + 1
    accuracy = {names[kind]: one.accuracy for kind, one in learned.items()}
    plots = [
        kinds_plot(
            "losses",
            done,
            {names[kind]: one.losses for kind, one in learned.items()},
            {"title": _("While training"), "x": _("step"), "y": _("loss, nats"), "chance": _("guessing: ln 8")},
            chance=float(np.log(N_TOKENS)),
        ),
        kinds_plot(
            "accuracy",
            places,
            accuracy,
            {
                "title": _("Asked about each place: {length} and later were never trained").format(
                    length=TRAINED_LENGTH
                ),
                "x": _("position"),
                "y": _("share right"),
                "chance": _("guessing: 1 of 8"),
            },
            chance=1 / N_TOKENS,
        ),
    ]
    table = Table(
        "learned-order",
        _("Share of right answers"),
        [_("positions"), _("where it trained"), _("beyond")],
        [
            [
                names[kind],
                decimals(float(np.nanmean(one.accuracy[:TRAINED_LENGTH])), 3),
                decimals(float(one.accuracy[TRAINED_LENGTH:].mean()), 3),
            ]
            for kind, one in learned.items()
        ],
    )
    note = _(
        "Without positions the layer sees a bag of tokens: it can count them, but not find the one before. A learned "
        "table is right where it trained, and knows nothing of the rows beyond. The sinusoids have rows for every "
        "position, so they may carry further, as the paper hoped; how far differs from run to run, and among twice as "
        "many keys even places that it trained on can be taken for others."
    )
    plot_view(plots, key="learned-plots", tables=[table], notes=[note])
    n = len(places)
    weights = [
        Matrix(
            _("Attention, {kind}").format(kind=names[kind]),
            one.weights,
            rows=_("query: place + 1"),
            columns=_("key: place + 1"),
            scale_name=_("weight"),
            is_pinnable=False,
            name=f"weights-{kind}",
            **_ticks(n),
        )
        for kind, one in learned.items()
    ]
    grams = [
        Matrix(
            _("PE · PEᵀ, {kind}").format(kind=names[kind]),
            one.table @ one.table.T,
            rows=_("position + 1"),
            columns=_("other position + 1"),
            scale="diverging",
            scale_name=_("dot product"),
            is_pinnable=False,
            name=f"gram-{kind}",
            **_ticks(n),
        )
        for kind, one in learned.items()
    ]
    matrix_view([*weights, *grams], key="learned-matrices")
