"""What Streamlit shows: a package for each page, and `components` and `shared`, which the pages have in common."""

from viz_transformer.ui.shared.text import of_visitor
from viz_transformer.views.text import ask_for_language

ask_for_language(of_visitor)
