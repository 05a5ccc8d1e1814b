"""The passes with a slip and without, shared by all visitors, and a table of what the model writes in each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.positions.encoding import distances
from viz_transformer.experiments.slips.counted_padding import PaddedLoss, padded_loss
from viz_transformer.experiments.slips.divided_loss import GradientNorms, gradient_norms
from viz_transformer.experiments.slips.kept_graphs import KeptGraphs, kept_graphs
from viz_transformer.experiments.slips.unmasked_padding import PaddedPass, padded_passes
from viz_transformer.experiments.slips.wrong_side import CrossPasses, Part, cross_passes
from viz_transformer.interventions import Intervention
from viz_transformer.trace import Trace
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.models import ModelChoice, changed_output, changed_trace, load_translator
from viz_transformer.ui.shared.outputs import written_text
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.ui.slips.pictures import results
from viz_transformer.ui.slips.slip_context import SlipContext
from viz_transformer.views.text import _

Ids = tuple[tuple[int, ...], ...]


def ids_of(trace: Trace) -> Ids:
    """The ids that a pass read and should write: passes of one model over the same ids are the same."""
    return trace.source_ids, trace.target_ids, trace.predicted_ids


@kept()
def padded_of(model: ModelChoice, _trace: Trace, ids: Ids, width: int) -> tuple[PaddedPass, PaddedPass]:
    """See `padded_passes`; `ids` are those of the trace."""
    with scheduler.short():
        return padded_passes(load_translator(model.name, model.device).model, _trace, width)


@kept()
def cross_of(model: ModelChoice, _trace: Trace, ids: Ids, part: Part, is_padded: bool) -> CrossPasses:
    """See `cross_passes`."""
    with scheduler.short():
        return cross_passes(load_translator(model.name, model.device).model, _trace, part, is_padded=is_padded)


@kept()
def padded_loss_of(model: ModelChoice, _trace: Trace, ids: Ids, further: int) -> PaddedLoss:
    """See `padded_loss`."""
    with scheduler.short():
        return padded_loss(load_translator(model.name, model.device).model, _trace, further)


@kept()
def gradients_of(model: ModelChoice, _trace: Trace, ids: Ids) -> GradientNorms:
    """See `gradient_norms`."""
    with scheduler.short():
        return gradient_norms(load_translator(model.name, model.device).model, _trace)


@kept()
def graphs_of(model: ModelChoice, _trace: Trace, ids: Ids) -> tuple[KeptGraphs, KeptGraphs]:
    """See `kept_graphs`."""
    with scheduler.short():
        return kept_graphs(load_translator(model.name, model.device).model, _trace)


@kept()
def distances_of(
    model: ModelChoice, _right: Trace, _wrong: Trace, source_length: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(L, L) distances between the source's encodings, right and wrong: they depend on L alone, not on the tokens."""
    with scheduler.short():
        right, wrong = (
            distances(one.positional_encoding("source").astype(np.float64)).astype(np.float32)
            for one in (_right, _wrong)
        )
        return right, wrong


def slipped(context: SlipContext, change: Intervention) -> Trace:
    """The pass over the same tokens, with a slip."""
    return changed_trace(context.reading.model, context.reading.trace, change)


def show_results(context: SlipContext, wrong: Trace, change: Intervention) -> None:
    """What the model writes by itself with the slip and without, and how likely each pass finds the same output."""
    reading = context.reading
    outputs = (changed_output(reading.model, reading.texts.source, one) for one in (None, change))
    right_output, wrong_output = (written_text(reading.translator, ids) for ids in outputs)
    with context.picture:
        results(
            _("The same weights, the same sentence"),
            [
                (_("output"), right_output, wrong_output),
                (_("log p of the target, nats"), log_p(reading.trace), log_p(wrong)),
            ],
        )


def log_p(trace: Trace) -> str:
    """The log-probability, as text, of all that the pass should write."""
    return decimals(trace.log_prob)
