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
    batch_norm_change,
    random_stack,
    recorded_norms,
    stream_sizes,
)
from viz_transformer.ui.components.linked_sizes import Size, size_bar
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import decimals, number_table
from viz_transformer.ui.components.plot_view import Plots, moving_plots
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import linked_choice, numbered
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

MAX_DEPTH = 64


def norm(reading: Reading) -> None:
    """Post-norm and pre-norm at any depth, then what this model's pass recorded."""
    _depth()
    this_model()
    _recorded(reading)


def _explain() -> None:
    theory()
    st.markdown(
        explained(
            "**Post-norm**, as in the paper: x ← LayerNorm(x + Sublayer(x)). The stream is normalised after every"
            " sub-layer. **Pre-norm**: x ← x + Sublayer(LayerNorm(x)). The sub-layers only add to the stream, so "
            "it grows with depth; gradients reach every layer through the sums, and one more LayerNorm follows "
            "the last layer. LayerNorm(x) = gain · (x − mean) / √(variance + ε) + bias, for each token over its "
            "d_model numbers. **BatchNorm** would take mean and variance over the tokens instead, so what a token"
            " becomes would depend on its neighbours, and on padding."
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
                "Three untrained stacks of encoder layers with the same random weights: random vectors ({length} "
                "tokens, d_model {d_model}) go up, and the gradient of a loss comes back down."
            ).format(length=DEPTH_LENGTH, d_model=DEPTH_D_MODEL)
        )
        _explain()
    with picture:
        moving_plots(bar, _depth_plots, key="depth-plots", depends_on=())


def _depth_plots(values: Values) -> Plots:
    depth = int(values["depth"])
    stacks = {name: _stack(depth, first, has_residual=True) for first, name in _variants().items()}
    bare = _stack(depth, norm_first=False, has_residual=False)
    layers = np.arange(1.0, values["depth"] + 1)
    plots = []
    for quantity, title, y in (
        ("stream", _("The residual stream, going up"), _("root mean square of the stream")),
        ("gradient", _("The gradient, going back down"), _("norm of the gradient at W_2")),
    ):
        variants = {name: stack[quantity].to_numpy() for name, stack in stacks.items()}
        plots.append(depth_plot(quantity, title, layers, variants, {"x": _("layer, counted from the bottom"), "y": y}))
    cosines = {name: stack["alike"].to_numpy() for name, stack in stacks.items()}
    cosines[_("post-norm, no residuals")] = bare["alike"].to_numpy()
    axes = {"x": _("layer, counted from the bottom"), "y": _("mean cosine between two tokens")}
    alike = depth_plot("alike", _("How alike the tokens become"), layers, cosines, axes, log=False)
    post, pre = stacks.values()
    notes = [_why_residuals(bare, post), _conclusion(post, pre)]
    return Plots(plots, notes=notes, below=[alike])


def _conclusion(post: pd.DataFrame, pre: pd.DataFrame) -> str:
    """Compares the bottom and the top layer of both stacks in a sentence."""
    return _(
        "At the top, the post-norm stream has size {post}, the pre-norm stream {pre}: only post-norm keeps it "
        "bounded. The lowest layer gets {post_share} times the gradient of the top layer with post-norm, and "
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


_SOON = 2  # layers, after which the difference is seen


def _why_residuals(bare: pd.DataFrame, post: pd.DataFrame) -> str:
    """How alike tokens become without residual connections, and with them."""
    layer = min(_SOON, len(post))
    without, with_them = (float(stack["alike"].iloc[layer - 1]) for stack in (bare, post))
    return _(
        "After layer {layer}, the mean cosine between two tokens is {without} without residual connections, and "
        "{with_them} with them: {follows}."
    ).format(
        layer=layer,
        without=decimals(without, 3),
        with_them=decimals(with_them, 3),
        follows=_("attention averages, and the residual connections keep the tokens apart")
        if without > with_them
        else _("here attention alone keeps them as far apart"),
    )


def _variants() -> dict[bool, str]:
    return {False: _("post-norm"), True: _("pre-norm")}


@kept()
def _stack(depth: int, norm_first: bool, has_residual: bool) -> pd.DataFrame:
    with scheduler.short():
        return random_stack(depth, norm_first=norm_first, has_residual=has_residual)


def _recorded(reading: Reading) -> None:
    trace, model = reading.trace, reading.translator.model
    stacks: dict[str, str] = {"encoder": _("Encoder"), "decoder": _("Decoder")}
    chosen = linked_choice(_("Stack"), "stack", stacks, "encoder")
    stack: Stack = "encoder" if chosen == "encoder" else "decoder"
    tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
    variant = _variants()[trace.config.norm_first]
    places, sizes = stream_sizes(trace, stack)
    st.markdown(
        explained("This model is **{variant}**. Below is its residual stream, recorded in this pass.").format(
            variant=variant
        )
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
    if len(tokens) > 1:
        st.markdown(
            explained(
                "Without the last token, LayerNorm leaves the other tokens as they are; BatchNorm, without gain "
                "and bias, changes them by up to {change}."
            ).format(change=decimals(batch_norm_change(record.before), 2))
        )
    st.caption(
        _(
            "Without gain and bias, every mean after the LayerNorm would be 0 and every standard deviation 1; "
            "training added the rest. The formula, applied to the recorded input, gives the recorded output; the "
            "largest difference is {difference}."
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
