"""A slip in cross-attention: Q comes from the encoder, or K from the decoder."""

from __future__ import annotations

from typing import cast

from viz_transformer.experiments.slips.wrong_side import CrossPasses, Part
from viz_transformer.heads import HeadRef
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.choices import axes_of, linked_choice
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.ui.slips.passes import cross_of, ids_of
from viz_transformer.ui.slips.pictures import pair, results
from viz_transformer.ui.slips.slip_context import Code, SlipContext
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


def query(context: SlipContext) -> None:
    """Cross-attention one of whose parts comes from the wrong side."""
    reading, trace = context.reading, context.reading.trace
    with context.side:
        parts = {"query": _("Q, from the encoder"), "key": _("K, from the decoder")}
        part = cast("Part", linked_choice(_("From the wrong side"), "wrong", parts, "query"))
        lengths = {"one": _("padded to one length"), "own": _("each its own")}
        is_padded = linked_choice(_("Length of source and target"), "length", lengths, "one") == "one"
    head = context.choose_head("cross")
    found = cross_of(reading.model, trace, ids_of(trace), part, is_padded)
    if found.wrong.weights(head.layer, head.head) is None:  # the pass with the slip stopped in the first layer
        head = HeadRef("cross", 0, head.head)
    _show(context, found, part, head)
    context.explain(_symptom(found, part, head), _code(part), _train(part))


def _show(context: SlipContext, found: CrossPasses, part: Part, head: HeadRef) -> None:
    before, after = (one.weights(head.layer, head.head) for one in (found.right, found.wrong))
    assert before is not None and after is not None
    source, target = found.source_tokens, found.target_tokens
    rows, columns = axes_of("cross")
    if part == "query":
        labels, other_axes = ((target, source), (source, source)), (axes_of("encoder_self")[0], columns)
    else:
        labels, other_axes = ((target, target), (source, target)), (rows, axes_of("decoder_self")[1])
    with context.picture:
        pair((before, after), *labels, ((rows, columns), other_axes), _("weight"), 1.0)
        axis, counted = (0, _("rows of the weights")) if part == "query" else (1, _("columns of the weights"))
        changed = {
            "query": _("largest change of a weight in layer 1, with other target tokens"),
            "key": _("largest change of a weight in layer 1, with other source tokens"),
        }
        log_probs = (decimals(found.right.log_prob), decimals(found.wrong.log_prob))
        results(
            _("The same weights, the same sentence"),
            [
                (counted, str(before.shape[axis]), str(after.shape[axis])),
                (
                    _("log p of the target, nats"),
                    log_probs[0],
                    _("stopped") if found.wrong.error else log_probs[1],
                ),
                (changed[part], decimals(found.right.change), decimals(found.wrong.change)),
            ],
        )


def _symptom(found: CrossPasses, part: Part, head: HeadRef) -> str:
    """What the numbers show."""
    if not found.wrong.error:
        said = {
            "query": explained(
                "When both are equally long, **nothing stops it**. But now the queries come from the source too: with"
                " every target token replaced, no weight of layer 1 changes by more than **{wrong}** (right: {right})."
            ),
            "key": explained(
                "When both are equally long, **nothing stops it**. But a query that finds the third token of the "
                "target gets the value of the third token of the source: with every source token replaced, no weight "
                "of layer 1 changes by more than **{wrong}** (right: {right})."
            ),
        }
        return said[part].format(wrong=decimals(found.wrong.change), right=decimals(found.right.change))
    said = {
        "query": explained(
            "The weights of layer {layer} have **{source} rows in place of {target}**, and so has the average "
            "that they form. It does not fit the decoder's residual stream, and torch stops: {error}."
        ),
        "key": explained(
            "The weights of layer {layer} have **{target} columns in place of {source}**, one for each target token. "
            "There are {source} values to average, so weights · V does not fit, and torch stops: {error}."
        ),
    }
    return said[part].format(
        layer=head.layer + 1,
        source=len(found.source_tokens),
        target=len(found.target_tokens),
        error=verbatim(found.wrong.error.partition("\n")[0].rstrip(".")),
    )


def _code(part: Part) -> Code:
    wrong = {
        "query": "x + cross(query=memory,\n  key=memory, value=memory)",
        "key": "x + cross(query=x,\n  key=x, value=memory)",
    }
    return Code(
        wrong[part],
        "x + cross(query=x,\n  key=memory, value=memory)",
        "assert T != S  # in this batch\nassert weights.shape[-2:] == (T, S)",
    )


def _train(part: Part) -> str:
    said = {
        "query": _(
            "There is no training run with this slip: training would work on the toy tasks, since source and "
            "target are equally long, but the first step of writing has one row, and the source has more."
        ),
        "key": _(
            "There is no training run with this slip: training would work on the toy tasks, since source and "
            "target are equally long, but the first step of writing has one key, and the source has more values."
        ),
    }
    return said[part]
