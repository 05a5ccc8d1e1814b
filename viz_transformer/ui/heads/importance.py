"""Is attention importance? Weight, contribution and effect for the same head and tokens, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from viz_transformer.charts.heads import effect_scatter, share_bars
from viz_transformer.experiments.heads.contributions import contributions, mean_over_heads, rank_correlation, rollout
from viz_transformer.experiments.heads.knock_out import Cell as Place
from viz_transformer.experiments.heads.knock_out import effect_at, effect_of_weights
from viz_transformer.heads import AttentionModule, HeadRef
from viz_transformer.trace import AttentionRecord, Trace
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import linked_choice, module_names, numbered
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import choose_head
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.scheduler import in_turn
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _
from viz_transformer.views.trace_view import default_labels
from viz_transformer.visible import escape

TABLE = 440  # px, beside the bars
MOST_CELLS = 600  # all rows of a head are offered up to here: each cell costs one pass


@st.fragment
def heads_importance(model: ModelChoice, trace: Trace, head: HeadRef) -> None:
    """One query of one head (in the link as `effect_of`, `row`), or all its queries: α, ‖α·v·W_O‖ and the effect.

    `head` is shown where the link names none.
    """
    picture, side = picture_and_side("effect", TABLE)
    with side:
        head = choose_head(_("Head"), "effect_of", trace.config, head)
        record = trace.attention(head.module, head.layer)
        rows = _choose_rows(trace, record)
    cells = [(i, int(j)) for i in rows for j in np.flatnonzero(record.mask[i])]
    with picture:
        numbers = _numbers(model, trace, head, record, cells)
    labels = {
        "weight": _("weight α"),
        "contribution": _("contribution ‖α v W_O‖"),
        "effect": _("effect, nats"),
        "key": _("key"),
        "cell": _("query → key"),
        "share": _("share of the row's sum of absolute values"),
        "number": _("number"),
    }
    if len(rows) == 1:
        picture.altair_chart(share_bars(numbers, labels))
        with side:
            _table(numbers, labels)
    with picture if len(rows) > 1 else st.container():
        for column, quantity in zip(st.columns(2), ("weight", "contribution"), strict=True):
            column.altair_chart(effect_scatter(numbers, quantity, labels))
    with side:
        _reading(numbers)
    _correlations(numbers, labels)
    st.markdown(
        explained(
            "Three numbers for the same head, query i and key j:\n\n- **weight** α: the share of the query's "
            "attention that goes to the key;\n- **contribution** ‖α v W_O‖: the length of the vector that the key "
            "adds to the layer's output, through this head's rows of W_O;\n- **effect**: how much the "
            "log-probability falls, in nats, when α v of this key is taken out of this query's context, in this "
            "head only; nothing is renormalised. In the decoder it is the log-probability of the token that row i"
            " writes; in the encoder, whose rows write nothing, that of the whole target. A negative effect means"
            " that it rises.\n\nIf attention were importance, all three would rank the keys alike. ρ measures to "
            "what extent they do."
        )
    )
    st.caption(
        _(
            "None of these numbers settles the question: other heads may stand in for what is taken out, and a row "
            "has few keys. Attention shows where a head looked; by itself it does not explain why the model wrote "
            "what it wrote."
        )
    )
    _aggregates(trace, head.module, head.layer)


def _reading(numbers: pd.DataFrame) -> None:
    """A sentence that says whether weight and effect agree."""
    keys = {name: str(numbers["cell"].iloc[int(numbers[name].argmax())]) for name in ("weight", "effect")}
    rho = rank_correlation(numbers["weight"], numbers["effect"])
    if np.isnan(rho):
        sentence = _("There is only one key, so there is nothing to rank.")
    elif keys["weight"] == keys["effect"]:
        sentence = _(
            "{weight} has the largest weight and the largest effect; overall, the rank correlation is ρ = {rho}."
        )
    else:
        sentence = _("{weight} has the largest weight, {effect} the largest effect: the rank correlation is ρ = {rho}.")
    quoted = {name: _("«{token}»").format(token=key) for name, key in keys.items()}
    text = sentence.format(**quoted, rho=decimals(float(rho), 2))
    st.html(f'<p class="vt-reads" data-testid="effect-reads">{escape(text)}</p>')


def _choose_rows(trace: Trace, record: AttentionRecord) -> list[int]:
    queries = numbered(record.query_tokens)
    if record.module != "encoder_self":
        queries = [
            _("{step} writes «{token}» (has read «{query}»)").format(step=step, query=query, token=token)
            for step, (query, token) in enumerate(
                zip(record.query_tokens, trace.predicted_tokens, strict=True), start=1
            )
        ]
    options = {str(place): text for place, text in enumerate(queries, start=1)}
    if record.mask.sum() <= MOST_CELLS:
        options["all"] = _("all rows")
    middle = str((len(queries) + 1) // 2)
    chosen = linked_choice(_("Query"), "row", options, middle, wide=True)
    return list(range(len(queries))) if chosen == "all" else [int(chosen) - 1]


def _numbers(
    model: ModelChoice, trace: Trace, head: HeadRef, record: AttentionRecord, cells: Sequence[Place]
) -> pd.DataFrame:
    """Columns key, cell, weight, contribution, effect; one row for each cell."""
    network = load_translator(model.name, model.device).model
    lengths = contributions(network, record)[head.head]
    known = _effects(model, (trace.source_ids, trace.target_ids, trace.predicted_ids), head)
    missing = [cell for cell in cells if cell not in known]
    if missing:
        bar = st.progress(0.0, _("Taking out each key …"))
        passes = effect_of_weights(network, trace, head, missing)
        steps = in_turn(passes, len(missing) * len(trace.target_ids), bar)
        for n, (cell, falls) in enumerate(steps, start=1):
            known[cell] = effect_at(head, cell, falls)
            bar.progress(n / len(missing), _("Taking out each key …"))
        bar.empty()
    queries, keys = numbered(record.query_tokens), numbered(record.key_tokens)
    if record.module != "encoder_self":
        queries = numbered(trace.predicted_tokens)  # a row is named by the token that it writes
    return pd.DataFrame(
        {
            "key": [keys[j] for _i, j in cells],
            "cell": [f"{queries[i]} → {keys[j]}" for i, j in cells],
            "weight": [float(record.weights[head.head, i, j]) for i, j in cells],
            "contribution": [float(lengths[i, j]) for i, j in cells],
            "effect": [known[cell] for cell in cells],
        }
    )


@kept(at_least=2**20)
def _effects(model: ModelChoice, ids: tuple[tuple[int, ...], ...], head: HeadRef) -> dict[Place, float]:
    return {}  # filled cell by cell in `_numbers`


def _table(numbers: pd.DataFrame, labels: dict[str, str]) -> None:
    quantities = ["weight", "contribution", "effect"]
    largest = {name: numbers[name].abs().idxmax() for name in quantities}
    rows = [
        [row["key"], *(Cell(decimals(row[name], 6), "strong" if largest[name] == n else "") for name in quantities)]
        for n, row in numbers.iterrows()
    ]
    number_table(
        "importance",
        _("The largest absolute value in each column is marked."),
        [labels["key"], *(labels[q] for q in quantities)],
        rows,
    )


def _correlations(numbers: pd.DataFrame, labels: dict[str, str]) -> None:
    size = numbers["effect"].abs()
    pairs = [
        (labels["weight"], _("effect"), numbers["weight"], numbers["effect"]),
        (labels["weight"], _("absolute effect"), numbers["weight"], size),
        (labels["contribution"], _("effect"), numbers["contribution"], numbers["effect"]),
        (labels["contribution"], _("absolute effect"), numbers["contribution"], size),
        (labels["weight"], labels["contribution"], numbers["weight"], numbers["contribution"]),
    ]
    rows = []
    for first, second, a, b in pairs:
        rho = rank_correlation(a, b)
        rows.append([f"{first} · {second}", "—" if np.isnan(rho) else decimals(rho, 3)])
    number_table(
        "rank-correlation",
        _("Rank correlation (Spearman's ρ) over {count} cells: 1 is the same order, −1 the opposite.").format(
            count=len(numbers)
        ),
        [_("between"), "ρ"],
        rows,
    )


def _aggregates(trace: Trace, module: AttentionModule, layer: int) -> None:
    title = _("Aggregates that no forward pass uses: mean over heads, attention rollout")
    with st.expander(title, expanded=st.query_params.get("aggregate") in ("mean", "rollout")):
        options = {"none": _("none"), "mean": _("mean over heads"), "rollout": _("attention rollout")}
        chosen = linked_choice(_("Aggregate"), "aggregate", options, "none")
        if chosen == "none":
            st.caption(
                _(
                    "Such aggregates are often shown instead of what the model computed. The model itself "
                    "never averages its heads."
                )
            )
            return
        if chosen == "mean":
            record = trace.attention(module, layer)
            values, mask, shown = mean_over_heads(record).astype(np.float64), record.mask, module
            title = _("{module}, layer {layer}: mean over heads (an aggregate)").format(
                module=module_names()[module], layer=layer + 1
            )
            text = _(
                "The mean of the weights of all heads in this layer. Heads that look at different tokens blur into one."
            )
        else:
            record = trace.attention("encoder_self", 0)
            values, mask, shown = rollout(trace), record.mask, "encoder_self"
            title = _("Encoder: attention rollout (an aggregate)")
            text = _(
                "The product of all encoder layers, each as ½ (mean over heads) + ½ I for the residual connection"
                " (Abnar & Zuidema 2020). It assumes that values are passed on unchanged. It is defined only for "
                "a stack of self-attention layers: cross-attention feeds the decoder in every layer, so there is "
                "none for the decoder."
            )
        st.caption(text)
        axes = default_labels()
        matrix = Matrix(
            title,
            values,
            rows=axes[f"query_{shown}"],
            columns=axes[f"key_{shown}"],
            row_labels=list(record.query_tokens),
            column_labels=list(record.key_tokens),
            mask=mask,
            scale_name=_("aggregate"),
            is_pinnable=False,
        )
        matrix_view([matrix], key="aggregate-view")
