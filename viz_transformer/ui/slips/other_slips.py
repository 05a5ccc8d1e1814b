"""Three slips around attention: the encoder's mask, the positions, and the loss."""

from __future__ import annotations

import numpy as np

from viz_transformer.experiments.slips.divided_loss import SIZES
from viz_transformer.experiments.slips.encodings import (
    closest_pair,
    neighbour_distances,
    repeated_dimensions,
)
from viz_transformer.slips import CosineTwice
from viz_transformer.tokenizers import PAD
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.choices import axes_of, linked_choice
from viz_transformer.ui.shared.outputs import written_text
from viz_transformer.ui.slips.passes import (
    distances_of,
    gradients_of,
    ids_of,
    log_p,
    padded_of,
    show_results,
    slipped,
)
from viz_transformer.ui.slips.pictures import pair, results, weight_matrices
from viz_transformer.ui.slips.slip_context import Code, SlipContext, trained
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_FURTHER = (2, 6, 12)  # by how many tokens the longest sentence of the batch is longer
_USUAL = 6


def encoder_mask(context: SlipContext) -> None:
    """No mask on the padding of the source, in the encoder or in cross-attention."""
    reading, trace = context.reading, context.reading.trace
    length, limit = len(trace.source_ids), trace.config.max_len
    # Relative to the sentence: a sentence of another length gets as much padding, by the same link.
    longer = {str(more): str(length + more) for more in _FURTHER if length + more <= limit} or {"0": str(length)}
    with context.side:
        usual = str(_USUAL) if str(_USUAL) in longer else next(iter(longer))
        more = int(linked_choice(_("Tokens of the longest sentence in the batch"), "further", longer, usual))
    head = context.choose_head("encoder_self")
    right, wrong = padded_of(reading.model, trace, ids_of(trace), length + more)
    tokens = (*trace.source_tokens, *[PAD] * more)
    mask = np.broadcast_to(np.arange(length + more) < length, (length, length + more))
    before, after = (one.weights(head.layer, head.head)[:length] for one in (right, wrong))
    right_output, wrong_output = (written_text(reading.translator, one.output) for one in (right, wrong))
    with context.picture:
        weight_matrices(before, after, mask, trace.source_tokens, tokens, axes_of("encoder_self"))
        results(
            _("The same sentence, alone and beside a longer one"),
            [
                (_("output"), right_output, wrong_output),
                (_("log p of the target, nats"), decimals(right.log_prob), decimals(wrong.log_prob)),
                (_("largest change of the encoder's output"), decimals(right.change), decimals(wrong.change)),
            ],
        )
    context.explain(
        explained(
            "In this head, a token puts up to **{weight}** of its weight on the {count} tokens of padding. Alone,"
            " log p of the target is {alone} nats; beside a longer sentence it becomes **{wrong}**, and with the "
            "mask it stays {right}."
        ).format(
            weight=decimals(float(after[:, length:].sum(axis=1).max(initial=0.0))),
            count=more,
            alone=log_p(trace),
            wrong=decimals(wrong.log_prob),
            right=decimals(right.log_prob),
        ),
        Code(
            "transformer(src, tgt, tgt_mask=causal)",
            "transformer(src, tgt, tgt_mask=causal,\n  src_key_padding_mask=pad,\n  memory_key_padding_mask=pad)",
            "assert torch.allclose(\n  encode(padded)[:, :n], encode(alone),\n  atol=1e-5)",
        ),
        trained(
            _("Trained with it, the model learns nearly as well: only a change of the batch gives the slip away."),
            "encoder-mask",
        ),
    )


def loss(context: SlipContext) -> None:
    """The loss, which is a mean already, divided by the number of tokens."""
    reading, trace = context.reading, context.reading.trace
    found = gradients_of(reading.model, trace, ids_of(trace))
    parts = [_part(name) for name in found.parts]
    names = (_("part of the model"), _("sentences in the batch"))
    right, wrong = found.whole
    with context.picture:
        pair(
            (found.right, found.wrong),
            (parts, parts),
            (None, None),
            (names, names),
            _("norm of the gradient"),
            float(max(found.right.max(), found.wrong.max())),
        )
        results(
            _("The whole gradient, your sentence {sizes} times in the batch").format(
                sizes=_(", ").join(str(size) for size in SIZES)
            ),
            [
                (
                    _("{size} ×").format(size=size),
                    decimals(float(right[n])),
                    decimals(float(wrong[n])),
                )
                for n, size in enumerate(SIZES)
            ],
        )
    context.explain(
        explained(
            "A mean does not change when the batch repeats a sentence, so neither may its gradient: {first} with "
            "one, {last} with {most}. Divided once more by its {tokens} tokens, it is **{less}** with one and "
            "**{least}** with {most}: the larger the batch, the less the model learns."
        ).format(
            first=decimals(float(right[0])),
            last=decimals(float(right[-1])),
            most=SIZES[-1],
            tokens=found.n_tokens,
            less=decimals(float(wrong[0])),
            least=decimals(float(wrong[-1])),
        ),
        Code(
            "loss = cross_entropy(logits, labels)\nloss = loss / labels.numel()",
            "loss = cross_entropy(logits, labels)",
            "assert torch.allclose(\n  loss_of([pair]), loss_of([pair, pair]))",
        ),
        trained(
            _(
                "Trained with it, the model still learns, only later, since Adam divides the factor out again; "
                "but the loss that it reports is far too small."
            ),
            "loss",
        ),
    )


def _part(name: str) -> str:
    kind, _dot, number = name.partition(".")
    names = {
        "source_embedding": _("source embedding"),
        "target_embedding": _("target embedding"),
        "encoder_layers": _("encoder layer {n}"),
        "decoder_layers": _("decoder layer {n}"),
        "encoder_norm": _("the encoder's last norm"),
        "decoder_norm": _("the decoder's last norm"),
        "output_projection": _("output projection"),
    }
    return names[kind].format(n=int(number) + 1 if number else "")


def cos_cos(context: SlipContext) -> None:
    """The positional encoding with cosines in place of its sines."""
    code = Code(
        "pe[:, 0::2] = torch.cos(angles)\npe[:, 1::2] = torch.cos(angles)",
        "pe[:, 0::2] = torch.sin(angles)\npe[:, 1::2] = torch.cos(angles)",
        "assert (pe[0, 0::2] == 0).all()",
    )
    train = trained(
        _(
            "When a model is trained with it, what is left of the positions is enough for a toy task: nothing gives"
            " the slip away."
        ),
        "cos-cos",
    )
    reading, trace = context.reading, context.reading.trace
    if trace.config.positions != "sinusoidal":
        reasons = {
            "learned": _(
                "This model learned its positions: it has no sines that could be cosines, and the slip changes "
                "nothing. Choose a model with sinusoidal positions."
            ),
            "none": _(
                "This model has no positions: it has no sines that could be cosines, and the slip changes nothing. "
                "Choose a model with sinusoidal positions."
            ),
        }
        context.excuse(reasons[trace.config.positions], code, train)
        return
    change = CosineTwice()
    wrong = slipped(context, change)
    right_distances, wrong_distances = distances_of(reading.model, trace, wrong, len(trace.source_ids))
    names = (_("position of a token"), _("position of another token"))
    with context.picture:
        pair(
            (right_distances, wrong_distances),
            (trace.source_tokens, trace.source_tokens),
            (trace.source_tokens, trace.source_tokens),
            (names, names),
            _("distance between two encodings"),
            float(max(right_distances.max(), wrong_distances.max())),
            first_index=0,
        )
    show_results(context, wrong, change)
    i, j = closest_pair(wrong_distances)
    steps = neighbour_distances(wrong_distances)
    context.explain(
        explained(
            "**{repeated} of {d} dimensions** repeat the one before. Neighbours should all be equally far apart, "
            "{step}; with the slip they are {low} to {high} apart, and positions {i} and {j} only **{near}**: "
            "near its turning points a cosine hardly changes."
        ).format(
            repeated=repeated_dimensions(wrong.positional_encoding("source")),
            d=trace.config.d_model,
            step=decimals(float(neighbour_distances(right_distances).mean()), 2),
            low=decimals(float(steps.min()), 2),
            high=decimals(float(steps.max()), 2),
            i=i,
            j=j,
            near=decimals(float(wrong_distances[i, j])),
        ),
        code,
        train,
    )
