"""The view of matrices: one or several side by side, or a series of stages of them. See `Sheet`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from viz_transformer.views.linked import INDEX, INDICES, Indices, OrNone, linked
from viz_transformer.views.sheets import Sheet
from viz_transformer.views.text import _


class Pinned(NamedTuple):
    """A pinned cell: which matrix of the list, its row and its column, from 0.

    With more than one stage a pin belongs to two axes: `matrix` is the first of the list that has them.
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


def fitting(view: StagesView, sheet: Sheet) -> StagesView:
    """The view clamped to the stages of the sheet; a pinned cell that the sheet lacks is dropped."""
    matrices, stages, pinned = sheet.matrices, sheet.stages, view.pinned
    if pinned and not 0 <= pinned.matrix < len(matrices):
        pinned = None
    if pinned:
        rows, columns = matrices[pinned.matrix].values.shape
        pinned = pinned if 0 <= pinned.row < rows and 0 <= pinned.column < columns else None
    return StagesView(max(0, min(view.stage, len(stages) - 1)), view.choices, pinned)


def matrix_labels() -> dict[str, str]:
    """Every text of the component in the reader's language. Words in braces are filled in by the browser."""
    return {
        "hint": _("Point at a cell, or use the arrow keys; a click or Enter pins it, Escape releases it."),
        "hint_touch": _("Tap a cell to pin it; tap it again to release it."),
        "hint_unpinnable": _("Point at a cell, or use the arrow keys."),
        "hint_unpinnable_touch": _("Tap a cell for its numbers."),
        "place": _("{axis} {index} «{label}»"),
        "place_bare": _("{axis} {index}"),
        "place_step": _("step {index}: has read «{read}», is writing «{written}»"),
        "cell": _("{row} · {column}: {value}"),
        "cell_masked": _("{row} · {column}: {value}, masked"),
        "row": _("{row} · largest entries: {values}"),
        "row_value": _("{column} ({value})"),
        "separator": _(", "),
        "matrix": _("{title}: {rows} rows ({row_axis}), {columns} columns ({column_axis}). {hint}"),
        "pinned": _("pinned"),
        "masked": _("masked"),
        "odd": _("not a finite number"),
        "stages": _("Stages: the arrow keys choose one, Enter goes into its matrix"),
        "drawer": _("The pinned cell"),
        "close_up": _("Close-up"),
        "reading": _("{query} puts {percent} % of its weight on {key}."),
        "reading_written": _("While writing {written}, this head puts {percent} % of its weight on {key}."),
        "figure": _("Figure 2 of the paper. Use the arrow keys to move from stage to stage."),
        "box": _("{box}: {stage}"),
        "idle_box": _("{box}: {stage}, no effect here"),
        "matmul": _("MatMul"),
        "scale": _("Scale"),
        "mask": _("Mask (opt.)"),
        "softmax": _("SoftMax"),
        "concat": _("Concat"),
        "linear": _("Linear"),
        "stack": _("Scaled Dot-Product\nAttention"),
        "code": _("the lines of attention.py that do this"),
        "play": _("play"),
        "pause": _("pause"),
        "table": _("table"),
        "copy": _("copy values"),
    }
