"""Entry point: page set-up and navigation, nothing else. Start it with `streamlit run app.py`."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: its threads make visitors wait for each other

import streamlit as st

from viz_transformer.ui.look import apply_look
from viz_transformer.ui.text import _

st.set_page_config(page_title=_("Inside attention"), page_icon="🔎", layout="wide")
apply_look()
# A url_path of its own for each page: until the first run of this file a server takes `pages/` for automatic pages,
# and would run the file of that name without the set-up above.
st.navigation(
    [
        st.Page("pages/overview.py", title=_("Overview"), default=True),
        st.Page("pages/attention.py", title=_("Attention step by step"), url_path="attention-step-by-step"),
        st.Page("pages/masks.py", title=_("Masks"), url_path="attention-masks"),
    ],
    position="top",
).run()
