"""Three lessons of the Masks page: the matrices, teacher forcing, and the encoder without its mask."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.padding import label_log_probs, module_masks
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.masks.controls import Lesson, choose_head, choose_module, leak_of, pass_without_encoder_mask
from viz_transformer.ui.masks.matrices import mask_matrices, weight_matrices
from viz_transformer.ui.shared.choices import numbered
from viz_transformer.ui.shared.notes import note
from viz_transformer.ui.shared.text import _

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
    """Padding mask, causal mask and their combination of one module, in both boolean conventions."""
    module = choose_module()
    masks = module_masks(lesson.batch, lesson.recorded, module, lesson.sentence)
    allowed, cells = int(masks.combined.sum()), masks.combined.size
    if masks.padding.all():
        note(_("No key is padding here, because this is the longest sentence of the batch: choose another one."))
    if masks.causal is None:
        st.caption(_("No causal mask here: the whole source is known before the first target token is generated."))
    st.caption(
        _(
            "Combined, as recorded in the pass: {allowed} of {cells} cells may be attended to. Rows whose "
            "query is padding are computed too, but never used."
        ).format(allowed=allowed, cells=cells)
    )
    st.markdown(_("**True = may attend**: this project, `scaled_dot_product_attention`. Combined by *and*."))
    mask_matrices(masks, module, may_is_true=True, key="masks-may")
    st.code(_ALLOWED_CODE, language="python", wrap_lines=True)
    st.markdown(_("**True = masked**: `nn.MultiheadAttention`, `nn.Transformer`. Combined by *or*."))
    mask_matrices(masks, module, may_is_true=False, key="masks-masked")
    st.code(_MASKED_CODE, language="python", wrap_lines=True)


def teacher_forcing(lesson: Lesson) -> None:
    """Input shifted right and labels, aligned; every row one training example, as a triangle."""
    batch, sentence = lesson.batch, lesson.sentence
    n = batch.target_lengths[sentence]
    st.markdown(
        _(
            "In training the decoder reads the correct target, shifted right by one, and every row predicts "
            "the next token. Thanks to the causal mask, one pass does the work of one pass for each prefix."
        )
    )
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
    log_probs = label_log_probs(lesson.recorded.log_probs[sentence], batch.label_ids[sentence])[:n]
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
    number_table(
        "triangle",
        _("What each row may read, what it should predict, and how well it does"),
        [_("row"), *(str(place) for place in range(1, n + 1)), _("predicts"), _("log p"), _("loss")],
        rows,
    )
    st.caption(
        _("Cross-entropy of this sentence, the mean of its {n} losses: {loss} nats per token.").format(
            n=n, loss=decimals(float(-log_probs.mean(dtype=np.float64)))
        )
    )


def encoder_leak(lesson: Lesson) -> None:
    """One sentence alone and padded, with and without the encoder's padding mask."""
    n, width = lesson.batch.source_lengths[lesson.sentence], lesson.batch.source_ids.shape[1]
    st.markdown(
        _(
            "An encoder needs no causal mask, but in a batch it needs a padding mask: without it, a sentence's output "
            "depends on how long its neighbours are."
        )
    )
    if n == width:
        note(
            _(
                "This is the longest sentence of the batch, so it has no padding and nothing can leak: choose "
                "another one."
            )
        )
    leak = leak_of(lesson.model, lesson.sentences, lesson.sentence)
    tokens = lesson.batch.source_tokens[lesson.sentence]
    layer, head = choose_head(lesson, "encoder_self", st.columns([2, 5]))
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
            "A change of about 1e−7 is rounding: at another width, sums are taken in another order. The "
            "weights are those of this head."
        )
    )
    on = lesson.recorded.stage("encoder_self", layer, "weights")[lesson.sentence, head]
    mask = lesson.recorded.stage("encoder_self", layer, "mask")[lesson.sentence, 0]
    changed = pass_without_encoder_mask(lesson.model, lesson.sentences)
    off = changed.stage("encoder_self", layer, "weights")[lesson.sentence, head]
    weight_matrices(
        {_("Padding mask on"): (on, np.broadcast_to(mask, on.shape)), _("Padding mask off"): (off, None)},
        tokens,
        tokens,
        "encoder_self",
        names=("leak-on", "leak-off"),
        key="encoder-leak",
    )
    n_target = lesson.batch.target_lengths[lesson.sentence]
    labels = numbered(lesson.batch.label_tokens[lesson.sentence][:n_target])
    number_table(
        "leak-output",
        _("What follows: the decoder's log p of each token of the output"),
        [_("token"), _("alone"), _("padded, mask on"), _("padded, mask off"), _("change without the mask")],
        [
            [name, decimals(float(alone)), decimals(float(kept)), decimals(float(gone)), decimals(float(gone - alone))]
            for name, alone, kept, gone in zip(
                labels, leak.log_probs_alone, leak.log_probs_on, leak.log_probs_off, strict=True
            )
        ],
    )
