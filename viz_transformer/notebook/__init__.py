"""The app's views without the app: shown in a notebook, or saved as one HTML file.

    trace = vt.load("en-de").trace("The cat sleeps.")
    trace.heads()                     # in Jupyter, VS Code, Colab, marimo
    trace.to_html("attention.html")   # one file, which needs no network

The front end is the app's, and so is what it is sent: `viz_transformer.views`.
"""

from viz_transformer.notebook.notebook_view import ShownView
from viz_transformer.notebook.of_search import tree
from viz_transformer.notebook.of_trace import arcs, head_by_head, heads, live_html, overview, query_key, step_by_step

__all__ = ["ShownView", "arcs", "head_by_head", "heads", "live_html", "overview", "query_key", "step_by_step", "tree"]
