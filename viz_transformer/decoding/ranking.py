"""How a search scores its hypotheses, and when it stops: `n_best` can change these without searching again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, TypedDict, get_args

from viz_transformer.sentences import SentenceError

Normalization = Literal["gnmt", "power", "mean", "sum"]
StopRule = Literal["first", "likely", "certain"]
StopReason = Literal["beam_finished", "no_better_now", "no_better_ever", "max_len"]

MAX_BEAM_SIZE = 4096  # a bound on memory: k × vocabulary log-probabilities a step
MAX_LENGTH_PENALTY = 40  # in either direction: the penalty of an output of a million tokens is still finite


@dataclass(frozen=True)
class Hypothesis:
    """One output so far.

    Attributes:
        ids: the generated tokens, the start token not among them; the last is the end token if it finished.
        log_probs: log p of each of `ids`, natural logarithm.
        score: what finished hypotheses are ranked by; the sum of log_probs, normalised for length.
        finished: whether it ended by itself.
    """

    ids: tuple[int, ...]
    log_probs: tuple[float, ...]
    score: float
    finished: bool

    @property
    def total_log_prob(self) -> float:
        return sum(self.log_probs)


def length_penalty_gnmt(length: int, alpha: float) -> float:
    """lp = ((5 + length) / 6)^α, by which a summed log-probability is divided (Wu et al. 2016, eq. 14)."""
    return float(((5 + length) / 6) ** alpha)


@dataclass(frozen=True)
class BeamOptions:
    """How a beam searches, ranks what has finished, and stops.

    Attributes:
        beam_size: k, the number of live hypotheses.
        length_penalty: α of GNMT's penalty, or of length^α, from -40 to 40; 0 is the plain sum, below it short outputs
            are favoured more than by the sum. Only for "gnmt", "power".
        normalization: "gnmt", "power" (the sum divided by length^α, as in Hugging Face `generate`), "mean" (by the
            length), or "sum".
        stop: "first", "likely" or "certain".
        max_len: the most tokens to generate; the model's own `max_len` if None.
        forced_end: whether a hypothesis that reaches `max_len` must have the end token as its last, which then adds
            nothing to the sum (`forced_eos_token_id` of Hugging Face).

    Raises:
        ValueError: a sentence about the field that is wrong.
    """

    beam_size: int = 4
    length_penalty: float = 0.6
    normalization: Normalization = "gnmt"
    stop: StopRule = "first"
    max_len: int | None = None
    forced_end: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.beam_size, Integral) or not 1 <= self.beam_size <= MAX_BEAM_SIZE:
            raise SentenceError(
                "beam_size must be a whole number from 1 to {limit}; it was {beam_size!r}.",
                limit=MAX_BEAM_SIZE,
                beam_size=self.beam_size,
            )
        if not isinstance(self.length_penalty, Real) or not abs(self.length_penalty) <= MAX_LENGTH_PENALTY:
            raise SentenceError(
                "length_penalty must be a number from {least} to {limit}; it was {length_penalty!r}.",
                least=-MAX_LENGTH_PENALTY,
                limit=MAX_LENGTH_PENALTY,
                length_penalty=self.length_penalty,
            )
        for name, allowed in (("normalization", get_args(Normalization)), ("stop", get_args(StopRule))):
            if getattr(self, name) not in allowed:
                raise SentenceError(
                    "{name} must be one of {allowed}; it was {value!r}.",
                    name=name,
                    allowed=", ".join(allowed),
                    value=getattr(self, name),
                )
        if not isinstance(self.forced_end, bool):
            raise SentenceError(
                "{name} must be true or false; it was {value!r}.", name="forced_end", value=self.forced_end
            )

    def score(self, total_log_prob: float, length: int) -> float:
        """A summed log-probability, normalised for a length in tokens."""
        if self.normalization == "sum":
            return total_log_prob
        if self.normalization == "mean":
            return total_log_prob / length
        if self.normalization == "power":
            return total_log_prob / math.pow(length, self.length_penalty)
        return total_log_prob / length_penalty_gnmt(length, self.length_penalty)


DEFAULT_BEAM = BeamOptions()


class BeamKeywords(TypedDict, total=False):
    """The fields of `BeamOptions` as keywords."""

    beam_size: int
    length_penalty: float
    normalization: Normalization
    stop: StopRule
    max_len: int | None
    forced_end: bool


def best_finished(finished: Sequence[Hypothesis], beam_size: int) -> list[Hypothesis]:
    """The best `beam_size` of them, the best score first; of equal ones the earlier."""
    return sorted(finished, key=lambda hypothesis: -hypothesis.score)[:beam_size]


def stop_reason(
    live: Sequence[Hypothesis],
    finished: Sequence[Hypothesis],
    options: BeamOptions,
    length: int,
    max_len: int,
) -> StopReason | None:
    """Why a search of at most `max_len` steps ends after number `length`, or None where it goes on.

    `live` and `finished` have the best first.
    """
    if options.forced_end and length >= max_len:  # all have finished, but not by themselves
        return "max_len"
    if len(finished) >= options.beam_size:
        if options.stop == "first" or options.beam_size == 1:
            return "beam_finished"
        # A sum only falls, and its score is monotonic in the length: the highest to come is at one end of the range.
        lengths = (length,) if options.stop == "likely" else (length, max_len)
        if not live or max(options.score(live[0].total_log_prob, n) for n in lengths) <= finished[-1].score:
            return "no_better_now" if options.stop == "likely" else "no_better_ever"
    if not live:
        return "no_better_ever"
    return "max_len" if length >= max_len else None
