"""The browser component that shows a training run: one slider moves through its snapshots, and every head follows.

Everything is sent once and moves in the browser, which writes the snapshot into the link itself: Python hears nothing.
While a run goes on, what is sent grows, and who looks at the newest snapshot goes on to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.training.snapshots import Film, Snapshot, WatchedPass, from_codes
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.map_labels import heads_labels
from viz_transformer.ui.components.maps import ModuleMaps, pack_maps
from viz_transformer.ui.shared.state import index_in_link
from viz_transformer.ui.shared.text import _

SNAPSHOT_PARAMETER = "snapshot"  # from 1; the last one is not in the link


def film_view(film: Film, *, key: str, revision: str, steps: int, in_link: bool = False) -> None:
    """Shows a film that has a snapshot.

    Args:
        key: unique in the app.
        revision: names the run; another run starts at its last snapshot, or at the link's.
        steps: of the whole run, for the axis.
        in_link: whether the snapshot is kept in the link.

    Raises:
        ValueError: without a snapshot.
    """
    last = len(film.snapshots) - 1
    at = min(index_in_link(st.query_params.get(SNAPSHOT_PARAMETER), last), last) if in_link else last
    request = {
        "key": key,
        "revision": revision,
        "at": at,
        "parameter": SNAPSHOT_PARAMETER if in_link else None,
        "labels": film_labels(),
    }
    component("film_view", css="film")(key=key, data=frame(request) + pack_film(film, steps))


def pack_film(film: Film, steps: int) -> bytes:
    """A JSON header (see `frame`), then for each sentence and in it for each snapshot what `pack_maps` writes.

    Raises:
        ValueError: without a snapshot.
    """
    snapshots = list(film.snapshots)  # a run that goes on may add some meanwhile
    if not snapshots:
        raise ValueError("A film needs at least one snapshot.")
    header = {
        "steps": steps,
        "curve": [[point["step"], _finite(point["loss"])] for point in list(film.curve)],
        "snapshots": [
            {"step": one.step, "numbers": {name: _finite(value) for name, value in one.numbers.items()}}
            for one in snapshots
        ],
        "sentences": [sentence.source for sentence in film.sentences],
    }
    packed = [pack_maps(maps_at(one, n, sentence)) for n, sentence in enumerate(film.sentences) for one in snapshots]
    return b"".join([frame(header), *packed])


def maps_at(snapshot: Snapshot, n: int, sentence: WatchedPass) -> Sequence[ModuleMaps]:
    """The weights of all heads on sentence `n` of a film at a snapshot."""
    maps = []
    for module in ATTENTION_MODULES:
        codes, mask = snapshot.maps[n][module], sentence.masks[module]
        queries, keys = sentence.axes(module)
        predicted = () if module == "encoder_self" else sentence.predicted_tokens
        layers = mask[None].repeat(len(codes), axis=0)
        maps.append(ModuleMaps(module, from_codes(codes), layers, queries, keys, predicted))
    return maps


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None  # JSON has no NaN


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
        "exact_match": _("exact match {value}, generating from its own output"),
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
