"""Greedy and beam search, one token at a time, with everything that was considered.

Rules of the beam (those of Hugging Face `generate`, so that the two can be compared):

- From k live hypotheses, the 2k best continuations by summed log-probability are the candidates of a step.
- One that ends the sentence finishes if it is among the best k, and is pruned if not.
- The best k of the others stay live.
- Finished hypotheses are ranked by score: the sum, as it is or divided for its length. The best k are kept.
- The search stops when k have finished ("first"), when no live one scores above the worst of them now
  ("likely"), or when none ever could ("certain"); at the latest at `max_len` tokens. With `forced_end` the last of
  these is the end token, at no cost.

Greedy search is the beam of one, which stops at the first end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Literal, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.decoding.ranking import (
    DEFAULT_BEAM,
    BeamKeywords,
    BeamOptions,
    Hypothesis,
    StopReason,
    best_finished,
    stop_reason,
)
from viz_transformer.decoding.step_decoder import never_written, new_step_decoder
from viz_transformer.interventions import Intervention
from viz_transformer.model import Transformer
from viz_transformer.sentences import SentenceError, brief
from viz_transformer.tokenizers import check_ids

Status = Literal["live", "finished", "pruned"]
Reason = Literal["among_the_best", "forced", "ended", "beam_full", "end_too_low"]


@dataclass(frozen=True)
class Candidate:
    """One continuation that a step considered.

    Attributes:
        parent: which live hypothesis of the step before it continues.
        token_id, token: what it adds; `token` is the label.
        log_prob: log p(token | source, parent); 0 for an end token that is forced at `max_len`.
        total_log_prob: the sum over all its tokens, by which candidates are ranked.
        score: total_log_prob normalised for length.
        rank: 0 for the best of the step.
        status: "live", "finished" or "pruned".
        reason: why: "among_the_best", "forced" (by the prefix, or as the end at the longest length) or "ended"; pruned:
            "beam_full" or "end_too_low".
        margin: by how much a pruned one lost: the total of the last one kept, less its own; else 0.
    """

    parent: int
    token_id: int
    token: str
    log_prob: float
    total_log_prob: float
    score: float
    rank: int
    status: Status
    reason: Reason
    margin: float


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """What one step of the search did.

    Attributes:
        index: from 0; the step predicts the token at this place of the output.
        log_probs: (live hypotheses before the step, V) float32, log p of every next token.
        candidates: what was considered, the best first.
        live: the hypotheses that go on, the best first.
        finished: those that have ended so far, the best score first, at most as many as the beam is wide.
        stop_reason: why the search ends here, or None where it goes on.
    """

    index: int
    log_probs: NDArray[np.float32]
    candidates: tuple[Candidate, ...]
    live: tuple[Hypothesis, ...]
    finished: tuple[Hypothesis, ...]
    stop_reason: StopReason | None

    @property
    def best(self) -> Hypothesis:
        """The best finished hypothesis, or the best live one while none has finished."""
        return self.finished[0] if self.finished else self.live[0]


def greedy_search(
    model: Transformer,
    source_ids: Sequence[int],
    *,
    max_len: int | None = None,
    forced_end: bool = False,
    prefix_ids: Sequence[int] = (),
    banned_ids: Sequence[int] | None = None,
    interventions: Sequence[Intervention] = (),
    label: Callable[[int], str] = str,
) -> Iterator[DecodingStep]:
    """Takes the most probable token at every step, until the end token or `max_len` tokens.

    Arguments and result are those of `beam_search`.
    """
    return beam_search(
        model,
        source_ids,
        BeamOptions(beam_size=1, normalization="sum", max_len=max_len, forced_end=forced_end),
        prefix_ids=prefix_ids,
        banned_ids=banned_ids,
        interventions=interventions,
        label=label,
    )


def beam_search(
    model: Transformer,
    source_ids: Sequence[int],
    options: BeamOptions = DEFAULT_BEAM,
    *,
    prefix_ids: Sequence[int] = (),
    banned_ids: Sequence[int] | None = None,
    interventions: Sequence[Intervention] = (),
    label: Callable[[int], str] = str,
    **changes: Unpack[BeamKeywords],
) -> Iterator[DecodingStep]:
    """Searches for the output with the best score, yielding every step (see the rules at the top).

    Args:
        model: in eval mode.
        source_ids: one source, end token included.
        options: how to search; or its fields as keywords, `beam_size=4, length_penalty=0.6`.
        prefix_ids: how every output begins. The first steps take these tokens and consider no others.
        banned_ids: tokens that are never taken, but in the prefix; their log-probabilities are shown all the same.
            None bans padding and the start token.
        interventions: changes to every forward pass of the search.
        label: the label of a token id.
        changes: fields of `options` to replace.

    Raises:
        TypeError: a sentence about an unknown option.
        ValueError: a sentence about the argument that is wrong. While it runs: where no token has a finite
            log-probability any more.
    """
    if not isinstance(options, BeamOptions):
        raise TypeError(f"options must be BeamOptions, or its fields as keywords; it was {brief(options)}.")
    if unknown := sorted(changes.keys() - BeamKeywords.__annotations__.keys()):
        raise TypeError(
            f"A search has no option {unknown[0]}; it has {', '.join(BeamKeywords.__annotations__)}, prefix_ids, "
            "banned_ids and interventions."
        )
    options = replace(options, **changes)
    banned_ids = never_written(model.config) if banned_ids is None else banned_ids
    max_len = check_output(model.config, source_ids, options.max_len, prefix_ids, banned_ids)
    if options.forced_end and model.config.end_id in banned_ids:
        raise SentenceError("The end token is banned, so it cannot be forced at the maximum length.")
    return _search(model, source_ids, options, max_len, tuple(prefix_ids), tuple(banned_ids), interventions, label)


def _search(
    model: Transformer,
    source_ids: Sequence[int],
    options: BeamOptions,
    max_len: int,
    prefix_ids: tuple[int, ...],
    banned_ids: tuple[int, ...],
    interventions: Sequence[Intervention],
    label: Callable[[int], str],
) -> Iterator[DecodingStep]:
    beam_size = options.beam_size
    decoder, vocab_size = new_step_decoder(model, source_ids, interventions, banned_ids), model.config.target_vocab_size
    end_id = model.config.end_id
    live = [Hypothesis((), (), 0.0, finished=False)]
    finished: list[Hypothesis] = []
    parents, last_ids = [0], [model.config.start_id]
    for index in range(max_len):
        log_probs = decoder.step(parents, last_ids).cpu().numpy()  # (live, V)
        is_end_forced = options.forced_end and index + 1 == max_len
        added = np.zeros_like(log_probs) if is_end_forced else log_probs
        totals = np.array([[h.total_log_prob] for h in live]) + added  # (live, V)
        forced = [end_id] if is_end_forced else prefix_ids[index : index + 1]
        totals[:, np.delete(np.arange(vocab_size), forced) if forced else list(banned_ids)] = -np.inf
        considered = _largest(totals.ravel(), 2 * beam_size)
        if not considered:
            raise SentenceError(
                "No token can follow at step {step}: none has a finite log-probability.", step=index + 1
            )

        candidates: list[Candidate] = []
        next_live: list[Hypothesis] = []
        parents, last_ids = [], []
        for rank, place in enumerate(considered):
            parent, token_id = divmod(place, vocab_size)
            log_prob = float(added[parent, token_id])
            ids = (*live[parent].ids, token_id)
            token_log_probs = (*live[parent].log_probs, log_prob)
            total = sum(token_log_probs)
            hypothesis = Hypothesis(ids, token_log_probs, options.score(total, len(ids)), finished=token_id == end_id)
            status: Status
            reason: Reason
            margin = 0.0
            if token_id == end_id and rank < beam_size:
                status, reason = "finished", "forced" if is_end_forced else "ended"
            elif token_id == end_id:
                status, reason, margin = "pruned", "end_too_low", candidates[beam_size - 1].total_log_prob - total
            elif len(next_live) < beam_size:
                status, reason = "live", "forced" if forced else "among_the_best"
            else:
                status, reason, margin = "pruned", "beam_full", next_live[-1].total_log_prob - total
            if status == "finished":
                finished.append(hypothesis)
            elif status == "live":
                next_live.append(hypothesis)
                parents.append(parent)
                last_ids.append(token_id)
            candidates.append(
                Candidate(
                    parent, token_id, label(token_id), log_prob, total, hypothesis.score, rank, status, reason, margin
                )
            )
        live, finished = next_live, best_finished(finished, beam_size)
        stopped = stop_reason(live, finished, options, index + 1, max_len)
        yield DecodingStep(index, log_probs, tuple(candidates), tuple(live), tuple(finished), stopped)
        if stopped:
            return


def _largest(values: NDArray[np.float64], count: int) -> list[int]:
    """The places of the `count` largest of `values` (n,), the largest first; fewer where fewer are finite."""
    comparable = torch.from_numpy(values).nan_to_num(-torch.inf, torch.inf, -torch.inf)  # NaN is no largest
    largest, places = comparable.topk(min(count, len(values)))
    found: list[int] = places[largest.isfinite()].tolist()
    return found


def check_output(
    config: TransformerConfig,
    source_ids: Sequence[int],
    max_len: int | None,
    prefix_ids: Sequence[int],
    banned_ids: Sequence[int],
) -> int:
    """The most tokens to generate; raises a ValueError, a sentence about the argument, if no output is possible."""
    limit, vocabulary = config.max_len, range(config.target_vocab_size)
    max_len = limit if max_len is None else max_len
    if not 1 <= len(source_ids) <= limit:
        raise SentenceError(
            "The source must have 1 to {limit} tokens, the end token included; it has {count}.",
            limit=limit,
            count=len(source_ids),
        )
    if not isinstance(max_len, Integral) or not 1 <= max_len <= limit:
        raise SentenceError(
            "max_len must be a whole number from 1 to the model's {limit}; it was {max_len}.",
            limit=limit,
            max_len=max_len,
        )
    check_ids("source_ids", source_ids, config.source_vocab_size)
    if set(source_ids) == {config.pad_id}:
        raise SentenceError("The source is padding only; it needs at least one other token.")
    check_ids("prefix_ids", prefix_ids, len(vocabulary))
    check_ids("banned_ids", banned_ids, len(vocabulary))
    if set(prefix_ids) & {config.pad_id, config.start_id, config.end_id}:
        raise SentenceError(
            "A prefix must not contain padding, start or end tokens; it was {prefix_ids}.", prefix_ids=list(prefix_ids)
        )
    if len(prefix_ids) >= max_len:
        raise SentenceError(
            "A prefix must be shorter than max_len ({max_len}); it has {count} tokens.",
            max_len=max_len,
            count=len(prefix_ids),
        )
    if set(vocabulary) <= set(banned_ids):
        raise SentenceError("All {count} tokens are banned: no output is left.", count=len(vocabulary))
    return max_len


@torch.inference_mode()
def greedy_batch(model: Transformer, source_ids: Tensor, max_len: int | None = None) -> list[list[int]]:
    """Greedy outputs of many sources at once, for evaluation: source_ids (B, S) → B lists of ids, end left out."""
    config = model.config
    max_len = config.max_len if max_len is None else max_len
    memory, cache = model.encode(source_ids), model.new_cache()
    last = torch.full((source_ids.shape[0], 1), config.start_id, device=source_ids.device)
    ended = torch.zeros_like(last, dtype=torch.bool)
    columns = []
    for _ in range(max_len):
        logits = model.decode(last, memory, source_ids, cache)[:, -1]  # (B, V)
        logits[:, list(never_written(config))] = -torch.inf
        last = logits.argmax(dim=-1, keepdim=True).masked_fill(ended, config.end_id)  # (B, 1)
        ended |= last == config.end_id
        columns.append(last)
        if ended.all():
            break
    return [[i for i in row if i != config.end_id] for row in torch.cat(columns, dim=1).tolist()]
