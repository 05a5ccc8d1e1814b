"""Matrices as the component shows them: what each is, which stages show it, and all of it as the browser reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from viz_transformer.views.terms import named_in

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
        first_index: of the first row and the first column.
        mask: (R, C) bool, False = hatched, its number left out of the colour scale; None hatches nothing.
        has_masked_numbers: whether hatched cells show their numbers all the same.
        scale: "sequential" colours from 0 to the largest number (weights), "diverging" from minus to plus the
            largest absolute value (scores), "plain" does not colour.
        scale_name: stands before the legend.
        extent: the scale reaches at least to this size, so that matrices that are compared may share one.
        row_ends, row_ends_axis: R tokens that the rows predict, at their right end, and the name of that axis.
        note: smaller, after the title; the shape for instance.
        hue: the colour of the line above the title.
        is_pinnable: whether its cells can be pinned.
        name: of its test ids ("mv-matrix-{name}") and files, unique in a view; empty: its place in the list.
        terms: slugs of the terms that it shows; empty: those that its texts name.
    """

    title: str
    values: NDArray[np.floating[Any]]
    rows: str
    columns: str
    row_labels: Sequence[str] | None = None
    column_labels: Sequence[str] | None = None
    first_index: int = 1
    mask: NDArray[np.bool_] | None = None
    has_masked_numbers: bool = False
    scale: Scale = "sequential"
    scale_name: str = ""
    extent: float = 0.0
    row_ends: Sequence[str] = ()
    row_ends_axis: str = ""
    note: str = ""
    hue: Hue = "plain"
    is_pinnable: bool = True
    name: str = ""
    terms: Sequence[str] = ()


@dataclass(frozen=True)
class Stage:
    """One step of a computation.

    Attributes:
        title: on its button.
        matrices: which of the view's matrices it shows, by their place in the list.
        text: a sentence or two that name what changed.
        shapes: the shapes with their real sizes.
        code: lines of the program that do it.
        lit: the parts of the formula that are highlighted.
        is_product: whether the third of its three matrices is the product of the others: the second is then drawn
            above it, so that its rows and columns continue those of the two factors.
        operators: signs that are drawn before the second matrix, the third …; "" draws none.
        terms: slugs of the terms that it is about.
        name: of what it computes, as `head_sheet.STAGES` has it; such stages have boxes in Figure 2 beside them.
        is_idle: whether it changes nothing in this pass; its box is then faint.
    """

    title: str
    matrices: Sequence[int]
    text: str = ""
    shapes: str = ""
    code: str = ""
    lit: Sequence[str] = ()
    is_product: bool = False
    operators: Sequence[str] = ()
    terms: Sequence[str] = ()
    name: str = ""
    is_idle: bool = False


@dataclass(frozen=True)
class Term:
    """One line of the table that shows, beside the matrices, how the number of the pinned cell comes about.

    Attributes:
        label: what it is.
        matrix: the place in the sheet of the matrix that it is read from. The first term's and the last term's have the
            axes of the pinned cell; the last term's is the weights, and a sentence says what their row looks at.
        kind: "number": the number itself; "exp": exp(number − the row's largest); "sum": the sum of the row's "exp".
        stage: the stage that computes it, at which it is highlighted.
    """

    label: str
    matrix: int
    kind: Literal["number", "exp", "sum"] = "number"
    stage: int = 0


@dataclass(frozen=True, eq=False)
class Sheet:
    """What one combination of choices shows.

    Attributes:
        matrices: of all stages; an array that stands in several places, or in several sheets, is sent once.
        stages: at least one; every sheet of a view has as many.
        formula: texts, each with the name by which `Stage.lit` refers to it ("" is never lit).
        terms: of the pinned cell.
    """

    matrices: Sequence[Matrix]
    stages: Sequence[Stage]
    formula: Sequence[tuple[str, str]] = ()
    terms: Sequence[Term] = ()


class Sheets(Sequence[Sheet]):
    """Sheets that are made when they are asked for."""

    def __init__(self, count: int, sheet_of: Callable[[int], Sheet]) -> None:
        self._count, self._sheet_of = count, sheet_of

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Sheet: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sheet]: ...
    def __getitem__(self, index: int | slice) -> Sheet | list[Sheet]:
        places = range(self._count)[index]
        return self._sheet_of(places) if isinstance(places, int) else [self._sheet_of(place) for place in places]


@dataclass(frozen=True)
class Choice:
    """A row of buttons above the stages.

    Attributes:
        name: of its test ids.
        label, options: shown.
        hint: a tooltip.
        has_digits: whether the digit keys choose from it.
        turns_sheets: whether the browser has a sheet for each option; else Python is asked for other sheets.
        stages: that show it, under the pinned cell; none: it is always there.
        is_range: a slider rather than buttons.
        until: (stage, option): while the reader has chosen nothing, each stage from this one on selects the option.
    """

    name: str
    label: str
    options: Sequence[str]
    hint: str = ""
    has_digits: bool = False
    turns_sheets: bool = False
    stages: Sequence[int] = ()
    is_range: bool = False
    until: tuple[int, int] | None = None


@dataclass(frozen=True)
class Results:
    """What a choice did, in a table beside it.

    Attributes:
        rows: of equal length; the first is the header, and the first of each its name.
        stages: that show it.
    """

    caption: str
    rows: Sequence[Sequence[str]]
    stages: Sequence[int]


def sheets_content(
    sheets: Sequence[Sheet], choices: Sequence[Choice] = (), results: Results | None = None
) -> dict[str, Any]:
    """The sheets as the browser reads them, see `pack`.

    Values are float32 (R, C), so that the screen shows the recorded numbers; masks are bool (R, C), True = not hatched.

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
                "stages": list(choice.stages),
                "isRange": choice.is_range,
                "until": choice.until and list(choice.until),
            }
            for choice in choices
        ],
        "results": results
        and {
            "caption": results.caption,
            "rows": [list(row) for row in results.rows],
            "stages": list(results.stages),
        },
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
                "hasMaskedNumbers": matrix.has_masked_numbers,
                "rowAxis": matrix.rows,
                "columnAxis": matrix.columns,
                "rowLabels": None if matrix.row_labels is None else list(matrix.row_labels),
                "columnLabels": None if matrix.column_labels is None else list(matrix.column_labels),
                "firstIndex": matrix.first_index,
                "rowEnds": list(matrix.row_ends),
                "rowEndsAxis": matrix.row_ends_axis,
                "kind": matrix.scale,
                "scaleName": matrix.scale_name,
                "extent": matrix.extent,
                "hue": matrix.hue,
                "isPinnable": matrix.is_pinnable,
                "slugs": " ".join(matrix.terms)
                or named_in(matrix.title, matrix.scale_name, matrix.rows, matrix.columns),
            }
        )
    return {
        "matrices": matrices,
        "stages": [
            {
                "name": stage.name,
                "title": stage.title,
                "matrices": list(stage.matrices),
                "text": stage.text,
                "shapes": stage.shapes,
                "code": stage.code,
                "lit": list(stage.lit),
                "isIdle": stage.is_idle,
                "isProduct": stage.is_product,
                "operators": list(stage.operators),
                "slugs": " ".join(stage.terms),
            }
            for stage in sheet.stages
        ],
        "formula": [list(part) for part in sheet.formula],
        "terms": [asdict(term) for term in sheet.terms],
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
