"""The lesson of the page Architecture on what a model costs: parameters, operations, weight tying, Table 3."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import streamlit as st
import torch

from viz_transformer import charts
from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.architecture.costs import (
    TABLE_3,
    PartCost,
    count_flops,
    count_parameters,
    counted_flops,
    flops_by_part,
    parameters_by_part,
    vocabulary_for,
)
from viz_transformer.experiments.architecture.residual_stream import tied_logits
from viz_transformer.experiments.architecture.shapes import Lengths
from viz_transformer.ui.architecture.config_controls import config_bar, config_line, config_of
from viz_transformer.ui.architecture.words import part_names
from viz_transformer.ui.components.linked_sizes import Size
from viz_transformer.ui.components.live_table import Tables, live_tables
from viz_transformer.ui.components.number_table import Cell, Table, decimals, number_table
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.figures import show_plotly, theme_of_page
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, sentence

MAX_LENGTH = 65_536
_SHAREABLE = ("source_embedding", "output_projection")  # by weight tying, with the target embedding


def costs(reading: Reading) -> None:
    """Parameters and operations by part, for any config and length."""
    _any_config(reading)
    _table_3()
    this_model()
    _count("own-parts", reading.trace.config, reading.lengths)
    _own_pass(reading)
    config = reading.trace.config
    closed_box(_("This model's parameters as areas"), lambda: _areas(config), key="areas", in_link=True)
    _tying(reading)


@st.fragment
def _any_config(reading: Reading) -> None:
    own, config = reading.lengths, reading.trace.config

    def chosen(values: Values) -> tuple[TransformerConfig, Lengths]:
        length = int(values["length"])
        return config_of(config, values), own if length == max(own) else Lengths(length, length)

    def shown(values: Values) -> Tables:
        try:
            any_config, lengths = chosen(values)
        except ValueError as error:
            return Tables(problem=sentence(error))
        line = f"{config_line(any_config)} · S {lengths.source:,} · T {lengths.target:,}"
        tables = [_parameters(any_config), _operations(any_config, lengths)]
        return Tables(tables, line, conclusion=_conclusion(any_config, lengths))

    size = Size("length", _("L: length of source and target"), [2**n for n in range(17)], max(own), MAX_LENGTH)
    picture, side = picture_and_side("architecture-cost")
    with side:
        bar = config_bar(config, size)
        is_counted = st.toggle(
            _("Let torch count the operations of modules of these sizes"), key="count", bind="query-params"
        )
        theory()
        st.markdown(
            explained(
                "A multi-head attention layer over n sequences of L tokens, with width d, takes **4·n·d·L·(2d + "
                "L)** multiplications and additions: 4·n·L·2d² for the four projections W_Q, W_K, W_V, W_O, and "
                "4·n·d·L² for QKᵀ and weights · V. The number of heads does not appear. A multiply-add counts as "
                "two operations, as in `torch.utils.flop_counter`. The feed-forward takes 4·n·L·d·d_ff. Up to L = "
                "2d the projections cost more than the attention itself."
            )
        )
    with picture:
        live_tables(bar, shown, key="costs", depends_on=(config, own))
        if is_counted:
            with suppress(ValueError):  # the tables above show its message
                _count("counted", *chosen(bar.values))


def _conclusion(config: TransformerConfig, lengths: Lengths) -> str:
    """Which part has most of the parameters and of the operations, and whether QKᵀ costs more than the projections."""
    parameters, operations, names = parameters_by_part(config), flops_by_part(config, lengths), part_names()
    most, work = (max(parts, key=lambda part: part.total) for parts in (parameters, operations))
    length, width = max(lengths), config.d_model
    if length <= 2 * width:
        follows = _("L = {length} is not above 2d = {double}, so attention spends more on its projections than on QKᵀ")
    else:
        follows = _(
            "L = {length} is above 2d = {double}, so attention spends more on QKᵀ and weights · V, which grow with L²"
        )
    return _("{share} of the parameters are in {part}, and {work} of the operations in {busy}. {follows}.").format(
        share=_share(most.total, parameters),
        part=names[most.part],
        work=_share(work.total, operations),
        busy=names[work.part],
        follows=follows.format(length=f"{length:,}", double=f"{2 * width:,}"),
    )


def _share(of: int, parts: Sequence[PartCost]) -> str:
    return f"{of / sum(part.total for part in parts):.0%}"


def _count(name: str, config: TransformerConfig, lengths: Lengths) -> None:
    """Formula and count side by side, part by part."""
    counted, names = _counted(config, lengths), part_names()
    number_table(
        name,
        _("Operations for S = {source}, T = {target}: by formula, and as counted by torch.utils.flop_counter").format(
            source=f"{lengths.source:,}", target=f"{lengths.target:,}"
        ),
        [_("part"), _("each, by formula"), _("each, counted by torch"), _("difference")],
        [
            [
                names[part.part],
                f"{part.each:,}",
                f"{counted[part.part]:,}",
                Cell(f"{counted[part.part] - part.each:,}", "" if counted[part.part] == part.each else "strong"),
            ]
            for part in flops_by_part(config, lengths)
        ],
    )


def _parameters(config: TransformerConfig) -> Table:
    parts = parameters_by_part(config)
    total = sum(part.total for part in parts)
    names = part_names()
    return Table(
        "parameters",
        _("Parameters by part; d = d_model"),
        [_("part"), _("formula"), _("each"), _("copies"), _("total")],
        [
            [names[part.part], Cell(part.formula, "text"), f"{part.each:,}", _times(part), _bar(part, parts)]
            for part in parts
            if part.times or part.part in _SHAREABLE
        ],
        lead=_("{millions} million parameters ({exact})").format(millions=f"{total / 1e6:,.2f}", exact=f"{total:,}"),
    )


def _times(part: PartCost) -> str | Cell:
    return f"{part.times}" if part.times else _("shared")


def _bar(part: PartCost, parts: Sequence[PartCost]) -> Cell:
    """A part's total, with a bar in the hue of its stack; the largest part has the longest bar."""
    largest = max(one.total for one in parts)
    return Cell(f"{part.total:,}", f"share {part.part.partition('_')[0]}", part.total / largest)


def _operations(config: TransformerConfig, lengths: Lengths) -> Table:
    parts = flops_by_part(config, lengths)
    total = sum(part.total for part in parts)
    names = part_names()
    return Table(
        "operations",
        _("Operations of one forward pass over one sentence; d = d_model"),
        [_("part"), _("formula"), _("each"), _("copies"), _("total")],
        [
            [names[part.part], Cell(part.formula, "text"), f"{part.each:,}", str(part.times), _bar(part, parts)]
            for part in parts
        ],
        lead=_("{short} operations ({exact})").format(short=_short(total), exact=f"{total:,}"),
    )


@kept()
def _counted(config: TransformerConfig, lengths: Lengths) -> dict[str, int]:
    return counted_flops(config, lengths)


def _short(number: int) -> str:
    for size, letter in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:,.2f} {letter}"
    return str(number)


def _table_3() -> None:
    rows: list[list[str | Cell]] = []
    for name, config, printed in TABLE_3:
        low, high = vocabulary_for(config, printed)
        rows.append(
            [
                name,
                str(printed),
                f"{count_parameters(config) / 1e6:.2f}",
                f"{count_parameters(config):,}",
                f"{low:,} – {high:,}",
            ]
        )
    number_table(
        "table-3",
        _(
            "Table 3 of the paper, parameters in millions: as printed, and as counted here with one shared "
            "vocabulary of 37,000 tokens"
        ),
        [_("model"), _("printed"), _("counted"), _("exact"), _("vocabulary size that gives the printed number")],
        rows,
    )
    st.caption(
        _(
            "The count assumes one matrix for 37,000 tokens (§5.1), shared by both embeddings and the output "
            "projection (§3.4), and includes biases and LayerNorms; sinusoids have no parameters. The paper does "
            "not say how it counted. Every row of base size fits a vocabulary of 40,932 to 41,160 tokens, such as"
            " 37,000 + 4,096; the big row fits 35,296 to 36,272. No single vocabulary fits all rows: move V and "
            "see."
        )
    )


def _own_pass(reading: Reading) -> None:
    config = reading.trace.config
    counted = _counted_pass(reading.model.name, reading.trace.source_ids, reading.trace.target_ids, reading)
    formula = sum(part.total for part in flops_by_part(config, reading.lengths))
    held = reading.translator.model.count_parameters()
    number_table(
        "own-costs",
        _("The model that ran this pass"),
        [_("quantity"), _("by formula"), _("counted in the model"), _("difference")],
        [
            [_("parameters"), f"{count_parameters(config):,}", f"{held:,}", f"{held - count_parameters(config):,}"],
            [
                _("operations of this pass, each stage of attention on its own"),
                f"{formula:,}",
                f"{counted:,}",
                f"{counted - formula:,}",
            ],
        ],
    )


@kept()
def _counted_pass(model: str, source: tuple[int, ...], target: tuple[int, ...], _reading: Reading) -> int:
    transformer = _reading.translator.model
    ids = [torch.tensor([list(side)], device=transformer.device) for side in (source, target)]
    with scheduler.short():
        return count_flops(lambda: transformer(*ids))


def _areas(config: TransformerConfig) -> None:
    """Shows each part of the model as an area in proportion to its parameters."""
    names = part_names()
    stacks = {"encoder": _("Encoder"), "decoder": _("Decoder"), "rest": _("Embeddings and output")}
    groups: dict[str, dict[str, int]] = {title: {} for title in stacks.values()}
    for one in parameters_by_part(config):
        stack = "decoder" if one.part == "cross" else one.part.partition("_")[0]
        groups[stacks.get(stack, stacks["rest"])][names[one.part]] = one.total
    labels = {"model": _("model"), "unit": _("parameters"), "share": _("of the model")}
    show_plotly(charts.part_sizes(groups, labels=labels, theme=theme_of_page()), key="areas-figure")
    st.caption(_("Each area is a part's share of all parameters. A matrix that is shared counts once."))


def _tying(reading: Reading) -> None:
    config, trace = reading.trace.config, reading.trace
    difference = float(np.abs(tied_logits(reading.translator.model, trace) - trace.tensors["logits"]).max())
    saved = {"all": 2, "target": 1, "none": 0}[config.weight_tying] * config.target_vocab_size * config.d_model
    kinds = {
        "all": _("both embeddings and the output projection are one matrix"),
        "target": _(
            "the target embedding and the output projection are one matrix, and the source embedding is another"
        ),
        "none": _("no matrix is shared"),
    }
    st.markdown(
        explained(
            "**Weight tying** makes a token's logit the dot product of the decoder's output with that token's own"
            " embedding. In this model {kind}, which saves {saved} parameters. Multiplying the recorded decoder "
            "outputs by the embedding gives the recorded logits; the largest difference is {difference}."
        ).format(kind=kinds[config.weight_tying], saved=f"{saved:,}", difference=decimals(difference))
        + (" " + _("The token's own bias is added to each logit.") if config.output_bias else "")
    )
    if config.weight_tying != "all":
        st.markdown(
            explained(
                "**When not to tie:** here row n stands for one of the {source} source tokens, and for a "
                "different one of the {target} target tokens. One matrix can be shared only if both sides have "
                "one vocabulary, as in the paper."
            ).format(source=f"{config.source_vocab_size:,}", target=f"{config.target_vocab_size:,}")
        )
