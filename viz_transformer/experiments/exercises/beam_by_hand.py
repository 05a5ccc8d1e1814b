"""Exercises about beam search on a model that fits on paper: its next token depends on the last one alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from viz_transformer.experiments.exercises.answers import ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, nearly, right, sized
from viz_transformer.sentences import N_

Output = tuple[str, ...]

WORDS, START, END = ("a", "b", "c"), "<s>", "</s>"
LONGEST = 2  # words, after which the end token follows
# Row: the token that was written last; column: a word or the end token.
NEXT = {
    START: (0.40, 0.35, 0.25, 0.00),
    "a": (0.32, 0.25, 0.15, 0.28),
    "b": (0.40, 0.20, 0.10, 0.30),
    "c": (0.04, 0.03, 0.03, 0.90),
}
_BEAM = 2
_CLOSE = 0.0006


def table() -> str:
    """The probabilities, a line for each row."""
    head = f"{'':6}" + "".join(f"{token:>6}" for token in (*WORDS, END))
    return "\n".join([head, *(f"{last:6}" + "".join(f"{p:6.2f}" for p in row) for last, row in NEXT.items())])


def _next(written: Output) -> dict[str, float]:
    """The probability of each token that may follow."""
    if len(written) == LONGEST:
        return {END: 1.0}
    return dict(zip((*WORDS, END), NEXT[written[-1] if written else START], strict=True))


def beam_search(size: int) -> tuple[Output, float]:
    """The best of what a beam of this size finishes, with its probability; ranked by probability alone."""
    beam: dict[Output, float] = {(): 1.0}
    while not all(written[-1:] == (END,) for written in beam):
        longer: dict[Output, float] = {}
        for written, p in beam.items():
            is_finished = written[-1:] == (END,)
            longer |= {written: p} if is_finished else {(*written, one): p * q for one, q in _next(written).items()}
        beam = dict(sorted(longer.items(), key=lambda one: -one[1])[:size])
    return max(beam.items(), key=lambda one: one[1])


def every_output() -> Iterator[tuple[Output, float]]:
    """Each output that there can be, with its probability."""
    for length in range(LONGEST + 1):
        for words in product(WORDS, repeat=length):
            p = 1.0
            for place, token in enumerate((*words, END)):
                p *= _next(words[:place])[token]
            yield (*words, END), p


def _best() -> tuple[Output, float]:
    return max(every_output(), key=lambda one: one[1])


def _written(output: Output) -> str:
    return " ".join(output)


def _judge_beam(_bench: Bench, answer: float) -> Feedback:
    (output, p), (greedy, greedy_p), (best, best_p) = beam_search(_BEAM), beam_search(1), _best()
    if abs(answer - p) < _CLOSE:
        return right(
            N_(
                "The beam keeps a and b, then their two best continuations; “{output}” has probability {p:.3f}, "
                "more than the {greedy_p:.3f} of “{greedy}”, which greedy search finds."
            ),
            output=_written(output), p=p, greedy=_written(greedy), greedy_p=greedy_p,
        )  # fmt: skip
    if abs(answer - greedy_p) < _CLOSE:
        return nearly(N_("{answer:g} is what greedy search finds, a beam of 1."), answer=answer)
    if abs(answer - best_p) < _CLOSE:
        return nearly(
            N_("{answer:g} belongs to “{best}”, which is better still: but this beam drops it after the first step."),
            answer=answer,
            best=_written(best),
        )
    return sized(answer, p)


def _judge_best(_bench: Bench, answer: float) -> Feedback:
    (output, p), (best, best_p) = beam_search(_BEAM), _best()
    if abs(answer - best_p) < _CLOSE:
        return right(
            N_(
                "“{best}” has probability {best_p:.3f}. A beam of 2 finds “{output}” with {p:.3f}: it dropped c "
                "after the first step, and nothing brings it back. A beam of 3 keeps it."
            ),
            best=_written(best), best_p=best_p, output=_written(output), p=p,
        )  # fmt: skip
    if abs(answer - p) < _CLOSE:
        return nearly(N_("{answer:g} is what a beam of 2 finds. Is there nothing better?"), answer=answer)
    return sized(answer, best_p)


# A search by a beam of the same size, to look at.
_SEEN = {"model": "zh-en", "source": "如果明天下雪,我就不去学校。", "method": "beam", "beam": str(_BEAM)}


def _exercise(slug: str, title: str, question: str, hints: tuple[str, str], judge: Callable[[Bench, float], Feedback],
              solution: Callable[[], float]) -> Exercise:  # fmt: skip
    return Exercise(
        slug,
        title,
        question,
        hints,
        ANumber(0, 1, is_whole=False, label=N_("Probability")),
        judge,
        lambda bench: round(solution(), 3),
        page="decoding",
        parameters=_SEEN,
        table=table(),
    )


BEAM = _exercise(
    "beam-by-hand",
    N_("A beam of 2 by hand"),
    N_(
        "A model writes a, b and c. Each row stands for the token written last, each column for the next one; "
        "after two words the end token follows. Ranking by probability alone, a beam of 2 finds an output: what "
        "is its probability, to three decimals?"
    ),
    (
        N_("Keep the best two of the first row. Multiply each by its own row, and keep the best two of those eight."),
        N_(
            "The first two are a and b. The probability of each continuation is 0.40 times a number in row a, or "
            "0.35 times one in row b."
        ),
    ),
    _judge_beam,
    lambda: beam_search(_BEAM)[1],
)
MISSED = _exercise(
    "beam-misses",
    N_("What a beam of 2 misses"),
    N_(
        "A model writes a, b and c. Each row stands for the token written last, each column for the next one; after "
        "two words the end token follows. What is the probability of the most probable output of all, to three "
        "decimals?"
    ),
    (
        N_("There are thirteen outputs: one without a word, three of one word, nine of two. The first has 0."),
        N_("A beam of 2 has dropped one word after its first step. Look at what would have followed it."),
    ),
    _judge_best,
    lambda: _best()[1],
)
