"""Exercises about heads: where they look, how widely, and what the output owes to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from viz_transformer.experiments.exercises.answers import AHead, AToken
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, placed, right, wrong
from viz_transformer.heads import HeadRef, n_layers
from viz_transformer.sentences import N_

Place = TypeVar("Place")
_Judge = Callable[[Bench, HeadRef], Feedback]

_CAR = "Yesterday he bought a new car."
_ANIMAL = "The animal didn't cross the street because it was too tired."
_ZH_CAR = {"model": "zh-en", "source": "昨天他买了一辆新车。"}
_ZH_CAT = {"model": "zh-en", "source": "猫睡了，因为它累了。"}
_LOOKS = HeadRef("cross", 1, 1)  # the head that `LOOK` asks about


def _largest(values: Mapping[Place, float]) -> Place:
    return max(values, key=lambda place: values[place])


def _smallest(values: Mapping[Place, float]) -> Place:
    return min(values, key=lambda place: values[place])


def _measured(bench: Bench, measure: str) -> dict[HeadRef, float]:
    return {head: values[measure] for head, values in bench.measures.items() if measure in values}


def _cross(bench: Bench, measure: str) -> dict[HeadRef, float]:
    return {head: value for head, value in _measured(bench, measure).items() if head.module == "cross"}


def _compared(head: HeadRef, shares: Mapping[HeadRef, float]) -> Feedback:
    """Feedback on a head by its share: right if no other head has a larger one."""
    verdict, values = placed(shares[head], shares.values()), {"head": head, "share": shares[head]}
    if verdict == "right":
        return right(N_("{head} puts {share:.1%} of its weight there, more than any other head."), **values)
    sentence = N_("{head} puts {share:.1%} of its weight there; another head puts {most:.1%}.")
    return Feedback(verdict, sentence, {**values, "most": max(shares.values())})


def _largest_share(shares: Callable[[Bench], Mapping[HeadRef, float]]) -> tuple[_Judge, Callable[[Bench], HeadRef]]:
    """The judge and the solution of an exercise that asks for the head with the largest share."""
    return lambda bench, head: _compared(head, shares(bench)), lambda bench: _largest(shares(bench))


def _weights_on(bench: Bench, written: str, source: str) -> dict[HeadRef, float]:
    """The weight of each head of cross-attention on a source token, in the row that writes a target token."""
    row, key = bench.trace.predicted_tokens.index(written), bench.trace.source_tokens.index(source)
    layers = range(n_layers(bench.trace.config, "cross"))
    return {
        HeadRef("cross", layer, head): float(weights[row, key])
        for layer in layers
        for head, weights in enumerate(bench.trace.attention("cross", layer).weights)
    }


def _looked_at(bench: Bench) -> dict[int, float]:
    """The weight of each source token in the row of one head that writes “today”."""
    row = bench.trace.predicted_tokens.index("today")
    weights = bench.trace.attention("cross", _LOOKS.layer).weights[_LOOKS.head, row]
    return dict(enumerate(map(float, weights)))


def _judge_look(bench: Bench, place: int) -> Feedback:
    weights, token = _looked_at(bench), bench.trace.source_tokens[place]
    if weights[place] == max(weights.values()):
        return right(
            N_("{head} puts {share:.1%} on {token} while it writes “today”."),
            head=_LOOKS,
            share=weights[place],
            token=token,
        )
    return wrong(
        N_("{head} puts {share:.1%} on {token} while it writes “today”; another token gets {most:.1%}."),
        head=_LOOKS,
        share=weights[place],
        token=token,
        most=max(weights.values()),
    )


def _judge_sharp(bench: Bench, head: HeadRef) -> Feedback:
    keys = _measured(bench, "keys")
    fewest, widest = min(keys.values()), max(keys.values())
    verdict = placed(-keys[head], (-value for value in keys.values()))
    if verdict == "right":
        return right(
            N_(
                "{head} attends to {keys:.2f} keys on average, fewer than any other head; the most spread-out head"
                " to {widest:.1f}."
            ),
            head=head,
            keys=keys[head],
            widest=widest,
        )
    sentence = N_("{head} attends to {keys:.2f} keys on average; another head to {fewest:.2f}.")
    return Feedback(verdict, sentence, {"head": head, "keys": keys[head], "fewest": fewest})


def _judge_needed(bench: Bench, head: HeadRef) -> Feedback:
    falls = {one: -impact for one, impact in bench.impacts.items()}
    verdict = placed(falls[head], falls.values())
    if verdict == "right":
        return right(
            N_("Without {head}, log p of the output falls by {fall:.3f}, more than without any other head."),
            head=head,
            fall=falls[head],
        )
    if falls[head] < 0:
        return wrong(N_("Without {head}, log p even rises, by {rise:.3f}."), head=head, rise=-falls[head])
    sentence = N_("Without {head}, log p of the output falls by {fall:.3f}; without another head by {most:.3f}.")
    return Feedback(verdict, sentence, {"head": head, "fall": falls[head], "most": max(falls.values())})


def _judge_harmful(bench: Bench, head: HeadRef) -> Feedback:
    rise, most = bench.impacts[head], max(bench.impacts.values())
    values = {"head": head, "rise": rise, "fall": -rise, "most": most}
    if rise < 0:
        return wrong(N_("Without {head}, log p of the output falls by {fall:.3f}: the head helps."), **values)
    verdict = placed(rise, bench.impacts.values())
    if verdict == "right":
        return right(
            N_("Without {head}, log p of the output rises by {rise:.3f}: the model would be surer of it."), **values
        )
    sentence = N_("Without {head}, log p of the output rises by {rise:.3f}; without another head by {most:.3f}.")
    return Feedback(verdict, sentence, values)


COPY = Exercise(
    "copy",
    N_("A head that copies"),
    N_(
        "This model repeats digits. Which head of cross-attention puts the most weight on the very digit that is "
        "written next?"
    ),
    (
        N_("Look for a diagonal: row 1 on column 1, row 2 on column 2, and so on."),
        N_(
            "Several heads have such a diagonal, one is the darkest. *Measures* has it as a number: the weight on the "
            "diagonal."
        ),
    ),
    AHead(("cross",)),
    *_largest_share(lambda bench: _measured(bench, "diagonal")),
    page="heads",
    parameters={"view": "glance", "only": "cross", "score": "diagonal"},
    model="copy",
    source="3 1 4 1 5 9 2 6",
)
PREVIOUS = Exercise(
    "previous-word",
    N_("The previous word"),
    N_("Find the head that points most strongly at the word before, on average over this sentence."),
    (
        N_("Sort the measures by *previous token*. In a matrix it is the line just below the diagonal."),
        N_(
            "Such heads are found in the self-attention of either stack. *Measures* has a number for each: the "
            "mean weight on the key one place to the left."
        ),
    ),
    AHead(),
    *_largest_share(lambda bench: _measured(bench, "previous")),
    page="heads",
    parameters={"view": "measured", "measure": "previous"},
    model="en-de",
    source=_CAR,
    chinese=_ZH_CAR,
)
REVERSE = Exercise(
    "reverse",
    N_("A head that reverses"),
    N_("This model writes digits backwards. Which head of cross-attention follows the other diagonal most closely?"),
    (
        N_("The first digit written is the last one read, so look from the bottom left to the top right."),
        N_(
            "A digit at place i of n stands at place n + 1 − i of the output. Only cross-attention has rows that "
            "are written and columns that are read."
        ),
    ),
    AHead(("cross",)),
    *_largest_share(lambda bench: _cross(bench, "antidiagonal")),
    page="heads",
    parameters={"view": "glance", "only": "cross", "score": "antidiagonal"},
    model="reverse",
    source="3 1 4 1 5 9 2 6",
)
LOOK = Exercise(
    "look",
    N_("Where it looks"),
    N_("While the model writes “today”, which source token does cross-attention, layer 2, head 2 look at most?"),
    (
        N_(
            "A row of the decoder is named after the token that it writes: find the row of “today”, and its "
            "largest weight."
        ),
        N_("That row has one dark cell. Go up its column, and read the number of the source token at the top."),
    ),
    AToken("source"),
    _judge_look,
    lambda bench: _largest(_looked_at(bench)),
    page="heads",
    parameters={"view": "arcs", "module": "cross", "layer": "2", "head": "2", "heads": "2"},
    model="zh-en",
    source="今天天气很好。",
)
ALIGNED = Exercise(
    "aligned",
    N_("The head that translates"),
    N_("While the model writes “Straße”, which head of cross-attention puts the most weight on “street”?"),
    (
        N_("Point at “Straße” in the arcs of each layer, and read the weight of each head."),
        N_(
            "There are few heads to compare: only those of cross-attention. In *Query · key*, choose the row and "
            "step through them."
        ),
    ),
    AHead(("cross",)),
    *_largest_share(lambda bench: _weights_on(bench, "Straße", "street")),
    page="heads",
    parameters={"view": "arcs", "module": "cross", "layer": "1", "token": "q5"},
    model="en-de",
    source=_ANIMAL,
    chinese=_ZH_CAT
    | dict(zip(("judge", "solution"), _largest_share(lambda bench: _weights_on(bench, "cat", "猫")), strict=True))
    | {
        "question": N_("While the model writes “cat”, which head of cross-attention puts the most weight on “猫”?"),
        "hints": (
            N_("Point at “cat” in the arcs of each layer, and read the weight of each head."),
            N_(
                "There are few heads to compare: only those of cross-attention. In *Query · key*, choose the row "
                "and step through them."
            ),
        ),
        "parameters": {"view": "arcs", "module": "cross", "layer": "1", "token": "q2"},
    },
)
SHARP = Exercise(
    "sharp",
    N_("The sharpest head"),
    N_(
        "Which head spreads its weight over the fewest keys? Count by the *effective number of keys*, 2 to the "
        "power of the entropy."
    ),
    (
        N_("Sort the measures by *effective number of keys*, and look for the smallest one."),
        N_(
            "A head that looks at one key only has an effective number of 1. The head you look for comes closest to it."
        ),
    ),
    AHead(),
    _judge_sharp,
    lambda bench: _smallest(_measured(bench, "keys")),
    page="heads",
    parameters={"view": "measured", "measure": "keys"},
    model="en-de",
    source=_ANIMAL,
    chinese=_ZH_CAT,
)
NEEDED = Exercise(
    "needed",
    N_("The head it needs most"),
    N_("Knock out one head at a time. Which one lowers log p of the output most when it is removed?"),
    (
        N_("In *Knock-out*, each head has its own number: how far log p falls without it."),
        N_("The list can be sorted by that number. The head at its top is not always one that is easy to read."),
    ),
    AHead(),
    _judge_needed,
    lambda bench: _smallest(bench.impacts),
    page="heads",
    parameters={"view": "knock-out"},
    model="en-de",
    source=_ANIMAL,
    chinese=_ZH_CAT,
)
HARMFUL = Exercise(
    "better-without",
    N_("Better without"),
    N_("Without some heads the model gives its own output a *higher* log p. Without which one is it highest?"),
    (
        N_("Look for numbers below 0 in *Knock-out*: above 0 means that the head helps."),
        N_("Of the numbers below 0, the one furthest from 0 counts."),
    ),
    AHead(),
    _judge_harmful,
    lambda bench: _largest(bench.impacts),
    page="heads",
    parameters={"view": "knock-out"},
    model="zh-en",
    source="今天天气很好。",
)
