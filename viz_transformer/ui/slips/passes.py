"""The passes with a slip, beside those that are right: shared by all visitors, and what came of them."""

from __future__ import annotations

from viz_transformer.experiments.slips.cross_query import CrossQueries, cross_queries
from viz_transformer.experiments.slips.divided_loss import GradientNorms, gradient_norms
from viz_transformer.experiments.slips.unmasked_padding import PaddedPass, padded_passes
from viz_transformer.interventions import Intervention
from viz_transformer.tokenizers import END_ID
from viz_transformer.trace import Trace
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.models import ModelChoice, changed_output, changed_trace, load_translator
from viz_transformer.ui.shared.slots import compute_slots
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.slips.pictures import results
from viz_transformer.ui.slips.stand import Stand

Ids = tuple[tuple[int, ...], ...]


def ids_of(trace: Trace) -> Ids:
    """What a pass read and was to write: two passes over the same are the same."""
    return trace.source_ids, trace.target_ids, trace.predicted_ids


@kept()
def padded_of(model: ModelChoice, _trace: Trace, ids: Ids, width: int) -> tuple[PaddedPass, PaddedPass]:
    """See `padded_passes`; `ids` are those of the trace."""
    with compute_slots.short():
        return padded_passes(load_translator(model.name, model.device).model, _trace, width)


@kept()
def cross_of(model: ModelChoice, _trace: Trace, ids: Ids, is_padded: bool) -> CrossQueries:
    """See `cross_queries`."""
    with compute_slots.short():
        return cross_queries(load_translator(model.name, model.device).model, _trace, is_padded=is_padded)


@kept()
def gradients_of(model: ModelChoice, _trace: Trace, ids: Ids) -> GradientNorms:
    """See `gradient_norms`."""
    with compute_slots.short():
        return gradient_norms(load_translator(model.name, model.device).model, _trace)


def slipped(stand: Stand, change: Intervention) -> Trace:
    """The pass over the same tokens, with a slip."""
    return changed_trace(stand.reading.model, stand.reading.trace, change)


def show_results(stand: Stand, wrong: Trace, change: Intervention) -> None:
    """What the model writes by itself with the slip and without, and how likely each pass finds the same output."""
    reading = stand.reading
    outputs = (changed_output(reading.model, reading.texts.source, one) for one in (None, change))
    right_output, wrong_output = (written(stand, ids) for ids in outputs)
    with stand.picture:
        results(
            _("The same weights, the same sentence"),
            [
                (_("output"), right_output, wrong_output),
                (_("log p of the target, nats"), log_p(reading.trace), log_p(wrong)),
            ],
        )


def written(stand: Stand, ids: tuple[int, ...]) -> str:
    """An output as text; the end token may be left out of an output that has ended."""
    text = stand.reading.translator.target_tokenizer.decode(ids)
    limit = stand.reading.trace.config.max_len
    return text if END_ID in ids or len(ids) < limit - 1 else text + " " + _("(stopped at the maximum length)")


def log_p(trace: Trace) -> str:
    """Of all that the pass was to write."""
    return decimals(float(trace.token_log_probs.sum()))
