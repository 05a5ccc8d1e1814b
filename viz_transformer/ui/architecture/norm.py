"""The lesson of the page Architecture on the residual stream, LayerNorm, post-norm and pre-norm."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from viz_transformer.charts.architecture import depth_plot
from viz_transformer.experiments.architecture.residual_stream import (
    DEPTH_D_MODEL,
    DEPTH_LENGTH,
    Stack,
    random_stack,
    recorded_norms,
    stream_sizes,
)
from viz_transformer.ui.components.linked_sizes import Size, size_bar
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.sheets import Matrix
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.choices import linked_choice, numbered
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.slots import compute_slots
from viz_transformer.ui.shared.text import _

MAX_DEPTH = 64


def norm(reading: Reading) -> None:
    """Two variants at any depth, then what this model's pass recorded."""
    _depth()
    this_model()
    _recorded(reading)


def _explain() -> None:
    theory()
    st.markdown(
        _(
            "**Post-norm**, the paper's: x ← LayerNorm(x + Sublayer(x)). The stream is normalised after every "
            "sub-layer. **Pre-norm**: x ← x + Sublayer(LayerNorm(x)). The stream is only added to, so it grows "
            "with depth; gradients reach every layer through the sums, and one more LayerNorm follows the last "
            "layer. LayerNorm(x) = gain · (x − mean) / √(variance + ε) + bias, for each token over its d_model "
            "numbers."
        )
    )


@st.fragment
def _depth() -> None:
    size = Size("depth", _("Depth: layers"), (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64), 12, MAX_DEPTH)
    picture, side = picture_and_side("architecture-norm")
    with side:
        bar = size_bar([size], key="depth")
        st.caption(
            _(
                "Two untrained stacks of encoder layers with the same random weights: random vectors ({length} "
                "tokens, d_model {d_model}) go up, and the gradient of a loss comes back down."
            ).format(length=DEPTH_LENGTH, d_model=DEPTH_D_MODEL)
        )
        _explain()
    with picture:
        moving_plots(bar, _depth_plots, key="depth-plots", depends_on=())


def _depth_plots(values: Values) -> Plots:
    stacks = {name: _stack(int(values["depth"]), first) for first, name in _variants().items()}
    layers = np.arange(1.0, values["depth"] + 1)
    plots = []
    for quantity, title, y in (
        ("stream", _("The residual stream, going up"), _("root mean square of the stream")),
        ("gradient", _("The gradient, going back down"), _("norm of the gradient at W_2")),
    ):
        variants = {name: stack[quantity].to_numpy() for name, stack in stacks.items()}
        plots.append(depth_plot(quantity, title, layers, variants, {"x": _("layer, counted from the bottom"), "y": y}))
    return Plots(plots, notes=[_conclusion(*(stack.iloc[[0, -1]] for stack in stacks.values()))])


def _conclusion(post: pd.DataFrame, pre: pd.DataFrame) -> str:
    """Reads the bottom and the top layer of both stacks."""
    return _(
        "At the top, the post-norm stream has size {post}, the pre-norm stream {pre}: only post-norm keeps it in "
        "bounds. The lowest layer gets {post_share} times the gradient of the top layer with post-norm, and "
        "{pre_share} times with pre-norm: {follows}."
    ).format(
        post=decimals(float(post.stream.iloc[-1]), 2),
        pre=decimals(float(pre.stream.iloc[-1]), 2),
        post_share=decimals(post_share := float(post.gradient.iloc[0] / post.gradient.iloc[-1]), 2),
        pre_share=decimals(pre_share := float(pre.gradient.iloc[0] / pre.gradient.iloc[-1]), 2),
        follows=_("on the way down, less is lost with pre-norm")
        if pre_share > post_share
        else _("at this depth, pre-norm loses no less on the way down"),
    )


def _variants() -> dict[bool, str]:
    return {False: _("post-norm"), True: _("pre-norm")}


@kept()
def _stack(depth: int, norm_first: bool) -> pd.DataFrame:
    with compute_slots.short():
        return random_stack(depth, norm_first=norm_first)


def _recorded(reading: Reading) -> None:
    trace, model = reading.trace, reading.translator.model
    stacks: dict[str, str] = {"encoder": _("Encoder"), "decoder": _("Decoder")}
    chosen = linked_choice(_("Stack"), "stack", stacks, "encoder")
    stack: Stack = "encoder" if chosen == "encoder" else "decoder"
    tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
    variant = _variants()[trace.config.norm_first]
    places, sizes = stream_sizes(trace, stack)
    st.markdown(
        _("This model is **{variant}**. Below is its residual stream, recorded in this pass.").format(variant=variant)
    )
    columns = [_place(name) for name in places]
    matrix_view(
        [
            Matrix(
                _("root mean square of the residual stream"),
                sizes,
                rows=_("token"),
                columns=_("after"),
                row_labels=tokens,
                column_labels=columns,
                scale_name=_("root mean square"),
                is_pinnable=False,
                name="stream",
            )
        ],
        key="stream",
    )
    norms = recorded_norms(model, trace, stack)
    codes = {str(n + 1): _sublayer(record.layer, record.sublayer) for n, record in enumerate(norms)}
    record = norms[int(linked_choice(_("LayerNorm"), "ln", codes, "1", wide=True)) - 1]
    number_table(
        "layer-norm",
        _(
            "Input and output of this LayerNorm, recorded: mean and standard deviation over the {d_model} numbers"
        ).format(d_model=trace.config.d_model),
        [_("token"), _("mean before"), _("standard deviation before"), _("mean after"), _("standard deviation after")],
        [
            [
                name,
                *(
                    decimals(float(statistic(values[n])))
                    for values in (record.before, record.after)
                    for statistic in (np.mean, np.std)
                ),
            ]
            for n, name in enumerate(numbered(tokens))
        ],
    )
    st.caption(
        _(
            "Without gain and bias, every mean after it would be 0 and every standard deviation 1; the rest is "
            "what training added. The formula, applied to the recorded input, gives the recorded output, with "
            "a largest difference of {difference}."
        ).format(difference=decimals(record.formula_difference))
    )


def _place(name: str) -> str:
    if name.endswith("embedding.output"):
        return _("embedding + position")
    _stack, layer, module, _stage = name.split(".")
    sublayers = {"add_self_attention": "self", "add_cross_attention": "cross", "add_feed_forward": "ffn"}
    return _sublayer(int(layer), sublayers[module])


def _sublayer(layer: int, sublayer: str) -> str:
    names = {"self": _("self-attention"), "cross": _("cross-attention"), "ffn": _("feed-forward")}
    return _("layer {layer}: {sublayer}").format(layer=layer + 1, sublayer=names[sublayer])
