"""The stages that a recording computes again equal, bit for bit, those of a pass that kept all of them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.helpers import ALL_ATTENTION, assert_same_bits, assert_sentence, random_ids, random_model
from viz_transformer import AblateHeads, HeadRef, Transformer, active_hooks, record
from viz_transformer.attention import attention_stages, attention_weights
from viz_transformer.heads import hook_path
from viz_transformer.recording import STAGES, Recording
from viz_transformer.training.corpus import pad


def everything(model: Transformer, source: Tensor, target: Tensor) -> dict[str, Tensor]:
    """Every stage of a pass, as a hook sees it."""
    seen: dict[str, Tensor] = {}

    def see(name: str, tensor: Tensor) -> None:
        seen[name] = tensor

    with torch.inference_mode(), active_hooks(see):
        model(source, target)
    return seen


@given(seed=st.integers(0, 99), lengths=st.tuples(*[st.integers(1, 30)] * 4), norm_first=st.booleans())
def test_what_is_made_again_is_what_the_pass_computed(
    seed: int, lengths: tuple[int, int, int, int], norm_first: bool
) -> None:
    model = random_model(seed, norm_first=norm_first, max_len=32, n_decoder_heads=2)
    source = pad([random_ids(seed, length) for length in lengths[:2]])
    target = pad([[1, *random_ids(seed + 1, length)] for length in lengths[2:]])
    seen = everything(model, source, target)
    _, recording = record(model, source, target)
    assert list(recording) == list(seen)
    for name, tensor in seen.items():
        assert_same_bits(recording[name], tensor)
        assert recording.shape(name) == tensor.shape


def test_nothing_of_t_by_s_or_of_the_vocabulary_is_kept() -> None:
    model = random_model(0, max_len=64)
    ids = torch.tensor([random_ids(0, 40)])
    _, recording = record(model, ids, ids)
    widths = {tuple(tensor.shape[-2:]) for tensor in recording.kept.values() if tensor.dtype == torch.float32}
    assert (40, 40) not in widths
    assert (40, model.config.target_vocab_size) not in widths
    assert len(recording) - len(recording.kept) == len(ALL_ATTENTION) * (len(STAGES) + 1) + 1


@pytest.mark.parametrize("by", ["intervention", "hook"])
def test_where_something_else_acts_every_stage_is_what_was_computed(by: str) -> None:
    model, ids = random_model(0), torch.tensor([random_ids(0, 6)])
    name = f"{hook_path('cross', 0)}.weights"

    def even(point: str, tensor: Tensor) -> Tensor | None:
        return torch.full_like(tensor, 0.2) if point == name else None

    if by == "intervention":
        _, recording = record(model, ids, ids, [AblateHeads([HeadRef("cross", 0, 1)])])
        assert (recording[f"{hook_path('cross', 0)}.context"][:, 1] == 0).all()
    else:
        with active_hooks(even):
            _, recording = record(model, ids, ids)
        assert (recording[name] == 0.2).all()
    assert name in recording.kept


@given(seed=st.integers(0, 999), shape=st.tuples(*[st.integers(1, n) for n in (3, 5, 40, 40, 9)]))
def test_one_tensor_for_all_stages_has_the_same_bits(seed: int, shape: tuple[int, int, int, int, int]) -> None:
    batch, heads, queries, keys, width = shape
    dice = torch.Generator().manual_seed(seed)
    q = torch.randn(batch, queries, heads, width, generator=dice).transpose(1, 2)
    k = torch.randn(batch, keys, heads, width, generator=dice).transpose(1, 2)
    mask = torch.rand(batch, 1, queries, keys, generator=dice) < 0.7
    mask[..., 0] = True
    weights = attention_stages(q, k, mask, width**0.5, lambda stage, tensor: tensor)
    assert_same_bits(attention_weights(q, k, mask, width**0.5), weights)


def test_a_point_that_the_model_lacks_is_a_key_error() -> None:
    ids = torch.tensor([random_ids(0, 6)])
    _, recording = record(random_model(0), ids, ids)
    for name in ("", "logit", "encoder_layers.7.self_attention.weights", "encoder_layers.0.self_attention.weight"):
        assert name not in recording
        with pytest.raises(KeyError):
            recording[name]


def test_without_the_model_there_are_no_logits() -> None:
    ids = torch.tensor([random_ids(0, 6)])
    model = random_model(0)
    _, recording = record(model, ids, ids)
    assert "logits" not in Recording(recording.kept, model.config)


@pytest.mark.parametrize(
    ("source_ids", "target_ids", "said"),
    [
        (torch.tensor([4, 5]), torch.tensor([[1, 4]]), "source_ids must have two axes"),
        (torch.tensor([[4, 5]]), torch.tensor([1, 4]), "target_ids must have two axes"),
        (torch.tensor([[4, 5]]), torch.tensor([[1, 4], [1, 5]]), "source_ids has 1 sequences and target_ids 2"),
    ],
)
def test_ids_of_another_shape_are_refused_with_a_sentence(source_ids: Tensor, target_ids: Tensor, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        record(random_model(), source_ids, target_ids)
    assert str(caught.value).startswith(said)
    assert_sentence(str(caught.value))
