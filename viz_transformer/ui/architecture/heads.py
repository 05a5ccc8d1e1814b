"""The lesson of the page Architecture on multi-head attention: three ways to write it, and one head of equal cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.experiments.architecture.costs import PAPER_BASE, TABLE_3_B, saved_by_narrow_keys
from viz_transformer.experiments.architecture.multi_head import (
    HeadsResult,
    attention_module,
    by_one_projection,
    by_slicing,
    by_small_projections,
    counted_cost,
    equal_cost,
    recorded_inputs,
    slice_strengths,
)
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, hook_path, n_layers, stack_config
from viz_transformer.trace import AttentionRecord
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.live_table import Tables, live_tables
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, Table, decimals, number_table
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import linked_choice, linked_number, module_names
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

# Vaswani et al. 2017, Table 3, rows (A) and base: heads and BLEU on the development set, d_model 512.
_PAPER_WIDTH = 512
_WIDTHS = (1, 2, 16, 60, 64, 128, 192, 256, 512, 1024, 2048)
_PAPER_BLEU = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}


def heads(reading: Reading) -> None:
    """What h heads cost beside a single one of full width; then multi-head attention, written in several ways."""
    _equal_cost(reading)
    this_model()
    config, length = reading.trace.config, max(reading.lengths)
    st.markdown(
        explained(
            "For self-attention of this model's width, d = {d}, over {length} tokens, "
            "`torch.utils.flop_counter` counts {many} operations with its {heads} heads and {one} with a "
            "single head."
        ).format(
            d=config.d_model,
            length=length,
            many=f"{_counted(config.d_model, config.n_heads, length):,}",
            heads=config.n_heads,
            one=f"{_counted(config.d_model, 1, length):,}",
        )
    )
    picture, side = picture_and_side("architecture-ways")
    with side:
        module = _choose_module()
        layer = linked_number(_("Layer"), "layer", n_layers(reading.trace.config, module))
        head = linked_number(_("Head"), "head", stack_config(config, module).n_heads)
    _three_ways(reading, module, layer, head, picture, side)


def _choose_module() -> AttentionModule:
    chosen = linked_choice(_("Module"), "module", module_names(), "encoder_self", column=True)
    return next(name for name in ATTENTION_MODULES if name == chosen)


@st.fragment
def _equal_cost(reading: Reading) -> None:
    picture, side = picture_and_side("architecture-heads")
    with side:
        bar = size_bar(
            [
                Size("d_model", _("d_model: width"), _WIDTHS, reading.trace.config.d_model, 16_384),
                Size("length", _("L: length"), [2**n for n in range(17)], max(reading.lengths), 65_536),
            ],
            key="equal-cost-sizes",
        )
        theory()
        st.markdown(
            explained(
                "h heads of width d_k = d_model / h cost as much as one head of full width: the projections are "
                "the same matrices, and h products of width d / h take as many multiplications as one of width d. "
                "What changes is that h softmaxes give h patterns of attention, where a single head has to mix "
                "them all into one. Each head compares queries and keys in a subspace of its own, of d_k dimensions: "
                "one may look for the same word, another for the previous position."
            )
        )
        st.markdown(
            explained(
                "But a head can have too few dimensions. In the paper's rows (B) the heads keep their number and the "
                "width of their values, and only q and k get narrower: fewer parameters, and a worse model. Whether "
                "two tokens belong together is hard to tell from 16 products; a richer function than the scalar "
                "product may do better, the paper supposes (§6.2)."
            )
        )
        st.markdown(
            explained(
                "Only q and k must have the same width, since they are multiplied. The values may have another "
                "width, d_v: then W_V is d_model × d_v and W_O h·d_v × d_model. In the paper, and here, d_v = "
                "d_k; *By hand* takes a V of any width."
            )
        )
    with picture:
        live_tables(bar, _equal_costs, key="equal-cost", depends_on=())
        _narrow_keys()


def _equal_costs(values: Values) -> Tables:
    of = whole(values)
    d_model, length = of["d_model"], of["length"]
    counts = [n for n in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64) if d_model % n == 0 and n <= d_model]
    rows: list[list[str | Cell]] = []
    for cost in (equal_cost(d_model, n, length) for n in counts):
        bleu = _PAPER_BLEU.get(cost.n_heads)
        rows.append(
            [
                str(cost.n_heads),
                f"{cost.d_k:,}",
                f"{cost.parameters:,}",
                f"{cost.flops:,}",
                f"{cost.distributions:,}",
                *([f"{bleu:.1f}" if bleu else "–"] if d_model == _PAPER_WIDTH else []),
            ]
        )
    table = Table(
        "equal-cost",
        _("Self-attention over L tokens with 1, 2, … heads; for d_model = 512, also the BLEU of the paper's models"),
        [
            _("heads h"),
            _("d_k"),
            _("parameters"),
            _("operations, 4·d·L·(2d + L)"),
            _("softmaxes, h·L"),
            *([_("BLEU, Table 3 (A)")] if d_model == _PAPER_WIDTH else []),
        ],
        rows,
    )
    one, many = (equal_cost(d_model, n, length) for n in (counts[0], counts[-1]))
    conclusion = _(
        "With 1 head and with {heads}: {parameters} parameters and {flops} operations. Only the number of "
        "softmaxes grows, from {one} to {many}, and each head has fewer dimensions to compare in, {d_k} instead "
        "of {d_model}."
    ).format(
        heads=many.n_heads,
        parameters=f"{many.parameters:,}",
        flops=f"{many.flops:,}",
        one=f"{one.distributions:,}",
        many=f"{many.distributions:,}",
        d_k=f"{many.d_k:,}",
        d_model=f"{d_model:,}",
    )
    return Tables([table], conclusion=conclusion)


def _narrow_keys() -> None:
    base = TABLE_3_B[-1]
    number_table(
        "narrow-keys",
        _("Table 3 (B) of the paper: eight heads, d_model = 512, values of width 64; only q and k are narrower"),
        [
            _("d_k"),
            _("perplexity"),
            _("BLEU"),
            _("million parameters, printed"),
            _("fewer than with 64, printed"),
            _("fewer, counted here"),
        ],
        [
            [
                str(row.d_k),
                f"{row.perplexity:.2f}",
                f"{row.bleu:.1f}",
                str(row.parameters),
                str(base.parameters - row.parameters),
                f"{saved_by_narrow_keys(PAPER_BASE, row.d_k):,}",
            ]
            for row in TABLE_3_B
        ],
    )


@kept()
def _counted(d_model: int, n_heads: int, length: int) -> int:
    return counted_cost(d_model, n_heads, length)


def _three_ways(
    reading: Reading,
    module: AttentionModule,
    layer: int,
    head: int,
    picture: DeltaGenerator,
    side: DeltaGenerator,
) -> None:
    trace, attention = reading.trace, attention_module(reading.translator.model, module, layer)
    inputs = recorded_inputs(trace, module, layer)
    record = trace.attention(module, layer)
    recorded = HeadsResult(record.weights, trace.tensors[f"{hook_path(module, layer)}.concatenated"])
    ways = {
        _("h small projections, d_model → d_k, one head after the other"): by_small_projections(attention, inputs),
        _("one projection, d_model → d_model, then split into h"): by_one_projection(attention, inputs),
        _("the embedding itself cut into h slices, d_k → d_k"): by_slicing(attention, inputs),
        _("one head of full width, with the same matrices"): by_one_projection(attention, inputs, n_heads=1),
    }
    used = attention.w_q.weight.numel()
    weights_used = [used, used, used // attention.n_heads, used]
    side.markdown(
        explained(
            "Four programs, run on the weights and the recorded inputs of this module. The first two are the "
            "same function, written in two ways: W_Q's rows are the heads' small matrices, stacked. **Slicing "
            "is a different model**: each head then sees only its own slice of every vector, and the other "
            "weights are never used. A head does not process a part of the embedding; it works on a learned "
            "projection of the whole embedding."
        )
    )
    with picture:
        _show_ways(ways, record, head)
        _compare_ways(ways, weights_used, recorded)
    _show_slices(attention)


def _compare_ways(ways: dict[str, HeadsResult], weights_used: list[int], recorded: HeadsResult) -> None:
    """Each way's largest differences from the recorded pass."""
    number_table(
        "three-ways",
        _("Each program compared with what the pass recorded"),
        [
            _("program"),
            _("entries of W_Q used"),
            _("largest difference in a weight"),
            _("largest difference in the heads' outputs"),
        ],
        [
            [
                name,
                f"{count:,}",
                _difference(way.weights, recorded.weights),
                _difference(way.concatenated, recorded.concatenated),
            ]
            for (name, way), count in zip(ways.items(), weights_used, strict=True)
        ],
    )


def _show_ways(ways: dict[str, HeadsResult], record: AttentionRecord, head: int) -> None:
    """The weights of one head, each way."""
    projected, split, sliced, single = ways.values()
    shown = {
        "small": (_("h small projections"), projected.weights[head]),
        "split": (_("one projection, split"), split.weights[head]),
        "sliced": (_("slices of the embedding"), sliced.weights[head]),
        "single": (_("one head of full width"), single.weights[0]),
    }
    matrix_view(
        [
            Matrix(
                title,
                values,
                rows=_("query"),
                columns=_("key"),
                row_labels=record.query_tokens,
                column_labels=record.key_tokens,
                mask=record.mask,
                scale_name=_("weight"),
                extent=1.0,
                is_pinnable=False,
                name=name,
            )
            for name, (title, values) in shown.items()
        ],
        key="three-ways",
    )


def _show_slices(attention: MultiHeadAttention) -> None:
    """What the heads' W_Q read of each slice of the embedding."""
    strengths = slice_strengths(attention)
    st.markdown(
        explained(
            "How much head i's W_Q reads from each slice of the embedding, as a share of its squared entries. "
            "Slicing keeps only the diagonal: {diagonal} in this module, where an even spread would be {even}."
        ).format(diagonal=f"{np.diag(strengths).mean():.1%}", even=f"{1 / len(strengths):.1%}")
    )
    matrix_view(
        [
            Matrix(
                _("share of W_Q"),
                strengths,
                rows=_("head"),
                columns=_("slice of the embedding"),
                scale_name=_("share"),
                is_pinnable=False,
                name="slices",
            )
        ],
        key="slices",
    )
    places = np.arange(len(strengths))
    row, column = divmod(int(np.where(np.eye(len(places), dtype=bool), -1, strengths).argmax()), len(places))
    if len(places) > 1:
        st.markdown(
            explained(
                "Head {head} takes {other} from slice {slice} and {own} from its own: it reads the whole embedding, "
                "and what it reads was learned."
            ).format(
                head=row + 1, slice=column + 1, other=f"{strengths[row, column]:.1%}", own=f"{strengths[row, row]:.1%}"
            )
        )


def _difference(values: np.ndarray, recorded: np.ndarray) -> Cell:
    if values.shape != recorded.shape:  # one head has one pattern: it is compared with each of the h
        values = np.broadcast_to(values, recorded.shape)
    largest = float(np.abs(values - recorded).max())
    return Cell(decimals(largest), "strong" if largest > 1e-3 else "")
