"""The visitor's own models: compare them, take one away as a file, and bring it back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.charts.plots import Numbers
from viz_transformer.charts.training import accuracy_plot
from viz_transformer.checkpoint import CARD, CONFIG, CheckpointError
from viz_transformer.config import TransformerConfig
from viz_transformer.training.snapshots import Snapshot
from viz_transformer.translator import Translator, model_folder, shipped_models
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.folder_models import FolderModel, folder_models
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import both
from viz_transformer.ui.shared.own_models import MAX_FILE, forget_model, from_zip, keep_model, own_models, to_zip
from viz_transformer.ui.shared.training_session import finished_runs
from viz_transformer.ui.training.shipped_films import filmed_models, shipped_film
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, sentence
from viz_transformer.visible import escape

MAX_MESSAGE = 500  # characters
_SIDE = 340  # px: a model's name and its two buttons are side by side


def own_models_view() -> None:
    """What each model has learned, beside the shipped ones; a download of each, and a box to load one."""
    models = own_models()
    picture, side = picture_and_side("training-models", side=_SIDE)
    with side:
        if not models:
            st.caption(_("You have none yet: train one, or load a file."))
        for name, translator in models.items():
            _offer(name, translator)
        _load_box()
        st.markdown(
            explained(
                "In this browser, models that you trained here can be found again for an hour after you close the"
                " page; models that you loaded are lost then. Each can be saved as a zip file of safetensors and "
                "JSON; once it is unzipped, `viz_transformer.load` reads it."
            )
        )
    with picture:
        _compare(models)
        _of_the_server([*folder_models().values()])


def _offer(name: str, translator: Translator) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(name, width="stretch")
        st.download_button(
            _("Download"),
            partial(to_zip, name, translator),
            file_name=f"{name}.zip",
            mime="application/zip",
            key=f"download {name}",
            on_click="ignore",
        )
        st.button(_("Delete"), key=f"delete {name}", on_click=forget_model, args=(name,))


def _compare(models: Mapping[str, Translator]) -> None:
    """How the models of the tasks learned, where that was recorded, and how large and how good each is."""
    own = {run.model_name: run.film.snapshots for run in finished_runs() if run.model_name in models}
    shipped = {name: shipped_film(name).snapshots for name in filmed_models() if _card(name)["task"]}
    labels = {"title": _("Learning the tasks"), "x": _("training step"), "y": _("token accuracy, held-out")}
    plot = accuracy_plot(_accuracies(own), _accuracies(shipped), labels)
    plot_view([plot], key="models-curves")
    rows = [_row(name, one.model.config, one.model.count_parameters(), one.card) for name, one in models.items()]
    for name in shipped_models():
        card = _card(name)
        config = json.loads((model_folder(name) / CONFIG).read_text(encoding="utf-8"))
        rows.append(_row(name, TransformerConfig(**config), card["parameters"], card))
    number_table(
        "models",
        _("Your models, and the shipped ones below them")
        if models
        else _("The shipped models; yours will appear above them"),
        [_("model"), _("task"), _("layers × heads × d_model"), _("parameters"), _("exact match")],
        rows,
    )


def _of_the_server(models: Sequence[FolderModel]) -> None:
    """The models of the server's folder, and why some of them cannot be chosen."""
    rows: list[list[str | Cell]] = [
        [
            one.name,
            f"{one.parameters:,}",
            _("{size} MB").format(size=f"{one.size / 1e6:,.1f}"),
            _sizes(one.config),
            Cell(_languages(one.card), "text"),
            *(Cell(one.card.get(name, "–"), "text") for name in ("licence", "source")),
        ]
        for one in models
        if one.config and not one.fault
    ]
    if rows:
        number_table(
            "server-models",
            _("Models on this server: they can be chosen on any page, in its list of models"),
            [
                _("model"),
                _("parameters"),
                _("files"),
                _("layers × heads × d_model"),
                _("task or languages"),
                _("licence"),
                _("source"),
            ],
            rows,
        )
    for one in models:
        if one.fault:
            why = _("cannot be chosen: {reason}").format(reason=sentence(one.fault))
            st.html(f'<div class="vt-note"><bdi><b>{escape(one.name)}</b></bdi> {escape(why)}</div>')


def _accuracies(films: Mapping[str, Sequence[Snapshot]]) -> dict[str, tuple[Numbers, Numbers]]:
    """name → steps, and token accuracies at them."""
    return {
        name: (
            np.array([one.step for one in snapshots], dtype=np.float64),
            np.array([one.numbers["token_accuracy"] for one in snapshots]),
        )
        for name, snapshots in films.items()
    }


def _row(name: str, config: TransformerConfig, parameters: int, card: Mapping[str, Any]) -> list[str | Cell]:
    score = card.get("scores", {}).get("held-out")
    return [
        name,
        Cell(_languages(card), "text"),
        _sizes(config),
        f"{parameters:,}",
        f"{score['exact_match']:.1%}" if score else "–",
    ]


def _languages(card: Mapping[str, Any]) -> str:
    """The task of a model, or from which language it translates into which."""
    languages = [language for side in ("source", "target") if (language := card.get(f"{side}_language"))]
    return str(card.get("task") or " → ".join(languages) or "–")


def _sizes(config: TransformerConfig) -> str:
    heads = both(config, lambda stack: stack.n_heads)
    return f"{config.n_encoder_layers} + {config.n_decoder_layers} × {heads} × {config.d_model}"


def _card(name: str) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((model_folder(name) / CARD).read_text(encoding="utf-8"))
    return card


def _load_box() -> None:
    uploaded = st.file_uploader(
        _("Load a model: its zip file, at most {limit} MiB").format(limit=MAX_FILE // 2**20),
        type="zip",
        max_upload_size=MAX_FILE // 2**20,
        key="load_model",
    )
    if uploaded is None:
        return
    if st.session_state.get("loaded file") != uploaded.file_id:  # a rerun does not load it again
        st.session_state["loaded file"], st.session_state["loaded as"] = uploaded.file_id, ""
        try:
            translator = from_zip(uploaded.getvalue())
            st.session_state["loaded as"] = keep_model(translator.card["task"] or "model", translator)
        except CheckpointError as error:
            st.session_state["load error"] = sentence(error)
        else:
            st.rerun()  # the list above has one more
    name = st.session_state["loaded as"]
    if name:
        st.success(
            _("Loaded. You can now use the model on every page: it is {name} in the list of models.").format(name=name)
        )
    else:
        st.error(_("This file was not loaded. Nothing has changed."))
        message = st.session_state["load error"]  # may quote the file, so it is text, never markup
        st.text(message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]} …")
