"""Arrays and tables in, Altair or Plotly figures out. Nothing here knows torch or streamlit."""
