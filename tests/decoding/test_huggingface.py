"""Beam search against Hugging Face `generate`, on random Marian models whose weights are copied into ours.

Where the rules are the same, tokens and scores must be. They differ here:

- At the longest length Hugging Face finalises what has not ended: each of the best k candidates of the last step
  joins the finished ones with its score, ended or not. We keep them apart, as live. `tests.huggingface.finalised` does
  to our result what Hugging Face does to its own.
- Hugging Face's length penalty divides the sum by length^p: p = 1 is our "mean", p = 0 our "sum". It has no
  GNMT penalty; `test_exhaustive.py` and `test_search.py` check that one.
- Hugging Face fills its beam with k copies of the empty hypothesis, all but one at -1e9; our beam begins with one.
  The two agree as long as a step has at least 2k continuations, which 38 tokens see to.
- `early_stopping` True, False, "never" are our "first", "likely", "certain".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
import torch
from torch import nn
from transformers import MarianConfig, MarianMTModel

from tests.helpers import assert_near
from tests.huggingface import finalised
from viz_transformer import Transformer, TransformerConfig, beam_search
from viz_transformer.attention import MultiHeadAttention
from viz_transformer.layers import DecoderLayer, EncoderLayer

VOCABULARY, MAX_POSITIONS, MAX_NEW_TOKENS = 40, 32, 10
PAD, START, END = 0, 1, 2
SEEDS = range(12)
EARLY_STOPPING: dict[Any, Any] = {"first": True, "likely": False, "certain": "never"}
LENGTH_PENALTY: dict[Any, float] = {"mean": 1.0, "sum": 0.0}


@lru_cache
def marian(seed: int) -> MarianMTModel:
    """A random Marian model whose outputs vary, repeat little and often end."""
    config = MarianConfig(
        vocab_size=VOCABULARY,
        decoder_vocab_size=VOCABULARY,
        max_position_embeddings=MAX_POSITIONS,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.0,
        pad_token_id=PAD,
        bos_token_id=START,
        decoder_start_token_id=START,
        eos_token_id=END,
        forced_eos_token_id=None,
        share_encoder_decoder_embeddings=True,
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = MarianMTModel(config).eval()
        for name, parameter in model.named_parameters():
            if name == "model.shared.weight":
                parameter.normal_(std=0.4)
                parameter[END] *= 2  # its logit swings wider, so that it is sometimes the best
            elif "embed_positions" not in name:
                # A strong feed-forward, so that the next token is not always the last one again (tied embeddings).
                parameter.normal_(std=(0.8 if ".fc" in name else 0.1))
                if name.endswith("norm.weight"):
                    parameter.add_(1)
        # What all outputs have in common would make one token the favourite everywhere: take it out.
        sources, targets = torch.randint(3, VOCABULARY, (64, 6)), torch.randint(3, VOCABULARY, (64, 8))
        hidden = model.model(input_ids=sources, decoder_input_ids=targets).last_hidden_state
        model.model.decoder.layers[-1].final_layer_norm.bias -= hidden.mean((0, 1))
    return model


def copy_attention(ours: MultiHeadAttention, theirs: nn.Module) -> None:
    for mine, name in ((ours.w_q, "q_proj"), (ours.w_k, "k_proj"), (ours.w_v, "v_proj"), (ours.w_o, "out_proj")):
        mine.load_state_dict(theirs.get_submodule(name).state_dict())


def copy_layer(ours: EncoderLayer | DecoderLayer, theirs: Any) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    ours.add_self_attention.norm.load_state_dict(theirs.self_attn_layer_norm.state_dict())
    if isinstance(ours, DecoderLayer):
        copy_attention(ours.cross_attention, theirs.encoder_attn)
        ours.add_cross_attention.norm.load_state_dict(theirs.encoder_attn_layer_norm.state_dict())
    ours.feed_forward.w_1.load_state_dict(theirs.fc1.state_dict())
    ours.feed_forward.w_2.load_state_dict(theirs.fc2.state_dict())
    ours.add_feed_forward.norm.load_state_dict(theirs.final_layer_norm.state_dict())


@lru_cache
@torch.no_grad()
def copied(seed: int) -> Transformer:
    """Our model with Marian's weights; its sinusoids (all sines first) go into a learned table."""
    theirs = marian(seed).model
    config = TransformerConfig(
        source_vocab_size=VOCABULARY,
        target_vocab_size=VOCABULARY,
        d_model=32,
        n_heads=4,
        n_encoder_layers=2,
        n_decoder_layers=2,
        d_ff=64,
        max_len=MAX_POSITIONS,
        positions="learned",
        weight_tying="all",
    )
    ours = Transformer(config).eval().requires_grad_(False)
    ours.target_embedding.tokens.weight.copy_(theirs.shared.weight)
    ours.source_embedding.positions.table.copy_(theirs.encoder.embed_positions.weight)
    ours.target_embedding.positions.table.copy_(theirs.decoder.embed_positions.weight)
    for mine, layer in zip(ours.encoder_layers, theirs.encoder.layers, strict=True):
        copy_layer(mine, layer)
    for mine, layer in zip(ours.decoder_layers, theirs.decoder.layers, strict=True):
        copy_layer(mine, layer)
    return ours


def source_of(seed: int) -> list[int]:
    words = torch.randint(3, VOCABULARY, (3 + seed % 4,), generator=torch.Generator().manual_seed(seed))
    return [*words.tolist(), END]


def generate(seed: int, k: int, stop: Any, normalization: Any) -> tuple[list[tuple[int, ...]], list[float]]:
    """Hugging Face's k outputs, cut after the end token, and their scores."""
    source = torch.tensor([source_of(seed)])
    result = marian(seed).generate(
        source,
        attention_mask=torch.ones_like(source),
        num_beams=k,
        num_return_sequences=k,
        do_sample=False,
        early_stopping=EARLY_STOPPING[stop],
        length_penalty=LENGTH_PENALTY[normalization],
        max_new_tokens=MAX_NEW_TOKENS,
        suppress_tokens=[PAD, START],
        return_dict_in_generate=True,
        output_scores=True,
    )
    outputs = []
    for row in result.sequences.tolist():
        ids = row[1:]  # the start token
        outputs.append(tuple(ids[: ids.index(END) + 1] if END in ids else ids))
    return outputs, result.sequences_scores.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_copied_model_computes_the_same(seed: int) -> None:
    source, target = torch.tensor([source_of(seed)]), torch.tensor([[START, 7, 8, 9]])
    with torch.no_grad():
        expected = marian(seed)(input_ids=source, decoder_input_ids=target).logits
    assert_near(copied(seed)(source, target).log_softmax(-1), expected.log_softmax(-1), 1e-5)


@pytest.mark.parametrize("normalization", LENGTH_PENALTY)
@pytest.mark.parametrize("stop", EARLY_STOPPING)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_beam_equals_hugging_faces(k: int, stop: Any, normalization: Any) -> None:
    for seed in SEEDS:
        steps = list(
            beam_search(
                copied(seed),
                source_of(seed),
                beam_size=k,
                normalization=normalization,
                stop=stop,
                max_len=MAX_NEW_TOKENS,
                banned_ids=(PAD, START),
            )
        )
        outputs, scores = generate(seed, k, stop, normalization)
        assert [ids for ids, _ in finalised(steps, k, MAX_NEW_TOKENS, END)] == outputs, seed
        assert_near(
            [score for _, score in finalised(steps, k, MAX_NEW_TOKENS, END)], scores, 2e-5
        )  # theirs is summed in float32


def test_these_outputs_are_not_trivial() -> None:
    """The comparison is worth something: outputs end and do not, early and late, and the stop rules disagree."""
    by_stop = {stop: [generate(seed, 3, stop, "mean") for seed in SEEDS] for stop in EARLY_STOPPING}
    best = [outputs[0] for outputs, _ in by_stop["likely"]]
    assert len({len(ids) for ids in best}) >= 4
    assert any(ids[-1] == END for ids in best) and any(ids[-1] != END for ids in best)
    assert all(len(set(ids)) > 1 for ids in best if len(ids) > 3)
    assert by_stop["first"] != by_stop["likely"] != by_stop["certain"]
