"""A page with the example on it. Its front end, which is not the app's, is the file $PANELS."""

import os
from functools import cache
from pathlib import Path

import streamlit as st
from weight_bars import weight_bars

import viz_transformer as vt
from viz_transformer.ui.components import component as contract


@cache
def from_file() -> object:
    """In place of what `front_end.component` finds in the installed package."""
    built = Path(os.environ["PANELS"]).read_text(encoding="utf-8")
    return st.components.v2.component("panels", js=f"// one line would be taken for a path\n{built}")


contract.component = from_file
record = vt.load("copy", "cpu").trace("3 1 4 1 5").attention("cross", layer=1)
view = weight_bars(record.weights[0, 2], record.key_tokens)
st.text(f"chosen: {'none' if view.bar is None else record.key_tokens[view.bar]}")
