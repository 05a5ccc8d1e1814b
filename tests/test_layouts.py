"""The weights of other people's models in ours: the same numbers, the same outputs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import MBartConfig, MBartForConditionalGeneration

from tests.decoding.slow_decoder import slow_beam
from tests.helpers import assert_near, one
from tests.layouts import SOURCE_WORDS, TARGET_WORDS, Annotated, Heads, OfTorch, from_annotated, from_torch, randomised
from viz_transformer import Transformer, TransformerConfig, beam_search, greedy_search, record
from viz_transformer.heads import ATTENTION_MODULES, hook_path, n_layers

SOURCES = torch.tensor([[5, 6, 7, 18, 9, 2], [12, 4, 2, 0, 0, 0]])
TARGETS = torch.tensor([[1, 4, 22, 6, 7], [1, 8, 9, 0, 0]])
# nn.Transformer asks for nested tensors whatever its layers are, and then warns that it cannot have them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:enable_nested_tensor is True, but:UserWarning"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype:UserWarning"),
]


def assert_same(ours: Transformer, theirs: Any) -> None:
    """Log-probabilities, of the fused and of the recorded pass; greedy outputs; the n best of beams."""
    with torch.no_grad():
        expected = theirs(SOURCES, TARGETS).log_softmax(-1)
    real = TARGETS != 0
    assert_near(ours(SOURCES, TARGETS).log_softmax(-1)[real], expected[real], 1e-5)
    assert_near(record(ours, SOURCES, TARGETS)[0].log_softmax(-1)[real], expected[real], 1e-5)
    for row in ([5, 6, 7, 18, 9, 2], [12, 4, 2]):
        ids: list[int] = []
        with torch.no_grad():
            while len(ids) < 8 and (not ids or ids[-1] != 2):
                row_of = theirs(one(row), one([1, *ids]))[0, -1]
                row_of[:2] = -torch.inf
                ids.append(int(row_of.argmax()))
        *_, last = greedy_search(ours, row, max_len=8)
        assert list(last.best.ids) == ids
        for k in (2, 3):
            *_, last = beam_search(ours, row, beam_size=k, length_penalty=0.8, max_len=6, banned_ids=(0, 1))
            _levels, found = slow_beam(theirs, row, k, 0.8, 6)
            assert [hypothesis.ids for hypothesis in last.finished] == found


def assert_same_weights(ours: Transformer, of_module: dict[tuple[str, int], Tensor]) -> None:
    """Compares the weights of every head, where the query is no padding."""
    _logits, seen = record(ours, SOURCES, TARGETS)
    for module in ATTENTION_MODULES:
        for layer in range(n_layers(ours.config, module)):
            mine, theirs = seen[f"{hook_path(module, layer)}.weights"], of_module[module, layer]
            for row, is_real in enumerate((SOURCES if module == "encoder_self" else TARGETS) != 0):
                assert_near(mine[row][:, is_real], theirs[row][:, is_real], 2e-6)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
def test_torch_nn_transformer(activation: str, norm_first: bool) -> None:
    theirs = OfTorch(activation, norm_first)
    randomised(theirs, 3)
    ours = from_torch(theirs.eval(), activation, norm_first)
    assert ours.config.final_norms and ours.config.norm_first == norm_first
    assert_same(ours, theirs)
    assert_same_weights(ours, weights_of(theirs))


def weights_of(theirs: OfTorch) -> dict[tuple[str, int], Tensor]:
    """The weights in every attention module of `nn.Transformer`, which gives them only if asked."""
    found: dict[tuple[str, int], Tensor] = {}

    def ask(key: tuple[str, int]) -> Any:
        def hook(module: nn.MultiheadAttention, inputs: Any, options: dict[str, Any]) -> None:
            if key not in found:
                found[key] = torch.empty(0)  # so that the call below does not run this again
                options = {**options, "need_weights": True, "average_attn_weights": False, "is_causal": False}
                found[key] = module(*inputs, **options)[1]

        return hook

    names = {
        "encoder_self": ("encoder", "self_attn"),
        "decoder_self": ("decoder", "self_attn"),
        "cross": ("decoder", "multihead_attn"),
    }
    for module, (stack, name) in names.items():
        for n, layer in enumerate(theirs.transformer.get_submodule(stack).layers):  # type: ignore[arg-type]
            getattr(layer, name).register_forward_pre_hook(ask((module, n)), with_kwargs=True)
    theirs(SOURCES, TARGETS)  # with gradients: without them it takes a fast path that calls no modules
    return {key: weights.detach() for key, weights in found.items()}


def test_the_annotated_transformer() -> None:
    theirs = Annotated()
    randomised(theirs, 1)
    with torch.no_grad():  # large, so that ε, which it adds in another place, does not matter
        theirs.src_embed[0]["lut"].weight.mul_(8)
        theirs.tgt_embed[0]["lut"].weight.mul_(8)
    ours = from_annotated(theirs.eval())
    assert_same(ours, theirs)
    theirs(SOURCES, TARGETS)
    places = {
        "encoder_self": ("encoder", "self_attn"),
        "decoder_self": ("decoder", "self_attn"),
        "cross": ("decoder", "src_attn"),
    }
    found = {}
    for module, (stack, name) in places.items():
        for n, layer in enumerate(theirs.get_submodule(stack).layers):  # type: ignore[arg-type]
            heads = layer.get_submodule(name)
            assert isinstance(heads, Heads)
            found[module, n] = heads.attn.detach()
    assert_same_weights(ours, found)


def test_mbart() -> None:
    """Pre-norm, a norm on the embeddings, final norms, learned positions that begin with row 2, an output bias."""
    sizes = {"encoder": 2, "decoder": 3}
    config = MBartConfig(
        vocab_size=SOURCE_WORDS,
        max_position_embeddings=20,
        d_model=32,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=2,
        encoder_ffn_dim=40,
        decoder_ffn_dim=24,
        activation_function="gelu",
        scale_embedding=True,
        pad_token_id=0,
        bos_token_id=1,
        decoder_start_token_id=1,
        eos_token_id=2,
        forced_eos_token_id=None,
    )
    theirs = MBartForConditionalGeneration(config).eval()
    randomised(theirs, 2)
    with torch.no_grad():
        theirs.final_logits_bias.normal_(generator=torch.Generator().manual_seed(0))
    state = theirs.state_dict()
    weights = {
        "source_embedding.tokens.weight": state["model.shared.weight"],
        "target_embedding.tokens.weight": state["model.shared.weight"],
        "output_projection.weight": state["model.shared.weight"],
        "output_projection.bias": state["final_logits_bias"][0],
    }
    parts = {
        "self_attn_layer_norm": "add_self_attention.norm", "encoder_attn_layer_norm": "add_cross_attention.norm",
        "final_layer_norm": "add_feed_forward.norm", "fc1": "feed_forward.w_1", "fc2": "feed_forward.w_2",
        "self_attn": "self_attention", "encoder_attn": "cross_attention",
        "q_proj": "w_q", "k_proj": "w_k", "v_proj": "w_v", "out_proj": "w_o",
    }  # fmt: skip
    for stack in sizes:
        side = "source" if stack == "encoder" else "target"
        weights[f"{side}_embedding.positions.table"] = state[f"model.{stack}.embed_positions.weight"][2:]
        for last in ("weight", "bias"):
            weights[f"{side}_embedding.norm.{last}"] = state[f"model.{stack}.layernorm_embedding.{last}"]
            weights[f"{stack}_norm.{last}"] = state[f"model.{stack}.layer_norm.{last}"]
        for name, tensor in state.items():
            if name.startswith(f"model.{stack}.layers."):
                layer, *rest = name.removeprefix(f"model.{stack}.layers.").split(".")
                weights[".".join([f"{stack}_layers.{layer}", *(parts.get(part, part) for part in rest)])] = tensor
    ours = Transformer(
        TransformerConfig(
            source_vocab_size=SOURCE_WORDS,
            target_vocab_size=SOURCE_WORDS,
            d_model=32,
            n_heads=4,
            n_decoder_heads=2,
            n_encoder_layers=2,
            n_decoder_layers=3,
            d_ff=40,
            decoder_d_ff=24,
            max_len=20,
            activation="gelu",
            norm_first=True,
            positions="learned",
            embedding_norm=True,
            output_bias=True,
        )
    )
    ours.load_state_dict(weights)
    targets = TARGETS.clamp(max=SOURCE_WORDS - 1)
    with torch.no_grad():
        expected = theirs(input_ids=SOURCES, attention_mask=(SOURCES != 0).long(), decoder_input_ids=targets).logits
        found = ours.eval()(SOURCES, targets)
    real = targets != 0
    assert_near(found.log_softmax(-1)[real], expected.log_softmax(-1)[real], 1e-5)
    assert TARGET_WORDS > SOURCE_WORDS
