"""Teacher forcing: each token of a target under the model, and the same rows computed step by step."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from viz_transformer.experiments.decoding.step_by_step import Difference, differences, step_by_step
from viz_transformer.interventions import ChangeMask, Intervention
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.decoding.search import forced_trace
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.link import came_by_history
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.notes import explain_text_errors
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.decoding.tree import Search
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, language

_BOX, _JUDGED = "teacher forcing", "the target of teacher forcing"


def teacher_forcing(model: ModelChoice, translator: Translator, source: str, target: str, search: Search) -> None:
    """Shows a box with two tables about `target`, or about the search's output where `target` is empty.

    When the target or the language changes, or the browser opens another link, the box is open if there is a target
    and closed if not; otherwise it stays as the person left it.
    """
    judged = target, language()
    if judged != st.session_state.get(_JUDGED) or came_by_history():
        st.session_state[_BOX] = bool(target)
    st.session_state[_JUDGED] = judged

    def fill() -> None:
        with explain_text_errors():
            _tables(model, translator, source, target, search)

    closed_box(_("Teacher forcing: each token's probability, and one parallel pass beside the steps"), fill, key=_BOX)


def _tables(model: ModelChoice, translator: Translator, source: str, target: str, search: Search) -> None:
    changes = search.settings.interventions
    if target:
        trace = _trace_of_target(model, source, target, changes)
    else:
        trace = forced_trace(model, source, search.best_ids, changes)
    st.header(_("Teacher forcing: how likely the model finds every token"), anchor=False)
    st.caption(
        _(
            "The decoder reads your target, whatever it would have written itself: a token ranked far down is one"
            " that the model would not have picked there."
        )
        if target
        else _(
            "This is the output of the search. Type a target in the box of the first line to see how likely the "
            "model finds each token."
        )
    )
    _token_table(trace, translator)
    st.header(_("All at once or one by one: the rows are the same"), anchor=False)
    steps, passes = _differences(model, trace)
    st.caption(
        explained(
            "In training the decoder reads the whole target in one pass, and the causal mask hides what comes "
            "later. In generation it reads one token at a time and keeps keys and values in a cache. Both were "
            "computed for these {count} tokens; the encoder ran {passes} time for all {count} steps."
        ).format(count=len(trace.target_ids), passes=passes)
    )
    if any(isinstance(change, ChangeMask) and "decoder_self" in change.modules for change in changes):
        st.warning(
            _(
                "The causal mask is changed: the parallel pass reads tokens that generation has not produced yet, "
                "so the rows differ. The table above belongs to the parallel pass, the tree to generation."
            )
        )
    names = {
        "log_probs": _("log-probabilities of all next tokens, every row"),
        "cross": _("cross-attention weights, every layer and head"),
        "decoder_self": _("decoder self-attention weights, every layer and head"),
    }
    number_table(
        "two-passes",
        _("One parallel pass beside {count} steps with the cache").format(count=len(trace.target_ids)),
        [_("compared"), _("largest difference"), _("at step")],
        [[Cell(names[name], "text"), f"{one.largest:.1e}", str(one.step + 1)] for name, one in steps.items()],
    )


def _token_table(trace: Trace, translator: Translator) -> None:
    log_probs, ranks, all_log_probs = trace.token_log_probs, trace.token_ranks, trace.log_probs
    rows: list[list[str | Cell]] = []
    for t, (read, token) in enumerate(zip(trace.target_tokens, trace.predicted_tokens, strict=True)):
        favourite = int(all_log_probs[t].argmax())
        is_own = ranks[t] == 1
        rows.append(
            [
                f"{t + 1}",
                Cell(read, "text"),
                Cell(token, "text" if is_own else "text strong"),
                decimals(float(log_probs[t])),
                decimals(math.exp(log_probs[t])),
                str(ranks[t]),
                Cell(translator.target_tokenizer.label(favourite), "text"),
                decimals(math.exp(all_log_probs[t, favourite])),
            ]
        )
    total = float(log_probs.sum())
    number_table(
        "forced-tokens",
        _("{first} of the {count} tokens are the model's first choice; sum of log p {total}").format(
            count=len(rows), total=decimals(total), first=int(np.count_nonzero(ranks == 1))
        ),
        [
            _("step"),
            _("reads"),
            _("token"),
            _("log p"),
            _("probability"),
            _("rank"),
            _("the model's first choice"),
            _("its probability"),
        ],
        rows,
    )


@kept()
def _trace_of_target(model: ModelChoice, source: str, target: str, changes: tuple[Intervention, ...]) -> Trace:
    with scheduler.short():
        return load_translator(model.name, model.device).trace(source, target, interventions=changes)


def _differences(model: ModelChoice, trace: Trace) -> tuple[dict[str, Difference], int]:
    return _kept_differences(model, trace, (trace.source_ids, trace.target_ids, trace.interventions))


@kept()
def _kept_differences(model: ModelChoice, _trace: Trace, key: tuple[object, ...]) -> tuple[dict[str, Difference], int]:
    """`key` stands for `_trace`, which is no part of the cache's key."""
    with scheduler.short():
        network = load_translator(model.name, model.device).model
        generated = step_by_step(network, _trace.source_ids, _trace.target_ids, _trace.interventions)
        return differences(_trace, generated), generated.encoder_passes
