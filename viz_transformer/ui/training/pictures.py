"""The learning rate and the smoothed target as pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from viz_transformer.charts.training import rates_plot, target_bars
from viz_transformer.experiments.training.schedule import lowest_loss, noam_rates, smoothed_target
from viz_transformer.training.loop import TrainingOptions
from viz_transformer.training.tasks import Task
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.figures import show_kept_altair
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_POINTS = 400  # of a curve


def schedule_and_smoothing() -> None:
    """Both pictures, each with its sliders."""
    _schedule()
    _smoothing()


def _schedule() -> None:
    picture, side = picture_and_side("training-schedule")
    with side:
        d_model = st.select_slider("d_model", [64, 128, 256, 512, 1024], 512, key="noam_width", bind="query-params")
        warmup = st.slider(_("Warm-up steps"), 100, 16_000, 4000, 100, key="noam_warmup", bind="query-params")
        steps = st.slider(_("Steps"), 2000, 100_000, 20_000, 1000, key="noam_steps", bind="query-params")
        _explain_schedule()
    with picture:
        st.header(_("The learning rate"), anchor=False)
        _rates(d_model, warmup, steps)


def _explain_schedule() -> None:
    st.markdown(
        explained(
            "The paper's schedule (§5.3) rises linearly during warm-up, while Adam's running averages settle, "
            "then falls with 1/√step. A wider model gets a smaller rate."
        )
    )


def _rates(d_model: int, warmup: int, steps: int) -> None:
    rates = noam_rates(steps, d_model, warmup)
    shown = np.unique(np.append(np.linspace(1, steps, _POINTS).round().astype(int), min(warmup, steps)))
    name = _("the paper's schedule")
    _show_rates(name, shown, rates[shown - 1], "noam-rates")
    st.latex(r"d_{model}^{-0.5} \cdot \min(step^{-0.5},\ step \cdot warmup^{-1.5})")
    st.caption(_("The peak is {rate}, at step {step}.").format(rate=f"{rates.max():.3e}", step=int(rates.argmax()) + 1))
    closed_box(_("The schedule of this project's runs"), _own_schedule, key="own_schedule", in_link=True)


def _own_schedule() -> None:
    st.markdown(
        explained(
            "The runs on this page set the peak directly instead of deriving it from d_model; over the last 40 "
            "% of the steps the rate also falls to zero, so that a short run ends smoothly."
        )
    )
    options = TrainingOptions(steps=400, learning_rate=7e-3, warmup=50)
    step = np.arange(1, options.steps + 1)
    own = [options.learning_rate_at(int(n)) for n in step]
    name = _("peak 7e-3, 50 steps of warm-up, 400 steps")
    _show_rates(name, step, np.array(own), "own-rates")


def _show_rates(title: str, step: NDArray[np.int64], rates: NDArray[np.float64], key: str) -> None:
    labels = {"title": title, "x": _("training step"), "y": _("learning rate")}
    plot_view([rates_plot(key, step.astype(np.float64), rates, labels)], key=key)


def _smoothing() -> None:
    picture, side = picture_and_side("training-smoothing")
    with side:
        smoothing = st.slider("ε", 0.0, 0.9, 0.1, 0.05, key="epsilon", bind="query-params")
        _explain_smoothing()
    with picture:
        st.header(_("Label smoothing"), anchor=False)
        _targets(smoothing)


def _explain_smoothing() -> None:
    st.markdown(
        explained(
            "In the paper (§5.4) the target does not give the label probability 1, but 1 − ε + ε/V: a share ε is "
            "spread evenly over all V tokens of the vocabulary. That costs likelihood and makes the model less "
            "certain. In return, logits are not pushed up without end, and in the paper accuracy and BLEU "
            "improved, although perplexity got worse."
        )
    )


def _targets(smoothing: float) -> None:
    tokenizer = Task("copy").tokenizer()
    label = tokenizer.encode("3").ids[0]
    target = smoothed_target(label, tokenizer.vocab_size, smoothing)
    tokens = [tokenizer.label(n) for n in range(tokenizer.vocab_size)]
    bars = pd.DataFrame({"token": tokens, "probability": target, "is_label": np.arange(len(tokens)) == label})
    labels = {"token": _("token of the vocabulary; the label is 3"), "probability": _("target probability")}
    show_kept_altair(lambda: target_bars(bars, labels), smoothing, "smoothed-target")
    st.caption(
        _(
            "The label gets {label}, every other token {other}. With this target no model can reach a loss "
            "below {loss} nats per token. So a training loss near {loss} is already perfect."
        ).format(label=f"{target[label]:.4f}", other=f"{target[label - 1]:.4f}", loss=f"{lowest_loss(target):.4f}")
    )
