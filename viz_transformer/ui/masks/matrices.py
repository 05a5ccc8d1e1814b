"""The matrices of the Masks page, as the matrix component takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from viz_transformer.experiments.masks.padding import Bools, Floats, ModuleMasks
from viz_transformer.heads import AttentionModule
from viz_transformer.ui.components.matrix_view import Matrix, Pinned, committed_stages, matrix_view
from viz_transformer.ui.shared.text import _

CELL = "cell"  # the link's name for the pinned cell


def mask_matrices(masks: ModuleMasks, module: AttentionModule, *, may_is_true: bool, key: str) -> None:
    """Padding, causal and combined; 1 is True, which means "may attend" where `may_is_true` says so, else "masked".

    Masked cells are hatched in both conventions, as they mean the same; only the number in them differs.
    """
    rows, columns = _axes(module)
    everything = np.ones_like(masks.combined)  # what a causal mask would be that masks nothing
    parts = {
        "padding": (_("Padding mask"), masks.padding),
        "causal": (_("Causal mask") if masks.causal is not None else _("Causal mask: none"), masks.causal),
        "combined": (_("Combined"), masks.combined),
    }
    _show(
        [
            Matrix(
                title,
                (may == may_is_true).astype(np.float32),
                rows=rows,
                columns=columns,
                row_labels=masks.query_tokens,
                column_labels=masks.key_tokens,
                mask=may,
                scale_name=_("1 = True"),
                note=_note(name, may_is_true),
                name=f"{name}-{'may' if may_is_true else 'masked'}",
            )
            for name, (title, part) in parts.items()
            for may in [everything if part is None else part]
        ],
        key=key,
    )


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
        names: of their test ids, in the same order.
    """
    rows, columns = _axes(module)
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
                name=name,
            )
            for name, (title, (values, mask)) in zip(names, weights.items(), strict=True)
        ],
        key=key,
    )


def change_matrices(changes: tuple[Floats, Floats], read: Sequence[str], predicted: Sequence[str], *, key: str) -> None:
    """How far each row's output moves when each token is edited, (T, T), with the causal mask and without it."""
    _show(
        [
            Matrix(
                title,
                change,
                rows=_("output row, by the token read"),
                columns=_("edited token"),
                row_labels=read,
                column_labels=read,
                row_ends=predicted,
                row_ends_axis=_("predicts"),
                scale_name=_("largest change of a log-probability"),
                name=name,
            )
            for name, title, change in zip(
                ("change-on", "change-off"), (_("Causal mask on"), _("Causal mask off")), changes, strict=True
            )
        ],
        key=key,
    )


def _show(matrices: Sequence[Matrix], *, key: str) -> None:
    """The matrices, their pinned cell in the link: `cell=infinity.2.3` is row 2, column 3 of the matrix "infinity"."""
    names = [matrix.name for matrix in matrices]

    def keep() -> None:
        view = committed_stages(key)
        if view is None or not view.pinned:
            st.query_params.pop(CELL, None)
        else:
            matrix, row, column = view.pinned
            st.query_params[CELL] = f"{names[matrix]}.{row + 1}.{column + 1}"

    matrix_view(matrices, key=key, pinned=_pinned_in_link(names), on_change=keep)


def _pinned_in_link(names: Sequence[str]) -> Pinned | None:
    """The cell that the link asks for; None where it names another lesson's matrix, or no place."""
    name, *place = str(st.query_params.get(CELL, "")).split(".")
    if name not in names or len(place) != 2 or not all(_is_place(number) for number in place):
        return None
    return Pinned(names.index(name), int(place[0]) - 1, int(place[1]) - 1)


def _is_place(number: str) -> bool:
    return number.isascii() and number.isdigit() and len(number) < 5 and int(number) > 0


def _note(name: str, may_is_true: bool) -> str:
    if not may_is_true:
        return _("True = masked")
    return _("True = may attend, as recorded") if name == "combined" else _("True = may attend")


def _axes(module: AttentionModule) -> tuple[str, str]:
    source, target = _("source token"), _("target token")
    rows = _("query: {token}").format(token=source if module == "encoder_self" else target)
    return rows, _("key: {token}").format(token=target if module == "decoder_self" else source)
