"""What the page Decoding sends, in rows instead of columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.packed import received, unpacked


class Sent(NamedTuple):
    """The request, the search, the node that is shown and the pass over its hypothesis."""

    request: Any
    search: Any
    node: list[int]
    trace: Any


def sent_by(app: AppTest) -> Sent:
    """What the component got."""
    (component,) = app.get("bidi_component")
    request, content = received(component.proto.bytes)
    return Sent(request, unpacked(content["search"].tobytes()), content["node"], content["trace"])


def levels_of(search: Any) -> list[list[dict[str, Any]]]:
    """The candidates of every step."""
    nodes = search["nodes"]
    columns = {
        "parent": nodes["parents"],
        "token": nodes["tokens"],
        "log_prob": nodes["logProbs"],
        "sum": nodes["sums"],
        "score": nodes["scores"],
        "margin": nodes["margins"],
        "probability": nodes["probabilities"],
        "status": np.array(nodes["statuses"]["names"])[nodes["statuses"]["codes"]],
        "reason": np.array(nodes["reasons"]["names"])[nodes["reasons"]["codes"]],
    }
    assert {len(column) for column in columns.values()} == {search["counts"].sum()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    ends = np.cumsum(search["counts"])
    return [rows[end - count : end] for end, count in zip(ends, search["counts"], strict=True)]


def rankings_of(search: Any) -> dict[float, list[tuple[int, int, float]]]:
    """The finished hypotheses under every α, the best first: level, rank and score."""
    rankings = search["rankings"]
    rows = [(*node, score) for node, score in zip(rankings["nodes"].tolist(), rankings["scores"].tolist(), strict=True)]
    ends = np.cumsum(rankings["counts"])
    return {
        alpha: rows[end - count : end]
        for alpha, end, count in zip(rankings["alphas"].tolist(), ends, rankings["counts"], strict=True)
    }


def next_tokens(trace: Any) -> list[dict[str, Any]]:
    """The likeliest tokens of every step."""
    shown = trace["next"]
    return [
        {
            "tokens": tokens,
            "ranks": shown["ranks"][t, : len(tokens)].tolist(),
            "log_probs": shown["logProbs"][t, : len(tokens)].tolist(),
            "taken": int(shown["taken"][t]),
            "rest": float(shown["rest"][t]),
        }
        for t, tokens in enumerate(shown["tokens"])
    ]
