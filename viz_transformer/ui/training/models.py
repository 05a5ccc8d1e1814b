"""The visitor's own models: take one away as a file, and bring it back."""

from __future__ import annotations

from functools import partial

import streamlit as st

from viz_transformer.checkpoint import CheckpointError
from viz_transformer.ui.shared.own_models import MAX_FILE, forget_model, from_zip, keep_model, own_models, to_zip
from viz_transformer.ui.shared.terms import explained
from viz_transformer.ui.shared.text import _, sentence

MAX_MESSAGE = 500  # characters


def own_models_view() -> None:
    """A list with a download each, and a box to load one."""
    models = own_models()
    if not models:
        st.caption(_("You have none yet: train one, or load a file."))
    for name, translator in models.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(name)
            st.download_button(
                _("Download"),
                partial(to_zip, name, translator),
                file_name=f"{name}.zip",
                mime="application/zip",
                key=f"download {name}",
                on_click="ignore",
            )
            st.button(_("Delete"), key=f"delete {name}", on_click=forget_model, args=(name,))
            score = translator.card.get("scores", {}).get("held-out")
            if score:
                st.caption(
                    _("{task}, exact match {share}").format(
                        task=translator.card["task"], share=f"{score['exact_match']:.1%}"
                    )
                )
    _load_box()
    st.markdown(
        explained(
            "They are gone when you close the page. Reloading it keeps those that you trained here, not those that you "
            "loaded. Each can be kept as a zip file of safetensors and JSON; unzipped, `viz_transformer.load` reads it."
        )
    )


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
