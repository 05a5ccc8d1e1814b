"""What Streamlit shows: a room for each page, and what the rooms have in common."""

from viz_transformer.ui.shared.text import of_visitor
from viz_transformer.views.text import ask_for_language

ask_for_language(of_visitor)
