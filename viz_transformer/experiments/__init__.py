"""The numbers behind the lessons, as pure functions: models and texts in, numpy arrays out. No streamlit here."""
