"""A search and the recorded pass of one of its hypotheses, as the browser gets them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from viz_transformer.config import TransformerConfig
from viz_transformer.decoding.n_best import rerank
from viz_transformer.experiments.decoding.step_by_step import cache_size, cached_step_cost, uncached_step_cost
from viz_transformer.heads import DECODER_MODULES
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.trace import Trace
from viz_transformer.views.codec import pack
from viz_transformer.views.decoding.tree import Draw, GreedyPath, Node, Search
from viz_transformer.views.trace_view import trace_content
from viz_transformer.visible import visible

ALPHAS = tuple(round(0.1 * n, 1) for n in range(-10, 21))  # of the slider that ranks anew


def pack_search(
    search: Search, greedy: GreedyPath, tokenizer: Tokenizer, config: TransformerConfig, n_source: int
) -> bytes:
    """Every candidate of every step, the finished hypotheses as each α ranks them, and the size of the cache.

    Candidates are sent as columns, step after step. A node is [level, rank], counted from 0.
    """
    return pack(
        {
            "method": search.settings.method,
            "beam": search.settings.beam.beam_size,
            "normalization": search.settings.beam.normalization,
            "alpha": search.settings.beam.length_penalty,
            "counts": _integers(map(len, search.levels)),  # of each step's candidates
            "nodes": _nodes([node for level in search.levels for node in level]),
            "draws": _draws(search.draws),
            "best": list(search.best),
            "end": tokenizer.label(config.end_id),
            "greedy": search.follow(greedy.ids),  # the rank at each step, as far as the search has its path
            "ended": [{"node": list(node), "text": tokenizer.decode(search.ids(*node))} for node in _ended(search)],
            "rankings": _rankings(search, config.max_len),
            "cache": _cache(config, n_source, range(len(search.levels))),
        },
        visible,
    )


def shown_content(packed_search: bytes, trace: Trace, node: tuple[int, int], tokenizer: Tokenizer) -> dict[str, Any]:
    """A search with the recorded pass of the hypothesis that ends in `node`."""
    shown = trace_content(trace, tokenizer.label, modules=DECODER_MODULES)
    return {"search": packed_search, "node": list(node), "trace": shown}


def _nodes(nodes: Sequence[Node]) -> dict[str, Any]:
    """The nodes as columns: a parent is a rank in the level before, -1 at the start; a missing probability is NaN."""
    return {
        "parents": _integers(node.parent for node in nodes),
        "tokens": [node.token for node in nodes],
        "logProbs": _numbers(node.log_prob for node in nodes),
        "sums": _numbers(node.total_log_prob for node in nodes),
        "scores": _numbers(node.score for node in nodes),
        "margins": _numbers(node.margin for node in nodes),
        "probabilities": _numbers(node.probability for node in nodes),
        "statuses": _names([node.status for node in nodes]),
        "reasons": _names([node.reason for node in nodes]),
    }


def _draws(draws: Sequence[Draw]) -> dict[str, Any]:
    """The draws of sampling as columns, one for each level; a draw is NaN where the prefix forced the token."""
    return {
        "draw": _numbers(draw.draw for draw in draws),
        "kept": _integers(draw.n_kept for draw in draws),
        "mass": _numbers(draw.filtered_mass for draw in draws),
        "low": _numbers(draw.low for draw in draws),
        "high": _numbers(draw.high for draw in draws),
    }


def _cache(config: TransformerConfig, n_source: int, steps: range) -> dict[str, Any]:
    """The multiply-adds of each step with the cache and without it, and how many numbers it holds then."""
    return {
        "layers": config.n_decoder_layers,
        "heads": config.decoder.n_heads,
        "width": config.decoder.d_k,
        "source": n_source,
        "with": _numbers(cached_step_cost(config, n_source, step) for step in steps),
        "without": _numbers(uncached_step_cost(config, n_source, step) for step in steps),
        "size": _numbers(cache_size(config, n_source, step) for step in steps),
    }


def _ended(search: Search) -> list[tuple[int, int]]:
    """Every hypothesis that finished, in the order in which they did; and those that are live at the end."""
    last = len(search.levels) - 1
    live = [(last, r) for r, node in enumerate(search.levels[last]) if node.status == "live"]
    return [*_finished(search), *live]


def _rankings(search: Search, max_len: int) -> dict[str, Any] | None:
    """The finished hypotheses ranked by every α of `ALPHAS` and by the search's own, or None where α plays no part.

    As columns: `counts` says how many of the `nodes` and `scores` each α ranks.
    """
    beam = search.settings.beam
    if search.settings.method != "beam" or beam.normalization not in ("gnmt", "power"):
        return None
    alphas = sorted({*ALPHAS, beam.length_penalty})
    found = [
        rerank(
            search.steps,
            beam_size=beam.beam_size,
            max_len=max_len,
            length_penalty=alpha,
            normalization=beam.normalization,
            stop=beam.stop,
        )
        for alpha in alphas
    ]
    ranked = [hypothesis for one in found for hypothesis in one.hypotheses]
    places = {search.ids(*node): node for node in _finished(search)}
    return {
        "alphas": _numbers(alphas),
        "counts": _integers(len(one.hypotheses) for one in found),
        "nodes": np.array([places[hypothesis.ids] for hypothesis in ranked], np.int32).reshape(-1, 2),
        "scores": _numbers(hypothesis.score for hypothesis in ranked),
        "steps": _integers(one.n_steps for one in found),
        "needsSearch": np.array([one.needs_search for one in found]),
    }


def _finished(search: Search) -> list[tuple[int, int]]:
    """The nodes of all hypotheses that finished, in the order in which they did."""
    return [
        (t, r) for t, level in enumerate(search.levels) for r, node in enumerate(level) if node.status == "finished"
    ]


def _integers(values: Iterable[int]) -> np.ndarray:
    return np.array([*values], np.int32)


def _numbers(values: Iterable[float | None]) -> np.ndarray:
    return np.array([*values], np.float64)  # None is NaN


def _names(values: Sequence[str]) -> dict[str, Any]:
    """Names that repeat often: the list of different ones, and the index of each name in it."""
    names = sorted({*values})
    return {"names": names, "codes": np.array([names.index(value) for value in values], np.uint8)}
