"""The figure of the page Architecture: what it shows of models of other kinds, and where links to it lead."""

from __future__ import annotations

import pytest

from tests.helpers import random_translator
from tests.packed import received
from tests.ui.conftest import Browser
from viz_transformer.experiments.architecture.shapes import BOXES
from viz_transformer.trace import Trace
from viz_transformer.ui.architecture.view import ArchitectureView, architecture_view, shown_tensor

TRACE = random_translator().trace("3 1 4")


def shown(trace: Trace = TRACE) -> ArchitectureView:
    return architecture_view(trace, key="k", shared={"model": "copy"})


def test_a_model_without_feed_forward_layers_has_no_such_boxes(browser: Browser) -> None:
    trace = random_translator(sublayers="attention").trace("3 1 4")
    browser.parameters["box"] = "encoder_ffn"
    assert shown(trace) == ArchitectureView()
    _request, content = received(browser.sent[-1])
    assert [box["id"] for box in content["boxes"]] == [box for box in BOXES if not box.endswith("ffn")]


@pytest.mark.parametrize(
    ("asked", "view", "tensor"),
    [
        ({}, ArchitectureView(), "decoder_layers.0.cross_attention.weights"),
        (
            {"box": "encoder_ffn", "layer": "2"},
            ArchitectureView("encoder_ffn", 1),
            "encoder_layers.1.feed_forward.hidden",
        ),
        ({"layer": "99", "tensor": "q"}, ArchitectureView("cross", 1, "q"), "decoder_layers.1.cross_attention.q"),
        ({"tensor": "nonsense"}, ArchitectureView(), "decoder_layers.0.cross_attention.weights"),
        ({"box": "memory", "layer": "2"}, ArchitectureView("memory", 1), "memory"),
    ],
)
def test_a_link_leads_to_a_tensor_that_there_is(
    browser: Browser,
    asked: dict[str, str],
    view: ArchitectureView,
    tensor: str,
) -> None:
    browser.parameters.update(asked)
    assert shown() == view
    assert shown_tensor(TRACE, view).name == tensor
    assert browser.request["view"]["tensor"] == view.tensor


def test_a_choice_is_kept_in_the_link(browser: Browser) -> None:
    shown()
    browser.settle(box="softmax", layer=0, tensor="log_probs")
    assert browser.parameters == {"box": "softmax", "layer": "1", "tensor": "log_probs"}
    browser.settle(box="linear", layer=0, tensor=None)
    assert browser.parameters == {"box": "linear", "layer": "1"}
