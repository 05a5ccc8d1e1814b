"""The experiment on order: learned, sinusoidal and no positions, trained on the spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

import numpy as np
import streamlit as st

from viz_transformer.charts.positions import kinds_plot
from viz_transformer.config import PositionKind
from viz_transformer.experiments.positions.learned import (
    ASKED_LENGTH,
    N_TOKENS,
    STEPS,
    TRAINED_LENGTH,
    LearnedOrder,
    learn_order,
)
from viz_transformer.ui.components.matrix_view import moving_matrices
from viz_transformer.ui.components.number_table import Table, decimals
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, Values, choice, chosen, steps
from viz_transformer.ui.positions.experiment import unlabelled
from viz_transformer.ui.shared.byte_cache import Kept
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.scheduler import in_turn
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row

N_RUNS = 5
_BAR_AFTER = 0.3  # seconds
_NEARLY = 0.05  # shares of right answers that differ by less are nearly equal
_ORDERS: Kept[tuple[PositionKind, int], LearnedOrder] = Kept()


def _train(kinds: Sequence[PositionKind], seed: int) -> None:
    """Trains each kind once for all visitors, under a progress bar; others compute in between."""
    place, started = st.empty(), monotonic()
    for n, kind in enumerate(kinds):
        with _ORDERS.turn((kind, seed)):
            if _ORDERS.get((kind, seed)):
                continue
            for done, result in in_turn(learn_order(kind, seed), STEPS, place):
                if result is not None:
                    _ORDERS.keep((kind, seed), result)
                elif monotonic() - started > _BAR_AFTER:
                    words = _("training, positions: {kind}, step {step}").format(kind=kind, step=done)
                    place.progress((n + done / STEPS) / len(kinds), words)
    place.empty()


def order_experiment() -> None:
    """Sinusoidal, learned and no positions on a task that needs order, trained here and now."""
    picture, side = picture_and_side("order")
    with side:
        bar = slider_bar([_asked(), Slider("run", _("Training run"), steps(0, N_RUNS - 1, 1), 0)], key="learned")
        st.markdown(
            explained(
                "A single attention layer has to **name the token before** each token of a random sequence. With "
                "each kind of positions it is trained from scratch, for {steps} steps on {length} positions."
            ).format(steps=STEPS, length=TRAINED_LENGTH)
        )
    with picture:
        _train(tuple(_names()), int(bar.values["run"]))
        moving_plots(bar, _plots, key="learned-plots", is_cheap=_is_trained)
        moving_matrices(bar, _matrices, key="learned-matrices", is_cheap=_is_trained)


def _asked() -> Slider:
    options = {
        "trained": _("the {count} used in training").format(count=TRAINED_LENGTH),
        "more": _("twice as many"),
    }
    return choice("asked", _("Positions tested"), options, "trained")


def _names() -> dict[PositionKind, str]:
    return {"sinusoidal": _("sinusoidal"), "learned": _("learned"), "none": _("none")}


def _is_trained(values: Values) -> bool:
    return len(_trained(values)) == len(_names())


def _trained(values: Values) -> dict[PositionKind, LearnedOrder]:
    run = int(values["run"])
    return {kind: order for kind in _names() if (order := _ORDERS.get((kind, run)))}


def _is_asked_about_more(values: Values) -> bool:
    return chosen(_asked(), values) == "more"


def _plots(values: Values) -> Plots:
    names, learned = _names(), _trained(values)
    is_more = _is_asked_about_more(values)
    accuracy = {kind: one.accuracy if is_more else one.trained_accuracy for kind, one in learned.items()}
    done = np.arange(STEPS, dtype=np.float64) + 1
    titles = {
        False: _("Accuracy at each position"),
        True: _("Accuracy: position {length} and later were never trained").format(length=TRAINED_LENGTH),
    }
    plots = [
        kinds_plot(
            "accuracy",
            np.arange(len(accuracy["none"]), dtype=np.float64),
            {names[kind]: values for kind, values in accuracy.items()},
            {
                "title": titles[is_more],
                "x": _("position"),
                "y": _("share of right answers"),
                "chance": _("guessing: 1 in 8"),
            },
            chance=1 / N_TOKENS,
            high=1,
        ),
        kinds_plot(
            "losses",
            done,
            {names[kind]: one.losses for kind, one in learned.items()},
            {"title": _("During training"), "x": _("step"), "y": _("loss, nats"), "chance": _("guessing: ln 8")},
            chance=float(np.log(N_TOKENS)),
        ),
    ]
    table = Table(
        "learned-order",
        _("Share of right answers"),
        [
            _("positions"),
            _("the {trained} used in training").format(trained=TRAINED_LENGTH),
            _("the same, in sequences of {asked}").format(asked=ASKED_LENGTH),
            _("the {more} beyond").format(more=ASKED_LENGTH - TRAINED_LENGTH),
        ],
        [
            [
                names[kind],
                *(
                    decimals(float(np.nanmean(share)), 3)
                    for share in (one.trained_accuracy, one.accuracy[:TRAINED_LENGTH], one.accuracy[TRAINED_LENGTH:])
                ),
            ]
            for kind, one in learned.items()
        ],
    )
    return Plots(plots, [table], [_beyond(learned) if is_more else _as_trained(learned), _bag_of_tokens()])


def _as_trained(learned: Mapping[PositionKind, LearnedOrder]) -> str:
    """What the first picture says, by its numbers."""
    share = {kind: float(np.nanmean(one.trained_accuracy)) for kind, one in learned.items()}
    said = _(
        "On the {count} positions used in training, {sinusoidal} % of the answers are right with sinusoidal "
        "encodings, {learned} % with learned ones, {none} % with none."
    ).format(count=TRAINED_LENGTH, **_percent(share))
    compared = (
        _("Learned and sinusoidal encodings do nearly equally well, as the paper found (Table 3, row E).")
        if abs(share["learned"] - share["sinusoidal"]) < _NEARLY
        else _("In this run they differ; the paper found nearly equal results (Table 3, row E).")
    )
    return in_a_row(said, compared)


def _beyond(learned: Mapping[PositionKind, LearnedOrder]) -> str:
    share = {kind: float(one.accuracy[TRAINED_LENGTH:].mean()) for kind, one in learned.items()}
    said = _(
        "On the {count} positions beyond, {sinusoidal} % of the answers are right with sinusoidal encodings, "
        "{learned} % with learned ones, {none} % with none."
    ).format(count=ASKED_LENGTH - TRAINED_LENGTH, **_percent(share))
    if share["sinusoidal"] > share["learned"] + _NEARLY:
        return f"{said} " + _("A learned table has untrained rows there; sinusoids exist for every position.")
    return f"{said} " + _(
        "Neither works beyond the training length in this run: that sinusoids may do so is a "
        "hope of the paper, not a promise."
    )


def _percent(shares: Mapping[PositionKind, float]) -> dict[str, str]:
    return {kind: f"{100 * share:.1f}" for kind, share in shares.items()}


def _bag_of_tokens() -> str:
    return _(
        "Without positions the layer sees a bag of tokens: it can count them, but cannot find the one before. "
        "Among twice as many keys, even trained positions can be mistaken for others, so the table lists them "
        "separately."
    )


def _matrices(values: Values) -> list[Matrix]:
    names, learned = _names(), _trained(values)
    is_more = _is_asked_about_more(values)
    n = ASKED_LENGTH if is_more else TRAINED_LENGTH
    weights = [
        Matrix(
            _("Attention, {kind}").format(kind=names[kind]),
            one.weights if is_more else one.trained_weights,
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
            one.table[:n] @ one.table[:n].T,
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
