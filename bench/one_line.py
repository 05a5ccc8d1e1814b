"""The floor of every interaction: a Streamlit app whose rerun changes one line of text."""

import streamlit as st

st.button("again", key="again")
st.session_state.count = st.session_state.get("count", 0) + 1
st.text(f"run {st.session_state.count}")
