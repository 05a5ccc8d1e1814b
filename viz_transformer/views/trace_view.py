"""The view of one trace: every layer and head of its attention, step by step.

Everything is sent once; `frontend/src/overview/panel.ts` then switches layers, heads, steps and cells in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.analysis.doubt import doubts
from viz_transformer.experiments.heads.words import is_sink
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers
from viz_transformer.training.snapshots import STEPS_PER_UNIT, to_codes
from viz_transformer.views.linked import CELL, FLAG, INDEX, OneOf, OrNone, clamped, linked
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from viz_transformer.trace import Floats, Trace

TOP_K = 8


@dataclass(frozen=True)
class TraceView:
    """What is shown. Every number counts from 0; `pinned` is a cell (query, key) of `module`.

    `tinted`: the words of the output are tinted, the more the less probable they are.
    """

    layer: int = linked("layer", INDEX, always=True)
    head: int = linked("head", INDEX, always=True)
    step: int = linked("step", INDEX, always=True)
    module: str = linked("module", OneOf(ATTENTION_MODULES), "cross", always=True)
    pinned: tuple[int, int] | None = linked("cell", OrNone(CELL), None)
    tinted: bool = linked("tinted", FLAG, True)


def fitting(view: TraceView, trace: Trace) -> TraceView:
    """The view clamped to what the trace has."""
    config, n_source, n_target = trace.config, len(trace.source_tokens), len(trace.target_tokens)
    n_queries = n_source if view.module == "encoder_self" else n_target
    n_keys = n_target if view.module == "decoder_self" else n_source
    layers = max(n_layers(config, name) for name in ATTENTION_MODULES)
    return clamped(
        view,
        layer=layers,
        head=max(config.n_heads, config.decoder.n_heads),
        step=n_target,
        pinned=(n_queries, n_keys),
    )


def clearest_step(trace: Trace, head: HeadRef) -> int:
    """The step to open with: that of the word for which `head`, of cross-attention, looks most at one source word.

    Start, end and punctuation are no words here; where there are no others, it is the last step.
    """
    weights = trace.attention("cross", head.layer).weights[head.head]  # (T, S)
    words = np.outer(~is_sink(trace.predicted_tokens), ~is_sink(trace.source_tokens))  # (T, S)
    if not words.any():
        return len(weights) - 1
    return int(np.where(words, weights, -1).max(axis=1).argmax())


def trace_content(
    trace: Trace,
    token_label: Callable[[int], str],
    top_k: int = TOP_K,
    modules: Sequence[AttentionModule] = ATTENTION_MODULES,
    *,
    is_exact: bool = True,
) -> dict[str, Any]:
    """The trace as the browser gets it, with the attention of `modules`.

    Each module has `weights`, float32 (layers, H, T, S), so that the screen shows the recorded numbers, and `mask`,
    bool (layers, T, S), true where a query may attend. Unless `is_exact`, `high` and `low`, uint8, replace the weights:
    the two bytes of each weight's code, see `to_codes`, sent apart because they compress better that way. Rounded to
    four decimals, the decoded weights equal the recorded ones.

    `doubts` has the signs that the model is unsure of its own output; for a target that was given it is empty.

    Raises:
        ValueError: a matrix and its token labels differ in length.
    """
    return {
        "modules": [_module_content(trace, name, is_exact) for name in modules],
        "steps": STEPS_PER_UNIT,
        "read": list(trace.target_tokens),
        "predicted": list(trace.predicted_tokens),
        "next": _next_tokens(trace, token_label, top_k),
        "doubts": [doubt._asdict() for doubt in doubts(trace)] if trace.origin and trace.origin.target is None else [],
    }


def _module_content(trace: Trace, name: AttentionModule, is_exact: bool) -> dict[str, Any]:
    records = [trace.attention(name, layer) for layer in range(n_layers(trace.config, name))]
    queries, keys = list(records[0].query_tokens), list(records[0].key_tokens)
    weights = np.stack([record.weights for record in records])  # (layers, H, T, S)
    if weights.shape[2:] != (len(queries), len(keys)):
        raise ValueError(
            f"{name}: the weights have {weights.shape[2]} rows and {weights.shape[3]} columns, "
            f"but there are {len(queries)} query tokens and {len(keys)} key tokens."
        )
    return {
        "name": name,
        "queries": queries,
        "keys": keys,
        "predicted": [] if name == "encoder_self" else list(trace.predicted_tokens),
        **({"weights": weights.astype(np.float32, copy=False)} if is_exact else _in_two_bytes(weights)),
        "mask": np.stack([record.mask for record in records]),  # (layers, T, S)
    }


def _in_two_bytes(weights: Floats) -> dict[str, Any]:
    codes = to_codes(weights)
    return {"high": (codes >> 8).astype(np.uint8), "low": (codes & 255).astype(np.uint8)}


def default_labels(*, target_given: bool = False) -> dict[str, str]:
    """Every text of the component in the reader's language. Words in braces are filled in by the browser.

    Args:
        target_given: the target was given, so the token that each step took was not the model's choice.
    """
    step, row = (
        (
            _("step {step} of {steps}: has read «{read}», is to write «{predicted}»"),
            _("step {i}: has read «{query}», is to write «{predicted}»"),
        )
        if target_given
        else (
            _("step {step} of {steps}: has read «{read}», is writing «{predicted}»"),
            _("step {i}: has read «{query}», is writing «{predicted}»"),
        )
    )
    return {
        "encoder_self": _("Encoder self-attention"),
        "cross": _("Cross-attention"),
        "decoder_self": _("Decoder self-attention"),
        "place": _("layer {layer}, head {head}"),
        "query_encoder_self": _("query: source token"),
        "key_encoder_self": _("key: source token"),
        "query_cross": _("query: has read"),
        "key_cross": _("key: source token"),
        "query_decoder_self": _("query: has read"),
        "key_decoder_self": _("key: target token read"),
        "predicted_axis": _("is to write") if target_given else _("is writing"),
        "words": _("Target: click a word") if target_given else _("Output: click a word"),
        "words_touch": _("Target: tap a word") if target_given else _("Output: tap a word"),
        "words_hint": _("The arrow keys move from word to word."),
        "tint": _("probability"),
        "tint_hint": _("Words that the model was unsure of are tinted. A click switches the tint off and on."),
        "tint_hint_touch": _("Words that the model was unsure of are tinted. A tap switches the tint off and on."),
        "unsure": _("The model is unsure here: {signs}."),
        "improbable": _("on average it gave its tokens a probability of {value}"),
        "repeated": _("it wrote {token} {value} times in a row"),
        "unread": _("it wrote {token} while no head looked at a word of the source"),
        "enlarge": _("Show it large"),
        "sentence_written": _("To write {token}, this head puts {looks}.")
        if target_given
        else _("While writing {token}, this head puts {looks}."),
        "sentence_read": _("While reading {token}, this head puts {looks}."),
        "looks": _("{share} of its weight on {key}"),
        "looks_more": _("{share} on {key}"),
        "layer": _("Layer"),
        "head": _("Head"),
        "head_keys": _("digit keys select a head"),
        "step": _("Step"),
        "step_text": step,
        "first": _("first step"),
        "previous": _("previous step"),
        "play": _("play"),
        "pause": _("pause"),
        "next": _("next step"),
        "last": _("last step"),
        "weight": _("attention weight"),
        "masked": _("masked"),
        "this_step": _("this step"),
        "later": _("not generated yet"),
        "hint": _("Point at a cell, or use the arrow keys; a click or Enter pins it, Escape releases it."),
        "hint_touch": _("Tap a cell to pin it; tap it again to release it."),
        "cell": _("{row} → key {j} «{key}»: weight {weight}"),
        "cell_masked": _("{row} → key {j} «{key}»: masked, may not attend"),
        "pinned": _("pinned"),
        "row_encoder_self": _("query {i} «{query}»"),
        "row_cross": row,
        "row_decoder_self": row,
        "attends_to": _("{row}: attends most to {keys}"),
        "row_key": _("key {j} «{key}» {weight}"),
        "separator": _(", "),
        "matrix": _("{title}, {place}: {rows} queries, {columns} keys. {hint}"),
        "table": _("table"),
        "copy": _("copy values"),
        "next_tokens": _("Next-token probabilities at step {step}"),
        "rank": _("rank"),
        "token": _("token"),
        "probability": _("probability"),
        "log_probability": _("log-probability"),
        "rest": _("{count} other tokens"),
        "taken": _("given") if target_given else _("chosen"),
    }


def _next_tokens(trace: Trace, token_label: Callable[[int], str], top_k: int) -> dict[str, Any]:
    """For each step the `top_k` likeliest tokens, the one that was taken, and the probability of all others.

    `ranks` and `logProbs`, (T, top_k + 1), have a last column for a taken token that is not among the likeliest;
    `tokens` has such a last entry only where it is needed. `taken` is the column of the taken token, `rest` the
    probability of all tokens that are not listed.
    """
    log_probs = trace.log_probs  # (T, V)
    vocab_size = log_probs.shape[1]
    top_k = min(top_k, vocab_size)
    likeliest = np.stack([_likeliest(row, top_k) for row in log_probs])  # (T, top_k)
    taken = np.asarray(trace.predicted_ids)[:, None]  # (T, 1)
    listed = np.hstack([likeliest, taken])  # (T, top_k + 1)
    places = (listed == taken).argmax(axis=1)  # (T,)
    ranks = np.hstack([np.broadcast_to(np.arange(1, top_k + 1), likeliest.shape), trace.token_ranks[:, None]])
    return {
        "tokens": [
            [token_label(token) for token in row[: max(top_k, place + 1)]]
            for row, place in zip(listed.tolist(), places.tolist(), strict=True)
        ],
        "ranks": ranks.astype(np.int32),
        "logProbs": np.take_along_axis(log_probs, listed, axis=1).astype(np.float32, copy=False),
        "taken": places.astype(np.int32),
        "rest": np.array([_rest(row, ids) for row, ids in zip(log_probs, listed, strict=True)]),  # (T,)
        "vocabulary": vocab_size,
    }


# Row by row, because int64 ids and float64 copies of all rows would take several times the memory of `log_probs`.
def _likeliest(log_probs: Floats, top_k: int) -> NDArray[np.int64]:
    """(V,) → (top_k,) ids, the likeliest first."""
    ids = np.argpartition(-log_probs, top_k - 1)[:top_k]  # in no order
    return ids[np.argsort(-log_probs[ids], kind="stable")].astype(np.int64)


def _rest(log_probs: Floats, listed: NDArray[np.int64]) -> float:
    """The probability of all tokens but those listed, summed directly: 1 minus the listed would lose digits."""
    others = np.exp(log_probs, dtype=np.float64)
    others[listed] = 0.0
    return float(others.sum())
