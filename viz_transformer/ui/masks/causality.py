"""The lesson of the Masks page on causality: edit one target token and see what the rows before it learn of it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.causality import Edit, runner_up
from viz_transformer.translator import TextError
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.masks.controls import Lesson, dependences_of, edits_of, ids_of
from viz_transformer.ui.masks.matrices import change_matrices
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import note, note_left_out
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

ROUNDING = 1e-6  # a change of a log-probability up to this counts as none
LONGEST_DEPENDENCE = 48  # tokens: each is edited in turn, with the mask and without it


def causality(lesson: Lesson) -> None:
    """One future token of the target is edited, with the causal mask and without it."""
    source, target, labels = ids_of(lesson.batch, lesson.sentence)
    if len(target) < 2:
        note(_("The model's output for this sentence is empty, so there is no token to edit: choose another sentence."))
        return
    special_ids = load_translator(lesson.model.name, lesson.model.device).model.config.special_ids
    runner_ups = (
        0,
        *(
            runner_up(lesson.recorded.likeliest[lesson.sentence, p - 1], target[p], special_ids)
            for p in range(1, len(target))
        ),
    )
    with lesson.side:
        place, replacement = _choose_edit(lesson, target, runner_ups)
        on, off = edits_of(lesson.model, source, target, labels, place, replacement)
        st.markdown(_what_the_edit_changes(place, on, off))
        st.markdown(
            explained(
                "A model that is *trained* without the mask learns to copy the next token from its input, and cannot "
                "write by itself: [train one]({link})."
            ).format(link=f"training?{urlencode({'view': 'train', 'lesson_of_run': 'no-mask', **chosen_language()})}")
        )
    with lesson.picture:
        _show_all_edits(lesson, source, target, runner_ups)
        _show_edit(lesson, place, replacement, on, off)


def _what_the_edit_changes(place: int, on: Edit, off: Edit) -> str:
    """The rows before the edited token, with the mask and without it, in a sentence."""
    kept, broken = on.change[:place], off.change[:place]
    return explained(
        "**With the mask {kept} of {rows} earlier rows change, without it {broken} of {rows}**, by up to {most} in a "
        "log-probability."
    ).format(
        kept=int((kept > ROUNDING).sum()),
        broken=int((broken > ROUNDING).sum()),
        rows=place,
        most=decimals(float(broken.max())),
    )


def _tokens(lesson: Lesson, n: int) -> tuple[Sequence[str], Sequence[str]]:
    """What the n rows of the decoder read and predict."""
    return lesson.batch.target_tokens[lesson.sentence][:n], lesson.batch.label_tokens[lesson.sentence][:n]


def _choose_edit(lesson: Lesson, target: Sequence[int], runner_ups: Sequence[int]) -> tuple[int, int]:
    """The place of the token to edit (in the link as `edit`), and the id in its stead (`instead`)."""
    n = len(target)
    read, _predicted = _tokens(lesson, n)
    places = {str(place + 1): f"{place + 1}  {read[place]}" for place in range(1, n)}
    place = int(linked_choice(_("Token to edit"), "edit", places, str(min(n, 1 + (n + 1) // 2)), wide=True)) - 1
    label = lesson.translator.target_tokenizer.label
    typed = st.text_input(
        _("Replace it with"),
        key="instead",
        bind="query-params",
        placeholder=_("Empty: «{token}», the most likely other token there").format(token=label(runner_ups[place])),
    )
    replacement = _replacement(lesson, typed) if typed and typed.strip() else runner_ups[place]
    if replacement == target[place]:
        note(_("This token is there already, so nothing changes:"), [label(replacement)])
    return place, replacement


def _show_edit(lesson: Lesson, place: int, replacement: int, on: Edit, off: Edit) -> None:
    """What the edit changes in each row, with the causal mask and without it."""
    number_table(
        "causality-summary",
        _("Largest change of any log-probability in the rows before the edited token"),
        [_("causal mask"), _("change"), _("earlier rows that changed")],
        [
            [name, Cell(decimals(float(change.max())), _if_changed(float(change.max()))), _count(change > ROUNDING)]
            for name, change in ((_("on"), on.change[:place]), (_("off"), off.change[:place]))
        ],
    )
    _source, target, _labels = ids_of(lesson.batch, lesson.sentence)
    read, predicted = _tokens(lesson, len(target))
    new_token = lesson.translator.target_tokenizer.label(replacement)
    rows: list[list[str | Cell]] = []
    for row in range(len(target)):
        reads = f"{read[row]} → {new_token}" if row == place else read[row]
        change_on, change_off = float(on.change[row]), float(off.change[row])
        rows.append(
            [
                str(row + 1),
                Cell(reads, "text strong" if row == place else "text"),
                Cell(predicted[row], "text"),
                *(decimals(float(p[row])) for p in (on.before, on.after)),
                Cell(decimals(change_on), _if_changed(change_on)),
                *(decimals(float(p[row])) for p in (off.before, off.after)),
                Cell(decimals(change_off), _if_changed(change_off)),
            ]
        )
    number_table(
        "causality",
        _("log p of the predicted token, before and after the edit, and the largest change in the whole vocabulary"),
        [
            _("row"),
            _("reads"),
            _("predicts"),
            _("mask on: before"),
            _("after"),
            _("largest change"),
            _("mask off: before"),
            _("after"),
            _("largest change"),
        ],
        rows,
    )
    st.caption(
        _(
            "Shaded: rows that changed. The decoder was trained with the mask and has never seen later tokens, "
            "so without the mask its output degrades."
        )
    )


def _show_all_edits(
    lesson: Lesson, source: tuple[int, ...], target: tuple[int, ...], runner_ups: tuple[int, ...]
) -> None:
    """The largest change of each row for an edit at each place."""
    n = len(target)
    if n > LONGEST_DEPENDENCE:
        st.caption(
            _("The matrix of all edits is shown for outputs of up to {limit} tokens; this one has {count}.").format(
                limit=LONGEST_DEPENDENCE, count=n
            )
        )
        return
    change_matrices(dependences_of(lesson.model, source, target, runner_ups), *_tokens(lesson, n), key="dependence")
    st.caption(
        _(
            "**Every token edited in turn** (to the most likely other token there): a column for each edited "
            "token, a row for each output, and in each cell the largest change of a log-probability, on one scale. The "
            "zeros on and above the diagonal are what the mask guarantees: no row can see the token that it has to "
            "write, or a later one. The start token is never edited, so it has no column."
        )
    )


def _replacement(lesson: Lesson, typed: str) -> int:
    """The id that a person asks for; the first, with a note, where the text has several."""
    try:
        encoded = lesson.translator.encode_target(typed)
    except TextError as error:
        raise TextError(error.template, **{**error.values, "side": _("replacement")}) from error
    note_left_out([typed], [encoded])
    if encoded.unknown:
        note(_("The model has never seen these characters and reads each of them as <unk>:"), encoded.unknown)
    if len(encoded.ids) > 1:
        note(_("This is more than one token; only the first is used:"), encoded.tokens)
    return encoded.ids[0]


def _if_changed(change: float) -> str:
    return "strong" if change > ROUNDING else ""


def _count(changed: np.ndarray) -> str:
    return _("{changed} of {rows}").format(changed=int(changed.sum()), rows=len(changed))
