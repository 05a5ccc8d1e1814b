"""Four lessons of the Masks page: the matrices, causality, teacher forcing, and the encoder without its mask."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.causality import runner_up
from viz_transformer.experiments.masks import label_log_probs, module_masks
from viz_transformer.translator import TextError
from viz_transformer.ui.choices import linked_choice, numbered
from viz_transformer.ui.masks_controls import (
    Lesson,
    choose_head,
    choose_module,
    dependences_of,
    edits_of,
    ids_of,
    leak_of,
    note,
    pass_without_encoder_mask,
)
from viz_transformer.ui.masks_matrices import change_matrices, mask_matrices, weight_matrices
from viz_transformer.ui.number_table import Cell, decimals, number_table
from viz_transformer.ui.text import _

ROUNDING = 1e-6  # a change of a log-probability below it is none
LONGEST_DEPENDENCE = 48  # tokens: every one of them is edited in turn, under two masks

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
        note(_("No key is padding here, as this is the longest sentence of the batch: choose another one."))
    if masks.causal is None:
        st.caption(_("No causal mask here: the whole source is known before the first token of the target is written."))
    st.caption(
        _(
            "Combined, as recorded in the pass: {allowed} of {cells} cells may be attended to. Rows whose query is "
            "padding are computed too, and nobody reads them."
        ).format(allowed=allowed, cells=cells)
    )
    st.markdown(_("**True = may attend**: this project, `scaled_dot_product_attention`. Combined by *and*."))
    mask_matrices(masks, module, may_is_true=True, key="masks-may")
    st.code(_ALLOWED_CODE, language="python", wrap_lines=True)
    st.markdown(_("**True = masked**: `nn.MultiheadAttention`, `nn.Transformer`. Combined by *or*."))
    mask_matrices(masks, module, may_is_true=False, key="masks-masked")
    st.code(_MASKED_CODE, language="python", wrap_lines=True)


def causality(lesson: Lesson) -> None:
    """One future token of the target is edited, with the causal mask and without it."""
    source, target, labels = ids_of(lesson.batch, lesson.sentence)
    n = len(target)
    read, predicted = (
        tokens[lesson.sentence][:n] for tokens in (lesson.batch.target_tokens, lesson.batch.label_tokens)
    )
    if n < 2:
        note(_("The model's output for this sentence is empty, so there is no token to edit: choose another one."))
        return
    st.markdown(
        _(
            "Row *t* of the decoder reads the target up to token *t* and predicts the next one. So an edit further on "
            "must not change it. Edit a token and see: with the mask on, and with it off."
        )
    )
    left, right = st.columns(2)
    places = {str(place + 1): f"{place + 1}  {read[place]}" for place in range(1, n)}
    with left:
        place = int(linked_choice(_("Token to edit"), "edit", places, str(min(n, 1 + (n + 1) // 2)), wide=True)) - 1
    runner_ups = (
        0,
        *(runner_up(lesson.recorded.log_probs[lesson.sentence, p - 1], target[p]) for p in range(1, n)),
    )
    suggested = lesson.translator.target_tokenizer.label(runner_ups[place])
    with right:
        typed = st.text_input(
            _("Put this in its place"),
            key="instead",
            bind="query-params",
            placeholder=_("Empty: «{token}», the likeliest other token there").format(token=suggested),
        )
    replacement = _replacement(lesson, typed) if typed and typed.strip() else runner_ups[place]
    new_token = lesson.translator.target_tokenizer.label(replacement)
    if replacement == target[place]:
        note(_("This is the token that stands there already, so nothing changes:"), [new_token])

    on, off = edits_of(lesson.model, source, target, place, replacement)
    number_table(
        "causality-summary",
        _("Largest change of any log-probability in the rows before the edited token"),
        [_("causal mask"), _("change"), _("earlier rows that changed")],
        [
            [name, Cell(decimals(float(change.max())), _if_changed(float(change.max()))), _count(change > ROUNDING)]
            for name, change in ((_("on"), on.change[:place]), (_("off"), off.change[:place]))
        ],
    )
    rows: list[list[str | Cell]] = []
    for row in range(n):
        reads = f"{read[row]} → {new_token}" if row == place else read[row]
        change_on, change_off = float(on.change[row]), float(off.change[row])
        rows.append(
            [
                str(row + 1),
                Cell(reads, "text strong" if row == place else "text"),
                Cell(predicted[row], "text"),
                *(decimals(float(p[row, labels[row]])) for p in (on.before, on.after)),
                Cell(decimals(change_on), _if_changed(change_on)),
                *(decimals(float(p[row, labels[row]])) for p in (off.before, off.after)),
                Cell(decimals(change_off), _if_changed(change_off)),
            ]
        )
    number_table(
        "causality",
        _("log p of the predicted token, before and after the edit, and the largest change in the whole vocabulary"),
        [
            _("row"),
            _("reads"),
            _("predicts"),
            _("mask on: before"),
            _("after"),
            _("largest change"),
            _("mask off: before"),
            _("after"),
            _("largest change"),
        ],
        rows,
    )
    st.caption(_("Shaded: rows that changed. The decoder was trained with the mask, so without it its output is odd."))
    if n > LONGEST_DEPENDENCE:
        st.caption(
            _("The matrix of all edits is shown for outputs of up to {limit} tokens; this one has {count}.").format(
                limit=LONGEST_DEPENDENCE, count=n
            )
        )
        return
    st.markdown(
        _(
            "**Every token edited in turn** (to the likeliest other token there): a column for each edited token, a "
            "row for each output, the largest change of a log-probability in each cell. The causal mask *is* the "
            "triangle of zeros. The start token is never edited."
        )
    )
    change_matrices(dependences_of(lesson.model, source, target, runner_ups), read, predicted, key="dependence")


def teacher_forcing(lesson: Lesson) -> None:
    """Input shifted right and labels, aligned; every row one training example, as a triangle."""
    batch, sentence = lesson.batch, lesson.sentence
    n = batch.target_lengths[sentence]
    st.markdown(
        _(
            "In training the decoder reads the right target, one place late, and every row predicts the next token. "
            "The causal mask makes one pass as good as one pass for each prefix."
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
        _("Input, shifted right by <s>, and labels of the whole batch; hatched: padding, left out of the loss"),
        ["", *(str(place) for place in range(1, width + 1))],
        strips,
    )
    st.caption(
        _("{rows} rows are computed at once; {examples} of them are training examples, the others padding.").format(
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
        _("What each row may read, what it is to predict, and how well it does"),
        [_("row"), *(str(place) for place in range(1, n + 1)), _("predicts"), _("log p"), _("loss")],
        rows,
    )
    st.caption(
        _("Cross-entropy of this sentence, the mean of its {n} losses: {loss} nats a token.").format(
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
            _("This is the longest sentence of the batch and has no padding, so nothing can leak: choose another one.")
        )
    leak = leak_of(lesson.model, lesson.sentences, lesson.sentence)
    tokens = lesson.batch.source_tokens[lesson.sentence]
    layer, head = choose_head(lesson, "encoder_self", st.columns([2, 5]))
    number_table(
        "leak",
        _("The encoder's output of the sentence padded by {count}, compared with the sentence alone").format(
            count=width - n
        ),
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
        _("A change of about 1e−7 is rounding: another width sums in another order. The weights are this head's.")
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
        _("And so the decoder's log p of each token of the output"),
        [_("token"), _("alone"), _("padded, mask on"), _("padded, mask off"), _("change without the mask")],
        [
            [name, decimals(float(alone)), decimals(float(kept)), decimals(float(gone)), decimals(float(gone - alone))]
            for name, alone, kept, gone in zip(
                labels, leak.log_probs_alone, leak.log_probs_on, leak.log_probs_off, strict=True
            )
        ],
    )


def _replacement(lesson: Lesson, typed: str) -> int:
    """The id that a person asks for; the first, with a note, where the text has several."""
    try:
        encoded = lesson.translator.encode_target(typed)
    except TextError as error:
        raise TextError(error.template, **{**error.values, "side": _("replacement")}) from error
    if encoded.unknown:
        note(_("The model has never seen these characters and reads each of them as <unk>:"), encoded.unknown)
    if len(encoded.ids) > 1:
        note(_("This is more than one token; the first of them is used:"), encoded.tokens)
    return encoded.ids[0]


def _if_changed(change: float) -> str:
    return "strong" if change > ROUNDING else ""


def _count(changed: np.ndarray) -> str:
    return _("{changed} of {rows}").format(changed=int(changed.sum()), rows=len(changed))
