"""What must hold of every model and every text, whatever the weights."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.helpers import assert_near, assert_same_bits, one, random_model
from viz_transformer import PermuteSource, PositionsOff, Transformer, record
from viz_transformer.training.corpus import pad

words = st.integers(4, 13)
sources = st.lists(words, max_size=8).map(lambda ids: [*ids, 2])
targets = st.lists(words, max_size=7).map(lambda ids: [1, *ids])
pairs = st.lists(st.tuples(sources, targets), min_size=1, max_size=4)
models = st.builds(
    random_model,
    seed=st.integers(0, 2**32 - 1),
    norm_first=st.booleans(),
    positions=st.sampled_from(["sinusoidal", "learned", "none"]),
    n_heads=st.sampled_from([1, 2, 4]),
    activation=st.sampled_from(["relu", "gelu"]),
)


@given(model=models, batch=pairs)
def test_every_row_of_weights_sums_to_one_and_is_zero_where_masked(
    model: Transformer, batch: list[tuple[list[int], list[int]]]
) -> None:
    _, recorded = record(model, pad([source for source, _ in batch]), pad([target for _, target in batch]))
    seen = 0
    for name, tensor in recorded.items():
        if name.endswith(".weights"):
            weights, mask = tensor.numpy(), recorded[name.replace(".weights", ".mask")].numpy()
            assert_near(weights.sum(axis=-1), np.ones(weights.shape[:-1]), 1e-5)
            assert (weights >= 0).all()
            assert not weights[~np.broadcast_to(mask, weights.shape)].any()
            assert mask.any(axis=-1).all()  # one key at least for every query
            seen += 1
    assert seen == 6


KEY_COLUMNS = ("scores", "scaled_scores", "masked_scores", "weights")


@given(model=models, source=sources, target=targets.filter(lambda ids: len(ids) > 1), data=st.data())
def test_a_future_target_token_changes_no_earlier_row(
    model: Transformer, source: list[int], target: list[int], data: st.DataObject
) -> None:
    place = data.draw(st.integers(1, len(target) - 1))
    changed = target.copy()
    changed[place] = data.draw(words.filter(lambda word: word != target[place]))
    logits, recorded = record(model, one(source), one(target))
    other_logits, other = record(model, one(source), one(changed))
    assert_same_bits(logits[:, :place], other_logits[:, :place])
    for name, tensor in recorded.items():
        before, after = earlier_rows(name, tensor, place), earlier_rows(name, other[name], place)
        assert_near(before.astype(np.float64), after.astype(np.float64), 1e-6)


def earlier_rows(name: str, tensor: Tensor, place: int) -> np.ndarray:
    """The part of a recorded tensor that belongs to target tokens before `place`; all of it on the source's side."""
    array = tensor.numpy()
    stage = name.rpartition(".")[2]
    if ".self_attention." in name and name.startswith("decoder"):
        if stage in ("scores", "scaled_scores"):  # before the mask, a query's row does see the future's keys
            return array[:, :, :place, :place]
        return array[..., :place, :]
    if ".cross_attention." in name:
        return array if stage in ("k", "v", "mask") else array[..., :place, :]
    if name.startswith("decoder") or name in ("target_embedding.scaled_tokens", "target_embedding.output", "logits"):
        return array[:, :place]
    if name == "target_tokens":
        return array[:, :place]
    assert name.startswith(("encoder", "source", "memory", "target_embedding.positions")), name
    return array


@given(model=models, batch=pairs, more=st.integers(0, 5))
def test_padding_changes_nothing(model: Transformer, batch: list[tuple[list[int], list[int]]], more: int) -> None:
    longest = max(max(len(source), len(target)) for source, target in batch) + more
    rows = [*batch, ([4] * longest, [4] * longest)]  # the last one only makes the others longer: it is thrown away
    together, recorded = record(model, pad([source for source, _ in rows]), pad([target for _, target in rows]))
    plain = model(pad([source for source, _ in batch]), pad([target for _, target in batch]))
    for row, (source, target) in enumerate(batch):
        length = len(target)
        alone, recorded_alone = record(model, one(source), one(target))
        assert_near(together[row, :length], alone[0], 1e-5)
        assert_near(plain[row, :length], alone[0], 1e-5)
        assert_near(recorded["memory"][row, : len(source)], recorded_alone["memory"][0], 1e-5)
        for name in ("encoder_layers.1.self_attention.weights", "decoder_layers.1.cross_attention.weights"):
            weights = recorded[name][row].numpy()
            _, queries, keys = recorded_alone[name][0].shape
            assert_near(weights[:, :queries, :keys], recorded_alone[name][0], 1e-5)
            assert not weights[:, :queries, keys:].any()


@given(model=models, source=sources, data=st.data())
def test_without_positions_permuting_the_source_permutes_the_memory(
    model: Transformer, source: list[int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(source))))
    target = one([1, 5, 6])
    logits, plain = record(model, one(source), target, [PositionsOff("source")])
    again, permuted = record(model, one(source), target, [PositionsOff("source"), PermuteSource(tuple(order))])
    assert_near(permuted["memory"][0], plain["memory"][0][order], 1e-5)
    assert_near(again, logits, 1e-5)  # and the decoder, which sees the memory as a set, does not notice
