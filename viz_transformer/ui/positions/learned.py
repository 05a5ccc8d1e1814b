"""The experiment on order: learned, sinusoidal and no positions, trained on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import numpy as np
import streamlit as st

from viz_transformer.charts.positions import kinds_plot
from viz_transformer.config import PositionKind
from viz_transformer.experiments.positions.learned import (
    N_TOKENS,
    STEPS,
    TRAINED_LENGTH,
    LearnedOrder,
    learn_order,
)
from viz_transformer.ui.components.matrix_view import moving_matrices
from viz_transformer.ui.components.number_table import Table, decimals
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.sheets import Matrix
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, Values, steps
from viz_transformer.ui.positions.experiment import unlabelled
from viz_transformer.ui.shared.kept import Kept
from viz_transformer.ui.shared.models import compute_slots
from viz_transformer.ui.shared.text import _

N_RUNS = 5
_BAR_AFTER = 0.3  # seconds
_ORDERS: Kept[tuple[PositionKind, int], LearnedOrder] = Kept()


def _train(kinds: Sequence[PositionKind], seed: int) -> None:
    """Trains each kind once for all visitors, under a progress bar; others compute in between."""
    place, started = st.empty(), monotonic()
    for n, kind in enumerate(kinds):
        training = learn_order(kind, seed)
        while not _ORDERS.get((kind, seed)):
            with compute_slots:
                done, result = next(training)
            if result is not None:
                _ORDERS.keep((kind, seed), result)
            elif monotonic() - started > _BAR_AFTER:
                share = (n + done / STEPS) / len(kinds)
                place.progress(share, _("training with {kind} positions, step {step}").format(kind=kind, step=done))
    place.empty()


def order_experiment() -> None:
    """Sinusoidal, learned and no positions on a task that needs order, trained here and now."""
    bar = slider_bar([Slider("run", _("Training run"), steps(0, N_RUNS - 1, 1), 0)], key="learned")
    st.markdown(
        _(
            "A single attention layer is to **name the token before** each token of a random sequence. For "
            "each kind of positions it trains from scratch for {steps} steps on {length} positions; then it is "
            "tested on twice as many."
        ).format(steps=STEPS, length=TRAINED_LENGTH)
    )
    _train(tuple(_names()), int(bar.values["run"]))
    moving_plots(bar, _plots, key="learned-plots", is_cheap=_is_trained)
    moving_matrices(bar, _matrices, key="learned-matrices", is_cheap=_is_trained)


def _names() -> dict[PositionKind, str]:
    return {"sinusoidal": _("sinusoidal"), "learned": _("learned"), "none": _("none")}


def _is_trained(values: Values) -> bool:
    return len(_trained(values)) == len(_names())


def _trained(values: Values) -> dict[PositionKind, LearnedOrder]:
    run = int(values["run"])
    return {kind: order for kind in _names() if (order := _ORDERS.get((kind, run)))}


def _plots(values: Values) -> Plots:
    names, learned = _names(), _trained(values)
    places = np.arange(len(learned["none"].accuracy), dtype=np.float64)
    done = np.arange(STEPS, dtype=np.float64) + 1
    accuracy = {names[kind]: one.accuracy for kind, one in learned.items()}
    plots = [
        kinds_plot(
            "losses",
            done,
            {names[kind]: one.losses for kind, one in learned.items()},
            {"title": _("During training"), "x": _("step"), "y": _("loss, nats"), "chance": _("guessing: ln 8")},
            chance=float(np.log(N_TOKENS)),
        ),
        kinds_plot(
            "accuracy",
            places,
            accuracy,
            {
                "title": _("Accuracy at each position: {length} and later were never trained").format(
                    length=TRAINED_LENGTH
                ),
                "x": _("position"),
                "y": _("share of right answers"),
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
        "Without positions the layer sees a bag of tokens: it can count them, but cannot find the one "
        "before. A learned table is right where it was trained; its rows beyond were never trained. Look "
        "at the losses first: in training, learned and sinusoidal end up nearly equal, as the paper found. "
        "Sinusoids exist for every position, so they may carry further, as the paper hoped; how far "
        "differs from run to run, and among twice as many keys even trained positions can be mistaken for "
        "others."
    )
    return Plots(plots, [table], [note])


def _matrices(values: Values) -> list[Matrix]:
    names, learned = _names(), _trained(values)
    n = len(learned["none"].accuracy)
    weights = [
        Matrix(
            _("Attention, {kind}").format(kind=names[kind]),
            one.weights,
            rows=_("query: position"),
            columns=_("key: position"),
            first_index=0,
            scale_name=_("weight"),
            is_pinnable=False,
            name=f"weights-{kind}",
            **unlabelled(n),
        )
        for kind, one in learned.items()
    ]
    grams = [
        Matrix(
            _("PE · PEᵀ, {kind}").format(kind=names[kind]),
            one.table @ one.table.T,
            rows=_("position"),
            columns=_("other position"),
            first_index=0,
            scale="diverging",
            scale_name=_("dot product"),
            is_pinnable=False,
            name=f"gram-{kind}",
            **unlabelled(n),
        )
        for kind, one in learned.items()
    ]
    return [*weights, *grams]
