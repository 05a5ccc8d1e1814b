"""What an exercise is checked on: a model, the pass that was recorded over the exercise's sentence, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from viz_transformer.analysis.measures import measure_heads
from viz_transformer.decoding.ranking import Hypothesis
from viz_transformer.experiments.heads.knock_out import impact_of_heads
from viz_transformer.experiments.scaling.saturation import Saturation, draw_scores, saturation
from viz_transformer.heads import HeadRef
from viz_transformer.interventions import Intervention
from viz_transformer.resources import resource
from viz_transformer.tokenizers import EncodedText
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator

_BEAM = 4


@dataclass(frozen=True, eq=False)
class Bench:
    """The model and the recorded pass on which an answer is checked.

    An exercise about a formula needs neither; one for which any sentence may be typed needs a model and no pass.

    Attributes:
        loaded: the model, None where the exercise is about none.
        recorded: the pass over the exercise's sentence, None where it has none.
        source: that sentence, or "".
    """

    loaded: Translator | None = None
    recorded: Trace | None = None
    source: str = ""

    @property
    def translator(self) -> Translator:
        """The model, of an exercise that has one."""
        assert self.loaded is not None
        return self.loaded

    @property
    def trace(self) -> Trace:
        """The pass, of an exercise that has a sentence."""
        assert self.recorded is not None
        return self.recorded

    @cached_property
    def measures(self) -> dict[HeadRef, dict[str, float]]:
        """What each head does in the pass, measured."""
        return measure_heads(self.trace)

    @cached_property
    def impacts(self) -> dict[HeadRef, float]:
        """By how much log p of the whole output changes when a head is knocked out, in nats."""
        impacts = impact_of_heads(self.translator.model, self.trace)
        return {head: float(changes.sum(dtype=float)) for head, changes in impacts}

    @cached_property
    def saturation(self) -> Saturation:
        """Softmax over 16 keys that are drawn at each d_k, as the page Scaling opens with."""
        return saturation(draw_scores(), 16)

    @property
    def log_prob(self) -> float:
        """log p of the output of the pass, in nats."""
        return self.trace.log_prob

    def greedy(self, source: str | EncodedText, *changes: Intervention) -> Hypothesis:
        """The model's greedy output, under changes of the forward pass or without."""
        *_, last = self.translator.greedy_search(source, interventions=changes)
        return last.best

    def finished(self, source: str | EncodedText) -> tuple[Hypothesis, ...]:
        """What a beam of 4 finishes, the best first: by GNMT's score, log p over ((5 + length) / 6)^α, α = 0.6."""
        *_, last = self.translator.beam_search(source, beam_size=_BEAM)
        return (last.best,) if not last.finished else last.finished

    def text_of(self, hypothesis: Hypothesis) -> str:
        """An output as text."""
        return self.translator.target_tokenizer.decode(hypothesis.ids)


def shipped_sources(model: str) -> Iterator[str]:
    """Sources to search for a right answer: 30 everyday sentences, and the phrasebook that comes with the project."""
    for name in ("everyday", "phrasebook"):
        for line in resource(f"assets/data/{name}.{model}.tsv").read_text(encoding="utf-8").splitlines():
            yield line.partition("\t")[0]
