"""Switch heads off and see how the output changes; and how much each head alone changes it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.heads.knock_out import all_heads, impact_of_heads
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers
from viz_transformer.interventions import AblateHeads
from viz_transformer.tokenizers import END_ID
from viz_transformer.trace import Floats, Trace
from viz_transformer.ui.components.matrix_view import MATRICES, matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.components.sheets import Matrix
from viz_transformer.ui.shared.choices import module_names, numbered
from viz_transformer.ui.shared.head_names import head_label, heads_in_link, keep_heads_in_link, short_module
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.models import ModelChoice, changed_output, changed_trace, compute_slots, load_translator
from viz_transformer.ui.shared.text import _

OFF = "off"  # in the link: the heads that are knocked out
_GRID = "impact-grid"


@st.fragment
def heads_knock_out(model: ModelChoice, source: str, trace: Trace) -> None:
    """What every head alone changes, any set of heads to knock out (in the link as `off`), and the output without."""
    st.subheader(_("Knock heads out"))
    st.markdown(
        _(
            "A head is knocked out by setting its context vectors to zero, just before W_O. The grid shows how much "
            "the log-probability of the whole output changes, in nats, when **one** head is missing; the second "
            "matrix shows the change for each token. Below 0, the model finds the output less likely without the "
            "head. **Click a head in the grid, or choose it below, to switch it off**, alone or with others. A head "
            "that changes nothing may still do the work: others can stand in for it."
        )
    )
    config = trace.config
    grid = impact_grid(model, trace)
    matrices = [_grid_matrix(config, grid), _by_token(trace, grid)]
    matrix_view(matrices, key=_GRID, on_change=lambda: _toggle_clicked(config))
    _choose_heads(config)
    heads = heads_in_link(OFF, config)
    if heads:
        _without(model, source, trace, AblateHeads(heads))
    else:
        st.caption(_("No head is switched off."))


def impact_grid(model: ModelChoice, trace: Trace) -> dict[HeadRef, Floats]:
    """(T,) for every head: the change of the log-probability of each predicted token without it, in nats.

    Computed once for all visitors, with a progress bar; a visitor who leaves keeps what is done for the next.
    """
    known = _impacts(model, (trace.source_ids, trace.target_ids, trace.predicted_ids))
    heads = all_heads(trace.config)
    missing = [head for head in heads if head not in known]
    if missing:
        bar = st.progress(0.0, _("Knocking out each head …"))
        with compute_slots:
            for head, change in impact_of_heads(load_translator(model.name, model.device).model, trace, missing):
                known[head] = change
                bar.progress(len(known) / len(heads), _("Knocking out each head …"))
        bar.empty()
    return {head: known[head] for head in heads}


@kept(at_least=64 * 2**10)
def _impacts(model: ModelChoice, ids: tuple[tuple[int, ...], ...]) -> dict[HeadRef, Floats]:
    return {}  # filled head by head in `impact_grid`


def _layers(config: TransformerConfig) -> list[tuple[AttentionModule, int]]:
    """The rows of the grid: all modules in one matrix, so that one scale holds for all heads."""
    return [(module, layer) for module in ATTENTION_MODULES for layer in range(n_layers(config, module))]


def _grid_matrix(config: TransformerConfig, grid: dict[HeadRef, Floats]) -> Matrix:
    rows = _layers(config)
    impacts = [[float(grid[HeadRef(*row, head)].sum()) for head in range(config.n_heads)] for row in rows]
    return Matrix(
        _("Without one head: the whole output"),
        np.array(impacts, dtype=np.float32),  # (layers, H)
        rows=_("attention layer"),
        columns=_("head"),
        row_labels=[f"{short_module(module)} {layer + 1}" for module, layer in rows],
        column_labels=[str(head + 1) for head in range(config.n_heads)],
        scale="diverging",
        scale_name=_("change of the log-probability, nats"),
    )


def _toggle_clicked(config: TransformerConfig) -> None:
    """A click pins a cell of the grid, a second one releases it: both switch that head."""
    view = MATRICES.committed(_GRID)
    pinned = view.pinned if view else None
    last = st.session_state.get(f"{_GRID}:last")
    st.session_state[f"{_GRID}:last"] = pinned
    clicked = pinned or last
    rows = _layers(config)
    if clicked is None or clicked.row >= len(rows) or clicked.column >= config.n_heads:  # pinned on another model
        return
    head = HeadRef(*rows[clicked.row], clicked.column)
    heads = set(heads_in_link(OFF, config)) ^ {head}
    keep_heads_in_link(OFF, [head for head in all_heads(config) if head in heads])


def _choose_heads(config: TransformerConfig) -> None:
    chosen = heads_in_link(OFF, config)
    for column, module in zip(st.columns(3), ATTENTION_MODULES, strict=True):
        key = f"off {module}"
        st.session_state[key] = [head_label(head) for head in chosen if head.module == module]  # the link leads
        options = [head_label(head) for head in all_heads(config) if head.module == module]
        column.pills(
            module_names()[module],
            options,
            selection_mode="multi",
            key=key,
            on_change=_keep,
            args=(config,),
            wrap=True,
        )
    if chosen:
        st.button(_("Switch all heads on"), on_click=keep_heads_in_link, args=(OFF, ()))


def _keep(config: TransformerConfig) -> None:
    labels = {label for module in ATTENTION_MODULES for label in st.session_state[f"off {module}"] or ()}
    keep_heads_in_link(OFF, [head for head in all_heads(config) if head_label(head) in labels])


def _without(model: ModelChoice, source: str, trace: Trace, change: AblateHeads) -> None:
    changed = changed_trace(model, trace, change)
    tokenizer = load_translator(model.name, model.device).target_tokenizer
    outputs = [changed_output(model, source, intervention) for intervention in (None, change)]
    stopped = [
        tokenizer.decode(ids) + ("" if ids[-1] == END_ID else " " + _("(stopped at the length limit)"))
        for ids in outputs
    ]
    names = ", ".join(head_label(head) for head in sorted(change.heads))
    number_table(
        "knock-out-output",
        _("The model's greedy output with all heads and without {heads}.").format(heads=names),
        ["", _("output")],
        [[_("all heads"), Cell(stopped[0], "text")], [_("without"), Cell(stopped[1], "text")]],
    )
    before, after = trace.token_log_probs, changed.token_log_probs
    worst = int((after - before).argmin())
    rows: list[list[str | Cell]] = [
        [
            token,
            decimals(float(first)),
            decimals(float(second)),
            Cell(decimals(float(second - first)), "strong" if place == worst else ""),
        ]
        for place, (token, first, second) in enumerate(
            zip(numbered(trace.predicted_tokens), before, after, strict=True)
        )
    ]
    totals = [decimals(float(value)) for value in (before.sum(), after.sum(), (after - before).sum())]
    number_table(
        "knock-out-tokens",
        _("Log-probability of each token of the target shown, in nats. The decoder reads the same tokens both times."),
        [_("token"), _("all heads"), _("without"), _("change")],
        [*rows, [_("all tokens"), *totals]],
    )


def _by_token(trace: Trace, grid: dict[HeadRef, Floats]) -> Matrix:
    return Matrix(
        _("Without one head: each token"),
        np.stack(list(grid.values())),  # (heads, T)
        rows=_("without head"),
        columns=_("predicted token"),
        row_labels=[head_label(head) for head in grid],
        column_labels=list(trace.predicted_tokens),
        scale="diverging",
        scale_name=_("change of the log-probability, nats"),
        is_pinnable=False,
    )
