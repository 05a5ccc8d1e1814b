"""The views of the page "Heads" on one recorded pass: at a glance, as arcs, and from query and key to the weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from viz_transformer.analysis.measures import MEASURES
from viz_transformer.analysis.scores import ALIGNMENT
from viz_transformer.experiments.heads.words import Words, hide_keys, is_sink, merge_mask, merge_words, words_of
from viz_transformer.heads import HeadRef
from viz_transformer.ui.components.component import Component
from viz_transformer.ui.heads.measured import catalogue_of
from viz_transformer.ui.heads.view import ARCS, GLANCE, QUERY_KEY
from viz_transformer.ui.shared.link import from_link
from viz_transformer.ui.shared.models import opening_head
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.views.head_stages import stages_content
from viz_transformer.views.heads import HeadsView, fitting, fitting_query, usual_view
from viz_transformer.views.maps import (
    HeadScore,
    ModuleMaps,
    Sizes,
    by_module,
    maps_content,
    maps_of,
    measure_scores,
    sizes_of,
)
from viz_transformer.views.text import _


def chosen_head(reading: Reading) -> HeadRef:
    """The head that the link names, or the one that the model's card names."""
    view = fitting(from_link(_usual(reading)), sizes_of(reading.trace))
    return HeadRef(view.module, view.layer, view.head)


@st.fragment
def glance(reading: Reading) -> None:
    """Every head of every module as a thumbnail."""
    _show_maps(GLANCE, "heads-glance", reading)


@st.fragment
def arcs(reading: Reading) -> None:
    """The heads of one layer, overlaid, as arcs between two columns of tokens."""
    _show_maps(ARCS, "heads-arcs", reading)


@st.fragment
def query_key(reading: Reading) -> None:
    """How the weights of one query token are computed."""
    trace = reading.trace
    QUERY_KEY.show_linked(
        stages_content(trace) | {"notes": []},
        key="heads-query-key",
        usual=_usual(reading),
        fit=partial(fitting_query, sizes=sizes_of(trace)),
    )


def _show_maps(component: Component[HeadsView], key: str, reading: Reading) -> None:
    usual = _usual(reading)
    maps, notes = _maps(reading, from_link(usual))
    scores = scores_of(reading)
    sizes: Sizes = {one.module: one.weights.shape for one in maps}

    def fit(view: HeadsView) -> HeadsView:
        view = fitting(view, sizes)
        is_known = view.score in (None, *(score.name for score in scores))
        return view if is_known else replace(view, score=usual.score)

    component.show_linked(maps_content(maps, scores) | {"notes": notes}, key=key, usual=usual, fit=fit)


def _usual(reading: Reading) -> HeadsView:
    """The view without a link, coloured by alignment if that was measured for the model's heads."""
    score = ALIGNMENT.name if _alignment(reading) else MEASURES[0].name
    return usual_view(reading.trace.config, opening_head(reading.translator), score)


def scores_of(reading: Reading) -> list[HeadScore]:
    """Every measure of every head on the recorded pass; before them alignment, where the model's catalogue has it."""
    scores = measure_scores(reading.trace)
    alignment = _alignment(reading)
    if alignment:
        label = _("alignment on held-out sentences")
        scores.insert(0, HeadScore(ALIGNMENT.name, label, by_module(reading.trace.config, alignment)))
    return scores


def _alignment(reading: Reading) -> dict[HeadRef, float]:
    catalogue = catalogue_of(reading.model.name)
    means = catalogue.means.items() if catalogue else ()
    return {head: values[ALIGNMENT.name] for head, values in means if ALIGNMENT.name in values}


def _maps(reading: Reading, view: HeadsView) -> tuple[list[ModuleMaps], list[str]]:
    """The recorded weights, or what the view makes of them, with notes that say so."""
    maps, notes = maps_of(reading.trace), []
    if view.words:
        maps = _by_word(reading, maps)
        notes.append(
            _("Merged into words: the weights of a word's tokens are added up as keys and averaged as queries.")
        )
    if view.nosinks:
        if any(is_sink(one.keys).all() for one in maps):
            notes.append(_("Every key is a start token, an end token or punctuation, so none is hidden."))
        else:
            maps, shares = zip(*(_without_sinks(one) for one in maps), strict=True)
            notes.append(
                _(
                    "Start, end and punctuation are hidden as keys, and the rest of each row is divided by its sum, so "
                    "these are not the recorded weights. The hidden keys held {share} % of the weight. A row that gave "
                    "them all its weight is hatched."
                ).format(share=f"{100 * float(np.concatenate(shares).mean()):.1f}")
            )
    return list(maps), notes


def _by_word(reading: Reading, maps: Sequence[ModuleMaps]) -> list[ModuleMaps]:
    source = words_of(reading.trace.source_tokens, *_text_and_spans(reading))
    target = words_of(reading.trace.target_tokens)
    merged = []
    for one in maps:
        queries = source if one.module == "encoder_self" else target
        keys = target if one.module == "decoder_self" else source
        merged.append(
            ModuleMaps(
                one.module,
                merge_words(one.weights, queries, keys),
                merge_mask(one.mask, queries, keys),
                queries.labels,
                keys.labels,
                _last_predicted(one, queries),
            )
        )
    return merged


def _text_and_spans(reading: Reading) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The source as the model reads it, and the spans of its tokens."""
    text = reading.translator.read_as(reading.texts.source)
    return text, reading.translator.encode_source(reading.texts.source).spans


def _last_predicted(one: ModuleMaps, queries: Words) -> list[str]:
    """What a word predicts is what its last token predicts."""
    return [one.predicted[group[-1]] for group in queries.groups] if one.predicted else []


def _without_sinks(one: ModuleMaps) -> tuple[ModuleMaps, np.ndarray]:
    hidden = is_sink(one.keys)
    kept = hide_keys(one.weights, hidden)
    keys = [key for key, is_hidden in zip(one.keys, hidden, strict=True) if not is_hidden]
    mask = one.mask[..., ~hidden] & np.isfinite(kept.weights).all(axis=1)
    return replace(one, weights=kept.weights, mask=mask, keys=keys), kept.hidden.ravel()
