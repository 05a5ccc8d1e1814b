"""Attention on paper: small matrices that a class types and checks."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from viz_transformer.experiments.attention.by_hand import HandError, attend, parse_mask, parse_matrix
from viz_transformer.experiments.attention.steps import HeadStages
from viz_transformer.ui.attention.microscope import microscope
from viz_transformer.ui.attention.place import hand_place_in_link, keep_hand_place, stages_view_of
from viz_transformer.ui.components.matrix_view import stages_view
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.views.head_sheet import HAND_STAGES, Axes, sheet_of
from viz_transformer.views.text import _
from viz_transformer.visible import escape

_WIDTH = 180  # px, of the column of text boxes
_DEFAULTS = {  # d_k = 4, so that √d_k = 2; the third query sees two equal scores
    "q": "1 0 1 0\n0 2 0 1\n1 1 0 0",
    "k": "1 0 0 1\n0 1 1 0\n2 0 1 0",
    "v": "1 0\n0 1\n2 2",
    "mask": "1 0 0\n1 1 0\n1 1 1",
}


def by_hand() -> None:
    """Shows the stages of attention on Q, K, V and a mask that are typed beside them (and are in the link)."""
    picture, side = picture_and_side("hand", _WIDTH)
    names = {"q": "Q", "k": "K", "v": "V", "mask": _("Mask")}
    with side:
        st.caption(_("2 to 4 rows of 2 to 4 numbers. In the mask, 1 means *may attend*."))
        typed = {
            name: st.text_area(label, _DEFAULTS[name], key=f"hand_{name}", bind="query-params", height=118) or ""
            for name, label in names.items()
        }
    with picture:
        _attended(names, typed)


def _attended(names: Mapping[str, str], typed: Mapping[str, str]) -> None:
    try:
        q, k, v = (parse_matrix(names[name], typed[name]) for name in "qkv")
        head = attend(q, k, v, parse_mask(names["mask"], typed["mask"]))
    except HandError as error:
        sentence = escape(error.said(_))  # it quotes what was typed
        st.html(f'<div role="alert" class="vt-note">{sentence}</div>')
        return
    _stages(head)


@st.fragment
def _stages(head: HeadStages) -> None:
    key = "by_hand"
    (t, s) = head.weights.shape
    axes = Axes(
        _("query"), _("key"), [f"q{_lowered(i)}" for i in range(1, t + 1)], [f"k{_lowered(j)}" for j in range(1, s + 1)]
    )
    place = hand_place_in_link(head.weights)
    stages_view(
        [sheet_of(head, axes)],
        key=key,
        view=stages_view_of(place, HAND_STAGES),
        on_change=lambda: keep_hand_place(key, place),
    )
    microscope(head, axes, place.cell, key=key)


def _lowered(n: int) -> str:
    return chr(ord("₀") + n)
