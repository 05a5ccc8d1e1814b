"""The lesson of the Masks page on where the mask goes: before the softmax, and with how negative a number."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.masked_softmax import MaskedWeights, mask_after, mask_before, over_the_queries
from viz_transformer.experiments.masks.padding import Bools, Floats, ModuleMasks, module_masks
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule
from viz_transformer.translator import TextError
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.masks.controls import Lesson, blank_row_of, choose_head, ids_of
from viz_transformer.ui.masks.matrices import weight_matrices
from viz_transformer.ui.shared.choices import choose_module, linked_choice, module_names, numbered
from viz_transformer.ui.shared.notes import note
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

OWN_FILL = -5.0  # at first: not negative enough, so that the leak is seen
LOWEST_FILL = -1e30


def around_the_softmax(lesson: Lesson) -> None:
    """The scores of one recorded head, masked in every usual way."""
    with lesson.side:
        own = st.number_input(
            _("Your own number in place of −∞"),
            min_value=LOWEST_FILL,
            max_value=0.0,
            value=OWN_FILL,
            step=1.0,
            format="%g",
            key="fill",
            bind="query-params",
        )
        st.caption(_("It is put into every masked cell before the softmax. Try −1, −5, −20, −100."))
        module = choose_module("decoder_self", column=True)
        layer, head = choose_head(lesson, module)
    fill = OWN_FILL if own is None else float(own)
    masks = module_masks(lesson.batch, lesson.recorded, module, lesson.sentence)
    scores: Floats = lesson.recorded.stage(module, layer, "scaled_scores")[lesson.sentence, head]
    ways = _ways(scores, masks.combined, fill)
    with lesson.picture:
        _show_ways(lesson, module, masks, ways, scores, fill)
        _fully_masked_row(lesson, scores, masks.key_tokens, numbered(masks.query_tokens), fill)


def _show_ways(
    lesson: Lesson,
    module: AttentionModule,
    masks: ModuleMasks,
    ways: dict[str, MaskedWeights],
    scores: Floats,
    fill: float,
) -> None:
    if masks.combined.all():
        note(_("Nothing is masked here: choose another sentence, or the decoder's self-attention."))
    wrong = over_the_queries(scores, masks.combined)
    kept, filled, multiplied = (ways[name] for name in (_infinity(), _filled(fill), _multiplied()))
    weight_matrices(
        {
            # Short, so that three fit side by side; below, the table has them in full.
            _("−∞ before"): (kept.weights, masks.combined),
            _("{fill} before").format(fill=_short(fill)): (filled.weights, None),
            _("multiplied after"): (multiplied.weights, masks.combined),
        },
        masks.query_tokens,
        masks.key_tokens,
        module,
        names=("infinity", "own", "multiplied"),
        key="around-softmax",
    )
    leaking = int(filled.leak.argmax())
    st.markdown(
        explained(
            "With {fill}, query {row} puts **{leak}** of its weight on keys that it may not see; if the mask is "
            "multiplied in after the softmax, a row adds up to only **{least}**; with −∞ neither happens. A "
            "number in place of −∞ is safe only if its exponential is negligible next to the others in the row; "
            "the scores of this head go from {lowest} to {highest}."
        ).format(
            fill=_short(fill),
            row=leaking + 1,
            leak=decimals(float(filled.leak[leaking])),
            least=decimals(float(multiplied.row_sums.min())),
            lowest=decimals(float(scores.min())),
            highest=decimals(float(scores.max())),
        )
    )
    number_table(
        "ways",
        _("Row sums, and the leak: the weight on masked cells"),
        [_("way of masking"), _("smallest row sum"), _("largest row sum"), _("largest leak of a row")],
        [
            [
                name,
                _sum_cell(way.row_sums.min()),
                _sum_cell(way.row_sums.max()),
                Cell(decimals(float(way.leak.max())), "strong" if way.leak.max() > 0 else ""),
            ]
            for name, way in {**ways, _("over the queries: the wrong axis"): wrong}.items()
        ],
    )
    st.markdown(
        explained(
            "A common mistake is to take the softmax over the wrong axis, `dim=-2`: then columns add up to 1, and"
            " rows to anything from {low} to {high}, so an output is no longer an average of the values."
        ).format(low=decimals(float(wrong.row_sums.min()), 2), high=decimals(float(wrong.row_sums.max()), 2))
    )
    st.caption(
        _(
            "Half precision has no −1e9: its lowest number is −65504, so −1e9 becomes −∞. If you multiply after "
            "the softmax and then divide by the row sum, you get the weights of −∞ again, up to rounding: here "
            "they differ by at most {most}."
        ).format(most=decimals(float(np.abs(ways[_renormalised()].weights - kept.weights).max())))
    )
    number_table(
        "row-sums",
        _("Every row: its sum and its leak"),
        [_("query"), _("−∞: sum"), _("{fill}: leak").format(fill=_short(fill)), _("multiplied after: sum")],
        [
            [
                name,
                _sum_cell(kept.row_sums[row]),
                Cell(decimals(float(filled.leak[row])), "strong" if filled.leak[row] > 0 else ""),
                _sum_cell(multiplied.row_sums[row]),
            ]
            for row, name in enumerate(numbered(masks.query_tokens))
        ],
    )


def _fully_masked_row(
    lesson: Lesson, scores: Floats, key_tokens: tuple[str, ...], queries: list[str], fill: float
) -> None:
    """What becomes of a query that may attend to nothing, in its row and in the model's output."""
    st.header(_("A row in which every key is masked"), anchor=False)
    options = {str(place): name for place, name in enumerate(queries, start=1)}
    row = int(linked_choice(_("Query whose keys are all masked"), "query", options, "1", wide=True)) - 1
    nothing = np.zeros((1, scores.shape[1]), dtype=bool)
    ways = _ways(scores[row : row + 1], nothing, fill)
    number_table(
        "blank-row",
        _("Its weights, with every key masked"),
        [_("way of masking"), *numbered(key_tokens), _("sum")],
        [
            [name, *(_weight_cell(value) for value in way.weights[0]), _sum_cell(way.row_sums[0])]
            for name, way in ways.items()
        ],
    )
    st.caption(
        _(
            "−∞ gives 0 / 0. Any finite number, however large, gives 1 / {keys} to every key: a row that looks "
            "healthy but says nothing. Multiplying gives zeros."
        ).format(keys=scores.shape[1])
    )
    source, target, _labels = ids_of(lesson.batch, lesson.sentence)
    rows: list[list[str | Cell]] = []
    for name, value in ((_infinity(), -math.inf), (_filled(-1e9), -1e9)):
        spoiled, change = blank_row_of(lesson.model, source, target, 0, value)
        rows.append(
            [
                name,
                Cell(_("{changed} of {rows}").format(changed=spoiled, rows=len(target)), "strong" if spoiled else ""),
                Cell(decimals(change), "strong"),
            ]
        )
    number_table(
        "blank-output",
        _("The model's output when the first source token may attend to nothing in the first encoder layer"),
        [_("way of masking"), _("output rows that are NaN"), _("largest change of a log-probability")],
        rows,
    )
    number_table(
        "fewest-keys",
        _("What this project does: every query keeps at least one key. The fewest keys of any query in this batch:"),
        [_("module"), _("fewest keys")],
        [[name, str(_fewest_keys(lesson, module))] for module, name in module_names().items()],
    )
    try:
        lesson.translator.encode_source("")
    except TextError as error:
        refusal = error.said(_)
        st.caption(_("And it refuses a sentence without tokens: “{refusal}”").format(refusal=refusal))


def _ways(scores: Floats, mask: Bools, fill: float) -> dict[str, MaskedWeights]:
    return {
        _infinity(): mask_before(scores, mask),
        _filled(-1e10): mask_before(scores, mask, -1e10),
        _filled(-1e9): mask_before(scores, mask, -1e9),
        _filled(fill): mask_before(scores, mask, fill),
        _multiplied(): mask_after(scores, mask),
        _renormalised(): mask_after(scores, mask, renormalise=True),
    }


def _infinity() -> str:
    return _("−∞ before the softmax")


def _filled(fill: float) -> str:
    return _("{fill} before the softmax").format(fill=_short(fill))


def _multiplied() -> str:
    return _("multiplied after the softmax")


def _renormalised() -> str:
    return _("multiplied after, then divided by the row sum")


def _short(fill: float) -> str:
    """−1e+09 as people write it: −1e9."""
    mantissa, _sign, exponent = f"{fill:g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", "−")


def _sum_cell(value: float) -> Cell:
    return Cell(decimals(float(value)), "" if abs(value - 1) < 1e-4 else "strong")


def _weight_cell(value: float) -> Cell:
    return Cell(decimals(float(value)), "strong" if math.isnan(value) else "")


def _fewest_keys(lesson: Lesson, module: str) -> int:
    """The fewest keys that a query of the batch may attend to, padded queries included."""
    chosen = next(name for name in ATTENTION_MODULES if name == module)
    masks = (module_masks(lesson.batch, lesson.recorded, chosen, n) for n in range(len(lesson.sentences)))
    return min(int(mask.combined.sum(axis=1).min()) for mask in masks)
