"""Runs the searches of the page step by step, so that they can be shown, and keeps them for all visitors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.interventions import Intervention
from viz_transformer.trace import Trace
from viz_transformer.ui.shared.byte_cache import Kept, kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.scheduler import in_turn, scheduler
from viz_transformer.views.decoding.build_search_tree import as_generated, grow_search
from viz_transformer.views.decoding.tree import GreedyPath, Search, Settings

Show = Callable[[Search], None]
_SEARCHES: Kept[tuple[ModelChoice, str, Settings], Search] = Kept()


def run_search(
    model: ModelChoice,
    source: str,
    settings: Settings,
    show: Show = lambda so_far: None,
    place: DeltaGenerator | None = None,
) -> Search:
    """The finished search, kept or run now: then `show` is called after every step and `place` says who computes first.

    If `show` raises, as every call of Streamlit does once its visitor has asked for something else, the search is given
    up, and others get its turn.
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
    """What greedy search writes: read from `search` if that followed it to its end, else from a greedy search."""
    found = search.greedy_path() or run_search(model, source, search.settings.greedy()).greedy_path()
    assert found is not None  # a beam of one goes along no other path
    return found


def trace_of(model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]) -> Trace:
    """The pass over one hypothesis, ended or not, as the search computed it: no row sees what was written after it.

    A step of a search has no later tokens to attend to, even without a causal mask. A pass over the whole output has
    them, so it keeps that mask, whatever the what-ifs say: then row t is step t.
    """
    return forced_trace(model, source, ids, as_generated(interventions))


@kept()
def forced_trace(
    model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]
) -> Trace:
    """One parallel pass over an output, under the interventions as they are."""
    with scheduler.short():
        return load_translator(model.name, model.device).trace_ids(source, ids, interventions=interventions)
