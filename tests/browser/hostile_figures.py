"""A page with a figure of each library, whose texts look like tags, entities, formulas and variables."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer import charts

TOKENS = ["<s>", "$x$", "<s>", "&lt;", "%{x}<b>b</b>"]
NAME = "<b>run</b> $x$ &lt;"

if __name__ == "__main__":
    weights = np.linspace(0, 1, len(TOKENS) ** 2, dtype=np.float32).reshape(len(TOKENS), -1)
    matrix = charts.head_matrix(weights, TOKENS, TOKENS, labels={"title": NAME, "query": NAME})
    st.plotly_chart(matrix, key="matrix")
    st.altair_chart(charts.training_curves({NAME: ([0, 1], [0.1, np.float32(0.1)])}), key="curves")
