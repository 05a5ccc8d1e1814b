"""The pass that a page shows, as a file for a notebook."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from viz_transformer.ui.shared.reading import Reading
from viz_transformer.views.text import _


def trace_name(model: str) -> str:
    """The name of a file with a pass of this model."""
    return re.sub(r"[^\w.-]+", "-", model) + "-trace.safetensors"


def offer_trace(reading: Reading) -> None:
    """A button that saves the pass; its file is made when it is pressed."""
    st.download_button(
        _("Save the trace"),
        partial(_file_of, reading),
        file_name=trace_name(reading.model.name),
        mime="application/octet-stream",
        help=_(
            "All numbers of this pass, as a safetensors file, which `viz_transformer.load_trace` opens in a notebook."
        ),
        key="trace file",
        on_click="ignore",
        type="tertiary",
    )


def _file_of(reading: Reading) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        reading.trace.save(path)
        return path.read_bytes()
