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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from viz_transformer.ui.components.ahead import with_places_nearby
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import Sent, committed_fields, settle
from viz_transformer.ui.components.sliders import Bar, Values
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
        name: of its value in `StagesView.choices`.
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


@dataclass(frozen=True)
class StagesView:
    """What is on the screen. Everything counts from 0."""

    stage: int = 0
    choices: Mapping[str, int] = field(default_factory=dict)
    pinned: Pinned | None = None


def matrix_view(
    matrices: Sequence[Matrix],
    *,
    key: str,
    pinned: Pinned | tuple[int, int, int] | None = None,
    on_change: Callable[[], None] | None = None,
) -> Pinned | None:
    """Shows `matrices` side by side where there is room, and returns the pinned cell.

    `pinned` sets the cell at the first run and whenever it asks for something new; a page that keeps no state of its
    own leaves it at None and reads the result. A page that does passes back what it got (`committed_stages(key)` in
    `on_change`).

    Args:
        matrices: at least one; they may change from run to run, and the pinned cell stays.
        key: unique in the app.
        on_change: called before the run that a newly pinned cell starts.

    Returns:
        The pinned cell, or None; a cell outside of the present matrices counts as None.

    Raises:
        ValueError: see `pack_sheets`.
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
        matrices_of, is_cheap: see `with_places_nearby`.

    Raises:
        ValueError: see `pack_sheets`.
    """

    def pack(values: Values) -> bytes:
        return pack_sheets([_one_stage(matrices_of(values))])

    request = _request(settle(key, StagesView(), committed_stages(key)), key)
    component("matrix_view")(key=key, data=with_places_nearby(bar, pack, head=request, is_cheap=is_cheap))


def _one_stage(matrices: Sequence[Matrix]) -> Sheet:
    return Sheet(matrices, [Stage("", range(len(matrices)))])


def _request(sent: Sent[StagesView], key: str) -> bytes:
    return frame({"key": key, "revision": sent.revision, "view": asdict(sent.shown), "labels": _labels()})


def stages_view(
    sheets: Sequence[Sheet],
    *,
    key: str,
    view: StagesView,
    choices: Sequence[Choice] = (),
    on_change: Callable[[], None] | None = None,
) -> StagesView:
    """Shows one stage after the other, switched in the browser, and returns the view that is on the screen.

    Space goes to the next stage, Shift+Space to the one before; so do the arrow keys on the row of stages.

    Args:
        sheets: one for each combination of the choices that turn sheets, the last choice running fastest.
        view: sets stage, choices and pin at the first run and whenever it asks for something new. Pass back what
            `committed_stages(key)` says in `on_change`.
        choices: rows of buttons; with another choice that does not turn sheets the page passes others.

    Raises:
        ValueError: see `pack_sheets`.
    """
    packed = pack_sheets(sheets, choices)
    sent = settle(key, view, committed_stages(key))
    component("matrix_view")(key=key, data=_request(sent, key) + packed, on_view_change=on_change or (lambda: None))
    return _within(sent.latest, sheets[0])


def committed_stages(key: str) -> StagesView | None:
    """The view that a person settled on in the component `key`, or None before that."""
    raw = committed_fields(key)
    if raw is None:
        return None
    try:
        pinned = None if raw["pinned"] is None else Pinned(*(int(index) for index in raw["pinned"]))
        choices = {str(name): int(chosen) for name, chosen in raw["choices"].items()}
        return StagesView(int(raw["stage"]), choices, pinned)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def pack_sheets(sheets: Sequence[Sheet], choices: Sequence[Choice] = ()) -> bytes:
    """The sheets as the browser reads them.

    A JSON header (see `frame`), then arrays one after the other: values, float32 (R, C), then masks, uint8 (R, C),
    1 = has a number. A matrix of the header names its two arrays by their place in those lists. Little-endian.
    float32, because the number on the screen is the recorded one.

    Raises:
        ValueError: a matrix that is not two-dimensional or empty; labels or a mask that do not fit it; a negative
            number on the sequential scale; an unknown scale; two matrices of one name; a stage that shows none;
            not one sheet for each combination of choices.
    """
    count = prod(len(choice.options) for choice in choices if choice.turns_sheets)
    if len(sheets) != count:
        raise ValueError(f"The choices need {count} sheets; there were {len(sheets)}.")
    values, masks = _Arrays("<f4"), _Arrays("u1")
    header: dict[str, Any] = {
        "sheets": [_sheet_header(sheet, values, masks) for sheet in sheets],
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
    header |= {"values": values.lengths, "masks": masks.lengths}
    return b"".join([frame(header), *values.packed, *masks.packed])


def _sheet_header(sheet: Sheet, values: _Arrays, masks: _Arrays) -> dict[str, Any]:
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
                "shape": list(matrix.values.shape),
                "values": values.place_of(matrix.values),
                "mask": masks.place_of(mask),
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


class _Arrays:
    """Arrays of one type, each of different bytes; equal ones have one place."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self._places: dict[bytes, int] = {}

    def place_of(self, array: NDArray[Any]) -> int:
        return self._places.setdefault(np.ascontiguousarray(array, dtype=self.dtype).tobytes(), len(self._places))

    @property
    def packed(self) -> list[bytes]:
        return list(self._places)

    @property
    def lengths(self) -> list[int]:
        return [len(array) // np.dtype(self.dtype).itemsize for array in self._places]


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
