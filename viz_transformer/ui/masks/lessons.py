"""Three lessons of the Masks page: the matrices, teacher forcing, and the encoder without its mask."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.padding import PaddingLeak, module_masks
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.masks.controls import Lesson, choose_head, encoder_passes, leak_of
from viz_transformer.ui.masks.matrices import mask_in_link, mask_matrix, weight_matrices
from viz_transformer.ui.shared.choices import choose_module, linked_choice, numbered
from viz_transformer.ui.shared.notes import note
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_ALLOWED_CODE = """\
padding = (key_ids != pad_id)[:, None, None, :]        # True = may attend
causal = torch.ones(T, T, dtype=torch.bool).tril()     # True = may attend
mask = padding & causal
F.scaled_dot_product_attention(q, k, v, attn_mask=mask)"""
_MASKED_CODE = """\
padding = key_ids == pad_id                            # True = masked
causal = torch.ones(T, T, dtype=torch.bool).triu(1)    # True = masked
# masked = padding | causal, done inside
nn.MultiheadAttention(…)(q, k, v, attn_mask=causal, key_padding_mask=padding)"""


def matrices(lesson: Lesson) -> None:
    """Padding mask, causal mask or their combination of one module, in one of both boolean conventions."""
    usual_part, usual_may = mask_in_link()
    with lesson.side:
        parts = {"padding": _("padding"), "causal": _("causal"), "combined": _("combined")}
        part = linked_choice(_("Mask"), "mask", parts, usual_part)
        conventions = {"may": _("may attend"), "masked": _("masked")}
        convention = linked_choice(_("True means"), "true", conventions, "may" if usual_may else "masked")
        module = choose_module("decoder_self", column=True)
    may_is_true = convention == "may"
    masks = module_masks(lesson.batch, lesson.recorded, module, lesson.sentence)
    lesson.side.markdown(
        explained(
            "Combined, as recorded in the pass: {allowed} of {cells} cells may be attended to; padding removes "
            "{padding} and the causal mask {causal}, of which {both} are removed by both."
        ).format(
            both=0 if masks.causal is None else int((~masks.padding & ~masks.causal).sum()),
            allowed=int(masks.combined.sum()),
            cells=masks.combined.size,
            padding=int((~masks.padding).sum()),
            causal=0 if masks.causal is None else int((~masks.causal).sum()),
        )
    )
    with lesson.picture:
        mask_matrix(masks, module, part, may_is_true=may_is_true, key="masks")
        if masks.padding.all():
            note(_("No key is padding here, because this is the longest sentence of the batch: choose another one."))
        if masks.causal is None:
            st.caption(_("No causal mask here: the whole source is known before the first target token is generated."))
        st.caption(_("Rows whose query is padding are computed too, but never used."))
        if may_is_true:
            st.markdown(
                explained("**True = may attend**: this project, `scaled_dot_product_attention`. Combined by *and*.")
            )
        else:
            st.markdown(explained("**True = masked**: `nn.MultiheadAttention`, `nn.Transformer`. Combined by *or*."))
        st.code(_ALLOWED_CODE if may_is_true else _MASKED_CODE, language="python", wrap_lines=True)


def teacher_forcing(lesson: Lesson) -> None:
    """Every row as one training example, in a triangle; and the input, shifted right, aligned with the labels."""
    _show_triangle(lesson)
    with lesson.picture:
        _show_aligned(lesson)


def _show_triangle(lesson: Lesson) -> None:
    batch, sentence = lesson.batch, lesson.sentence
    n = batch.target_lengths[sentence]
    log_probs = lesson.recorded.label_log_probs[sentence, :n]
    read, labels = batch.target_tokens[sentence][:n], batch.label_tokens[sentence][:n]
    rows: list[list[str | Cell]] = [
        [
            str(row + 1),
            *(Cell(token, "text") if place <= row else Cell("", "text masked") for place, token in enumerate(read)),
            Cell(f"→ {labels[row]}", "text"),
            decimals(float(log_probs[row])),
            decimals(float(-log_probs[row])),
        ]
        for row in range(n)
    ]
    with lesson.picture:
        number_table(
            "triangle",
            _("What each row may read, what it should predict, and how well it does"),
            [_("row"), *(str(place) for place in range(1, n + 1)), _("predicts"), _("log p"), _("loss")],
            rows,
        )
    hardest, loss = int(log_probs.argmin()), float(-log_probs.mean(dtype=np.float64))
    lesson.side.markdown(
        explained(
            "One pass does the work of {n} passes, one for each prefix, thanks to the causal mask. Their cross-entropy "
            "is **{loss}** nats per token, the mean of the {n} losses; the hardest is row {row}, with {most}."
        ).format(n=n, loss=decimals(loss), row=hardest + 1, most=decimals(float(-log_probs[hardest])))
    )
    lesson.side.markdown(
        explained(
            "When the model generates, no row has the correct tokens before it: it reads what the model itself "
            "wrote. The model never met its own mistakes in training; this is called exposure bias. On the page "
            "Decoding you can force a wrong token and see what comes after it."
        )
    )
    lesson.side.markdown(
        explained(
            "A common mistake is to divide the loss twice: it is already a mean. Divided by {n} once more, it "
            "would be {less}, and every gradient would be {n} times too small."
        ).format(n=n, less=decimals(loss / n))
    )


def _show_aligned(lesson: Lesson) -> None:
    batch = lesson.batch
    width = batch.target_ids.shape[1]
    strips: list[list[str | Cell]] = []
    for number, (reads, labels, length) in enumerate(
        zip(batch.target_tokens, batch.label_tokens, batch.target_lengths, strict=True), start=1
    ):
        for name, tokens in ((_("{n} reads"), reads), (_("{n} predicts"), labels)):
            cells = [Cell(token, "text" if place < length else "text masked") for place, token in enumerate(tokens)]
            strips.append([name.format(n=number), *cells])
    number_table(
        "aligned",
        _(
            "Input (shifted right, beginning with <s>) and labels of the whole batch; hatched: padding, left "
            "out of the loss"
        ),
        ["", *(str(place) for place in range(1, width + 1))],
        strips,
    )
    st.caption(
        _("{rows} rows are computed at once; {examples} of them are training examples, the rest are padding.").format(
            rows=batch.target_ids.size, examples=sum(batch.target_lengths)
        )
    )


_AS_TYPED, _LONG = "typed", 33  # tokens: a neighbour long enough for the leak to be seen
_NEIGHBOURS = (16, _LONG, 64)


def encoder_leak(lesson: Lesson) -> None:
    """One sentence alone and padded, with and without the encoder's padding mask."""
    n, typed = lesson.batch.source_lengths[lesson.sentence], lesson.batch.source_ids.shape[1]
    limit = lesson.translator.model.config.max_len
    with lesson.side:
        longer = {str(min(width, limit)): str(min(width, limit)) for width in _NEIGHBOURS if min(width, limit) > typed}
        choices = {_AS_TYPED: _("as typed: {count}").format(count=typed), **longer}
        usual = str(min(_LONG, limit))
        chosen = linked_choice(
            _("Tokens of the longest sentence in the batch"),
            "neighbour",
            choices,
            usual if usual in choices else _AS_TYPED,
        )
        width = typed if chosen == _AS_TYPED else int(chosen)
        embeddings = {"own": _("the model's"), "zero": _("zeros")}
        zeros = linked_choice(_("Embedding of `<pad>`, mask off"), "pad", embeddings, "own") == "zero"
        layer, head = choose_head(lesson, "encoder_self")
    leak = leak_of(lesson.model, lesson.sentences, lesson.sentence, width, zeros)
    lesson.side.markdown(
        explained(
            "With {count} padding tokens and no mask, this head puts up to **{weight}** of a token's weight on "
            "padding, the encoder's output changes by up to **{off}**, and log p of an output token by up to {p} "
            "nats. With the mask, the encoder's output changes by {on}, which is rounding error."
        ).format(
            count=width - n,
            weight=decimals(float(leak.pad_weight_off[layer, head].max())),
            off=decimals(float(leak.change_off.max())),
            on=decimals(float(leak.change_on.max())),
            p=decimals(float(np.abs(leak.log_probs_off - leak.log_probs_alone).max())),
        )
    )
    if zeros:
        lesson.side.markdown(
            explained(
                "Zeros are no mask: a padding token keeps its position and the biases of W_K and W_V, so it has a key, "
                "and its score is not −∞."
            )
        )
    with lesson.picture:
        if n == width:
            note(
                _(
                    "This is the longest sentence of the batch, so it has no padding and nothing can leak: choose "
                    "another one."
                )
            )
        _show_leaking_weights(lesson, layer, head, width, zeros)
        _show_leak(lesson, leak, layer, head, width)


def _show_leaking_weights(lesson: Lesson, layer: int, head: int, width: int, zeros: bool) -> None:
    batch, *passes = encoder_passes(lesson.model, lesson.sentences, lesson.sentence, width, zeros)
    n, tokens = batch.source_lengths[lesson.sentence], batch.source_tokens[lesson.sentence]
    on, off = (one.stage("encoder_self", layer, "weights")[0, head, :n] for one in passes)  # each (n, S)
    mask = passes[0].stage("encoder_self", layer, "mask")[0, 0]
    # One below the other: the rows are few, and the columns many.
    for name, title, weights, kept in (
        ("leak-off", _("Padding mask off, <pad> all zeros") if zeros else _("Padding mask off"), off, None),
        ("leak-on", _("Padding mask on"), on, np.broadcast_to(mask, on.shape)),
    ):
        weight_matrices({title: (weights, kept)}, tokens[:n], tokens, "encoder_self", names=(name,), key=name)


def _show_leak(lesson: Lesson, leak: PaddingLeak, layer: int, head: int, width: int) -> None:
    n = lesson.batch.source_lengths[lesson.sentence]
    tokens = lesson.batch.source_tokens[lesson.sentence]
    number_table(
        "leak",
        _("The encoder's output with {count} padding tokens, compared with the sentence alone").format(count=width - n),
        [
            _("source token"),
            _("mask on: largest change"),
            _("mask off: largest change"),
            _("mask on: weight on <pad>"),
            _("mask off: weight on <pad>"),
        ],
        [
            [
                name,
                decimals(float(leak.change_on[place])),
                Cell(decimals(float(leak.change_off[place])), "strong" if n < width else ""),
                decimals(float(leak.pad_weight_on[layer, head, place])),
                Cell(decimals(float(leak.pad_weight_off[layer, head, place])), "strong" if n < width else ""),
            ]
            for place, name in enumerate(numbered(tokens[:n]))
        ],
    )
    st.caption(
        _(
            "A change of about 1e−7 is rounding error: at a different width, sums are taken in a different order."
            " The weights are those of this head."
        )
    )
    n_target = lesson.batch.target_lengths[lesson.sentence]
    labels = numbered(lesson.batch.label_tokens[lesson.sentence][:n_target])
    number_table(
        "leak-output",
        _("The consequence: the decoder's log p of each token of the output"),
        [_("token"), _("alone"), _("padded, mask on"), _("padded, mask off"), _("change without the mask")],
        [
            [name, decimals(float(alone)), decimals(float(kept)), decimals(float(gone)), decimals(float(gone - alone))]
            for name, alone, kept, gone in zip(
                labels, leak.log_probs_alone, leak.log_probs_on, leak.log_probs_off, strict=True
            )
        ],
    )
