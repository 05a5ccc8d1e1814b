"""Exercises about masks: which keys a query may attend to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.exercises.answers import ACell, ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, nearly, right, sized, wrong
from viz_transformer.experiments.masks.padding import make_batch, module_masks, record_batch
from viz_transformer.heads import n_layers
from viz_transformer.sentences import N_

_BATCH = ("你好,世界!", "我爱你。", "他昨天在学校学习英语。")
_SHORTEST = 1
_LOVE = "I love you."
_EDITED = 4  # the row in which the decoder reads another token
_NOTICED = 1e-4  # of log p


def _allowed(bench: Bench) -> int:
    return int(bench.trace.attention("decoder_self", 0).mask.sum())


def _judge_causal(bench: Bench, answer: int) -> Feedback:
    mask, allowed = bench.trace.attention("decoder_self", 0).mask, _allowed(bench)
    tokens = len(mask)
    if answer == allowed:
        return right(
            N_("1 + 2 + … + {tokens} = {allowed}, of {all} cells."), tokens=tokens, allowed=allowed, all=mask.size
        )
    if answer == mask.size:
        return nearly(
            N_("{answer} is the number of all cells: the causal mask removes those above the diagonal."),
            answer=answer,
        )
    if answer == allowed - tokens:
        return nearly(N_("{answer} leaves out the diagonal, but a token may attend to itself."), answer=answer)
    return sized(answer, allowed)


def _encoder_mask(bench: Bench) -> NDArray[np.bool_]:
    batch = make_batch(bench.translator, _BATCH, ["."] * len(_BATCH))  # any target: the encoder reads none
    recorded = record_batch(bench.translator.model, batch.source_ids, batch.target_ids)
    return module_masks(batch, recorded, "encoder_self", _SHORTEST).combined


def _judge_padding(bench: Bench, answer: int) -> Feedback:
    mask = _encoder_mask(bench)
    hidden = int((~mask).sum())
    padding = int((~mask[0]).sum())
    if answer == hidden:
        return right(
            N_("{rows} queries · {padding} keys of padding = {hidden} masked cells."),
            rows=len(mask),
            padding=padding,
            hidden=hidden,
        )
    if answer == padding * (len(mask) - padding):
        return nearly(
            N_("{answer} counts the rows of real tokens only; the rows of padding have the same mask."), answer=answer
        )
    if answer == mask.size - hidden:
        return nearly(N_("{answer} may be attended to; count the others."), answer=answer)
    return sized(answer, hidden)


def _surest(bench: Bench) -> NDArray[np.float32]:
    """(T, T) the smallest weight that any head of the decoder's self-attention has in each cell."""
    layers = range(n_layers(bench.trace.config, "decoder_self"))
    weights = np.stack([bench.trace.attention("decoder_self", layer).weights for layer in layers])  # (layers, H, T, T)
    least: NDArray[np.float32] = weights.min(axis=(0, 1))
    return least


def _judge_one_key(bench: Bench, cell: tuple[int, int]) -> Feedback:
    least, mask = float(_surest(bench)[cell]), bench.trace.attention("decoder_self", 0).mask
    if least == 1:
        return right(N_("Row {row} may attend to one key: the softmax over one score is 1."), row=cell[0] + 1)
    if not mask[cell]:
        return wrong(N_("That cell is masked: its weight is 0 in every head."))
    return wrong(
        N_("Row {row} may attend to {keys} keys, and some head puts only {least:.1%} there."),
        row=cell[0] + 1,
        keys=int(mask[cell[0]].sum()),
        least=least,
    )


def _edited(bench: Bench) -> int:
    """How many rows of log p differ once the decoder reads another token in the row `_EDITED`."""
    trace = bench.trace
    ids = list(trace.predicted_ids)
    read = _EDITED - 2  # row 1 reads the start token
    ids[read] = ids[read - 1]
    other = bench.translator.trace_ids(bench.source, ids)
    return int((np.abs(other.log_probs - trace.log_probs).max(axis=1) > _NOTICED).sum())


def _judge_later_rows(bench: Bench, answer: int) -> Feedback:
    rows, changed = len(bench.trace.log_probs), _edited(bench)
    if answer == changed:
        return right(
            N_(
                "Rows {first} to {rows} change, {changed} of {rows}: the causal mask hides the token from the "
                "rows before it, which stay the same to the last decimal."
            ),
            first=_EDITED,
            rows=rows,
            changed=changed,
        )
    if answer == rows:
        return nearly(N_("{answer} would be all of them, as without the causal mask."), answer=answer)
    if answer == changed - 1:
        return nearly(N_("{answer} leaves out the row that reads the token itself."), answer=answer)
    if answer == 1:
        return nearly(N_("1 is the row that reads it; but the rows after it attend to it."))
    return sized(answer, changed)


CAUSAL = Exercise(
    "causal-cells",
    N_("Count the causal mask"),
    N_("In how many cells may the decoder's self-attention put weight, for this output?"),
    (
        N_("Row 1 has one such cell, row 2 has two, … A row reads one token: the start token is among them."),
        N_(
            "With T tokens it is the sum of 1, 2, … T: T · (T + 1) / 2. Count the rows of the matrix, the start "
            "token's among them."
        ),
    ),
    ANumber(0, 100_000),
    _judge_causal,
    _allowed,
    page="attention",
    parameters={"module": "decoder_self", "layer": "1", "head": "1", "stage": "mask", "cell": "none"},
    model="en-de",
    source="Yesterday he bought a new car.",
    chinese={"model": "zh-en", "source": "昨天他买了一辆新车。"},
)
ONE_KEY = Exercise(
    "one-key",
    N_("A weight of 1, whatever it learned"),
    N_("Find a cell of the decoder's self-attention whose weight is exactly 1 in every head, whatever was learned."),
    (
        N_("What is the softmax of a single score?"),
        N_("A softmax gives 1 to a key that has no rival. Which query may see one key only?"),
    ),
    ACell("decoder_self"),
    _judge_one_key,
    lambda bench: tuple(int(place) for place in np.argwhere(_surest(bench) == 1)[0]),
    page="attention",
    parameters={"module": "decoder_self", "layer": "1", "head": "1", "stage": "softmax", "cell": "none"},
    model="en-de",
    source=_LOVE,
    chinese={"model": "zh-en", "source": "我爱你。"},
)
PADDING = Exercise(
    "padding-cells",
    N_("Count the padding mask"),
    N_(
        "Three sentences are read as one padded batch: {batch} How many cells does the mask of encoder self-attention "
        "remove from the shortest?"
    ),
    (
        N_("Its matrix is as large as that of the longest. Each row loses the same columns: those of <pad>."),
        N_(
            "Count the tokens of each sentence, including the end token. The shortest lacks some keys, and it "
            "lacks them in every row."
        ),
    ),
    ANumber(0, 10_000),
    _judge_padding,
    lambda bench: int((~_encoder_mask(bench)).sum()),
    page="masks",
    parameters={
        "s1": _BATCH[0], "s2": _BATCH[1], "s3": _BATCH[2], "lesson": "matrices", "module": "encoder_self",
        "mask": "combined", "sentence": str(_SHORTEST + 1),
    },
    model="zh-en",
    values={"batch": " · ".join(_BATCH)},
)  # fmt: skip
LATER_ROWS = Exercise(
    "later-rows",
    N_("What an edit can reach"),
    N_(
        "The decoder reads its own output, with the start token in row 1. Replace the token that it reads in row "
        "{row} with another: in how many rows does the distribution of the next token change?"
    ),
    (
        N_("Which rows may attend to that token, by the causal mask?"),
        N_("The row itself and all below it. Count the rows of the matrix first."),
    ),
    ANumber(0, 1000),
    _judge_later_rows,
    _edited,
    page="attention",
    parameters={"module": "decoder_self", "layer": "1", "head": "1", "stage": "mask", "cell": "none"},
    model="en-de",
    source="Yesterday he bought a new car.",
    values={"row": _EDITED},
    chinese={"model": "zh-en", "source": "昨天他买了一辆新车。"},
)
