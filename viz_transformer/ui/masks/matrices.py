"""The matrices of the Masks page, as the matrix component takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.padding import Bools, Floats, ModuleMasks
from viz_transformer.heads import AttentionModule
from viz_transformer.ui.components.matrix_view import MATRICES, matrix_view
from viz_transformer.ui.shared.choices import axes_of
from viz_transformer.ui.shared.link import keep as keep_parameter
from viz_transformer.ui.shared.link import read
from viz_transformer.views.linked import CELL, TEXT, OrNone
from viz_transformer.views.matrices import Pinned
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.text import _

CELL_PARAMETER = "cell"


PARTS = ("padding", "causal", "combined")

_TERMS = {
    "padding": ("padding", "padding-mask"),
    "causal": ("causal-mask",),
    "combined": ("padding", "padding-mask", "causal-mask"),
}


def mask_matrix(masks: ModuleMasks, module: AttentionModule, part: str, *, may_is_true: bool, key: str) -> None:
    """Shows one of the masks; 1 is True, which means "may attend" if `may_is_true`, else "masked".

    Masked cells are hatched in both conventions, as they mean the same; only the number in them differs.
    """
    rows, columns = axes_of(module)
    everything = np.ones_like(masks.combined)  # a causal mask that masks nothing
    titles = {
        "padding": _("Padding mask"),
        "causal": _("Causal mask") if masks.causal is not None else _("Causal mask: none"),
        "combined": _("Combined"),
    }
    causal = everything if masks.causal is None else masks.causal
    may = {"padding": masks.padding, "causal": causal, "combined": masks.combined}[part]
    _show(
        [
            Matrix(
                titles[part],
                (may == may_is_true).astype(np.float32),
                rows=rows,
                columns=columns,
                row_labels=masks.query_tokens,
                column_labels=masks.key_tokens,
                mask=may,
                has_masked_numbers=True,
                scale_name=_("1 = True"),
                note=_note(part, may_is_true),
                extent=1.0,
                name=f"{part}-{'may' if may_is_true else 'masked'}",
                terms=("query", "key", "mask", *_TERMS[part]),
            )
        ],
        key=key,
    )


def mask_in_link() -> tuple[str, bool]:
    """The mask and the convention of the pinned cell in the link, or what is usual."""
    name = str(st.query_params.get(CELL_PARAMETER, "")).partition(".")[0]
    part, _dash, convention = name.partition("-")
    found = next((one for one in PARTS if one == part and convention), "combined")
    return found, convention != "masked"


def weight_matrices(
    weights: Mapping[str, tuple[Floats, Bools | None]],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    module: AttentionModule,
    *,
    names: Sequence[str],
    key: str,
) -> None:
    """Attention weights of one head under several masks, by title; a mask of None hatches nothing.

    Args:
        weights: title to weights (T, S) and mask (T, S).
        names: of the matrices, in the same order; see `Matrix`.
    """
    rows, columns = axes_of(module)
    _show(
        [
            Matrix(
                title,
                values,
                rows=rows,
                columns=columns,
                row_labels=query_tokens,
                column_labels=key_tokens,
                mask=mask,
                scale_name=_("weight"),
                extent=1.0,
                name=name,
            )
            for name, (title, (values, mask)) in zip(names, weights.items(), strict=True)
        ],
        key=key,
    )


def change_matrices(changes: tuple[Floats, Floats], read: Sequence[str], predicted: Sequence[str], *, key: str) -> None:
    """How far each output moves when each token is edited, with the causal mask and without it, on one scale.

    Args:
        changes: (T, T) each; the first column, of the start token, which is never edited, is left out.
        read, predicted: T tokens of the rows. A row is called by the token that it should write, whose number in the
            target is one more than the row's.
    """
    shown = [change[:, 1:] for change in changes]
    extent = float(max(change.max() for change in shown))
    _show(
        [
            Matrix(
                title,
                change,
                rows=_("output: the token to write"),
                columns=_("edited token"),
                row_labels=predicted,
                column_labels=read[1:],
                first_index=2,
                scale_name=_("largest change of a log-probability"),
                extent=extent,
                name=name,
            )
            for name, title, change in zip(
                ("change-on", "change-off"), (_("Causal mask on"), _("Causal mask off")), shown, strict=True
            )
        ],
        key=key,
    )


def _show(matrices: Sequence[Matrix], *, key: str) -> None:
    """The matrices, their pinned cell in the link: `cell=infinity.2-3` is row 2, column 3 of the matrix "infinity"."""
    spelling = OrNone(CellOf(tuple(matrix.name for matrix in matrices)))

    def keep() -> None:
        view = MATRICES.committed(key)
        if view is not None:
            keep_parameter(CELL_PARAMETER, spelling, view.pinned, None)

    pinned = read(CELL_PARAMETER, spelling, None)  # None for a cell of another lesson's matrices
    matrix_view(matrices, key=key, pinned=pinned, on_change=keep)


@dataclass(frozen=True)
class CellOf:
    """A cell of one of several named matrices, spelled `infinity.2-3`; in old links it has full stops only."""

    names: tuple[str, ...]
    kind: str = "text"

    def read(self, text: str) -> Pinned:
        name, _stop, cell = text.partition(".")
        if name not in self.names:
            raise ValueError(f"not one of {', '.join(self.names)}")
        return Pinned(self.names.index(name), *CELL.read(cell.replace(".", "-")))

    def write(self, value: Pinned) -> str:
        return f"{self.names[value.matrix]}.{CELL.write((value.row, value.column))}"

    def checked(self, raw: object) -> Pinned:
        return self.read(TEXT.checked(raw))


def _note(name: str, may_is_true: bool) -> str:
    if not may_is_true:
        return _("True = masked")
    return _("True = may attend, as recorded") if name == "combined" else _("True = may attend")
