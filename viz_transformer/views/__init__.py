"""What each view shows, in the app, in a notebook and in a file: its state, its texts, and its content as it is sent.

Nothing here knows where it is shown. `viz_transformer.ui` shows it by Streamlit, `viz_transformer.notebook` by itself.
"""
