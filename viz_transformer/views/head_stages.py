"""From q and k to the weights: every number of every head as it was recorded, for the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from viz_transformer.heads import ATTENTION_MODULES, n_layers
from viz_transformer.trace import Trace
from viz_transformer.views.maps import module_content


def stages_content(trace: Trace) -> dict[str, Any]:
    """Every stage of every head, for `pack`; stages.ts reads them.

    Each of `modules` has what `module_content` says, and in `stages` for each of its layers float32 arrays:
    q (H, T, D), k (H, S, D), scores, scaled scores and weights, each (H, T, S). D is its `depth`.
    """
    modules = []
    for module in ATTENTION_MODULES:
        records = [trace.attention(module, layer) for layer in range(n_layers(trace.config, module))]
        mask = np.stack([record.mask for record in records])
        predicted = () if module == "encoder_self" else trace.predicted_tokens
        n_heads, _length, depth = records[0].q.shape
        about = module_content(module, n_heads, mask, records[0].query_tokens, records[0].key_tokens, predicted)
        stages = [
            {
                "q": record.q,
                "k": record.k,
                "scores": record.scores,
                "scaled": record.scaled_scores,
                "weights": record.weights,
            }
            for record in records
        ]
        modules.append(about | {"depth": depth, "stages": stages})
    return {"modules": modules}
