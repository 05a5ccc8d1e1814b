"""How a search scores its hypotheses, and when it stops: what a beam may be asked again without searching again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal, get_args

Normalization = Literal["gnmt", "mean", "sum"]
StopRule = Literal["first", "likely", "certain"]
StopReason = Literal["beam_finished", "no_better_now", "no_better_ever", "max_len"]

MAX_LENGTH_PENALTY = 40  # the penalty of an output of a million tokens is still a number


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
class Scorer:
    """A summed log-probability and a length in tokens → a score. `length_penalty` is the α of "gnmt".

    Raises:
        ValueError: a sentence about the field that is wrong.
    """

    normalization: Normalization
    length_penalty: float

    def __post_init__(self) -> None:
        if not isinstance(self.length_penalty, Real) or not 0 <= self.length_penalty <= MAX_LENGTH_PENALTY:
            raise ValueError(
                f"length_penalty must be a number from 0 to {MAX_LENGTH_PENALTY}; it was {self.length_penalty!r}."
            )
        if self.normalization not in get_args(Normalization):
            raise ValueError(
                f"normalization must be one of {', '.join(get_args(Normalization))}; it was {self.normalization!r}."
            )

    def __call__(self, total_log_prob: float, length: int) -> float:
        if self.normalization == "sum":
            return total_log_prob
        if self.normalization == "mean":
            return total_log_prob / length
        return total_log_prob / length_penalty_gnmt(length, self.length_penalty)


def best_finished(finished: Sequence[Hypothesis], beam_size: int) -> list[Hypothesis]:
    """The best `beam_size` of them, the best score first; of equal ones the earlier."""
    return sorted(finished, key=lambda hypothesis: -hypothesis.score)[:beam_size]


def stop_reason(
    live: Sequence[Hypothesis],
    finished: Sequence[Hypothesis],
    beam_size: int,
    scorer: Scorer,
    stop: StopRule,
    length: int,
    max_len: int,
) -> StopReason | None:
    """Why a search ends after its step number `length`, or None where it goes on; live and finished, best first."""
    if len(finished) >= beam_size:
        if stop == "first" or beam_size == 1:
            return "beam_finished"
        # Scores are at most 0 and a longer output divides them by more, so max_len bounds what is to come.
        horizon = length if stop == "likely" else max_len
        if not live or scorer(live[0].total_log_prob, horizon) <= finished[-1].score:
            return "no_better_now" if stop == "likely" else "no_better_ever"
    if not live:
        return "no_better_ever"
    return "max_len" if length >= max_len else None
