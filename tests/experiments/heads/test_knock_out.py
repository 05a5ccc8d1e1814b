"""Batched knock-outs against one pass for each, and against the subtraction written out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_near, assert_sentence, random_translator
from viz_transformer import ATTENTION_MODULES, AblateHeads, HeadRef, Trace, Translator, active_hooks, load
from viz_transformer.experiments.heads import knock_out
from viz_transformer.experiments.heads.knock_out import all_heads, effect_at, effect_of_weights, impact_of_heads
from viz_transformer.heads import hook_path

TRANSLATOR = random_translator(1, peaked=2.0)


def log_probs_under(translator: Translator, trace: Trace, source: str, head: HeadRef) -> np.ndarray:
    target = translator.decode(trace)
    return translator.trace(source, target, interventions=[AblateHeads([head])]).token_log_probs


@given(
    source=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    target=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    tokens=st.sampled_from([1, 30, 1000]),
)
def test_the_impact_grid_is_what_one_by_one_ablation_gives(source: list[int], target: list[int], tokens: int) -> None:
    text, answer = " ".join(map(str, source)), " ".join(map(str, target))
    trace = TRANSLATOR.trace(text, answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knock_out, "TOKENS_AT_A_TIME", tokens)  # one head, a few, all heads in one batch
        grid = dict(impact_of_heads(TRANSLATOR.model, trace))
    assert list(grid) == all_heads(TRANSLATOR.model.config)
    assert len(grid) == 3 * 2 * 4
    for head, change in grid.items():
        alone = TRANSLATOR.trace(text, answer, interventions=[AblateHeads([head])])
        assert_near(change, alone.token_log_probs - trace.token_log_probs, 1e-5)


def test_the_impact_grid_of_a_shipped_model_is_what_one_by_one_ablation_gives() -> None:
    translator = load("reverse", "cpu")
    trace = translator.trace("3 1 4 1 5 9 2 6")
    for head, change in impact_of_heads(translator.model, trace):
        alone = translator.trace("3 1 4 1 5 9 2 6", translator.decode(trace), interventions=[AblateHeads([head])])
        assert_near(change, alone.token_log_probs - trace.token_log_probs, 1e-5)


@pytest.mark.parametrize("module", ATTENTION_MODULES)
@pytest.mark.parametrize("layer", [0, 1])
def test_a_weights_effect_is_that_of_its_part_of_the_context(module: str, layer: int) -> None:
    """The oracle takes α_ij v_j, both as recorded, from the context vector of that query, one pass a cell."""
    trace = TRANSLATOR.trace("3 1 4 1", "1 5 9")
    record = trace.attention(module, layer)
    head = HeadRef(module, layer, 2)
    cells = [(int(i), int(j)) for i, j in np.argwhere(record.mask)]
    point = f"{hook_path(module, layer)}.context"
    for (i, j), falls in effect_of_weights(TRANSLATOR.model, trace, head, cells):
        part = torch.from_numpy(record.weights[2, i, j] * record.v[2, j])

        def subtract(name: str, tensor: torch.Tensor, i: int = i, part: torch.Tensor = part) -> torch.Tensor | None:
            if name != point:
                return None
            changed = tensor.clone()
            changed[0, 2, i] -= part
            return changed

        with torch.inference_mode(), active_hooks(subtract):
            logits = TRANSLATOR.model(torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids]))
        after = logits.log_softmax(-1)[0].numpy()[np.arange(4), trace.predicted_ids]
        assert_near(falls, trace.token_log_probs - after, 1e-5)
        expected = falls.sum() if module == "encoder_self" else falls[i]
        assert effect_at(head, (i, j), falls) == pytest.approx(expected)


def test_a_weight_in_the_decoder_cannot_change_what_was_predicted_before_it() -> None:
    trace = TRANSLATOR.trace("3 1 4 1", "1 5 9 2")
    ((_, falls),) = effect_of_weights(TRANSLATOR.model, trace, HeadRef("cross", 0, 1), [(2, 0)])
    assert_near(falls[:2], np.zeros(2), 1e-6)
    assert abs(falls[2]) > 1e-5


def test_a_masked_weight_has_no_effect() -> None:
    trace = TRANSLATOR.trace("3 1 4 1", "1 5 9 2")
    ((_, falls),) = effect_of_weights(TRANSLATOR.model, trace, HeadRef("decoder_self", 0, 1), [(1, 3)])
    assert_near(falls, np.zeros(5), 1e-6)


def test_what_cannot_be_knocked_out_gets_a_sentence() -> None:
    trace = TRANSLATOR.trace("3 1")
    with pytest.raises(ValueError) as caught:
        next(impact_of_heads(TRANSLATOR.model, trace, [HeadRef("cross", 0, 9)]))
    assert_sentence(caught.value, "head 9")
    changed = TRANSLATOR.trace("3 1", interventions=[AblateHeads([HeadRef("cross", 0, 0)])])
    with pytest.raises(ValueError) as caught:
        next(impact_of_heads(TRANSLATOR.model, changed))
    assert_sentence(caught.value, "intervention")


def test_progress_comes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a page that stops asking for results stops the computation."""
    passes = []
    monkeypatch.setattr(knock_out, "TOKENS_AT_A_TIME", 1)
    original = knock_out._log_probs
    monkeypatch.setattr(knock_out, "_log_probs", lambda *arguments: (passes.append(1), original(*arguments))[1])
    grid = impact_of_heads(TRANSLATOR.model, TRANSLATOR.trace("3 1"))
    for _ in range(3):
        next(grid)
    assert len(passes) == 3
