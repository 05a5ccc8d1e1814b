"""Entry point: page set-up and navigation, nothing else. Start it with `streamlit run app.py`."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: its threads make visitors wait for each other

import streamlit as st

from viz_transformer.ui.shared.caches import keep_caches
from viz_transformer.ui.shared.link import arrive
from viz_transformer.ui.shared.look import apply_look
from viz_transformer.ui.shared.text import _

keep_caches()
st.set_page_config(page_title=_("Inside attention"), page_icon="🔎", layout="wide")
apply_look()
page = st.navigation(
    [
        st.Page("pages/overview.py", title=_("Overview"), default=True),
        st.Page("pages/attention.py", title=_("Attention step by step")),
        st.Page("pages/masks.py", title=_("Masks")),
        st.Page("pages/heads.py", title=_("Heads")),
        st.Page("pages/decoding.py", title=_("Decoding")),
        st.Page("pages/architecture.py", title=_("Architecture")),
        st.Page("pages/why_attention.py", title=_("Why attention")),
        st.Page("pages/scaling.py", title=_("Scaling")),
        st.Page("pages/positions.py", title=_("Positions")),
        st.Page("pages/training.py", title=_("Training")),
    ],
    position="top",
)
arrive(page.url_path)
page.run()
