"""The learning rate and the smoothed target as pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from viz_transformer.charts.training import rate_curve, target_bars
from viz_transformer.experiments.training.schedule import lowest_loss, noam_rates, smoothed_target
from viz_transformer.training.loop import TrainingOptions
from viz_transformer.training.tasks import Task
from viz_transformer.ui.shared.text import _

_POINTS = 400  # of a curve


def schedule_and_smoothing() -> None:
    """Both pictures, each with its sliders."""
    _schedule()
    _smoothing()


def _schedule() -> None:
    st.subheader(_("The learning rate"))
    st.markdown(
        _(
            "The paper's schedule (§5.3) rises in a straight line while Adam's averages fill, then falls with 1/√step. "
            "A wider model gets a smaller rate."
        )
    )
    st.latex(r"d_{model}^{-0.5} \cdot \min(step^{-0.5},\ step \cdot warmup^{-1.5})")
    width, warm, length = st.columns(3)
    d_model = width.select_slider("d_model", [64, 128, 256, 512, 1024], 512, key="noam_width", bind="query-params")
    warmup = warm.slider(_("Warm-up steps"), 100, 16_000, 4000, 100, key="noam_warmup", bind="query-params")
    steps = length.slider(_("Steps"), 2000, 100_000, 20_000, 1000, key="noam_steps", bind="query-params")
    rates = noam_rates(steps, d_model, warmup)
    labels = {"step": _("training step"), "rate": _("learning rate")}
    shown = np.unique(np.append(np.linspace(1, steps, _POINTS).round().astype(int), min(warmup, steps)))
    name = _("the paper's schedule")
    st.altair_chart(rate_curve(pd.DataFrame({"step": shown, "rate": rates[shown - 1], "series": name}), labels))
    st.caption(_("The peak is {rate}, at step {step}.").format(rate=f"{rates.max():.3e}", step=int(rates.argmax()) + 1))
    with st.expander(_("The schedule of this project's runs")):
        st.markdown(
            _(
                "The runs on this page name the peak itself instead of deriving it from d_model, and over the last "
                "40 % of the steps the rate also falls to nothing, so that a short run ends calmly."
            )
        )
        options = TrainingOptions(steps=400, learning_rate=7e-3, warmup=50)
        step = np.arange(1, options.steps + 1)
        own = [options.learning_rate_at(int(n)) for n in step]
        name = _("peak 7e-3, 50 steps of warm-up, 400 steps")
        st.altair_chart(rate_curve(pd.DataFrame({"step": step, "rate": own, "series": name}), labels, height=180))


def _smoothing() -> None:
    st.subheader(_("Label smoothing"))
    st.markdown(
        _(
            "The paper (§5.4): the model is not to predict the label with probability 1, but with 1 − ε; ε is shared "
            "by all tokens of the vocabulary. That costs likelihood and makes the model less sure of itself."
        )
    )
    smoothing = st.slider("ε", 0.0, 0.9, 0.1, 0.05, key="epsilon", bind="query-params")
    tokenizer = Task("copy").tokenizer()
    label = tokenizer.encode("3").ids[0]
    target = smoothed_target(label, tokenizer.vocab_size, smoothing)
    tokens = [tokenizer.label(n) for n in range(tokenizer.vocab_size)]
    bars = pd.DataFrame({"token": tokens, "probability": target, "is_label": np.arange(len(tokens)) == label})
    labels = {"token": _("token of the vocabulary; the label is 3"), "probability": _("probability to predict")}
    st.altair_chart(target_bars(bars, labels))
    st.caption(
        _(
            "The label gets {label}, every other token {other}. With this target no model's loss is below {loss} nats "
            "a token: a training loss that stays there has learned all there is."
        ).format(label=f"{target[label]:.4f}", other=f"{target[label - 1]:.4f}", loss=f"{lowest_loss(target):.4f}")
    )
