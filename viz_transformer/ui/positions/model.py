"""The part "This model" of the page on positions: embeddings and positions, shifts, permuted words, a bag of words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.charts.positions import change_plot, offset_plot
from viz_transformer.experiments.positions.encoding import distances
from viz_transformer.experiments.positions.order import OrderEffect, order_effect, retrace
from viz_transformer.interventions import Intervention, PermuteSource, PositionsOff, ShiftPositions
from viz_transformer.trace import Trace
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.components.slider_bar import slider_bar
from viz_transformer.ui.components.sliders import Slider, choice, chosen, steps
from viz_transformer.ui.positions.neighbours import neighbours_box
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import numbered
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import Recorded
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row

LARGEST_SHIFT = 64


@kept()
def output_under(model: ModelChoice, source: str, changes: tuple[Intervention, ...]) -> str:
    """The model's own greedy output under these changes, as text."""
    translator = load_translator(model.name, model.device)
    with scheduler.short():
        *_steps, last = translator.greedy_search(source, interventions=changes)
    text = translator.target_tokenizer.decode(last.best.ids)
    return text if last.best.finished else f"{text} …"


def encoding_model(recorded: Recorded) -> None:
    """Embeddings, positions, and their sum, as the first layer gets it."""
    trace = recorded.trace
    pieces = {
        "tokens": (_("Token embeddings · √d_model"), trace.tensors["source_embedding.scaled_tokens"]),
        "positions": (_("+ positions"), trace.positional_encoding("source")),
        "sum": (_("= X, into the first layer"), trace.tensors["source_embedding.output"]),
    }
    extent = float(max(np.abs(values).max() for _title, values in pieces.values()))
    lengths = {name: np.linalg.norm(values, axis=1) for name, (_title, values) in pieces.items()}
    matrix_view(
        [
            Matrix(
                title,
                values,
                rows=_("source position"),
                columns=_("dimension"),
                first_index=0,
                row_labels=trace.source_tokens,
                scale="diverging",
                scale_name=_("value"),
                extent=extent,
                note=_("{rows} × {columns}").format(rows=values.shape[0], columns=values.shape[1]),
                is_pinnable=False,
                name=name,
            )
            for name, (title, values) in pieces.items()
        ],
        key="embedding-matrices",
    )
    st.markdown(_what_the_factor_does(trace, *(float(lengths[name].mean()) for name in ("tokens", "positions"))))
    rows: list[list[str | Cell]] = [
        [token, *(decimals(float(values[place]), 3) for values in lengths.values())]
        for place, token in enumerate(numbered(trace.source_tokens, first=0))
    ]
    number_table(
        "embedding-lengths",
        _("Lengths of the vectors"),
        [_("token"), _("embedding"), _("position"), _("sum")],
        rows,
    )
    neighbours_box(recorded)


def _what_the_factor_does(trace: Trace, tokens: float, positions: float) -> str:
    """Compares an embedding with its position, in words; `tokens`, `positions`: the mean lengths of both."""
    root: float = trace.config.d_model**0.5
    said = explained(
        "All three on one colour scale. An embedding is {tokens} long on average, a positional encoding {positions}."
    ).format(tokens=decimals(tokens, 2), positions=decimals(positions, 2))
    if positions == 0:
        return said
    without = explained(
        "Without the factor √d_model = {root}, an embedding would be {bare} long, {share} % of the length of its "
        "positional encoding."
    ).format(root=decimals(root, 2), bare=decimals(tokens / root, 2), share=f"{100 * tokens / root / positions:.0f}")
    return in_a_row(said, without)


@kept()
def shifted_scores(
    model: ModelChoice, _trace: Trace, ids: tuple[tuple[int, ...], ...], offsets: tuple[int, ...]
) -> list[float]:
    """log p of the original output where the source's positions are shifted by each of `offsets`."""
    network = load_translator(model.name, model.device).model
    found = []
    for offset in offsets:
        with scheduler.short():
            moved = retrace(network, _trace, [ShiftPositions(offset, "source")])
        found.append(moved.log_prob)
    return found


def distance_model(recorded: Recorded) -> None:
    """The positions of the sentence, and what becomes of the output when all of them are shifted."""
    trace = recorded.trace
    n = len(trace.source_ids)
    limit = min(LARGEST_SHIFT, trace.config.max_len - n)
    picture, side = picture_and_side("shift")
    with side:
        bar = slider_bar(
            [Slider("shift", _("Shift all source positions by"), steps(0, limit, 1), min(4, limit))], key="shift-model"
        )
    with picture:
        _show_shift(recorded, int(bar.values["shift"]), limit)


def _show_shift(recorded: Recorded, shift: int, limit: int) -> None:
    model, source, trace = recorded
    n, ids = len(trace.source_ids), (trace.source_ids, trace.target_ids)
    number_table(
        "shifted",
        _("The model's output, greedy"),
        ["", _("output"), _("log p of the original output, nats")],
        [
            [
                _("positions 0 to {last}").format(last=n - 1),
                Cell(output_under(model, source, ()), "text"),
                decimals(trace.log_prob, 3),
            ],
            [
                _("positions {first} to {last}").format(first=shift, last=shift + n - 1),
                Cell(output_under(model, source, (ShiftPositions(shift, "source"),)), "text"),
                decimals(shifted_scores(model, trace, ids, (shift,))[0], 3),
            ],
        ],
    )
    offsets = tuple(sorted({min(offset, limit) for offset in (*range(9), 12, 16, 24, 32, 48, 64, shift)}))
    scores = np.array(shifted_scores(model, trace, ids, offsets))
    labels = {
        "title": _("The original output under shifted source positions"),
        "x": _("shift, positions"),
        "y": _("log p, nats"),
    }
    at = np.array(offsets, dtype=np.float64)
    lost = trace.log_prob - shifted_scores(model, trace, ids, (shift,))[0]
    notes = [
        _("A shift of {shift} lowers log p of the original output by {lost} nats.").format(
            shift=shift, lost=decimals(lost, 3)
        ),
        _says_of_shift(
            is_same=output_under(model, source, (ShiftPositions(shift, "source"),)) == output_under(model, source, ())
        )
        if shift
        else _("Shift them: every distance and every dot product between two encodings stays as it is."),
    ]
    plot = offset_plot(
        "shifts", at, {}, {_("this sentence"): scores}, labels, at=(_("this shift"), offsets.index(shift))
    )
    plot_view([replace(plot, is_wide=True)], key="shifts", notes=notes)
    vectors = trace.positional_encoding("source").astype(np.float64)
    both: dict[str, Any] = {
        "rows": _("source position"),
        "columns": _("other source position"),
        "first_index": 0,
        "row_labels": trace.source_tokens,
        "column_labels": trace.source_tokens,
        "is_pinnable": False,
    }
    matrix_view(
        [
            Matrix(
                _("PE · PEᵀ of this sentence"),
                vectors @ vectors.T,
                scale="diverging",
                scale_name=_("dot product"),
                name="own-gram",
                **both,
            ),
            Matrix(
                _("Distances between its encodings"),
                distances(vectors),
                scale_name=_("‖PE − PE′‖"),
                name="own-map",
                **both,
            ),
        ],
        key="own-positions",
    )


def _says_of_shift(*, is_same: bool) -> str:
    if is_same:
        return _(
            "The shift keeps every distance and every dot product between two encodings, and the model writes the"
            " same: here it relies on how far apart tokens are."
        )
    return _(
        "The shift keeps every distance and every dot product between two encodings, yet the model writes "
        "something else: it also relies on where a token is, since it was trained on sentences that begin at "
        "position 0."
    )


@kept()
def effect_of(
    model: ModelChoice, _trace: Trace, ids: tuple[tuple[int, ...], ...], order: tuple[int, ...]
) -> OrderEffect:
    """What `order_effect` finds."""
    with scheduler.short():
        return order_effect(load_translator(model.name, model.device).model, _trace, order)


def order_model(recorded: Recorded) -> None:
    """The words in another order, with positions and without."""
    trace = recorded.trace
    order_slider = choice(
        "order",
        _("Order of the words"),
        {"reversed": _("reversed"), "swapped": _("first two swapped"), "shuffled": _("shuffled")},
        "reversed",
    )
    seed = Slider("seed", _("Seed of the shuffle"), steps(0, 19, 1), 0, needs=("order", "shuffled"))
    picture, side = picture_and_side("order-model")
    with side:
        bar = slider_bar([order_slider, seed], key="order-model")
    order = _order(chosen(order_slider, bar.values), len(trace.source_ids), int(bar.values["seed"]))
    with picture:
        _show_order(recorded, order)


def _show_order(recorded: Recorded, order: tuple[int, ...]) -> None:
    model, source, trace = recorded
    permute, off = PermuteSource(order), PositionsOff("source")
    read = PermuteSource(order).apply(trace.source_tokens)
    with st.container(key="order-outputs"):
        number_table(
            "orders",
            _("What the encoder reads, and the model's greedy output"),
            ["", _("reads"), _("output")],
            [
                [name, Cell(" ".join(tokens), "text"), Cell(output_under(model, source, changes), "text")]
                for name, tokens, changes in (
                    (_("as typed"), trace.source_tokens, ()),
                    (_("permuted"), read, (permute,)),
                    (_("positions off"), trace.source_tokens, (off,)),
                    (_("positions off, permuted"), read, (off, permute)),
                    (_("positions off in source and target"), trace.source_tokens, (PositionsOff("both"),)),
                )
            ],
        )
    effect = effect_of(model, trace, (trace.source_ids, trace.target_ids), order)
    labels = {
        "title": _("How much each token's encoder output changes when the words are permuted"),
        "x": _("source token, in the new order"),
        "y": _("largest change"),
    }
    groups = {
        _("with positions"): effect.with_positions.astype(np.float64),
        _("positions off"): np.maximum(effect.without_positions.astype(np.float64), 1e-9),
    }
    notes = [
        _(
            "With positions the outputs change by up to {moved}; with positions off they are the same vectors in "
            "the new order, a bag of words. The remaining difference, at most {most}, is rounding error, since "
            "sums are taken in a different order; the outputs themselves go up to {size}."
        ).format(
            moved=decimals(float(effect.with_positions.max()), 2),
            most=decimals(float(effect.without_positions.max())),
            size=decimals(effect.size, 2),
        )
    ]
    if order == tuple(range(len(order))):
        notes.insert(0, _("This text has fewer than two words to permute: type at least two."))
    plot = change_plot(tuple(numbered(read)), groups, labels)
    plot_view([replace(plot, is_wide=True)], key="order-change", notes=notes)


def _order(kind: str, n: int, seed: int) -> tuple[int, ...]:
    """An order of n source tokens; the end token stays at the end."""
    words = list(range(n - 1))
    if kind == "reversed":
        words.reverse()
    elif kind == "swapped":
        words[:2] = words[:2][::-1]
    else:
        words = np.random.default_rng(seed).permutation(n - 1).tolist()
    return (*words, n - 1)
