"""Arrays and tables in, Altair figures out. Nothing here knows torch or streamlit."""
