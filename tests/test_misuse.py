"""A function that is called with a wrong argument says so, in a sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

import viz_transformer as vt
from tests.helpers import assert_sentence
from viz_transformer.charts import beam_rows, head_matrix

TEXT, HEAD = "1 2", vt.HeadRef("cross", 0, 1)
untyped: Any = vt  # a checker of types would refuse what is tried here


@cache
def copy() -> Any:
    return vt.load("copy", device="cpu")


MISUSES: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "a temperature in quotes": (lambda: copy().sample(TEXT, temperature="1"), ("temperature", "'1'")),
    "a top_p in quotes": (lambda: copy().sample(TEXT, top_p="1"), ("top_p", "'1'")),
    "another library's option": (lambda: copy().translate(TEXT, num_beams=4), ("num_beams", "beam_size")),
    "options that are a number": (lambda: copy().beam_search(TEXT, 4), ("BeamOptions", "4")),
    "rows of what was drawn": (lambda: beam_rows(copy().sample(TEXT)), ("SamplingStep", "search")),
    "another ranking of what was drawn": (
        lambda: vt.rerank([*copy().sample(TEXT)], beam_size=1, max_len=9), ("SamplingStep", "search"),
    ),
    "an intervention by itself": (
        lambda: copy().translate(TEXT, interventions=vt.AblateHeads([HEAD])), ("interventions", "list", "AblateHeads"),
    ),
    "a word for an intervention": (lambda: copy().trace(TEXT, interventions=["off"]), ("interventions", "'off'")),
    "a token by itself": (lambda: copy().translate(TEXT, banned_ids=5), ("banned_ids", "list", "5")),
    "a token by itself, drawn": (lambda: copy().sample(TEXT, banned_ids=5), ("banned_ids", "list", "5")),
    "a head by itself": (lambda: vt.AblateHeads(HEAD), ("heads", "list")),
    "a module for a head": (lambda: untyped.ScaleHead("cross", 2), ("module, a layer and a number", "'cross'")),
    "a module by itself": (lambda: untyped.ChangeMask("off", modules="cross"), ("modules", "list", "'cross'")),
    "half a layer": (lambda: copy().trace(TEXT).attention("cross", 0.5), ("layer 0.5", "0 to 1")),
    "lists for tensors": (lambda: untyped.record(copy().model, [[1]], [[1]]), ("source_ids", "tensor", "list")),
    "a number for a model": (lambda: untyped.load(5), ("str", "Path", "5")),
    "a number for a model to import": (lambda: untyped.from_huggingface(5), ("MarianMTModel", "5")),
    "a number for a text": (lambda: copy().translate(5), ("str", "5")),
}  # fmt: skip


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_gets_a_sentence(name: str) -> None:
    misuse, named = MISUSES[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        misuse()
    assert_sentence(caught.value, *named)


def test_numpys_whole_numbers_name_heads_too() -> None:
    assert untyped.AblateHeads([("cross", 0, np.argmax([0, 1]))]) == vt.AblateHeads([HEAD])


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32])
def test_a_chart_is_drawn_of_a_tensor_as_a_model_has_it(kind: torch.dtype) -> None:
    weights: Any = torch.tensor([[0.25, 0.75], [1.0, 0.0]], dtype=kind, requires_grad=True)
    figure = head_matrix(weights, ["a", "b"], ["c", "d"])
    assert np.array_equal(figure.data[0].z, [[0.25, 0.75], [1.0, 0.0]])
