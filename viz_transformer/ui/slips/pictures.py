"""Right beside wrong: two matrices on one colour scale, and what both passes came to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.text import _

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


def titles() -> tuple[str, str]:
    """The titles of the two sides of every comparison."""
    return _("Right"), _("With the slip")


def weight_matrices(
    right: Floats,
    wrong: Floats,
    mask: Bools,
    rows: Sequence[str],
    columns: Sequence[str],
    names: tuple[str, str],
) -> None:
    """Attention weights of one head, 0 to 1, in both passes.

    Args:
        mask: of the right matrix, True = may attend; the slip's matrix shows every number.
        rows, columns: labels; `names` are those of the axes.
    """
    pair((right, wrong), (rows, rows), (columns, columns), (names, names), _("weight"), 1.0, mask)


def pair(
    values: tuple[Floats, Floats],
    rows: tuple[Sequence[str], Sequence[str]],
    columns: tuple[Sequence[str] | None, Sequence[str] | None],
    names: tuple[tuple[str, str], tuple[str, str]],
    scale_name: str,
    extent: float,
    mask: Bools | None = None,
    first_index: int = 1,
) -> None:
    """Two matrices, each with its labels and the names of its axes."""
    matrix_view(
        [
            Matrix(
                title,
                matrix,
                rows=name[0],
                columns=name[1],
                row_labels=row_labels,
                column_labels=column_labels,
                first_index=first_index,
                mask=kept,
                scale_name=scale_name,
                extent=extent,
                is_pinnable=False,
                name=key,
            )
            for key, title, matrix, row_labels, column_labels, name, kept in zip(
                ("right", "slip"), titles(), values, rows, columns, names, (mask, None), strict=True
            )
        ],
        key="slip",
    )


def results(caption: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """What the right pass and the slip's came to: a name and two values a row."""
    with st.container(key="slip-results"):
        number_table(
            "slip-results",
            caption,
            ["", *titles()],
            [
                [name, Cell(right, "text"), Cell(wrong, "text" if right == wrong else "text strong")]
                for name, right, wrong in rows
            ],
        )
