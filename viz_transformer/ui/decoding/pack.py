"""A search and the recorded pass of one of its hypotheses, as the browser reads them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from viz_transformer.config import TransformerConfig
from viz_transformer.decoding.n_best import rerank
from viz_transformer.experiments.decoding.step_by_step import cache_size, cached_step_cost, uncached_step_cost
from viz_transformer.heads import DECODER_MODULES
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.trace import Trace
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.trace_view import pack_trace
from viz_transformer.ui.decoding.tree import GreedyPath, Search

ALPHAS = tuple(round(0.1 * n, 1) for n in range(21))  # of the slider that ranks anew, 0 to 2


@lru_cache(maxsize=32)  # searches are kept, so the same one comes again and again
def pack_search(
    search: Search, greedy: GreedyPath, tokenizer: Tokenizer, config: TransformerConfig, n_source: int
) -> bytes:
    """One JSON text: every candidate of every step, what has finished under every α, and what the cache holds.

    A node is [parent, token, log p, sum, score, status, reason, margin, probability or null]; parents and all other
    places are [level, rank], counted from 0, -1 for the start.
    """
    steps = range(len(search.levels))
    return frame(
        {
            "method": search.settings.method,
            "beam": search.settings.beam.beam_size,
            "normalization": search.settings.beam.normalization,
            "alpha": search.settings.beam.length_penalty,
            "levels": [
                [
                    [
                        node.parent,
                        node.token,
                        node.log_prob,
                        node.total_log_prob,
                        node.score,
                        node.status,
                        node.reason,
                        node.margin,
                        node.probability,
                    ]
                    for node in level
                ]
                for level in search.levels
            ],
            "draws": [[draw.draw, draw.n_kept, draw.filtered_mass, draw.low, draw.high] for draw in search.draws],
            "best": list(search.best),
            "stop": search.stop_reason,
            "greedy": search.follow(greedy.ids),
            "greedyLength": len(greedy.ids),
            "ended": _ended(search, tokenizer),
            "rankings": _rankings(search, config.max_len),
            "cache": {
                "layers": config.n_decoder_layers,
                "heads": config.n_heads,
                "width": config.d_k,
                "source": n_source,
                "steps": [
                    [
                        cached_step_cost(config, n_source, step),
                        uncached_step_cost(config, n_source, step),
                        cache_size(config, n_source, step),
                    ]
                    for step in steps
                ],
            },
        }
    )


def pack_hypothesis(trace: Trace, node: tuple[int, int], tokenizer: Tokenizer) -> bytes:
    """The recorded pass of the hypothesis that ends in `node`: see `pack_trace`."""
    return frame({"node": list(node)}) + pack_trace(trace, tokenizer.label, modules=DECODER_MODULES)


def _ended(search: Search, tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """Every hypothesis that finished, in the order in which it did; and what lives on at the end."""
    last = len(search.levels) - 1
    live = [(last, r) for r, node in enumerate(search.levels[last]) if node.status == "live"]
    return [
        {
            "node": [t, r],
            "text": tokenizer.decode(search.ids(t, r)),
            "length": t + 1,
            "sum": search.levels[t][r].total_log_prob,
            "score": search.levels[t][r].score,
            "finished": search.levels[t][r].status == "finished",
        }
        for t, r in [*_finished(search), *live]
    ]


def _rankings(search: Search, max_len: int) -> dict[str, Any] | None:
    """The finished hypotheses ranked by every α of `ALPHAS` and by the search's own, or None where α plays no part."""
    beam = search.settings.beam
    if search.settings.method != "beam" or beam.normalization != "gnmt":
        return None
    alphas = sorted({*ALPHAS, beam.length_penalty})
    places = {search.ids(t, r): (t, r) for t, r in _finished(search)}
    lists = []
    for alpha in alphas:
        found = rerank(search.steps, beam_size=beam.beam_size, max_len=max_len, length_penalty=alpha, stop=beam.stop)
        lists.append(
            {
                "nodes": [[*places[h.ids], h.score] for h in found.hypotheses],
                "steps": found.n_steps,
                "needsSearch": found.needs_search,
            }
        )
    return {"alphas": alphas, "lists": lists}


def _finished(search: Search) -> list[tuple[int, int]]:
    """The nodes of all hypotheses that finished, in the order in which they did."""
    return [
        (t, r) for t, level in enumerate(search.levels) for r, node in enumerate(level) if node.status == "finished"
    ]
