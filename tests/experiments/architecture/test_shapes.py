from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import one, random_ids, random_model
from viz_transformer import Trace, TransformerConfig, Translator
from viz_transformer.experiments.architecture.shapes import BOXES, Lengths, box_shapes, layers_of, tensor_shapes
from viz_transformer.trace import record


def lengths_of(trace: Trace) -> Lengths:
    return Lengths(len(trace.source_tokens), len(trace.target_tokens))


@given(
    heads=st.integers(1, 3),
    half_width=st.integers(1, 3),
    layers=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    d_ff=st.integers(1, 9),
    norm_first=st.booleans(),
    sublayers=st.sampled_from(["both", "attention", "feed_forward"]),
    lengths=st.tuples(st.integers(1, 6), st.integers(1, 6)),
)
def test_every_tensor_of_a_pass_has_its_shape_and_none_is_left_out(
    heads: int,
    half_width: int,
    layers: tuple[int, int],
    d_ff: int,
    norm_first: bool,
    sublayers: str,
    lengths: tuple[int, int],
) -> None:
    model = random_model(
        n_heads=heads,
        d_model=2 * half_width * heads,
        n_encoder_layers=layers[0],
        n_decoder_layers=layers[1],
        d_ff=d_ff,
        norm_first=norm_first,
        sublayers=sublayers,
    )
    s, t = lengths
    _, recorded = record(model, one(random_ids(0, s)), one(random_ids(1, t)))
    without_batch = {
        name: tuple(tensor.shape) if ".positions." in name else tuple(tensor.shape[1:])
        for name, tensor in recorded.items()
    }
    expected = {tensor.name: tensor.shape for tensor in tensor_shapes(model.config, Lengths(s, t))}
    assert expected.pop("log_probs") == (t, model.config.target_vocab_size)  # the trace adds it
    assert expected == without_batch


def test_a_trace_has_exactly_these_tensors(translator: Translator) -> None:
    trace = translator.trace("3 1 4", target="1 5")
    expected = {tensor.name: tensor.shape for tensor in tensor_shapes(trace.config, lengths_of(trace))}
    assert expected == {name: tensor.shape for name, tensor in trace.tensors.items()}


def test_letters_and_numbers_belong_together() -> None:
    config = TransformerConfig(d_model=30, n_heads=5, d_ff=70, positions="none", n_encoder_layers=3)
    sizes = {"1": 1, "S": 7, "T": 11, "H": 5, "D": 6, "d_model": 30, "d_ff": 70, "V": 37_000}
    for box in BOXES:
        for tensor in box_shapes(config, Lengths(7, 11), box, 0):
            assert tensor.shape == tuple(sizes[letter] for letter in tensor.letters)


@pytest.mark.parametrize(("box", "count"), [("encoder_self", 3), ("cross", 6), ("memory", 1), ("linear", 1)])
def test_a_box_of_a_stack_stands_in_each_of_its_layers(box: str, count: int) -> None:
    config = TransformerConfig(n_encoder_layers=3)
    (found,) = [name for name in BOXES if name == box]
    assert layers_of(config, found) == count
