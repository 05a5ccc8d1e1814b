"""Exercises about positions: what the encoding says, and what the model makes of it."""

from __future__ import annotations

import numpy as np

from viz_transformer.experiments.exercises.answers import ANumber, AText
from viz_transformer.experiments.exercises.bench import Bench, shipped_sources
from viz_transformer.experiments.exercises.exercise import (
    Exercise,
    Feedback,
    first_right,
    first_text,
    nearly,
    right,
    wrong,
)
from viz_transformer.experiments.positions.encoding import encode, wavelengths
from viz_transformer.interventions import PositionsOff, ShiftPositions
from viz_transformer.sentences import N_
from viz_transformer.tokenizers import EncodedText

_WIDTH = 64
_LONG = 100  # positions
_FURTHEST = 64
_WORDS = 4  # the fewest tokens of an answer to `BAG`


def _product(first: int, second: int) -> float:
    a, b = encode(np.array([first, second], dtype=np.float64), _WIDTH)
    return float(a @ b)


def _judge_product(_bench: Bench, place: int) -> Feedback:
    product, own = _product(10, 13), _product(40, place)
    values = {"place": place, "own": own, "product": product}
    if abs(own - product) < 1e-9:
        return right(
            N_(
                "PE(40) · PE({place}) = {own:.3f} = PE(10) · PE(13): the dot product depends on the distance "
                "alone, so 37 and 43 are both right."
            ),
            **values,
        )
    return wrong(N_("PE(40) · PE({place}) = {own:.3f}, but PE(10) · PE(13) = {product:.3f}."), **values)


def _judge_slow(_bench: Bench, pair: int) -> Feedback:
    lengths = wavelengths(_WIDTH)
    length = float(lengths[pair])
    if length <= _LONG:
        return wrong(N_("Pair {pair} completes a turn after {length:.1f} positions."), pair=pair, length=length)
    if lengths[pair - 1] > _LONG:
        return nearly(
            N_("Pair {pair} takes {length:.1f} positions, but it is not the first that takes more than 100."),
            pair=pair,
            length=length,
        )
    return right(
        N_("Pair {pair} takes {length:.1f} positions; the one before takes {before:.1f}."),
        pair=pair,
        length=length,
        before=float(lengths[pair - 1]),
    )


def _shifted(bench: Bench, shift: int) -> str:
    return bench.text_of(bench.greedy(bench.source, ShiftPositions(shift, "source")))


def _judge_shift(bench: Bench, shift: int) -> Feedback:
    own, output = bench.translator.decode(bench.trace), _shifted(bench, shift)
    if output == own:
        return wrong(
            N_("With positions shifted by {shift}, the model still writes “{output}”"), shift=shift, output=output
        )
    if any(_shifted(bench, smaller) != own for smaller in range(1, shift)):
        return nearly(
            N_(
                "With positions shifted by {shift}, the model writes “{output}”. But a smaller shift already "
                "changes the output."
            ),
            shift=shift,
            output=output,
        )
    return right(N_("With positions shifted by {shift}, the model writes “{output}”"), shift=shift, output=output)


def _judge_bag(bench: Bench, read: EncodedText) -> Feedback:
    if len(read.ids) < _WORDS:
        return wrong(N_("It has {count} tokens; it needs at least {least}."), count=len(read.ids), least=_WORDS)
    own, without = bench.greedy(read), bench.greedy(read, PositionsOff("source"))
    values = {"own": bench.text_of(own), "without": bench.text_of(without)}
    if own.ids == without.ids:
        return right(N_("With positions and without, the model writes the same: “{own}”"), **values)
    return wrong(N_("With positions the model writes “{own}”, and without “{without}”."), **values)


SAME_PRODUCT = Exercise(
    "same-product",
    N_("The same dot product"),
    N_(
        "PE(p) is the sinusoidal encoding of position p, with 64 dimensions. For which position p is PE(40) · PE(p) "
        "the same as PE(10) · PE(13)?"
    ),
    (
        N_("The dot product of two encodings is a sum of cosines of their distance times a frequency."),
        N_("It depends on the distance alone. How far is it from 10 to 13?"),
    ),
    ANumber(0, 1000, label=N_("Position")),
    _judge_product,
    lambda bench: min(range(200), key=lambda place: abs(_product(40, place) - _product(10, 13))),
    page="positions",
    parameters={"lesson": "distance", "part": "experiment", "dm": str(_WIDTH), "k": "3"},
)
SLOW_PAIR = Exercise(
    "slow-pair",
    N_("A slow pair"),
    N_(
        "With d_model = 64, each pair of dimensions turns like the hand of a clock. Which is the first pair i, "
        "counted from 0, that needs more than 100 positions for a full turn?"
    ),
    (
        N_("The wavelength of pair i is 2π · 10000^(2i / d_model)."),
        N_("Solve 2π · 10000^(2i / 64) = 100 for i, and take the next whole number."),
    ),
    ANumber(0, _WIDTH // 2 - 1, label=N_("Pair")),
    _judge_slow,
    lambda bench: first_right(lambda pair: _judge_slow(bench, pair), range(_WIDTH // 2)),
    page="positions",
    parameters={"lesson": "encoding", "part": "experiment", "dm": str(_WIDTH)},
)
SHIFT = Exercise(
    "shift",
    N_("Shifted until it breaks"),
    N_(
        "Shift the positions of all source tokens. All distances stay the same; even so, from some shift on the model "
        "writes something else. What is the smallest such shift?"
    ),
    (
        N_("Move the slider, one position at a time, and read the output."),
        N_("The output is compared as a whole: one different word is enough."),
    ),
    ANumber(1, _FURTHEST, label=N_("Shift")),
    _judge_shift,
    lambda bench: first_right(lambda shift: _judge_shift(bench, shift), range(1, _FURTHEST + 1)),
    page="positions",
    parameters={"lesson": "distance", "part": "model", "shift": "1"},
    model="zh-en",
    source="猫睡了，因为它累了。",
)
BAG = Exercise(
    "bag",
    N_("A sentence that needs no order"),
    N_(
        "Type an English sentence of at least four tokens that the model translates into the same words even "
        "without source positions, as a bag of words."
    ),
    (
        N_("If words fit together in only one way, their order does not matter: try a greeting."),
        N_("Everyday sentences are learned as a whole: asking the way, thanks, greetings."),
    ),
    AText("source"),
    _judge_bag,
    lambda bench: first_text(bench, _judge_bag, shipped_sources("en-de")),
    page="positions",
    parameters={"lesson": "order", "part": "model"},
    model="en-de",
    chinese={
        "model": "zh-en",
        "question": N_(
            "Type a Chinese sentence of at least four tokens that the model translates into the same words even "
            "without source positions, as a bag of words."
        ),
        "solution": lambda bench: first_text(bench, _judge_bag, shipped_sources("zh-en")),
    },
)
