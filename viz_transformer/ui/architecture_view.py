"""The browser component that draws the encoder-decoder as Figure 1 of the paper does, with the tensors of each box.

Another box, layer or tensor is chosen in the browser; Python hears of the choice, to show that tensor's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args
from urllib.parse import urlencode

import streamlit as st

from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.shapes import (
    Box,
    DecoderBox,
    EncoderBox,
    Lengths,
    TensorShape,
    box_shapes,
    boxes_of,
    layers_of,
)
from viz_transformer.trace import Trace
from viz_transformer.ui.architecture_words import BoxWords, box_words
from viz_transformer.ui.frames import frame
from viz_transformer.ui.front_end import component
from viz_transformer.ui.settled import committed_fields, settle
from viz_transformer.ui.state import index_in_link
from viz_transformer.ui.text import _

# The attention module that a box is, on the pages that ask for one.
_ATTENTION = {"encoder_self": "encoder_self", "decoder_self": "decoder_self", "cross": "cross"}
# The tensor that a box opens with, where it is not the last of its tensors.
_MAIN = {"encoder_self": "weights", "decoder_self": "weights", "cross": "weights", "source_positions": "encoding",
         "target_positions": "encoding", "encoder_ffn": "hidden", "decoder_ffn": "hidden"}  # fmt: skip


@dataclass(frozen=True)
class ArchitectureView:
    """The chosen box, its layer from 0, and its tensor by the last part of its name; None: the box's main one."""

    box: Box = "cross"
    layer: int = 0
    tensor: str | None = None


def architecture_view(
    trace: Trace, view: ArchitectureView, *, key: str, shared: Mapping[str, str], on_change: Callable[[], None]
) -> ArchitectureView:
    """Shows the figure with the sizes of a recorded pass, and returns the view that is on the screen.

    Args:
        view: what the link asks for.
        shared: the parameters of the link that other pages share: model and texts.
        on_change: called before the run that a choice starts; it keeps `committed_view(key, config)` in the link.
    """
    content = " ".join(boxes_of(trace.config))
    sent = settle(key, view, committed_view(key, trace.config), content=content)
    request = {"key": key, "revision": sent.revision, "view": asdict(sent.shown), "labels": _labels()}
    component("architecture_view", css="lessons.css")(
        key=key, data=frame(request) + frame(_content(trace, shared)), on_view_change=on_change
    )
    return sent.latest


def committed_view(key: str, config: TransformerConfig) -> ArchitectureView | None:
    """The view that a person chose in the component `key`, of what a model has, or None before that."""
    raw = committed_fields(key)
    if raw is None:
        return None
    try:
        return _checked(config, str(raw["box"]), int(raw["layer"]), raw["tensor"])
    except (KeyError, TypeError, ValueError):
        return None


def view_in_link(config: TransformerConfig) -> ArchitectureView:
    """The view that the link asks for, of what a model has: `box`, `layer` from 1, `tensor`."""
    parameters = st.query_params
    layer = index_in_link(parameters.get("layer"), 0)
    return _checked(config, parameters.get("box", ""), layer, parameters.get("tensor"))


def keep_in_link(view: ArchitectureView) -> None:
    """Writes a view into the link."""
    values = {"box": view.box, "layer": str(view.layer + 1)}
    if view.tensor is None:
        st.query_params.pop("tensor", None)
    else:
        values["tensor"] = view.tensor
    st.query_params.update(values)


def shown_tensor(trace: Trace, view: ArchitectureView) -> TensorShape:
    """The tensor that a view shows: the chosen one, or the box's main one."""
    tensors = _tensors(trace, view.box, min(view.layer, layers_of(trace.config, view.box) - 1))
    stages = {tensor.stage: tensor for tensor in tensors}
    return stages.get(view.tensor or "") or stages[_main(view.box, tensors)]


def _checked(config: TransformerConfig, box: str, layer: int, tensor: object) -> ArchitectureView:
    chosen: Box = next((name for name in boxes_of(config) if name == box), "cross")
    highest = max(config.n_encoder_layers, config.n_decoder_layers) - 1
    return ArchitectureView(chosen, max(0, min(layer, highest)), str(tensor) if tensor else None)


def _main(box: Box, tensors: tuple[TensorShape, ...]) -> str:
    return _MAIN.get(box, tensors[-1].stage)


def _tensors(trace: Trace, box: Box, layer: int) -> tuple[TensorShape, ...]:
    return box_shapes(trace.config, Lengths(len(trace.source_tokens), len(trace.target_tokens)), box, layer)


def _content(trace: Trace, shared: Mapping[str, str]) -> dict[str, Any]:
    words = box_words(trace.config.norm_first)
    config = trace.config
    return {
        "boxes": [_box(trace, box, words[box], shared) for box in boxes_of(config)],
        "stacks": {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers},
        "inputs": _("Inputs: {count} tokens").format(count=len(trace.source_tokens)),
        "outputs": _("Outputs, shifted: {count}").format(count=len(trace.target_tokens)),
        "result": _("Output probabilities"),
    }


def _box(trace: Trace, box: Box, words: BoxWords, shared: Mapping[str, str]) -> dict[str, Any]:
    in_stack = box in get_args(EncoderBox) + get_args(DecoderBox)
    layers = []
    for layer in range(layers_of(trace.config, box)):
        place = {"module": _ATTENTION[box]} if box in _ATTENTION else {}
        place |= {"layer": str(layer + 1)} if in_stack and words.page != "architecture" else {}
        layers.append(
            {
                "href": f"{words.page}?{urlencode({**shared, **words.parameters, **place})}",
                "tensors": [
                    {
                        "name": tensor.name,
                        "stage": tensor.stage,
                        "letters": f"({', '.join(tensor.letters)})",
                        "shape": shape_text(trace.tensors[tensor.name].shape),
                    }
                    for tensor in _tensors(trace, box, layer)
                ],
            }
        )
    first = _tensors(trace, box, 0)
    return {
        "id": box,
        "title": words.title,
        "text": words.text,
        "size": shape_text(trace.tensors[first[-1].name].shape),
        "page": words.link,
        "main": _main(box, first),
        "layers": layers,
    }


def shape_text(shape: tuple[int, ...]) -> str:
    """Sizes as the drawings write them."""
    return " × ".join(f"{size:,}" for size in shape)


def _labels() -> dict[str, str]:
    return {
        "figure": _("The encoder-decoder, as in Figure 1 of the paper. Arrow keys walk from box to box."),
        "box": _("{title}, output {size}"),
        "times": _("{layers} ×"),
        "layer": _("Layer"),
        "tensor": _("tensor"),
        "letters": _("shape"),
        "shape": _("here"),
        "recorded": _("Recorded in this pass. Choose one to see its numbers below."),
    }
