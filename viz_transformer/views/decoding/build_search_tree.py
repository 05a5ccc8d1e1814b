"""A search as it grows, step by step."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from viz_transformer.decoding.sampling import SamplingStep
from viz_transformer.decoding.search import DecodingStep
from viz_transformer.decoding.step_decoder import never_written
from viz_transformer.interventions import ChangeMask, Intervention
from viz_transformer.tokenizers import EncodedText
from viz_transformer.translator import Translator
from viz_transformer.views.decoding.tree import Draw, Node, Search, Settings

N_SHOWN = 8  # of the tokens that a sampling step could have drawn


def as_generated(interventions: Sequence[Intervention]) -> tuple[Intervention, ...]:
    """The interventions for one pass over a whole output that a search has written under `interventions`.

    In the search, a step cannot attend to later tokens, whatever its mask: they do not exist yet. In the pass they do,
    so the decoder keeps its causal mask there, and row t of the pass is step t of the search.
    """
    return tuple(
        replace(one, modules=one.modules - {"decoder_self"}) if isinstance(one, ChangeMask) else one
        for one in interventions
    )


def grow_search(translator: Translator, source: str | EncodedText, settings: Settings) -> Generator[Search, None, None]:
    """The search after every step; raises what the searches of the package raise."""
    config = translator.model.config
    search = Search(settings, (), (), (), None, config.end_id)
    banned_ids = (*never_written(config), *settings.banned_ids)
    if settings.method == "sample":
        for drawn in translator.sample(
            source,
            temperature=settings.temperature,
            top_k=settings.top_k,
            top_p=settings.top_p,
            seed=settings.seed,
            prefix_ids=settings.prefix_ids,
            banned_ids=banned_ids,
            interventions=settings.interventions,
        ):
            nodes, draw = _drawn_level(search, drawn, translator)
            search = replace(
                search,
                levels=(*search.levels, nodes),
                draws=(*search.draws, draw),
                stop_reason=drawn.stop_reason,
            )
            yield search
        return
    for step in translator.beam_search(
        source,
        settings.beam,
        prefix_ids=settings.prefix_ids,
        banned_ids=banned_ids,
        interventions=settings.interventions,
    ):
        search = replace(
            search,
            levels=(*search.levels, _beam_level(search, step)),
            steps=(*search.steps, replace(step, log_probs=np.empty((len(step.log_probs), 0), np.float32))),
            stop_reason=step.stop_reason,
        )
        yield search


def _beam_level(before: Search, step: DecodingStep) -> tuple[Node, ...]:
    live = [r for r, node in enumerate(before.levels[-1]) if node.status == "live"] if before.levels else [-1]
    return tuple(
        Node(
            live[candidate.parent],
            candidate.token_id,
            candidate.token,
            candidate.log_prob,
            candidate.total_log_prob,
            candidate.score,
            candidate.status,
            candidate.reason,
            candidate.margin,
        )
        for candidate in step.candidates
    )


def _drawn_level(before: Search, step: SamplingStep, translator: Translator) -> tuple[tuple[Node, ...], Draw]:
    """The likeliest tokens that could have been drawn, the drawn one among them."""
    taken = next(i for i, token_id in enumerate(step.kept_ids.tolist()) if token_id == step.token_id)
    parent = next(r for r, node in enumerate(before.levels[-1]) if node.status == "live") if before.levels else -1
    total_before = before.levels[-1][parent].total_log_prob if before.levels else 0.0
    nodes = []
    for i in sorted({*range(min(N_SHOWN, len(step.kept_ids))), taken}):
        token_id = int(step.kept_ids[i])
        log_prob = float(step.log_probs[token_id])
        status, reason = "pruned", "not_drawn"
        if i == taken:
            status = "finished" if step.hypothesis.finished else "live"
            reason = "drawn" if step.draw is not None else "forced"
        nodes.append(
            Node(
                parent,
                token_id,
                translator.target_tokenizer.label(token_id),
                log_prob,
                total_before + log_prob,
                total_before + log_prob,
                status,
                reason,
                probability=float(step.kept_probs[i]),
            )
        )
    high = float(step.kept_probs[: taken + 1].sum())
    low = high - float(step.kept_probs[taken])
    return tuple(nodes), Draw(step.draw, len(step.kept_ids), step.filtered_mass, low, high)
