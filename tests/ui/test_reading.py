"""A page that stays open does not hold the pass that it showed: where that is gone, it is computed again."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from viz_transformer.ui.shared import models
from viz_transformer.ui.shared.controls import Texts
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.reading import Reading, read

MODEL = ModelChoice("copy", "cpu")


def held(reading: Reading) -> bool:
    """Whether the pass is still there once the cache has dropped it."""
    trace = weakref.ref(reading.trace)
    models._own_output.clear()
    models._given_target.clear()
    gc.collect()
    return trace() is not None


def test_a_reading_does_not_hold_its_pass() -> None:
    for target in ("", "3 1"):
        reading = read(MODEL, Texts("3 1 2", target))
        assert reading.trace is reading.trace
        before = reading.trace.tensors["logits"].copy()
        assert not held(reading)
        assert np.array_equal(reading.trace.tensors["logits"], before)


def test_its_pass_is_that_of_its_texts() -> None:
    translator = load_translator(MODEL.name, MODEL.device)
    reading = read(MODEL, Texts("3 1 2", "2 2"))
    expected = translator.trace("3 1 2", "2 2")
    assert (reading.trace.source_ids, reading.trace.target_ids) == (expected.source_ids, expected.target_ids)
    assert np.array_equal(reading.trace.tensors["logits"], expected.tensors["logits"])
    assert reading.lengths == (len(expected.source_tokens), len(expected.target_tokens))
