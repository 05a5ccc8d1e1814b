"""Figures from arrays and tables. Nothing here imports torch or streamlit.

`figures/` makes Plotly and Altair objects, for notebooks and for the app's figures that do not move. The other modules
are the app's own: most of their plots are plain values, which its canvas redraws while a slider moves. Plotly and
Altair are imported when a figure first needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viz_transformer.charts.figures.architecture import part_sizes
    from viz_transformer.charts.figures.attention import head_grid, head_matrix
    from viz_transformer.charts.figures.decoding import beam_rows, beam_tree
    from viz_transformer.charts.figures.heads import entropy_by_layer
    from viz_transformer.charts.figures.positions import position_curves, position_matrix, position_path
    from viz_transformer.charts.figures.scaling import score_histograms
    from viz_transformer.charts.figures.training import training_curves
    from viz_transformer.charts.figures.why_attention import layer_times

__all__ = [
    "beam_rows",
    "beam_tree",
    "entropy_by_layer",
    "head_grid",
    "head_matrix",
    "layer_times",
    "part_sizes",
    "position_curves",
    "position_matrix",
    "position_path",
    "score_histograms",
    "training_curves",
]

_MODULES = {
    "architecture": ("part_sizes",),
    "attention": ("head_grid", "head_matrix"),
    "decoding": ("beam_rows", "beam_tree"),
    "heads": ("entropy_by_layer",),
    "positions": ("position_curves", "position_matrix", "position_path"),
    "scaling": ("score_histograms",),
    "training": ("training_curves",),
    "why_attention": ("layer_times",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"viz_transformer.charts.figures.{_MODULE_OF[name]}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("altair", "plotly"):
            raise
        raise ImportError(
            f"{name} takes {package}, which is not installed: pip install 'viz-transformer[charts]'.", name=package
        ) from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
