"""A lecture as a path of scenes; and a window with the lecturer's notes, which follows the scene shown in another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from viz_transformer.devices import pick_device
from viz_transformer.lecture_links import at_place, packed, shipped_lectures
from viz_transformer.lectures import Lecture
from viz_transformer.slips import SoftmaxOverQueries
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.lecture.editor import line_of
from viz_transformer.ui.lecture.scene import Place, lecture_content, lecture_labels, once_if_shipped
from viz_transformer.ui.shared.models import (
    ModelChoice,
    ModelDamaged,
    changed_trace,
    load_translator,
    opening_head,
    own_output,
)
from viz_transformer.views.text import _, language


def show_path(name: str, lecture: Lecture) -> None:
    """Shows the scenes in order, each a link. The browser marks where it was last, and tells nobody."""
    _PATH.show(once_if_shipped(name, lambda: path_content(name, lecture)), key="path", view=NoView())


def path_content(name: str, lecture: Lecture) -> Mapping[str, Any]:
    """What the path shows: the lecture, also packed, so that a browser can keep it; and of a shipped one a picture."""
    content = lecture_content(name, lecture)
    if name in shipped_lectures():
        return {**content, "packed": packed(lecture), **_translation(lecture)}
    line = line_of(name)
    return {**content, "packed": name, "line": line.name, "is_imported": line.is_imported}


def show_notes(name: str, lecture: Lecture) -> None:
    """The note of the scene that another window of this browser shows, and what comes next."""
    at = at_place(lecture, st.query_params.get("scene", "1"))
    content = once_if_shipped(name, lambda: lecture_content(name, lecture, has_notes=True))
    _NOTES.show(content, key="notes", view=Place(at))


def _translation(lecture: Lecture) -> Mapping[str, Any]:
    """The lecture's sentence, its translation, and where one head of cross-attention looked: {"weights": (T, S)}.

    It is the head of the first scene with cross-attention. In the lecture on slips the pass has the first of them.
    """
    scenes = [scene.parameters(language()) for scene in lecture.scenes]
    model = ModelChoice(scenes[0]["model"], pick_device().type)
    try:
        translator = load_translator(model.name, model.device)
    except ModelDamaged:
        return {}  # the path is there without it
    usual = opening_head(translator)
    shown = next((scene for scene in scenes if scene.get("module") == "cross"), {})
    layer, head = int(shown.get("layer", usual.layer + 1)), int(shown.get("head", usual.head + 1))
    trace = own_output(model, scenes[0]["source"])
    caption = _("Each line is a weight: where cross-attention head {head} of {model} looked as it wrote each word.")
    if scenes[0].get("slip") == "softmax-axis":
        trace = changed_trace(model, trace, SoftmaxOverQueries())
        caption = _(
            "Each line is a weight of cross-attention head {head} of {model}, computed with the first slip. What gives "
            "it away?"
        )
    return {
        "source": trace.source_tokens,
        "target": trace.predicted_tokens,
        "weights": trace.attention("cross", layer - 1).weights[head - 1],
        "caption": caption.format(head=f"{layer}.{head}", model=model.name),
    }


def _says() -> dict[str, str]:
    return {
        **lecture_labels(),
        "type": _("Type a sentence of your own"),
        "watch": _("Watch a Transformer learn"),
        "reads": _("reads"),
        "writes": _("writes"),
        "look": _("While writing {word}, it puts {percent} % of its weight on {source}."),
    }


_PATH = Component("path_view", NoView, _says)
_NOTES = Component("notes_view", Place, lecture_labels)
