"""The same pass with another divisor: the weights, their entropy and the output next to the original."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.analysis.measures import entropy
from viz_transformer.heads import AttentionModule
from viz_transformer.interventions import Intervention, ScaleScores, Temperature
from viz_transformer.tokenizers import END_ID
from viz_transformer.trace import Trace
from viz_transformer.ui.attention.stages import Axes
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import number_table
from viz_transformer.ui.components.sheets import Matrix
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.models import ModelChoice, changed_output, changed_trace, load_translator
from viz_transformer.ui.shared.text import _


def what_if(model: ModelChoice, trace: Trace, source: str, axes: Axes, place: tuple[AttentionModule, int, int]) -> None:
    """A choice of changes (in the link as `whatif`, `temperature`) and what each does, all of it recorded."""
    st.subheader(_("What if the scores were scaled differently?"))
    intervention = _choose(model)
    changed = changed_trace(model, trace, intervention)
    module, layer, head = place
    first, second = trace.attention(module, layer), changed.attention(module, layer)
    both: dict[str, Any] = {
        "rows": axes.queries,
        "columns": axes.keys,
        "row_labels": list(axes.query_tokens),
        "column_labels": list(axes.key_tokens),
        "mask": second.mask,
        "hue": "score",
        "is_pinnable": False,
    }
    weight = _("weight")
    before, after = first.weights[head], second.weights[head]
    extent = float(max(before.max(), after.max()))
    matrix_view(
        [
            Matrix(_("Weights, original"), before, name="original", scale_name=weight, extent=extent, **both),
            Matrix(_("Weights, changed"), after, name="changed", scale_name=weight, extent=extent, **both),
            Matrix(
                _("Changed − original"),
                after - before,
                name="change",
                scale="diverging",
                scale_name=_("difference"),
                **both,
            ),
        ],
        key="what_if",
    )
    tokenizer = load_translator(model.name, model.device).target_tokenizer
    output = changed_output(model, source, intervention)
    ended = "" if output[-1] == END_ID else " " + _("(stopped at the maximum length)")
    original = changed_output(model, source, None)
    number_table(
        "what-if",
        _("Original and changed pass over the same tokens; the change applies in every layer and module."),
        ["", _("original"), _("changed")],
        [
            [_("this head: mean entropy of its rows, bits"), *(_bits(one.weights[head]) for one in (first, second))],
            [_("this module and layer: the same over all heads"), *(_bits(one.weights) for one in (first, second))],
            [
                _("log-probability of the shown target, nats"),
                *(f"{one.token_log_probs.sum():.4f}" for one in (trace, changed)),
            ],
            [_("the model's output, greedy"), tokenizer.decode(original), tokenizer.decode(output) + ended],
        ],
    )


def _choose(model: ModelChoice) -> Intervention:
    config = load_translator(model.name, model.device).model.config
    texts = {
        "none": _("no scaling: softmax(QKᵀ)"),
        "sqrt_d_model": _("÷ √d_model = √{d}, a common mistake, instead of ÷ √dₖ = √{k}").format(
            d=config.d_model, k=config.d_k
        ),
        "temperature": _("÷ √dₖ, and ÷ a temperature"),
    }
    chosen = linked_choice(_("Change"), "whatif", texts, "none", column=True)
    if chosen != "temperature":
        return ScaleScores("sqrt_d_model" if chosen == "sqrt_d_model" else "none")
    temperature = st.slider(
        _("Temperature"),
        0.1,
        5.0,
        2.0,
        0.1,
        key="temperature",
        bind="query-params",
        help=_("1 is the original; below 1 the softmax is sharper, above 1 flatter."),
    )
    return Temperature(temperature)


def _bits(weights: np.ndarray) -> str:
    return f"{entropy(weights).mean():.4f}"
