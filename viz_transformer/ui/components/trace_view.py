"""The browser component that shows one trace: every layer and head of its attention, step by step.

Everything is sent once; layers, heads, steps and cells are switched in the browser. Python hears only what a
person settled on. The front end begins in `frontend/src/overview/trace_view.ts`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import committed_fields, settle
from viz_transformer.ui.shared.text import _

if TYPE_CHECKING:
    from viz_transformer.trace import Trace

TOP_K = 8


@dataclass(frozen=True)
class View:
    """What the component shows. Every number counts from 0; `pinned` is a cell (query, key) of `module`."""

    module: str
    layer: int
    head: int
    step: int
    pinned: tuple[int, int] | None = None

    @property
    def place(self) -> tuple[str, int, int, int]:
        """The view without its pin: a page may leave the pin out of its state and still not undo it."""
        return self.module, self.layer, self.head, self.step


def trace_view(
    trace: Trace,
    *,
    key: str,
    module: str,
    layer: int,
    head: int,
    step: int,
    labels: dict[str, str],
    token_label: Callable[[int], str],
    pinned: tuple[int, int] | None = None,
    on_change: Callable[[], None] | None = None,
) -> View:
    """Shows `trace` and returns the view that is on the screen.

    `module`, `layer`, `head`, `step` and `pinned` set the view at the first run, with another trace, and
    whenever they ask for something new. Passing back what the browser committed changes nothing, so a page may
    keep the view in its own state: read `committed_view(key)` in `on_change`, pass it here.

    Args:
        module: one of `ATTENTION_MODULES`.
        layer, head, step: from 0, clamped to what the trace has.
        labels: `default_labels()`, or the same keys with other texts.
        token_label: the text of a target vocabulary id, for the table of next tokens.
        on_change: called before the run that a newly committed view starts.

    Raises:
        ValueError: `module` is not one of `ATTENTION_MODULES`, or see `pack_trace`.
    """
    asked = _clamp(View(module, layer, head, step, pinned), trace)
    packed = pack_trace(trace, token_label)
    digest = hashlib.blake2b(packed, digest_size=8).hexdigest()

    sent = settle(key, asked, committed_view(key), content=digest, place=lambda view: view.place)
    request = {"key": key, "revision": sent.revision, "view": asdict(sent.shown), "labels": labels}
    component("trace_view")(key=key, data=frame(request) + packed, on_view_change=on_change or (lambda: None))
    return _clamp(sent.latest, trace)


def committed_view(key: str) -> View | None:
    """The view that a person settled on in the component `key`, or None before that and with every new trace."""
    raw = committed_fields(key)
    if raw is None:
        return None
    try:
        pinned = None if raw["pinned"] is None else (int(raw["pinned"][0]), int(raw["pinned"][1]))
        view = View(raw["module"], int(raw["layer"]), int(raw["head"]), int(raw["step"]), pinned)
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return view if view.module in ATTENTION_MODULES else None


def pack_trace(
    trace: Trace,
    token_label: Callable[[int], str],
    top_k: int = TOP_K,
    modules: Sequence[AttentionModule] = ATTENTION_MODULES,
) -> bytes:
    """The trace as the browser reads it, with the attention of `modules`.

    A JSON header (its length as uint32, then its text, padded to a multiple of four), then for each module of the
    header its weights, float32 (layers, H, T, S), then for each module its mask, uint8 (layers, T, S), 1 = may
    attend. Little-endian. float32, because the number on the screen is the recorded one.

    Raises:
        ValueError: a matrix and its token labels differ in length.
    """
    headers, weights, masks = [], [], []
    for name in modules:
        records = [trace.attention(name, layer) for layer in range(n_layers(trace.config, name))]
        queries, keys = list(records[0].query_tokens), list(records[0].key_tokens)
        module_weights = np.stack([record.weights for record in records])  # (layers, H, T, S)
        if module_weights.shape[2:] != (len(queries), len(keys)):
            raise ValueError(
                f"{name}: the weights have {module_weights.shape[2]} rows and {module_weights.shape[3]} columns, "
                f"but there are {len(queries)} query tokens and {len(keys)} key tokens."
            )
        predicted = [] if name == "encoder_self" else list(trace.predicted_tokens)
        headers.append({"name": name, "layers": len(records), "queries": queries, "keys": keys, "predicted": predicted})
        weights.append(module_weights.astype("<f4").tobytes())
        masks.append(np.stack([record.mask for record in records]).astype(np.uint8).tobytes())

    header = {
        "modules": headers,
        "heads": trace.config.n_heads,
        "read": list(trace.target_tokens),
        "predicted": list(trace.predicted_tokens),
        "next": _next_tokens(trace, token_label, top_k),
    }
    return b"".join([frame(header), *weights, *masks])


def default_labels(*, target_given: bool = False) -> dict[str, str]:
    """Every text of the component in the reader's language. Words in braces are filled in by the browser.

    Args:
        target_given: the target was given, so the token that each step took was not the model's choice.
    """
    return {
        "encoder_self": _("Encoder self-attention"),
        "cross": _("Cross-attention"),
        "decoder_self": _("Decoder self-attention"),
        "place": _("layer {layer}, head {head}"),
        "query_encoder_self": _("query: source token"),
        "key_encoder_self": _("key: source token"),
        "query_cross": _("query: target token read"),
        "key_cross": _("key: source token"),
        "query_decoder_self": _("query: target token read"),
        "key_decoder_self": _("key: target token read"),
        "predicted_axis": _("predicts"),
        "layer": _("Layer"),
        "head": _("Head"),
        "head_keys": _("digit keys choose a head"),
        "step": _("Step"),
        "step_text": _("step {step} of {steps}: reads «{read}», predicts «{predicted}»"),
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
        "cell": _("{row} → key {j} «{key}»: weight {weight}"),
        "cell_masked": _("{row} → key {j} «{key}»: masked, may not attend"),
        "pinned": _("pinned"),
        "row_encoder_self": _("query {i} «{query}»"),
        "row_cross": _("query {i} reads «{query}», predicts «{predicted}»"),
        "row_decoder_self": _("query {i} reads «{query}», predicts «{predicted}»"),
        "attends_to": _("{row}: attends most to {keys}"),
        "row_key": _("key {j} «{key}» {weight}"),
        "separator": _(", "),
        "matrix": _("{title}, {place}: {rows} queries, {columns} keys. {hint}"),
        "table": _("table"),
        "copy": _("copy values"),
        "copied": _("copied"),
        "copy_failed": _("the browser refused to copy"),
        "png": _("save PNG"),
        "next_tokens": _("Next-token probabilities at step {step}"),
        "rank": _("rank"),
        "token": _("token"),
        "probability": _("probability"),
        "log_probability": _("log-probability"),
        "rest": _("{count} other tokens"),
        "taken": _("given") if target_given else _("chosen"),
    }


def _clamp(view: View, trace: Trace) -> View:
    if view.module not in ATTENTION_MODULES:
        raise ValueError(f"module must be one of {', '.join(ATTENTION_MODULES)}; it was {view.module!r}.")
    config, n_source, n_target = trace.config, len(trace.source_tokens), len(trace.target_tokens)
    n_queries = n_source if view.module == "encoder_self" else n_target
    n_keys = n_target if view.module == "decoder_self" else n_source
    return replace(
        view,
        layer=_within(view.layer, max(n_layers(config, name) for name in ATTENTION_MODULES)),
        head=_within(view.head, config.n_heads),
        step=_within(view.step, n_target),
        pinned=view.pinned and (_within(view.pinned[0], n_queries), _within(view.pinned[1], n_keys)),
    )


def _within(index: int, count: int) -> int:
    return max(0, min(index, count - 1))


def _next_tokens(trace: Trace, token_label: Callable[[int], str], top_k: int) -> list[dict[str, Any]]:
    """For each step the `top_k` likeliest tokens, the token taken, and the sum of the others."""
    log_probs, vocab_size = trace.log_probs, trace.log_probs.shape[1]
    top_k = min(top_k, vocab_size)
    likeliest = np.argpartition(-log_probs, top_k - 1, axis=1)[:, :top_k]  # (T, top_k) in no order
    order = np.argsort(-np.take_along_axis(log_probs, likeliest, axis=1), axis=1, kind="stable")
    likeliest = np.take_along_axis(likeliest, order, axis=1)
    probs, taken_ranks = np.exp(log_probs, dtype=np.float64), trace.token_ranks  # (T, V), (T,)
    steps = []
    for t, (listed, taken) in enumerate(zip(likeliest.tolist(), trace.predicted_ids, strict=True)):
        ranks = list(range(1, top_k + 1))
        if taken not in listed:
            listed.append(taken)
            ranks.append(int(taken_ranks[t]))
        probs[t, listed] = 0  # the others are summed as they are: 1 less the listed would round
        steps.append(
            {
                "tokens": [token_label(token) for token in listed],
                "ranks": ranks,
                "logProbs": [value if isfinite(value) else None for value in log_probs[t, listed].tolist()],
                "taken": listed.index(taken),
                "rest": float(probs[t].sum()),
                "restCount": vocab_size - len(listed),
            }
        )
    return steps
