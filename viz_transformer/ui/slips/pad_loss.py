"""A slip in the loss: padding is counted as if it were text."""

from __future__ import annotations

import numpy as np

from viz_transformer.tokenizers import PAD
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.slips.passes import ids_of, padded_loss_of
from viz_transformer.ui.slips.pictures import pair, results
from viz_transformer.ui.slips.slip_context import Code, SlipContext, trained
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_FURTHER, _USUAL = (2, 6, 12), "6"  # tokens of padding after the target


def pad_loss(context: SlipContext) -> None:
    """The loss of a target beside a longer one, with its padding left out, and counted."""
    reading, trace = context.reading, context.reading.trace
    room = trace.config.max_len - len(trace.target_ids)
    further = {str(more): str(more) for more in _FURTHER if more <= room} or {"0": "0"}
    with context.side:
        usual = _USUAL if _USUAL in further else next(iter(further))
        more = int(linked_choice(_("Tokens of padding after the target"), "further", further, usual))
    found = padded_loss_of(reading.model, trace, ids_of(trace), more)
    losses = found.losses[None]  # (1, T + further)
    tokens = (*trace.predicted_tokens, *[PAD] * more)
    names = (_("target"), _("label"))
    with context.picture:
        pair(
            (losses, losses),
            ([_("target")], [_("target")]),
            (tokens, tokens),
            (names, names),
            _("−log p, nats"),
            float(losses.max()),
            (np.arange(losses.size) < found.n_tokens)[None],
        )
        results(
            _("The same pass, the same labels"),
            [
                (_("labels that count"), str(found.n_tokens), str(losses.size)),
                (_("loss, nats per label"), decimals(found.right), decimals(found.wrong)),
                (_("perplexity"), decimals(float(np.exp(found.right))), decimals(float(np.exp(found.wrong)))),
            ],
        )
    context.explain(
        explained(
            "The loss of this sentence is {right} nats per token, whatever stands beside it. With {count} tokens of "
            "padding counted as labels it becomes **{wrong}**, and another number with other neighbours: this model "
            "never learned to write `<pad>`."
        ).format(right=decimals(found.right), count=more, wrong=decimals(found.wrong)),
        Code(
            "loss = cross_entropy(logits, labels)",
            "loss = cross_entropy(logits, labels,\n  ignore_index=pad_id)",
            "assert torch.allclose(\n  loss_of(padded), loss_of(alone))",
        ),
        trained(
            _(
                "A model that is trained with it learns to write `<pad>` after the end, which is easy: the loss that "
                "it reports is too small, and the more padding, the smaller. Nothing else shows."
            ),
            "pad-loss",
        ),
    )
