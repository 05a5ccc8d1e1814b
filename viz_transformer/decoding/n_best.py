"""Ranks the finished hypotheses of a search by another score, and says whether a search by it might find others.

Which hypotheses stay live does not depend on the score: those of one step have the same length. The score ranks what
has finished, and it decides when to stop. So the recorded steps say what another score would have made of them, up to
the step at which it would have stopped; where it would have gone on after the last one, only another search can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viz_transformer.decoding.ranking import (
    BeamOptions,
    Hypothesis,
    Normalization,
    StopReason,
    StopRule,
    best_finished,
    stop_reason,
)
from viz_transformer.decoding.search import DecodingStep


@dataclass(frozen=True)
class NBest:
    """What a search with this score finds, as far as the recorded steps tell.

    Attributes:
        hypotheses: the finished ones, at most as many as the beam is wide, the best score first.
        n_steps: how many of the recorded steps that search takes.
        stop_reason: why it stops there; None where it would go on after the last recorded step.
    """

    hypotheses: tuple[Hypothesis, ...]
    n_steps: int
    stop_reason: StopReason | None

    @property
    def needs_search(self) -> bool:
        """Whether only another search can tell the result."""
        return self.stop_reason is None


def finished_at(step: DecodingStep, before: Sequence[Hypothesis], options: BeamOptions) -> list[Hypothesis]:
    """What ended in `step`, which continued the live hypotheses `before`, scored by `options`."""
    found = []
    for candidate in step.candidates:
        if candidate.status == "finished":
            parent = before[candidate.parent]
            log_probs = (*parent.log_probs, candidate.log_prob)
            score = options.score(sum(log_probs), len(log_probs))
            found.append(Hypothesis((*parent.ids, candidate.token_id), log_probs, score, finished=True))
    return found


def rerank(
    steps: Sequence[DecodingStep],
    *,
    beam_size: int,
    max_len: int,
    length_penalty: float = 0.6,
    normalization: Normalization = "gnmt",
    stop: StopRule = "first",
    forced_end: bool = False,
) -> NBest:
    """Ranks the finished hypotheses of a search by another score, without searching again.

    Args:
        steps: all steps of one `beam_search`, from the first.
        beam_size, max_len, forced_end: those of that search.
        length_penalty, normalization, stop: the other score and stop rule, as in `beam_search`.

    Raises:
        ValueError: without steps, for steps that are not a search's, or for an unknown score.
    """
    if not steps:
        raise ValueError("There are no steps to rank: pass those of a search.")
    for step in steps:
        if not isinstance(step, DecodingStep):
            raise ValueError(f"steps must be those of a beam or greedy search; a {type(step).__name__} is none.")
    options = BeamOptions(beam_size, length_penalty, normalization, stop, max_len, forced_end)
    before: Sequence[Hypothesis] = (Hypothesis((), (), 0.0, finished=False),)
    finished: list[Hypothesis] = []
    for step in steps:
        finished = best_finished([*finished, *finished_at(step, before, options)], beam_size)
        before = step.live
        reason = stop_reason(before, finished, options, step.index + 1, max_len)
        if reason:
            return NBest(tuple(finished), step.index + 1, reason)
    return NBest(tuple(finished), len(steps), None)
