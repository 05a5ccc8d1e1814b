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

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from viz_transformer.ui.components.component import Component
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.slider_prefetch import BySliders
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.views.kinds import STEPS
from viz_transformer.views.matrices import Pinned, StagesView, fitting
from viz_transformer.views.sheets import Choice, Matrix, Results, Sheet, Stage, sheets_content


def matrix_view(
    matrices: Sequence[Matrix],
    *,
    key: str,
    pinned: Pinned | tuple[int, int, int] | None = None,
    on_change: Callable[[], None] = lambda: None,
) -> Pinned | None:
    """Shows `matrices` side by side where there is room, and returns the pinned cell.

    `pinned` sets the cell at the first run and whenever it asks for something new; a page that keeps no state of its
    own leaves it at None and reads the result. A page that keeps the cell itself passes back what it got
    (`MATRICES.committed(key)` in `on_change`).

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
    depends_on: Hashable | None = None,
) -> None:
    """Shows the matrices for a bar's values, without pins; those for values nearby are sent ahead.

    Args:
        matrices_of, is_cheap, depends_on: see `BySliders`.

    Raises:
        ValueError: see `sheets_content`.
    """

    def content_of(values: Values) -> dict[str, Any]:
        return sheets_content([_one_stage(matrices_of(values))])

    MATRICES.show(BySliders(bar, content_of, is_cheap, depends_on), key=key, view=StagesView())


def _one_stage(matrices: Sequence[Matrix]) -> Sheet:
    return Sheet(matrices, [Stage("", range(len(matrices)))])


def stages_view(
    sheets: Sequence[Sheet],
    *,
    key: str,
    view: StagesView,
    choices: Sequence[Choice] = (),
    results: Callable[[], Results | None] = lambda: None,
    depends_on: Hashable | None = None,
    on_change: Callable[[], None] = lambda: None,
) -> StagesView:
    """Shows one stage after the other, switched in the browser, and returns the view that is on the screen.

    Space goes to the next stage, Shift+Space to the one before; so do the arrow keys on the row of stages.

    Args:
        sheets: one for each combination of the choices that turn sheets, the last choice running fastest.
        view: sets stage, choices and pin at the first run and whenever it asks for something new. Pass back what
            `MATRICES.committed(key)` says in `on_change`.
        choices: rows of buttons; where one does not turn sheets, the page passes other sheets for each of its options.
        results: what a choice did.
        depends_on: everything that sheets, choices and results depend on, besides the reader's language. They are then
            packed once for all visitors, and `Sheets` and results not even made again. None: they are packed anew in
            every run.

    Raises:
        ValueError: see `sheets_content`.
    """
    first = sheets[0]

    def content() -> dict[str, Any]:
        return sheets_content(sheets, choices, results())

    return MATRICES.show(
        content() if depends_on is None else SharedPayload(depends_on, content),
        key=key,
        view=view,
        fit=lambda view: fitting(view, first),
        on_change=on_change,
    )


MATRICES = Component.of(STEPS, stays=True)
