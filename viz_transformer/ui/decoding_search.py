"""A search for the page, step by step with its progress on the screen, and the finished ones, kept for all visitors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Lock
from typing import Literal

import numpy as np
import streamlit as st

from viz_transformer.decoding import DecodingStep
from viz_transformer.interventions import ChangeMask, Intervention
from viz_transformer.ranking import Normalization, StopRule
from viz_transformer.sampling import SamplingStep
from viz_transformer.tokenizers import PAD_ID, START_ID
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.models import ModelChoice, compute_slots, load_translator

Method = Literal["greedy", "beam", "sample"]
METHODS: tuple[Method, ...] = ("beam", "greedy", "sample")
N_SHOWN = 8  # of the tokens that a sampling step could have drawn
_MAX_KEPT = 64


@dataclass(frozen=True)
class Settings:
    """Everything that a search depends on, but the model and the source."""

    method: Method = "beam"
    beam_size: int = 4
    length_penalty: float = 0.6
    normalization: Normalization = "gnmt"
    stop: StopRule = "first"
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    prefix_ids: tuple[int, ...] = ()
    banned_ids: tuple[int, ...] = (PAD_ID, START_ID)
    interventions: tuple[Intervention, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the model may write what it likes, as it is."""
        return self == self.unchanged()

    def unchanged(self) -> Settings:
        """The same search without a prefix, bans and changes to the forward pass."""
        return replace(self, prefix_ids=(), banned_ids=Settings.banned_ids, interventions=())

    def greedy(self) -> Settings:
        """Greedy search under the same prefix, bans and changes."""
        return Settings(
            "greedy",
            beam_size=1,
            normalization="sum",
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


@dataclass(frozen=True, eq=False)
class Search:
    """A search as far as it has come.

    Attributes:
        levels: the candidates of each step, the best first.
        steps: those of a beam, their log_probs let go: the tree shows the candidates only.
        draws: those of sampling, one a level.
        stop_reason: None while it runs.
    """

    settings: Settings
    levels: tuple[tuple[Node, ...], ...]
    steps: tuple[DecodingStep, ...]
    draws: tuple[Draw, ...]
    stop_reason: str | None

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


Show = Callable[[Search], None]


def run_search(model: ModelChoice, source: str, settings: Settings, show: Show = lambda so_far: None) -> Search:
    """The finished search; `show` is called after every step of one that is not kept yet.

    Where `show` raises, as every call of Streamlit does when its visitor has asked for something else, the search is
    given up and its slot is free again.
    """
    kept, lock = _kept_searches()
    key = (model, source, settings)
    with lock:
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    translator = load_translator(model.name, model.device)
    with compute_slots, closing(grow_search(translator, source, settings)) as growing:
        for search in growing:
            show(search)
    with lock:
        kept[key] = search
        while len(kept) > _MAX_KEPT:
            kept.popitem(last=False)
    return search


def trace_of(model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]) -> Trace:
    """The pass over one hypothesis, ended or not, as the search computed it: no row sees what was written after it.

    In a search a step has no later tokens to attend to, whatever its mask. One pass over all of them has: there the
    causal mask stays, so that row t is step t.
    """
    return _recorded(model, source, ids, tuple(map(_as_generated, interventions)))


def _as_generated(change: Intervention) -> Intervention:
    if isinstance(change, ChangeMask):
        return replace(change, modules=change.modules - {"decoder_self"})
    return change


@st.cache_resource(show_spinner=False, max_entries=32)
def _recorded(model: ModelChoice, source: str, ids: tuple[int, ...], interventions: tuple[Intervention, ...]) -> Trace:
    with compute_slots:
        return load_translator(model.name, model.device).trace_ids(source, ids, interventions=interventions)


@st.cache_resource(show_spinner=False)
def _kept_searches() -> tuple[OrderedDict[tuple[ModelChoice, str, Settings], Search], Lock]:
    return OrderedDict(), Lock()


def grow_search(translator: Translator, source: str, settings: Settings) -> Generator[Search, None, None]:
    """The search after every step; raises what the searches of the package raise."""
    search = Search(settings, (), (), (), None)
    if settings.method == "sample":
        for drawn in translator.sample(
            source,
            temperature=settings.temperature,
            top_k=settings.top_k,
            top_p=settings.top_p,
            seed=settings.seed,
            prefix_ids=settings.prefix_ids,
            banned_ids=settings.banned_ids,
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
        beam_size=settings.beam_size,
        length_penalty=settings.length_penalty,
        normalization=settings.normalization,
        stop=settings.stop,
        prefix_ids=settings.prefix_ids,
        banned_ids=settings.banned_ids,
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
