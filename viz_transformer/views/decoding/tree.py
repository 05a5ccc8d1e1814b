"""What a search is to the page: its settings, and the tree of everything that it considered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from viz_transformer.decoding.ranking import DEFAULT_BEAM, BeamOptions
from viz_transformer.decoding.search import DecodingStep
from viz_transformer.interventions import Intervention
from viz_transformer.tokenizers import END_ID

Method = Literal["greedy", "beam", "sample"]


@dataclass(frozen=True)
class Settings:
    """Everything that a search depends on, but the model and the source."""

    method: Method = "beam"
    beam: BeamOptions = DEFAULT_BEAM
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    prefix_ids: tuple[int, ...] = ()
    banned_ids: tuple[int, ...] = ()  # besides those that no output holds
    interventions: tuple[Intervention, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether there is no prefix, no ban and no change to the forward pass."""
        return self == self.unchanged()

    def unchanged(self) -> Settings:
        """The same search without a prefix, bans and changes to the forward pass."""
        return replace(self, prefix_ids=(), banned_ids=(), interventions=())

    def greedy(self) -> Settings:
        """Greedy search under the same prefix, bans and changes."""
        return Settings(
            "greedy",
            BeamOptions(beam_size=1, normalization="sum"),
            prefix_ids=self.prefix_ids,
            banned_ids=self.banned_ids,
            interventions=self.interventions,
        )


@dataclass(frozen=True)
class Node:
    """One candidate of the tree.

    Attributes:
        parent: its parent's place in the level before; -1 for the start.
        probability: sampling only: of being drawn, after the filters.
        the others: as in `Candidate`; sampling has the reasons "drawn", "not_drawn" and "forced".
    """

    parent: int
    token_id: int
    token: str
    log_prob: float
    total_log_prob: float
    score: float
    status: str
    reason: str
    margin: float = 0.0
    probability: float | None = None


@dataclass(frozen=True)
class Draw:
    """How a sampling step chose: see `SamplingStep`."""

    draw: float | None
    n_kept: int
    filtered_mass: float
    low: float
    high: float


@dataclass(frozen=True)
class GreedyPath:
    """What greedy search writes, and the sum of its log-probabilities."""

    ids: tuple[int, ...]
    total_log_prob: float


@dataclass(frozen=True, eq=False)
class Search:
    """A search as far as it has come.

    Attributes:
        levels: the candidates of each step, the best first.
        steps: those of a beam search, without their log_probs, since the tree shows only the candidates.
        draws: those of sampling, one a level.
        stop_reason: None while it runs.
        end_id: of the model.
    """

    settings: Settings
    levels: tuple[tuple[Node, ...], ...]
    steps: tuple[DecodingStep, ...]
    draws: tuple[Draw, ...]
    stop_reason: str | None
    end_id: int = END_ID

    def has(self, level: int, rank: int) -> bool:
        """Whether there is such a node."""
        return 0 <= level < len(self.levels) and 0 <= rank < len(self.levels[level])

    def path(self, level: int, rank: int) -> tuple[tuple[int, int], ...]:
        """The nodes from the first level to this one, each (level, rank)."""
        nodes = []
        while level >= 0:
            nodes.append((level, rank))
            level, rank = level - 1, self.levels[level][rank].parent
        return tuple(reversed(nodes))

    def ids(self, level: int, rank: int) -> tuple[int, ...]:
        """The output that ends in this node."""
        return tuple(self.levels[t][r].token_id for t, r in self.path(level, rank))

    def follow(self, ids: Sequence[int]) -> list[int]:
        """The place of each of `ids` in its level, as far as the search considered this output."""
        places: list[int] = []
        for level, token_id in zip(self.levels, ids, strict=False):
            parent = places[-1] if places else -1
            found = [r for r, node in enumerate(level) if (node.parent, node.token_id) == (parent, token_id)]
            if not found:
                break
            places += found
        return places

    def find(self, ids: Sequence[int]) -> tuple[int, int] | None:
        """The node in which the output `ids` ends, or None where the search never considered it."""
        places = self.follow(ids)
        return (len(ids) - 1, places[-1]) if ids and len(places) == len(ids) else None

    @property
    def best_ids(self) -> tuple[int, ...]:
        """The output: the best finished hypothesis, or the best live one where none has finished."""
        if self.steps:
            return self.steps[-1].best.ids
        last = len(self.levels) - 1
        return self.ids(last, next(r for r, node in enumerate(self.levels[last]) if node.status != "pruned"))

    @property
    def best(self) -> tuple[int, int]:
        """The node in which the output ends."""
        found = self.find(self.best_ids)
        assert found is not None  # a search's output is one of its candidates
        return found

    def greedy_path(self) -> GreedyPath | None:
        """The path of greedy search, if this search followed it to its end; None where only a greedy search can tell.

        The candidates come with the best first, so that the first child of a hypothesis is its most probable one.
        """
        rank: int | None = -1
        for t, level in enumerate(self.levels):
            rank = next((r for r, node in enumerate(level) if node.parent == rank), None)
            if rank is None:
                return None
            node = level[rank]
            is_last = t + 1 == len(self.levels) and self.stop_reason == "max_len"
            if node.token_id == self.end_id or is_last:
                return GreedyPath(self.ids(t, rank), node.total_log_prob)
            if node.status != "live":
                return None
        return None
