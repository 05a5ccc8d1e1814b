"""The browser component that shows a training run: one slider moves through its snapshots, and every head follows.

Everything is sent once. The browser moves through it and keeps the view in the link by itself: Python hears nothing.
While a run goes on, what is sent grows, and a view of the newest snapshot moves on to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule
from viz_transformer.training.snapshots import STEPS_PER_UNIT, Film, FilmedSentence, Snapshot
from viz_transformer.ui.components.component import Component
from viz_transformer.views.linked import CELL, FLAG, INDEX, OneOf, OrNone, linked
from viz_transformer.views.map_labels import heads_labels
from viz_transformer.views.maps import in_cells, module_content, within
from viz_transformer.views.text import _


@dataclass(frozen=True)
class FilmView:
    """What is on the screen. Everything counts from 0.

    Attributes:
        at: the snapshot; None is always the newest, while a run goes on, too.
        sentence: of those that every snapshot reads.
        only: the one module whose heads are shown; None shows all.
        module, layer, head: the head that is open, large, where `is_open`.
        pinned: the cell (query, key) pinned in it.
    """

    at: int | None = linked("snapshot", OrNone(INDEX), None)
    sentence: int = linked("sentence", INDEX, 0)
    only: str | None = linked("only", OrNone(OneOf(ATTENTION_MODULES)), None)
    module: AttentionModule = linked("module", OneOf(ATTENTION_MODULES), "cross")
    layer: int = linked("layer", INDEX, 0)
    head: int = linked("head", INDEX, 0)
    is_open: bool = linked("open", FLAG, False)
    pinned: tuple[int, int] | None = linked("cell", OrNone(CELL), None)


def film_labels() -> dict[str, str]:
    """Every text of the component in the reader's language. Words in braces are filled in by the browser."""
    return heads_labels() | {
        "snapshot": _("Snapshot"),
        "first": _("first snapshot"),
        "previous": _("previous snapshot"),
        "next": _("next snapshot"),
        "last": _("last snapshot"),
        "sentence": _("Sentence"),
        "at": _("after step {step} of {steps}"),
        "valid_loss": _("held-out loss {value}"),
        "token_accuracy": _("token accuracy {value}, reading the correct prefix"),
        "exact_match": _("exact match {value} on {count} sequences, generating from its own output"),
        "curve_title": _("Loss, token accuracy and exact match over the steps of the run"),
        "csv_value": _("value"),
        "curve": _("Loss, token accuracy and exact match over the steps of the run; drag or click to go to a snapshot"),
        "training_loss": _("training loss, nats per token, with label smoothing and dropout"),
        "held_out_loss": _("held-out loss"),
        "token_share": _("token accuracy"),
        "exact_share": _("exact match"),
        "steps_axis": _("training step"),
        "loss_axis": _("loss"),
        "share_axis": _("share"),
        "no_heads": _("This model has no attention: there are no heads to show."),
    }


_FILM = Component("film_view", FilmView, film_labels, keeps_link=True)
_GROWING_FILM = Component("film_view", FilmView, film_labels, stays=True)


def film_view(film: Film, *, key: str, steps: int, count: int, in_link: bool = False, is_growing: bool = False) -> None:
    """Shows a film that has a snapshot.

    Args:
        key: unique in the app.
        steps: of the whole run, for the axis.
        count: of the sequences that are generated at each snapshot.
        in_link: whether the view is kept in the link.
        is_growing: whether the next film under this key is the same run, further on: then the view stays where it is.

    Raises:
        ValueError: without a snapshot.
    """
    content = film_content(film, steps) | {"count": count}

    def fit(view: FilmView) -> FilmView:
        return _fitting(view, content)

    if in_link:
        _FILM.show_linked(content, key=key, usual=FilmView(), fit=fit)
    else:
        (_GROWING_FILM if is_growing else _FILM).show(content, key=key, view=FilmView(), fit=fit)


def film_content(film: Film, steps: int) -> dict[str, Any]:
    """A film, for `pack`; film.ts reads it.

    What is the same in all snapshots travels once: each of `sentences` has its `modules`, see `module_content`, with
    the codes of all N snapshots, uint16 (N, cells), as `maps_content` has those of one pass. A number that was not
    measured is NaN.

    Raises:
        ValueError: without a snapshot.
    """
    snapshots, curve = list(film.snapshots), list(film.curve)  # a run that goes on may add some meanwhile
    if not snapshots:
        raise ValueError("A film needs at least one snapshot.")
    names = dict.fromkeys(name for one in snapshots for name in one.numbers)
    return {
        "steps": steps,
        "curve": {
            "steps": np.array([point["step"] for point in curve], dtype=np.int32),
            "losses": np.array([point["loss"] for point in curve], dtype=np.float64),
        },
        "snapshots": {
            "steps": np.array([one.step for one in snapshots], dtype=np.int32),
            "numbers": {name: np.array([one.numbers.get(name, np.nan) for one in snapshots]) for name in names},
        },
        "sentences": [_sentence(one, n, snapshots) for n, one in enumerate(film.sentences)],
        "unit": STEPS_PER_UNIT,
    }


def _sentence(sentence: FilmedSentence, n: int, snapshots: Sequence[Snapshot]) -> dict[str, Any]:
    modules = []
    for module in ATTENTION_MODULES:
        codes = np.stack([one.maps[n][module] for one in snapshots])  # (N, layers, H, T, S)
        layers, heads = codes.shape[1:3]
        mask = sentence.masks[module][None].repeat(layers, axis=0)
        predicted = () if module == "encoder_self" else sentence.predicted_tokens
        about = module_content(module, heads, mask, *sentence.axes(module), predicted)
        modules.append(about | {"codes": in_cells(codes, mask)})
    return {"source": sentence.source, "modules": modules}


def _fitting(view: FilmView, content: dict[str, Any]) -> FilmView:
    last = len(content["snapshots"]["steps"]) - 1
    view = replace(view, at=None if view.at is None or view.at >= last else view.at)
    sentences = content["sentences"]
    if not sentences:
        return view
    view = replace(view, sentence=min(view.sentence, len(sentences) - 1))
    shown = sentences[view.sentence]
    sizes = {
        one["name"]: (one["layers"], one["heads"], len(one["queries"]), len(one["keys"])) for one in shown["modules"]
    }
    return within(view, sizes)
