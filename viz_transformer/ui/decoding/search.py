"""A search for the page, step by step with its progress on the screen, and the finished ones, kept for all visitors."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.decoding.sampling import SamplingStep
from viz_transformer.decoding.search import DecodingStep
from viz_transformer.decoding.step_decoder import never_written
from viz_transformer.interventions import ChangeMask, Intervention
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.decoding.tree import Draw, GreedyPath, Node, Search, Settings
from viz_transformer.ui.shared.kept import Kept, kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.slots import compute_slots, in_turn

N_SHOWN = 8  # of the tokens that a sampling step could have drawn

Show = Callable[[Search], None]
_SEARCHES: Kept[tuple[ModelChoice, str, Settings], Search] = Kept()


def run_search(
    model: ModelChoice,
    source: str,
    settings: Settings,
    show: Show = lambda so_far: None,
    place: DeltaGenerator | None = None,
) -> Search:
    """The finished search; `show` is called after every step of one that is not kept yet, and waits in `place`.

    Where `show` raises, as every call of Streamlit does when its visitor has asked for something else, the search is
    given up and its slot is free again.
    """
    key = model, source, settings
    with _SEARCHES.turn(key):
        if found := _SEARCHES.get(key):
            return found
        translator = load_translator(model.name, model.device)
        most = 2 * len(translator.encode_source(source).ids)  # tokens of an output, as a rule
        with closing(grow_search(translator, source, settings)) as growing:
            for search in in_turn(growing, settings.beam.beam_size * most, place or st.empty()):
                show(search)
        return _SEARCHES.keep(key, search)


def greedys_path(model: ModelChoice, source: str, search: Search) -> GreedyPath:
    """What greedy search writes: read from the search if it went all the way, else from a greedy search."""
    found = search.greedy_path() or run_search(model, source, search.settings.greedy()).greedy_path()
    assert found is not None  # a beam of one goes along no other path
    return found


def trace_of(model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]) -> Trace:
    """The pass over one hypothesis, ended or not, as the search computed it: no row sees what was written after it.

    In a search a step has no later tokens to attend to, whatever its mask. One pass over all of them has: there the
    causal mask stays, so that row t is step t.
    """
    return forced_trace(model, source, ids, tuple(map(_as_generated, interventions)))


def _as_generated(change: Intervention) -> Intervention:
    if isinstance(change, ChangeMask):
        return replace(change, modules=change.modules - {"decoder_self"})
    return change


@kept()
def forced_trace(
    model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]
) -> Trace:
    """One parallel pass over an output, under the interventions as they are."""
    with compute_slots.short():
        return load_translator(model.name, model.device).trace_ids(source, ids, interventions=interventions)


def grow_search(translator: Translator, source: str, settings: Settings) -> Generator[Search, None, None]:
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
