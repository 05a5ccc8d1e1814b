"""The browser component that shows matrices: one or several side by side, or a series of stages of them.

    weights = Matrix("weights", record.weights[0], rows="query: target token", columns="key: source token",
                     row_labels=record.query_tokens, column_labels=record.key_tokens, mask=record.mask)
    pinned = matrix_view([weights], key="weights")

Pointing at a cell, or the arrow keys, show the exact number; a click or Enter pins the cell, Escape releases it.
Matrices whose axes have the same name move together: a cursor at query 3, key 5 of the scores marks row 3 of Q and
row 5 of K. Each matrix has its legend, a table, its values to copy and a PNG. Hover, keys and stages are handled in the
browser; Python hears of the pinned cell, and of the stage where a person came to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from viz_transformer.ui.components.along import Along
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.shared.link import INDEX, INDICES, Indices, OrNone, linked
from viz_transformer.ui.shared.text import _

Scale = Literal["sequential", "diverging", "plain"]
Hue = Literal["query", "key", "value", "score", "plain"]


@dataclass(frozen=True, eq=False)
class Matrix:
    """One matrix as it is shown. All its texts are shown verbatim, as text, never as markup.

    Attributes:
        title: what it is, "QKᵀ" for instance.
        values: (R, C) numbers, shown as float32. Infinities and NaN are shown as such.
        rows, columns: the names of its axes; matrices with an axis of the same name share the cursor.
        row_labels, column_labels: R and C tokens; None shows the indices alone (and allows narrow columns).
        mask: (R, C) bool, False = hatched, its number left out of the colour scale; None hatches nothing.
        scale: "sequential" colours from 0 to the largest number (weights), "diverging" from minus to plus the
            largest size, 0 in the middle (scores), "plain" does not colour.
        scale_name: stands before the legend.
        extent: the scale reaches at least to this size, so that matrices that are compared may share one.
        row_ends, row_ends_axis: R tokens at the right end of the rows ("predicts"), and their axis name.
        note: smaller, after the title; the shape for instance.
        hue: the colour of the line above the title.
        is_pinnable: whether its cells can be pinned.
        name: of its test ids ("mv-matrix-{name}") and files, unique in a view; empty: its place in the list.
    """

    title: str
    values: NDArray[np.floating[Any]]
    rows: str
    columns: str
    row_labels: Sequence[str] | None = None
    column_labels: Sequence[str] | None = None
    mask: NDArray[np.bool_] | None = None
    scale: Scale = "sequential"
    scale_name: str = ""
    extent: float = 0.0
    row_ends: Sequence[str] = ()
    row_ends_axis: str = ""
    note: str = ""
    hue: Hue = "plain"
    is_pinnable: bool = True
    name: str = ""


@dataclass(frozen=True)
class Stage:
    """One step of a computation.

    Attributes:
        title: on its button.
        matrices: which of the view's matrices it shows, by their place in the list.
        text: a sentence or two that name what changed.
        shapes: the shapes with their real sizes.
        code: lines of the program that do it.
        lit: the parts of the formula that are in play.
    """

    title: str
    matrices: Sequence[int]
    text: str = ""
    shapes: str = ""
    code: str = ""
    lit: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Sheet:
    """What one combination of choices shows.

    Attributes:
        matrices: of all stages; an array that stands in several places, or in several sheets, is sent once.
        stages: at least one; every sheet of a view has as many.
        formula: texts, each with the name by which `Stage.lit` refers to it ("" is never lit).
    """

    matrices: Sequence[Matrix]
    stages: Sequence[Stage]
    formula: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Choice:
    """A row of buttons above the stages.

    Attributes:
        name: of its test ids.
        label, options: shown.
        hint: a tooltip.
        has_digits: whether the digit keys choose from it.
        turns_sheets: whether the browser has a sheet for each option; else Python is asked for other sheets.
    """

    name: str
    label: str
    options: Sequence[str]
    hint: str = ""
    has_digits: bool = False
    turns_sheets: bool = False


class Pinned(NamedTuple):
    """A pinned cell: which matrix of the list, its row and its column, from 0.

    With more than one stage it is the first matrix of the list that has both axes of the one that was clicked.
    """

    matrix: int
    row: int
    column: int


class _PinnedSpelling(Indices):
    """Three indices, by their names."""

    def read(self, text: str) -> Pinned:
        return Pinned(*super().read(text))

    def checked(self, raw: object) -> Pinned:
        return Pinned(*super().checked(raw))


@dataclass(frozen=True)
class StagesView:
    """What is on the screen. Everything counts from 0.

    Attributes:
        choices: what is chosen of each `Choice`, in their order.
    """

    stage: int = linked(None, INDEX, 0)
    choices: tuple[int, ...] = linked(None, INDICES, ())
    pinned: Pinned | None = linked(None, OrNone(_PinnedSpelling(3)), None)


def matrix_view(
    matrices: Sequence[Matrix],
    *,
    key: str,
    pinned: Pinned | tuple[int, int, int] | None = None,
    on_change: Callable[[], None] = lambda: None,
) -> Pinned | None:
    """Shows `matrices` side by side where there is room, and returns the pinned cell.

    `pinned` sets the cell at the first run and whenever it asks for something new; a page that keeps no state of its
    own leaves it at None and reads the result. A page that does passes back what it got (`MATRICES.committed(key)` in
    `on_change`).

    Args:
        matrices: at least one; they may change from run to run, and the pinned cell stays.
        key: unique in the app.
        on_change: called before the run that a newly pinned cell starts.

    Returns:
        The pinned cell, or None; a cell outside of the present matrices counts as None.

    Raises:
        ValueError: see `sheets_content`.
    """
    view = StagesView(pinned=pinned and Pinned(*pinned))
    return stages_view([_one_stage(matrices)], key=key, view=view, on_change=on_change).pinned


def moving_matrices(
    bar: Bar,
    matrices_of: Callable[[Values], Sequence[Matrix]],
    *,
    key: str,
    is_cheap: Callable[[Values], bool] = lambda values: True,
) -> None:
    """Shows the matrices of a bar's values, none of them pinnable, and those nearby as soon as its sliders go there.

    Args:
        matrices_of, is_cheap: see `Along`.

    Raises:
        ValueError: see `sheets_content`.
    """

    def content_of(values: Values) -> dict[str, Any]:
        return sheets_content([_one_stage(matrices_of(values))])

    MATRICES.show(Along(bar, content_of, is_cheap), key=key, view=StagesView())


def _one_stage(matrices: Sequence[Matrix]) -> Sheet:
    return Sheet(matrices, [Stage("", range(len(matrices)))])


def stages_view(
    sheets: Sequence[Sheet],
    *,
    key: str,
    view: StagesView,
    choices: Sequence[Choice] = (),
    on_change: Callable[[], None] = lambda: None,
) -> StagesView:
    """Shows one stage after the other, switched in the browser, and returns the view that is on the screen.

    Space goes to the next stage, Shift+Space to the one before; so do the arrow keys on the row of stages.

    Args:
        sheets: one for each combination of the choices that turn sheets, the last choice running fastest.
        view: sets stage, choices and pin at the first run and whenever it asks for something new. Pass back what
            `MATRICES.committed(key)` says in `on_change`.
        choices: rows of buttons; with another choice that does not turn sheets the page passes others.

    Raises:
        ValueError: see `sheets_content`.
    """
    return MATRICES.show(
        sheets_content(sheets, choices),
        key=key,
        view=view,
        fit=lambda view: _within(view, sheets[0]),
        on_change=on_change,
    )


def sheets_content(sheets: Sequence[Sheet], choices: Sequence[Choice] = ()) -> dict[str, Any]:
    """The sheets as the browser reads them, see `pack`.

    Values are float32 (R, C), because the number on the screen is the recorded one; masks bool (R, C), True = has one.

    Raises:
        ValueError: a matrix that is not two-dimensional or empty; labels or a mask that do not fit it; a negative
            number on the sequential scale; an unknown scale; two matrices of one name; a stage that shows none;
            not one sheet for each combination of choices.
    """
    count = prod(len(choice.options) for choice in choices if choice.turns_sheets)
    if len(sheets) != count:
        raise ValueError(f"The choices need {count} sheets; there were {len(sheets)}.")
    return {
        "sheets": [_sheet_content(sheet) for sheet in sheets],
        "choices": [
            {
                "name": choice.name,
                "label": choice.label,
                "options": list(choice.options),
                "hint": choice.hint,
                "hasDigits": choice.has_digits,
                "turnsSheets": choice.turns_sheets,
            }
            for choice in choices
        ],
    }


def _sheet_content(sheet: Sheet) -> dict[str, Any]:
    names = [matrix.name or str(n) for n, matrix in enumerate(sheet.matrices)]
    if len(set(names)) < len(names):
        raise ValueError(f"Each matrix of a view needs a name of its own; these were {', '.join(names)}.")
    for stage in sheet.stages:
        if not stage.matrices or not all(0 <= n < len(names) for n in stage.matrices):
            raise ValueError(f"Stage {stage.title!r} must show some of the {len(names)} matrices.")
    matrices = []
    for name, matrix in zip(names, sheet.matrices, strict=True):
        mask = _checked_mask(matrix)
        matrices.append(
            {
                "name": name,
                "title": matrix.title,
                "note": matrix.note,
                "values": np.asarray(matrix.values, dtype=np.float32),
                "mask": mask,
                "rowAxis": matrix.rows,
                "columnAxis": matrix.columns,
                "rowLabels": None if matrix.row_labels is None else list(matrix.row_labels),
                "columnLabels": None if matrix.column_labels is None else list(matrix.column_labels),
                "rowEnds": list(matrix.row_ends),
                "rowEndsAxis": matrix.row_ends_axis,
                "kind": matrix.scale,
                "scaleName": matrix.scale_name,
                "extent": matrix.extent,
                "hue": matrix.hue,
                "isPinnable": matrix.is_pinnable,
            }
        )
    return {
        "matrices": matrices,
        "stages": [
            {**asdict(stage), "matrices": list(stage.matrices), "lit": list(stage.lit)} for stage in sheet.stages
        ],
        "formula": [list(part) for part in sheet.formula],
    }


def _checked_mask(matrix: Matrix) -> NDArray[np.bool_]:
    values = np.asarray(matrix.values)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"{matrix.title}: a matrix has rows and columns; its shape was {values.shape}.")
    for axis, labels, count in (
        ("rows", matrix.row_labels, values.shape[0]),
        ("columns", matrix.column_labels, values.shape[1]),
        ("rows", matrix.row_ends or None, values.shape[0]),
    ):
        if labels is not None and len(labels) != count:
            raise ValueError(f"{matrix.title}: there are {count} {axis}, but {len(labels)} labels for them.")
    if matrix.scale not in get_args(Scale):
        raise ValueError(f"scale must be one of {', '.join(get_args(Scale))}; it was {matrix.scale!r}.")
    if matrix.mask is not None and np.shape(matrix.mask) != values.shape:
        raise ValueError(f"{matrix.title}: its shape is {values.shape}, but its mask's is {np.shape(matrix.mask)}.")
    mask = np.ones(values.shape, dtype=bool) if matrix.mask is None else np.asarray(matrix.mask, dtype=bool)
    if matrix.scale == "sequential" and (values[mask & np.isfinite(values)] < 0).any():
        raise ValueError(f"{matrix.title}: the sequential scale starts at 0, but there are negative numbers.")
    return mask


def _within(view: StagesView, sheet: Sheet) -> StagesView:
    matrices, stages, pinned = sheet.matrices, sheet.stages, view.pinned
    if pinned and not 0 <= pinned.matrix < len(matrices):
        pinned = None
    if pinned:
        rows, columns = matrices[pinned.matrix].values.shape
        pinned = pinned if 0 <= pinned.row < rows and 0 <= pinned.column < columns else None
    return StagesView(max(0, min(view.stage, len(stages) - 1)), view.choices, pinned)


def _labels() -> dict[str, str]:
    """Every text of the component in the reader's language. Words in braces are filled in by the browser."""
    return {
        "hint": _("Point at a cell, or use the arrow keys; a click or Enter pins it, Escape releases it."),
        "hint_unpinnable": _("Point at a cell, or use the arrow keys."),
        "place": _("{axis} {index} «{label}»"),
        "place_bare": _("{axis} {index}"),
        "cell": _("{row} · {column}: {value}"),
        "cell_masked": _("{row} · {column}: {value}, masked"),
        "row": _("{row}: largest {values}"),
        "row_value": _("{column} {value}"),
        "separator": _("; "),
        "matrix": _("{title}: {rows} rows ({row_axis}), {columns} columns ({column_axis}). {hint}"),
        "pinned": _("pinned"),
        "masked": _("masked"),
        "odd": _("not a finite number"),
        "stages": _("Stages"),
        "code": _("the lines of attention.py that do it"),
        "play": _("play"),
        "pause": _("pause"),
        "table": _("table"),
        "copy": _("copy values"),
        "copied": _("copied"),
        "copy_failed": _("the browser refused to copy"),
        "png": _("save PNG"),
    }


MATRICES = Component("matrix_view", StagesView, _labels, stays=True)
