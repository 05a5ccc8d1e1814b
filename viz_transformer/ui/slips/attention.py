"""Four slips in the lines of attention: the softmax's axis, the divisor, what a mask's True means, and its diagonal."""

from __future__ import annotations

import math

from viz_transformer.analysis.measures import entropy
from viz_transformer.experiments.masks.masked_softmax import MaskedWeights
from viz_transformer.heads import AttentionModule, HeadRef, stack_config
from viz_transformer.interventions import Intervention, ScaleScores
from viz_transformer.slips import InvertMasks, MaskDiagonal, SoftmaxOverQueries
from viz_transformer.trace import Trace
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.choices import axes_of
from viz_transformer.ui.slips.passes import log_p, show_results, slipped
from viz_transformer.ui.slips.pictures import weight_matrices
from viz_transformer.ui.slips.slip_context import Code, SlipContext, trained
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


def softmax_axis(context: SlipContext) -> None:
    """The softmax over the queries: `dim=-2` in place of `dim=-1`."""
    head, wrong = _compare(context, SoftmaxOverQueries(), "cross")
    sums = wrong.attention(head.module, head.layer).weights[head.head].sum(axis=1)
    context.explain(
        explained(
            "Every row must add up to 1. With the slip the columns do, while the rows add up to anything **from "
            "{low} to {high}**: the result is no longer an average of the values. log p of the target goes from "
            "{right} to **{wrong}** nats."
        ).format(
            low=decimals(float(sums.min()), 2),
            high=decimals(float(sums.max()), 2),
            right=log_p(context.reading.trace),
            wrong=log_p(wrong),
        ),
        Code(
            "weights = scores.softmax(dim=-2)",
            "weights = scores.softmax(dim=-1)",
            "assert torch.allclose(\n  weights.sum(-1), torch.ones(()))",
        ),
        trained(
            _(
                "If you train with it, the loss falls as usual, since every weight depends on later queries. In "
                "writing there is only one query at a time, and the model fails."
            ),
            "softmax-axis",
        ),
    )


def sqrt_d_model(context: SlipContext) -> None:
    """The scores divided by √d_model in place of √d_k."""
    config = context.reading.trace.config
    code = Code(
        "scores = q @ k.mT / math.sqrt(d_model)",
        "scores = q @ k.mT / math.sqrt(d_k)",
        "q, k = torch.randn(2, 999, d_k)\nscores = scores_of(q, k)\nassert 0.9 < scores.std() < 1.1",
    )
    train = trained(
        _("Trained with it, the model still learns, only a little later: nothing gives the slip away."),
        "sqrt-d-model",
    )
    if not config.scale_scores:
        reason = _(
            "This model was trained without scaling: its scores are not divided by anything, so there is no √d_k "
            "to mistake for √d_model. Choose another model."
        )
        context.excuse(reason, code, train)
        return
    if config.n_heads == config.decoder.n_heads == 1:
        reason = _(
            "This model has one head in each module, so d_k = d_model, and the slip changes nothing. Choose a model "
            "with more heads."
        )
        context.excuse(reason, code, train)
        return
    head, wrong = _compare(context, ScaleScores("sqrt_d_model"), "cross")
    d_k = stack_config(config, head.module).d_k
    before, after = (
        float(entropy(trace.attention(head.module, head.layer).weights[head.head]).mean())
        for trace in (context.reading.trace, wrong)
    )
    context.explain(
        explained(
            "÷ √{d} = {root} in place of ÷ √{k} = {small}: every score is **{times} times too small**, the softmax "
            "flatter. The mean entropy of this head goes from {before} to **{after}** bits, log p of the target from "
            "{right} to {wrong} nats."
        ).format(
            d=config.d_model,
            root=decimals(math.sqrt(config.d_model), 2),
            k=d_k,
            small=decimals(math.sqrt(d_k), 2),
            times=decimals(math.sqrt(config.d_model / d_k), 2),
            before=decimals(before),
            after=decimals(after),
            right=log_p(context.reading.trace),
            wrong=log_p(wrong),
        ),
        code,
        train,
    )


def polarity(context: SlipContext) -> None:
    """The masks the wrong way round: True in place of False."""
    head, wrong = _compare(context, InvertMasks(), "decoder_self")
    mask = context.reading.trace.attention(head.module, head.layer).mask
    weights = wrong.attention(head.module, head.layer).weights[head.head]
    if mask.all():
        symptom = explained(
            "Nothing is masked here, so with the mask inverted everything is: all scores of a row are alike, and "
            "each of the {keys} keys gets **{weight}**."
        ).format(keys=mask.shape[1], weight=decimals(float(weights.max())))
    else:
        leak = MaskedWeights(weights, mask).leak
        symptom = explained(
            "On average a row puts **{share}** of its weight on keys that it must not see; this should be 0. The "
            "last row has nothing left and spreads evenly; with −∞ in place of −1e9 it would be NaN."
        ).format(share=decimals(float(leak.mean())))
    context.explain(
        symptom,
        Code(
            "scores.masked_fill(allowed, -1e9)",
            "scores.masked_fill(~allowed, -1e9)",
            "assert not weights[~allowed].any()",
        ),
        trained(
            _(
                "Trained with it, the decoder reads the answer in advance: the loss falls faster than ever, yet "
                "the model cannot write."
            ),
            "polarity",
        ),
    )


def diagonal(context: SlipContext) -> None:
    """The causal mask with its diagonal masked, too: no token may attend to itself."""
    trace = context.reading.trace
    code = Code(
        "mask = torch.ones(n, n).tril(-1)",
        "mask = torch.ones(n, n).tril(0)",
        "assert mask.diagonal().all()",
    )
    train = trained(
        _(
            "Trained with it, the first row reads the whole target, so the loss falls as usual. In writing it sees "
            "only the start token: the model guesses the first token, and gets the rest right."
        ),
        "diagonal",
    )
    if len(trace.predicted_ids) == 1:
        reason = _(
            "The target is a single token, so its row has one key with the slip and without, and nothing changes. "
            "Type a longer sentence."
        )
        context.excuse(reason, code, train)
        return
    head, wrong = _compare(context, MaskDiagonal(), "decoder_self")
    first = wrong.attention("decoder_self", head.layer).weights[head.head, 0]
    context.explain(
        explained(
            "No token may attend to itself. In the decoder's self-attention the first row has no key left: {keys} "
            "cells of −1e9 are alike, so each gets **{weight}**, even those of tokens that come later; with −∞ the row "
            "would be NaN. log p of the target goes from {right} to **{wrong}** nats."
        ).format(
            keys=len(first),
            weight=decimals(float(first.max())),
            right=log_p(trace),
            wrong=log_p(wrong),
        ),
        code,
        train,
    )


def _compare(context: SlipContext, change: Intervention, usual: AttentionModule) -> tuple[HeadRef, Trace]:
    """Shows the weights of the chosen head in both passes → the head, and the pass with the slip."""
    head = context.choose_head(context.choose_module(usual))
    wrong = slipped(context, change)
    right, other = (trace.attention(head.module, head.layer) for trace in (context.reading.trace, wrong))
    with context.picture:
        weight_matrices(
            right.weights[head.head],
            other.weights[head.head],
            right.mask,
            right.query_tokens,
            right.key_tokens,
            axes_of(head.module),
        )
    show_results(context, wrong, change)
    return head, wrong
