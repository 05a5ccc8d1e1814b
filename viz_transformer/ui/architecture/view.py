"""The browser component that draws the encoder-decoder as Figure 1 of the paper does, with the tensors of each box.

Another box, layer or tensor is chosen in the browser; Python hears of the choice, to show that tensor's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args
from urllib.parse import urlencode

from viz_transformer.experiments.architecture.shapes import (
    BOXES,
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
from viz_transformer.ui.architecture.words import BoxWords, box_words
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.linked import INDEX, TEXT, OneOf, OrNone, clamped, linked
from viz_transformer.views.text import _

# The boxes that are attention modules → the `module` in the links to the pages that show one.
_ATTENTION = {"encoder_self": "encoder_self", "decoder_self": "decoder_self", "cross": "cross"}
# The tensor that a box opens with, where it is not the last of its tensors.
_MAIN = {"encoder_self": "weights", "decoder_self": "weights", "cross": "weights", "source_positions": "encoding",
         "target_positions": "encoding", "encoder_ffn": "hidden", "decoder_ffn": "hidden"}  # fmt: skip


@dataclass(frozen=True)
class ArchitectureView:
    """The chosen box, its layer from 0, and its tensor by the last part of its name; None: the box's main one."""

    box: Box = linked("box", OneOf(BOXES), "cross", always=True)
    layer: int = linked("layer", INDEX, 0, always=True)
    tensor: str | None = linked("tensor", OrNone(TEXT), None)


def architecture_view(trace: Trace, *, key: str, shared: Mapping[str, str]) -> ArchitectureView:
    """Shows the figure with the sizes of a recorded pass, and returns the view that is on the screen.

    Args:
        shared: the parameters of the link that other pages share: model and texts.
    """

    def fit(view: ArchitectureView) -> ArchitectureView:
        if not layers_of(trace.config, view.box):
            return ArchitectureView()
        view = clamped(view, layer=max(trace.config.n_encoder_layers, trace.config.n_decoder_layers))
        return view if view.tensor in _stages(trace, view) else replace(view, tensor=None)

    return _FIGURE.show_linked(_content(trace, shared), key=key, usual=ArchitectureView(), fit=fit)


def shown_tensor(trace: Trace, view: ArchitectureView) -> TensorShape:
    """The tensor that a view shows: the chosen one, or the box's main one."""
    stages = _stages(trace, view)
    return stages[view.tensor or _main(view.box, tuple(stages.values()))]


def _stages(trace: Trace, view: ArchitectureView) -> dict[str, TensorShape]:
    """The tensors of the chosen box by the last part of their names."""
    layer = min(view.layer, layers_of(trace.config, view.box) - 1)
    return {tensor.stage: tensor for tensor in _tensors(trace, view.box, layer)}


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
                "href": f"{words.page}?{urlencode({**shared, **words.parameters, **place, **chosen_language()})}",
                "tensors": [
                    {
                        "name": tensor.name,
                        "stage": tensor.stage,
                        "letters": f"({', '.join(tensor.letters)})",
                        "shape": shape_text(trace.shape(tensor.name)),
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
        "size": shape_text(trace.shape(first[-1].name)),
        "page": words.link,
        "main": _main(box, first),
        "layers": layers,
    }


def shape_text(shape: tuple[int, ...]) -> str:
    """Sizes as the drawings write them."""
    return " × ".join(f"{size:,}" for size in shape)


def _labels() -> dict[str, str]:
    return {
        "picture": _("The encoder-decoder, as in Figure 1 of the paper"),
        "figure": _("The encoder-decoder, as in Figure 1 of the paper. Use the arrow keys to move from box to box."),
        "box": _("{title}, output {size}"),
        "times": _("{layers} ×"),
        "layer": _("Layer"),
        "tensor": _("tensor"),
        "letters": _("shape"),
        "shape": _("here"),
        "recorded": _("Recorded in this pass. Select one to see its numbers below."),
    }


# `stays`: the chosen box stays open when the text changes.
_FIGURE = Component("architecture_view", ArchitectureView, _labels, stays=True)
