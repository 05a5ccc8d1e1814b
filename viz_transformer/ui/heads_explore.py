"""The views of the page "Heads" on one recorded pass: at a glance, as arcs, and from query and key to the weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st

from viz_transformer.experiments.words import Words, hide_keys, is_sink, merge_mask, merge_words, words_of
from viz_transformer.head_measures import MEASURES, measure_heads
from viz_transformer.heads import AttentionModule, HeadRef, n_layers
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.controls import Texts
from viz_transformer.ui.heads_measured import unit_names
from viz_transformer.ui.heads_payload import HeadScore, ModuleMaps, maps_of
from viz_transformer.ui.heads_state import heads_in_link, keep_heads_in_link
from viz_transformer.ui.heads_view import heads_view, query_key_view, within
from viz_transformer.ui.models import ModelChoice
from viz_transformer.ui.text import _
from viz_transformer.ui.trace_view import MODULES


@dataclass(frozen=True, eq=False)
class HeadsPage:
    """What every section of the page is given."""

    model: ModelChoice
    translator: Translator
    texts: Texts
    trace: Trace

    @property
    def head(self) -> HeadRef:
        """The head that the link names, or the one that the model's card opens with."""
        view = within(heads_in_link(self.trace, self.translator.card), maps_of(self.trace))
        module = next(name for name in MODULES if name == view.module)
        return HeadRef(module, view.layer, view.head)


def glance(page: HeadsPage) -> None:
    """Every head of every module as a thumbnail."""
    _maps_view(page, "glance")


def arcs(page: HeadsPage) -> None:
    """The heads of one layer, overlaid, between two columns of tokens."""
    _maps_view(page, "arcs")


@st.fragment
def query_key(page: HeadsPage) -> None:
    """How one query token comes to its weights."""
    trace, key = page.trace, "heads-query-key"
    view = heads_in_link(trace, page.translator.card)
    query_key_view(trace, key=key, view=view, on_change=partial(keep_heads_in_link, key, trace.config.n_heads))


@st.fragment
def _maps_view(page: HeadsPage, mode: Literal["glance", "arcs"]) -> None:
    trace, key = page.trace, f"heads-{mode}"
    maps, notes = _choose_maps(page)
    scores = scores_of(trace)
    view = heads_in_link(trace, page.translator.card, scores)
    keep = partial(keep_heads_in_link, key, trace.config.n_heads)
    heads_view(maps, key=key, mode=mode, view=view, scores=scores, notes=notes, on_change=keep)


def scores_of(trace: Trace) -> list[HeadScore]:
    """Every measure of every head on the recorded pass."""
    config, measured = trace.config, measure_heads(trace)

    def values(name: str, module: AttentionModule) -> np.ndarray:
        heads = range(config.n_heads)
        layers = range(n_layers(config, module))
        return np.array([[measured[HeadRef(module, m, n)].get(name, np.nan) for n in heads] for m in layers])

    units = unit_names()
    return [
        HeadScore(
            one.name,
            _(one.title) if one.unit == "share" else f"{_(one.title)}, {units[one.unit]}",
            {module: values(one.name, module) for module in MODULES},
        )
        for one in MEASURES
    ]


def _choose_maps(page: HeadsPage) -> tuple[list[ModuleMaps], list[str]]:
    """The recorded weights, or what the two switches (in the link as `words`, `nosinks`) make of them, and say so."""
    left, right = st.columns(2)
    by_word = left.toggle(_("Merge subwords into words"), key="words", bind="query-params")
    no_sinks = right.toggle(_("Hide start, end and punctuation as keys"), key="nosinks", bind="query-params")
    maps, notes = maps_of(page.trace), []
    if by_word:
        maps = _by_word(page, maps)
        notes.append(_("By words: the weights of a word's tokens are added up as keys and averaged as queries."))
    if no_sinks:
        if any(is_sink(one.keys).all() for one in maps):
            notes.append(_("Every key is start, end or punctuation: none is hidden."))
        else:
            maps, shares = zip(*(_without_sinks(one) for one in maps), strict=True)
            notes.append(
                _(
                    "Start, end and punctuation are hidden as keys, and the rest of each row is divided by its sum: "
                    "these are not the recorded weights. The hidden keys held {share} % of the weight; a row that gave "
                    "them everything is hatched."
                ).format(share=f"{100 * float(np.concatenate(shares).mean()):.1f}")
            )
    return list(maps), notes


def _by_word(page: HeadsPage, maps: Sequence[ModuleMaps]) -> list[ModuleMaps]:
    source = words_of(page.trace.source_tokens, *_text_and_spans(page))
    target = words_of(page.trace.target_tokens)
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


def _text_and_spans(page: HeadsPage) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The source as the model reads it, and where its tokens lie in it."""
    text = page.translator.read_as(page.texts.source)
    return text, page.translator.encode_source(page.texts.source).spans


def _last_predicted(one: ModuleMaps, queries: Words) -> list[str]:
    """What a word predicts is what its last token predicts."""
    return [one.predicted[group[-1]] for group in queries.groups] if one.predicted else []


def _without_sinks(one: ModuleMaps) -> tuple[ModuleMaps, np.ndarray]:
    hidden = is_sink(one.keys)
    kept = hide_keys(one.weights, hidden)
    keys = [key for key, is_hidden in zip(one.keys, hidden, strict=True) if not is_hidden]
    mask = one.mask[..., ~hidden] & np.isfinite(kept.weights).all(axis=1)
    return replace(one, weights=kept.weights, mask=mask, keys=keys), kept.hidden.ravel()
