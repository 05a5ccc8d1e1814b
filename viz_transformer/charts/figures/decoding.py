"""A search as a tree of areas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, get_args

import plotly.graph_objects as go

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_plotly import dressed, in_template, verbatim
from viz_transformer.charts.style import Theme, style_of

Area = Literal["leaves", "probability"]
LABELS = {
    "title": "",
    "start": "start",
    "log_prob": "log p, nats",
    "total_log_prob": "sum of log p, nats",
    "score": "score",
    "live": "live",
    "finished": "finished",
    "pruned": "pruned",
}
NUMBERS = ("log_prob", "total_log_prob", "score")
FIELDS = ("id", "parent", "token", *NUMBERS, "status")


class _Candidate(Protocol):
    """What `beam_rows` needs of a candidate: `viz_transformer.Candidate` has it."""

    @property
    def parent(self) -> int: ...
    @property
    def token(self) -> str: ...
    @property
    def log_prob(self) -> float: ...
    @property
    def total_log_prob(self) -> float: ...
    @property
    def score(self) -> float: ...
    @property
    def status(self) -> str: ...


class _Step(Protocol):
    """`viz_transformer.DecodingStep` has it."""

    @property
    def candidates(self) -> Sequence[_Candidate]: ...


def beam_rows(steps: Iterable[_Step]) -> list[dict[str, Any]]:
    """The steps of a search as rows for `beam_tree`.

    Args:
        steps: what `beam_search` or `greedy_search` yields. A candidate's `parent` is an index into the live
            candidates of the step before, the best first.

    Returns:
        A row for each candidate that was considered: "id" ("2.0" is the best of step 2, both from 0), "parent" (an id,
        or "" for the start), "token", "log_prob" and "total_log_prob" (nats), "score", "status".

    Raises:
        ValueError: the steps have no candidates, as those of `sample`.
    """
    rows: list[dict[str, Any]] = []
    live = [""]
    for t, step in enumerate(steps):
        if not hasattr(step, "candidates"):
            raise ValueError(f"steps must be those of a beam or greedy search; a {type(step).__name__} is none.")
        names = [f"{t}.{rank}" for rank in range(len(step.candidates))]
        for name, one in zip(names, step.candidates, strict=True):
            numbers = {field: getattr(one, field) for field in NUMBERS}
            rows.append({"id": name, "parent": live[one.parent], "token": one.token, **numbers, "status": one.status})
        live = [name for name, one in zip(names, step.candidates, strict=True) if one.status == "live"]
    return rows


def beam_tree(
    rows: Iterable[Mapping[str, Any]],
    *,
    area: Area = "leaves",
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Everything that a search considered, as an icicle: a column for each step, children right of their parent.

    Args:
        rows: for each candidate "id" (unique), "parent" (an id, or "" for the start), "token", "log_prob",
            "total_log_prob" (nats), "score", and "status": "live", "finished" or "pruned". See `beam_rows`.
        area: what a box's height means. "leaves": the number of considered outputs that begin with its tokens.
            "probability": the probability of its tokens, exp(total_log_prob); the part that its children leave free
            is the probability of the continuations that were not considered.
        labels: other words for "title", "start", "log_prob", "total_log_prob", "score", "live", "finished", "pruned".

    Raises:
        ValueError: a row lacks a field, an id is repeated, a parent does not come before its children, or a status is
            unknown.
    """
    said, style = checked.texts(LABELS, labels), style_of(theme)
    if area not in get_args(Area):
        raise ValueError(f"area must be 'leaves' or 'probability'; it was {area!r}.")
    nodes = _nodes(rows)
    heights = _heights(nodes, area)
    where = "".join(f"<br>{in_template(said[name])} %{{customdata[{n}]}}" for n, name in enumerate(NUMBERS, start=1))
    figure = go.Figure(
        go.Icicle(
            ids=["start", *(f"node {name}" for name in nodes)],
            parents=["", *(f"node {one['parent']}" if one["parent"] else "start" for one in nodes.values())],
            labels=[verbatim(said["start"]), *(verbatim(one["token"]) for one in nodes.values())],
            values=[heights[""], *(heights[name] for name in nodes)],
            branchvalues="total",
            sort=False,
            tiling={"orientation": "h", "pad": 1},
            customdata=[
                ["", "", "", ""],
                *(
                    [verbatim(said[one["status"]]), *(f"{one[field]:.9g}" for field in NUMBERS)]
                    for one in nodes.values()
                ),
            ],
            hovertemplate=[
                "%{label}<extra></extra>",
                *[f"%{{label}} (%{{customdata[0]}}){where}<extra></extra>"] * len(nodes),
            ],
            marker={
                "colors": [style.panel, *(style.statuses[one["status"]] for one in nodes.values())],
                "line": {"color": style.background, "width": 1},
            },
            root={"color": style.panel},
            leaf={"opacity": 1},
            pathbar={"visible": False},
        )
    )
    return dressed(figure, style, said["title"], height=520)


def _nodes(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """id → row, parents before their children."""
    nodes: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        missing = [field for field in FIELDS if field not in row]
        if missing:
            raise ValueError(f"Each row needs {', '.join(FIELDS)}; one lacks {', '.join(missing)}.")
        name, parent = str(row["id"]), str(row["parent"])
        if not name or name in nodes:
            raise ValueError(f"Each id must be a text of its own; {name!r} is not.")
        if parent and parent not in nodes:
            raise ValueError(f"A parent must stand before its children; {parent!r}, of {name!r}, does not.")
        if row["status"] not in ("live", "finished", "pruned"):
            raise ValueError(f"A status is 'live', 'finished' or 'pruned'; that of {name!r} is {row['status']!r}.")
        if not all(math.isfinite(row[field]) for field in NUMBERS):
            raise ValueError(f"{', '.join(NUMBERS)} must be finite; those of {name!r} are not all.")
        nodes[name] = {**row, "parent": parent}
    if not nodes:
        raise ValueError("There must be at least one row.")
    return nodes


def _heights(nodes: Mapping[str, Mapping[str, Any]], area: Area) -> dict[str, float]:
    """id → height; "" is the start. A parent must not be lower than its children together, or Plotly draws nothing."""
    below = dict.fromkeys(["", *nodes], 0.0)
    heights: dict[str, float] = {}
    for name in reversed([*nodes]):  # children first
        own = math.exp(nodes[name]["total_log_prob"]) if area == "probability" else 1.0
        heights[name] = max(own if area == "probability" or not below[name] else 0.0, below[name])
        below[nodes[name]["parent"]] += heights[name]
    return {**heights, "": max(below[""], 1.0 if area == "probability" else 0.0)}
