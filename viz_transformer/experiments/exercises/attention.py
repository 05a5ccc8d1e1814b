"""Exercises about one attention: the look-up, its scores, what they are divided by, and the softmax."""

from __future__ import annotations

import numpy as np

from viz_transformer.experiments.attention.by_hand import attend
from viz_transformer.experiments.exercises.answers import ACell, ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import (
    Exercise,
    Feedback,
    first_right,
    nearly,
    placed,
    right,
    sized,
    wrong,
)
from viz_transformer.experiments.scaling.saturation import SIZES, softmax
from viz_transformer.experiments.scaling.variance import DrawSettings, theory
from viz_transformer.heads import HeadRef
from viz_transformer.sentences import N_
from viz_transformer.trace import Floats

_ANIMAL = "The animal didn't cross the street because it was too tired."
_Q, _K, _MASK = "2 0 2 0\n0 1 0 1", "2 0 0 1\n0 1 0 0\n3 0 1 0", "1 1 0\n1 1 1"
_SCORED = HeadRef("encoder_self", 2, 2)
_TURNED = HeadRef("cross", 1, 0)  # whose temperature is turned up
_WRITTEN = ("Straße", "car")  # while it writes this
_DRAWN = DrawSettings(d_k=64, scale=2)


def _matrix(text: str) -> Floats:
    return np.array([line.split() for line in text.splitlines()], dtype=np.float32)


def _by_hand() -> float:
    """The weight of key 1 for query 1."""
    q, k = _matrix(_Q), _matrix(_K)
    return float(attend(q, k, k, _matrix(_MASK) == 1).weights[0, 0])


def _judge_by_hand(_bench: Bench, answer: float) -> Feedback:
    weight = _by_hand()
    if abs(answer - weight) < 0.006:
        return right(
            N_(
                "The scores are 4 and 0, halved 2 and 0; the third key is masked. exp 2 / (exp 2 + exp 0) = "
                "{weight:.4f}."
            ),
            weight=weight,
        )
    q, k = _matrix(_Q), _matrix(_K)
    slips = {
        N_("{answer:g} is what comes out without the mask."): attend(q, k, k, np.ones((2, 3), dtype=bool)).weights,
        N_("{answer:g} is what comes out without ÷ √d_k."): attend(2 * q, k, k, _matrix(_MASK) == 1).weights,
    }
    for sentence, weights in slips.items():
        if abs(answer - float(weights[0, 0])) < 0.006:
            return nearly(sentence, answer=answer)
    return sized(answer, weight)


def _scores(bench: Bench) -> Floats:
    scores: Floats = bench.trace.attention(_SCORED.module, _SCORED.layer).scores[_SCORED.head]
    return scores


def _judge_score(bench: Bench, cell: tuple[int, int]) -> Feedback:
    scores = _scores(bench)
    weights = bench.trace.attention(_SCORED.module, _SCORED.layer).weights[_SCORED.head]
    score, most = float(scores[cell]), float(scores.max())
    verdict = placed(score, scores.ravel().tolist())
    if verdict == "right":
        return right(
            N_(
                "Its score is {score:.2f}. The largest *weight* is in another row, {largest:.1%} against "
                "{weight:.1%} here: the softmax compares the scores of one row only."
            ),
            score=score,
            weight=float(weights[cell]),
            largest=float(weights.max()),
        )
    sentence = N_("The score there is {score:.2f}; another cell has {most:.2f}.")
    return Feedback(verdict, sentence, {"score": score, "most": most})


def _judge_variance(_bench: Bench, answer: float) -> Feedback:
    variance = theory(_DRAWN).variance
    if abs(answer - variance) < 0.01 * variance:
        return right(
            N_(
                "d_k · σ⁴ = {d_k} · {product:g} = {variance:g}: each product has a variance of σ² · σ², and there are "
                "d_k of them."
            ),
            d_k=_DRAWN.d_k,
            product=variance / _DRAWN.d_k,
            variance=variance,
        )
    if answer == theory(DrawSettings(d_k=64)).variance:
        return nearly(N_("{answer:g} would be right for σ = 1."), answer=answer)
    if answer == variance**0.5:
        return nearly(N_("{answer:g} is the standard deviation, the root of the variance."), answer=answer)
    return sized(answer, variance)


def _gradients(bench: Bench) -> dict[int, tuple[float, float]]:
    """For each d_k the norm of the softmax's Jacobian without scaling, and with it."""
    without, scaled = (bench.saturation.gradient[name][0] for name in ("dot", "scaled"))
    return {size: (float(without[n]), float(scaled[n])) for n, size in enumerate(SIZES)}


def _judge_halves(bench: Bench, d_k: int) -> Feedback:
    gradients = _gradients(bench)
    if d_k not in gradients:
        return wrong(N_("The experiment has d_k = 1, 2, 4, … 1024; {answer} is not one of these."), answer=d_k)
    without, scaled = gradients[d_k]
    values = {"d_k": d_k, "without": without, "scaled": scaled, "share": without / scaled}
    if without > scaled / 2:
        return wrong(
            N_(
                "At d_k = {d_k}, the gradient is {without:.3f} without scaling and {scaled:.3f} with it: "
                "{share:.0%} gets through."
            ),
            **values,
        )
    if any(first <= second / 2 for size, (first, second) in gradients.items() if size < d_k):
        return nearly(
            N_("At d_k = {d_k}, less than half gets through ({share:.0%}), but this is already so at a smaller d_k."),
            **values,
        )
    return right(
        N_(
            "At d_k = {d_k}, the gradient is {without:.3f} without scaling and {scaled:.3f} with it: {share:.0%} "
            "gets through, less than half."
        ),
        **values,
    )


def _largest_at(bench: Bench, temperature: float) -> float:
    """The largest weight of the row that writes the word that the exercise asks about."""
    row = next(n for n, token in enumerate(bench.trace.predicted_tokens) if token in _WRITTEN)
    scores = bench.trace.attention(_TURNED.module, _TURNED.layer).scaled_scores[_TURNED.head, row]
    return float(softmax(scores / temperature).max())


def _judge_temperature(bench: Bench, answer: float) -> Feedback:
    temperature = round(answer, 1)
    largest, before = _largest_at(bench, temperature), _largest_at(bench, max(0.1, temperature - 0.1))
    if largest > 0.5:
        return wrong(
            N_("At a temperature of {temperature:g} the largest weight is still {largest:.1%}."),
            temperature=temperature,
            largest=largest,
        )
    if before <= 0.5:
        return nearly(
            N_("At {temperature:g} it is {largest:.1%}: below half, but this is already so at a lower temperature."),
            temperature=temperature,
            largest=largest,
        )
    return right(
        N_("At {temperature:g} the largest weight is {largest:.1%}; at 0.1 less, it is {before:.1%}."),
        temperature=temperature,
        largest=largest,
        before=before,
    )


BY_HAND = Exercise(
    "by-hand",
    N_("A look-up by hand"),
    N_(
        "A query (2, 0, 2, 0) meets the keys (2, 0, 0, 1), (0, 1, 0, 0) and (3, 0, 1, 0); the third is masked. "
        "What weight does the first key get, to two decimals?"
    ),
    (
        N_("Scores first, then ÷ √d_k with d_k = 4, then exp, and each divided by their sum."),
        N_(
            "The scores of the first two keys are 2 · 2 + 2 · 0 and 0. Halve them to get a and b: what share of "
            "e^a + e^b is e^a?"
        ),
    ),
    ANumber(0, 1, is_whole=False),
    _judge_by_hand,
    lambda bench: round(_by_hand(), 2),
    page="attention",
    parameters={
        "hand": "true",
        "hand_q": _Q,
        "hand_k": _K,
        "hand_v": _K,
        "hand_mask": _MASK,
        "stage": "qkv",
        "cell": "none",
    },
)
LARGEST_SCORE = Exercise(
    "largest-score",
    N_("The largest score"),
    N_("In encoder self-attention, layer 3, head 3: which cell has the largest score q · k?"),
    (
        N_("Look at the stage QKᵀ, before anything is divided. Is the largest score also the largest weight?"),
        N_(
            "The larger the number, the stronger the colour. Point at the two or three darkest cells, and compare"
            " their numbers."
        ),
    ),
    ACell("encoder_self"),
    _judge_score,
    lambda bench: tuple(int(place) for place in np.unravel_index(_scores(bench).argmax(), _scores(bench).shape)),
    page="attention",
    parameters={"module": "encoder_self", "layer": "3", "head": "3", "stage": "scores", "cell": "none"},
    model="en-de",
    source="Yesterday he bought a new car.",
    chinese={"model": "zh-en", "source": "昨天他买了一辆新车。"},
)
VARIANCE = Exercise(
    "variance",
    N_("The variance of a score"),
    N_(
        "The 64 components of q and of k are independent, with mean 0 and a standard deviation of 2. What is the "
        "variance of q · k?"
    ),
    (
        N_("The variance of one product first; then there are 64 of them, and variances of independent terms add up."),
        N_(
            "Each component has a variance of 2² = 4. The product of two independent ones with mean 0 has the "
            "product of their variances."
        ),
    ),
    ANumber(0, 100_000, is_whole=False),
    _judge_variance,
    lambda bench: theory(_DRAWN).variance,
    page="scaling",
    parameters={"lesson": "products", "part": "experiment", "dk": "64", "sd": "2"},
)
HALVES = Exercise(
    "gradient-halves",
    N_("Where the gradient halves"),
    N_(
        "A softmax over 16 keys, as in the experiment. What is the smallest d_k at which the gradient without ÷ √d_k "
        "is at most half of the one with it?"
    ),
    (
        N_("Move d_k, and compare the norms of the Jacobian in the table: without scaling, and with it."),
        N_(
            "The sizes double: 1, 2, 4, … Divide the first norm by the second, and stop where the quotient falls "
            "below one half."
        ),
    ),
    ANumber(1, 1024, label=N_("d_k")),
    _judge_halves,
    lambda bench: first_right(lambda d_k: _judge_halves(bench, d_k), SIZES),
    page="scaling",
    parameters={"lesson": "softmax", "part": "experiment", "dk": "1", "keys": "16"},
)
TEMPERATURE = Exercise(
    "temperature",
    N_("Warm enough to hesitate"),
    N_(
        "Cross-attention, layer 2, head 1 is sure where to look while it writes “Straße”. What is the lowest "
        "temperature, in tenths, at which its largest weight in this row is at most one half?"
    ),
    (
        N_("*What if ÷* sets a temperature for this head alone: it divides the scores once more, after √d_k."),
        N_("The higher the temperature, the flatter the weights. The answer is above 1; halve the range each "
           "time, as in guessing a number."),
    ),
    ANumber(0.1, 5, is_whole=False, label=N_("Temperature")),
    _judge_temperature,
    lambda bench: first_right(
        lambda temperature: _judge_temperature(bench, temperature), (tenths / 10 for tenths in range(1, 51))
    ),
    page="attention",
    parameters={
        "module": "cross", "layer": "2", "head": "1", "stage": "softmax", "cell": "5-7",
        "whatif": "temperature", "reach": "head", "temperature": "1",
    },
    model="en-de",
    source=_ANIMAL,
    chinese={
        "model": "zh-en",
        "source": "昨天他买了一辆新车。",
        "question": N_(
            "Cross-attention, layer 2, head 1 is sure where to look while it writes “car”. What is the lowest "
            "temperature, in tenths, at which its largest weight in this row is at most one half?"
        ),
        "parameters": {
            "module": "cross", "layer": "2", "head": "1", "stage": "softmax", "cell": "5-7",
            "whatif": "temperature", "reach": "head", "temperature": "1",
        },
    },
)  # fmt: skip
