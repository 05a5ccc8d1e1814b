"""Exercises about shapes: whose queries meet whose keys, and how a matrix becomes heads."""

from __future__ import annotations

from viz_transformer.experiments.exercises.answers import AShape
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, nearly, right, wrong
from viz_transformer.sentences import N_

Shape = tuple[int, ...]

_BATCH, _TOKENS, _WIDTH, _HEADS = 2, 10, 512, 8


def _cross_weights(bench: Bench) -> Shape:
    return bench.trace.attention("cross", 0).weights.shape  # (H, T, S)


def _judge_cross(bench: Bench, shape: Shape) -> Feedback:
    heads, queries, keys = _cross_weights(bench)
    values = {"shape": _written(shape), "heads": heads, "queries": queries, "keys": keys}
    if shape == (heads, queries, keys):
        return right(
            N_(
                "{heads} heads, {queries} queries, {keys} keys: the queries come from the decoder, one for each token "
                "that it has read; keys and values come from the encoder, one for each source token."
            ),
            **values,
        )
    if shape == (heads, keys, queries):
        return nearly(N_("{shape} has them the wrong way round: it is the decoder that asks."), **values)
    if shape in ((heads, queries, queries), (heads, keys, keys)):
        return nearly(
            N_("{shape} would be self-attention: here queries and keys come from different sentences."), **values
        )
    if shape == (queries, keys):
        return nearly(N_("{shape} is right for one head, but each head has weights of its own."), **values)
    return wrong(N_("It is not {shape}: count the heads, the queries, and the keys."), **values)


def _split() -> Shape:
    return _BATCH, _HEADS, _TOKENS, _WIDTH // _HEADS


def _judge_split(_bench: Bench, shape: Shape) -> Feedback:
    split = _split()
    batch, heads, tokens, d_k = split
    values = {"shape": _written(shape), "d_k": d_k, "width": _WIDTH, "heads": heads}
    if shape == split:
        return right(
            N_(
                "The {width} features are cut into {heads} groups of {d_k}, and the axes of heads and tokens are "
                "swapped, so each head has its own matrix of tokens × d_k."
            ),
            **values,
        )
    if shape == (batch, tokens, heads, d_k):
        return nearly(
            N_("{shape} is cut, but the heads still come after the tokens: transpose the two axes."), **values
        )
    if shape == (batch, heads, tokens, _WIDTH):
        return nearly(N_("{shape}: each head gets a share of the {width} features, not all of them."), **values)
    return wrong(N_("It is not {shape}. The product of all four sizes is that of 2 × 10 × 512."), **values)


def _written(shape: Shape) -> str:
    return " × ".join(map(str, shape))


CROSS_SHAPE = Exercise(
    "cross-shape",
    N_("Whose queries, whose keys"),
    N_("In this pass, what shape do the weights of one layer of cross-attention have: heads × queries × keys?"),
    (
        N_("One stack asks, the other one answers. Which of them has the queries?"),
        N_(
            "A query for each token that the decoder reads, the start token first; a key for each that the encoder "
            "reads."
        ),
    ),
    AShape(),
    _judge_cross,
    _cross_weights,
    page="attention",
    parameters={"module": "cross", "layer": "1", "head": "1", "stage": "qkv", "cell": "none"},
    model="en-de",
    source="Yesterday he bought a new car.",
    chinese={"model": "zh-en", "source": "昨天他买了一辆新车。"},
)
SPLIT_HEADS = Exercise(
    "split-heads",
    N_("Cut into heads"),
    N_(
        "Q has the shape 2 × 10 × 512: two sentences of ten tokens each, d_model = 512. What shape does it have "
        "once it is cut into 8 heads, ready for QKᵀ?"
    ),
    (
        N_("No number is lost: the product of the sizes stays. What is d_k?"),
        N_(
            "QKᵀ multiplies the last two axes, tokens × d_k, for every sentence and every head: so the axes of "
            "sentences and heads come first."
        ),
    ),
    AShape(),
    _judge_split,
    lambda bench: _split(),
    page="architecture",
    parameters={"lesson": "shapes", "model": "copy"},
)
