"""The lesson of the page Why attention on attention as soft look-up: kernel regression."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.why_attention.kernel_regression import Points, head_as_kernel, scattered
from viz_transformer.heads import ATTENTION_MODULES, n_layers, stack_config
from viz_transformer.trace import AttentionRecord
from viz_transformer.ui.components.linked_sizes import Size, size_bar, whole
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.choices import linked_choice, linked_number, module_names
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.why_attention.kernel_view import kernel_view
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

MAX_POINTS = 200


def lookup(reading: Reading) -> None:
    """Kernel regression on scattered points, then a head of the model as one."""
    _regression()
    this_model()
    _own_head(reading)


@st.fragment
def _regression() -> None:
    picture, side = picture_and_side("why-lookup")
    with side:
        bar = size_bar(
            [
                Size("points", _("Points"), (1, 2, 5, 10, 20, 40, 60, 100, 200), 40, MAX_POINTS),
                Size("noise", _("Noise"), (0, 5, 10, 20, 30, 50, 100, 200), 30, 1000, lowest=0, unit=0.01),
                Size("seed", _("Seed"), range(1, 21), 1, 1_000_000),
            ],
            key="point-sizes",
        )
        theory()
        st.markdown(
            explained(
                "A look-up finds the one key that equals the query. A soft look-up averages all values, each "
                "weighted by how near its key is to the query: f(q) = Σ softmax(−(q − kᵢ)² / 2σ²) · vᵢ, the kernel "
                "regression of Nadaraya and Watson (1964). This is attention with −(q − k)² / 2σ² in place of q·k "
                "/ √d_k. A narrow kernel copies the nearest value; a wide one returns the mean of all values."
            )
        )
    with picture:
        kernel_view(bar, _points, key="kernel")


def _points(values: Values) -> Points:
    of = whole(values)
    return scattered(of["points"], of["noise"] / 100, of["seed"])


def _own_head(reading: Reading) -> None:
    picture, side = picture_and_side("why-head")
    with side:
        chosen = linked_choice(_("Module"), "module", module_names(), "encoder_self", column=True)
        module = next(name for name in ATTENTION_MODULES if name == chosen)
        layer = linked_number(_("Layer"), "layer", n_layers(reading.trace.config, module))
        head = linked_number(_("Head"), "head", stack_config(reading.trace.config, module).n_heads)
    record = reading.trace.attention(module, layer)
    kernel = head_as_kernel(record, head)
    side.markdown(
        explained(
            "A head of the model is kernel regression too. Since q·k = (‖q‖² + ‖k‖² − ‖q − k‖²) / 2, its weights "
            "are a Gaussian kernel of width d_k^¼ = {width} around the query, times a factor exp(‖k‖² / 2√d_k), "
            "which gives long keys more weight for every query. Computed from the distances ‖q − k‖ of the "
            "recorded q and k, kernel times factor gives the recorded weights, with a largest difference of "
            "{difference}."
        ).format(width=decimals(kernel.width, 3), difference=decimals(kernel.difference))
    )
    shown = {
        "recorded": (_("recorded weights"), record.weights[head], record.mask),
        "gaussian": (_("Gaussian kernel alone"), kernel.gaussian, record.mask),
        "product": (_("kernel times factor"), kernel.product, record.mask),
        "factors": (_("factor of each key, with the largest set to 1"), kernel.factors[None], None),
    }
    with picture:
        _show(shown, record)


def _show(shown: dict[str, tuple[str, np.ndarray, np.ndarray | None]], record: AttentionRecord) -> None:
    matrix_view(
        [
            Matrix(
                title,
                values,
                rows=_("query") if name != "factors" else _("all queries"),
                columns=_("key"),
                row_labels=record.query_tokens if name != "factors" else [""],
                column_labels=record.key_tokens,
                mask=mask,
                scale_name=_("weight") if name != "factors" else _("factor"),
                extent=1.0,
                is_pinnable=False,
                name=name,
            )
            for name, (title, values, mask) in shown.items()
        ],
        key="head-as-kernel",
    )
