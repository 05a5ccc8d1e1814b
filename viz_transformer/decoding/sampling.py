"""Sampling: the next token is drawn by chance, from all tokens or from the most likely only.

The filters act in the order of Hugging Face `generate`. Banned tokens are removed; the temperature divides the
log-probabilities; top-k keeps the k most likely tokens; of those, renormalised, top-p (Holtzman et al. 2020, "nucleus")
keeps the fewest whose probabilities add up to p. What is kept is renormalised, and one token is drawn from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from viz_transformer.decoding.ranking import Hypothesis
from viz_transformer.decoding.search import check_output
from viz_transformer.decoding.step_decoder import never_written, new_step_decoder
from viz_transformer.interventions import Intervention
from viz_transformer.model import Transformer
from viz_transformer.sentences import SentenceError


@dataclass(frozen=True, eq=False)
class SamplingStep:
    """One token that was drawn.

    Attributes:
        index: from 0; the step predicts the token at this place of the output.
        log_probs: (V,) float32, log p of every next token as the model gives it, before any filter.
        kept_ids: (n,) what it was drawn from, the most likely first; one token where the prefix forced it.
        kept_probs: (n,) float64, their probabilities after the filters; they sum to 1.
        filtered_mass: the probability, after the temperature, of all that was filtered out or banned.
        draw: the random number from [0, 1); it takes the first token at which the running sum of `kept_probs`
            exceeds it. None where the prefix forced the token.
        token_id, token: what was taken, and its label.
        hypothesis: the output so far; its log_probs are the model's own, and its score is their sum.
        stop_reason: "ended", "max_len", or None where it goes on.
    """

    index: int
    log_probs: NDArray[np.float32]
    kept_ids: NDArray[np.int64]
    kept_probs: NDArray[np.float64]
    filtered_mass: float
    draw: float | None
    token_id: int
    token: str
    hypothesis: Hypothesis
    stop_reason: Literal["ended", "max_len"] | None


def sample(
    model: Transformer,
    source_ids: Sequence[int],
    *,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    max_len: int | None = None,
    prefix_ids: Sequence[int] = (),
    banned_ids: Sequence[int] | None = None,
    interventions: Sequence[Intervention] = (),
    label: Callable[[int], str] = str,
) -> Iterator[SamplingStep]:
    """Draws one output, yielding every step. The same seed draws the same output.

    Args:
        temperature: from 0.01 to 100; below 1 likely tokens become more likely, above 1 less so.
        top_k: how many tokens are kept; 0 keeps all.
        top_p: how much probability is kept, above 0 and at most 1; 1 keeps all.
        seed: at least 0.
        the others: as in `beam_search`.

    Raises:
        ValueError: a sentence about the argument that is wrong.
    """
    if not isinstance(temperature, Real) or not 0.01 <= temperature <= 100:
        raise SentenceError("temperature must be from 0.01 to 100; it was {temperature!r}.", temperature=temperature)
    if not isinstance(top_k, Integral) or top_k < 0:
        raise SentenceError("top_k must be a whole number, at least 0; it was {top_k!r}.", top_k=top_k)
    if not isinstance(top_p, Real) or not 0 < top_p <= 1:
        raise SentenceError("top_p must be above 0 and at most 1; it was {top_p!r}.", top_p=top_p)
    if not isinstance(seed, Integral) or seed < 0:
        raise SentenceError("seed must be a whole number, at least 0; it was {seed!r}.", seed=seed)
    config, banned = model.config, never_written(model.config) if banned_ids is None else banned_ids
    max_len = check_output(config, source_ids, max_len, prefix_ids, banned)
    dice = np.random.Generator(np.random.PCG64(seed))  # by name: numpy's default may change

    def draws() -> Iterator[SamplingStep]:
        decoder = new_step_decoder(model, source_ids, interventions, banned)
        ids: tuple[int, ...] = ()
        taken: tuple[float, ...] = ()
        for index in range(max_len):
            log_probs = decoder.step([0], [ids[-1] if ids else config.start_id])[0].cpu().numpy()  # (V,)
            if index < len(prefix_ids):
                kept_ids, kept_probs, mass = np.array(prefix_ids[index : index + 1]), np.ones(1), 0.0
                draw, place = None, 0
            else:
                kept_ids, kept_probs, mass = keep_likeliest(log_probs, temperature, top_k, top_p, banned)
                draw = float(dice.random())
                place = min(int(np.searchsorted(kept_probs.cumsum(), draw, side="right")), len(kept_ids) - 1)
            token_id = int(kept_ids[place])
            ids, taken = (*ids, token_id), (*taken, float(log_probs[token_id]))
            ended = token_id == config.end_id
            hypothesis = Hypothesis(ids, taken, sum(taken), finished=ended)
            reason: Literal["ended", "max_len"] | None = "ended" if ended else None
            if not ended and index + 1 == max_len:
                reason = "max_len"
            yield SamplingStep(
                index, log_probs, kept_ids, kept_probs, mass, draw, token_id, label(token_id), hypothesis, reason
            )
            if reason:
                return

    return draws()


def keep_likeliest(
    log_probs: NDArray[np.float32], temperature: float, top_k: int, top_p: float, banned_ids: Sequence[int] = ()
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """The filters of one step, on log_probs (V,).

    Returns:
        The ids that are kept, the likeliest first; their probabilities, which sum to 1; and the probability, after
        the temperature, of all others.

    Raises:
        ValueError: where no token that is not banned has a finite log-probability.
    """
    scaled = log_probs.astype(np.float64) / temperature
    allowed = scaled.copy()
    allowed[list(banned_ids)] = -np.inf  # before the softmax: beside a banned favourite, all others may underflow to 0
    if not np.isfinite(allowed.max()):
        raise SentenceError("No token can be drawn: none of those that are not banned has a finite log-probability.")
    order = np.argsort(-allowed, kind="stable").astype(np.int64)[: top_k or None]
    order = order[np.isfinite(allowed[order])]
    kept = _softmax(allowed[order])
    if top_p < 1:
        reached = kept.cumsum() - kept >= top_p  # those before it have reached p already
        order = order[~reached]
    mass = float(_softmax(scaled)[order].sum())
    return order, _softmax(allowed[order]), max(0.0, 1 - mass)


def _softmax(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) → (n,) probabilities."""
    exponentials = np.exp(values - values.max())
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum()
    return probabilities
