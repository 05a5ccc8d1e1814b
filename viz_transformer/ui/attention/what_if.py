"""What if the scores had another divisor, in one head or in all: the controls, the change, and its results."""

from __future__ import annotations

import math

import numpy as np

from viz_transformer.analysis.measures import entropy
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import HeadRef, stack_config
from viz_transformer.interventions import Intervention, ScaleHead, ScaleScores, Temperature
from viz_transformer.trace import Trace
from viz_transformer.ui.attention.place import CHANGES, TEMPERATURES, Place
from viz_transformer.ui.shared.models import ModelChoice, changed_output, load_translator
from viz_transformer.ui.shared.outputs import written_text
from viz_transformer.views.head_sheet import SCALED_STAGES
from viz_transformer.views.sheets import Choice, Results
from viz_transformer.views.text import _


def what_if_choices(place: Place) -> list[Choice]:
    """Divisor, reach and temperature, beside the stages that they change."""
    divisors = {"off": "√dₖ", "none": "1", "sqrt_d_model": "√d_model", "temperature": "T√dₖ"}
    choices = [
        Choice("divisor", _("What if ÷"), [divisors[name] for name in CHANGES]),
        Choice("reach", _("in"), [_("this head"), _("every head")]),
        Choice("temperature", _("Temperature T"), [f"{heat:.1f}" for heat in TEMPERATURES], is_range=True),
    ]
    offered = {"off": 1, "temperature": 3}.get(place.change, 2)
    return [
        Choice(one.name, one.label, one.options, stages=SCALED_STAGES, is_range=one.is_range)
        for one in choices[:offered]
    ]


def intervention_of(place: Place, config: TransformerConfig) -> Intervention | None:
    """What the place asks for; None: nothing is changed."""
    if place.change == "off":
        return None
    if place.reach == "head":
        return ScaleHead(HeadRef(place.module, place.layer, place.head), _factor(place, config))
    if place.change == "temperature":
        return Temperature(place.temperature)
    return ScaleScores("sqrt_d_model" if place.change == "sqrt_d_model" else "none")


def _factor(place: Place, config: TransformerConfig) -> float:
    divisors = {"none": 1.0, "sqrt_d_model": math.sqrt(config.d_model)}
    return config.score_divisor / divisors.get(place.change, config.score_divisor * place.temperature)


def changed_title(place: Place) -> str:
    """The title of the scaled scores of a changed pass."""
    return {
        "none": _("Q Kᵀ / 1, changed"),
        "sqrt_d_model": _("Q Kᵀ / √d_model, changed"),
        "temperature": _("Q Kᵀ / (T √dₖ), changed"),
    }[place.change]


def results_of(
    model: ModelChoice, traces: tuple[Trace, Trace], source: str, place: Place, change: Intervention
) -> Results:
    """Entropies, log-probability and output of the original pass and the changed one."""
    config = traces[0].config
    first, second = (trace.attention(place.module, place.layer) for trace in traces)
    row = min(place.cell[0] if place.cell else 0, first.weights.shape[1] - 1)
    translator = load_translator(model.name, model.device)
    outputs = [written_text(translator, changed_output(model, source, one)) for one in (None, change)]
    sentences = {
        "none": _("No scaling: softmax(QKᵀ)."),
        "sqrt_d_model": _("÷ √{d} = {root:.2f} is a common mistake: it is the head's width {k} that counts.").format(
            d=config.d_model, root=math.sqrt(config.d_model), k=stack_config(config, place.module).d_k
        ),
        "temperature": _("Below 1 the softmax is sharper, above 1 flatter."),
    }
    before, after = entropy(first.weights[place.head][row]), entropy(second.weights[place.head][row])
    if abs(after - before) <= 5e-5:
        read = _("Row {row} stays as it was.")
    else:
        read = _("Row {row} becomes sharper.") if after < before else _("Row {row} becomes flatter.")
    return Results(
        f"{sentences[place.change]} {read.format(row=row + 1)}",
        [
            ["", _("original"), _("changed")],
            [_("output"), *outputs],
            [_("entropy of row {row}, bits").format(row=row + 1), f"{before:.4f}", f"{after:.4f}"],
            [_("this head: mean entropy"), *(_bits(one.weights[place.head]) for one in (first, second))],
            [_("all heads of this layer"), *(_bits(one.weights) for one in (first, second))],
            [_("log p of the target, nats"), *(f"{one.log_prob:.4f}" for one in traces)],
        ],
        SCALED_STAGES,
    )


def _bits(weights: np.ndarray) -> str:
    return f"{entropy(weights).mean():.4f}"
