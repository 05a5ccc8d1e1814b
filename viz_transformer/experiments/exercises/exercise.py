"""An exercise: a question, how an answer to it is judged by recorded numbers, and how one is found by the same numbers.

No answer is stored. Who retrains a model, or changes a sentence, changes the answers with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from viz_transformer.experiments.exercises.answers import Kind
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.heads import HeadRef
from viz_transformer.sentences import N_, SaidError
from viz_transformer.translator import Translator

Verdict = Literal["right", "nearly", "wrong"]


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer: a sentence in Markdown with a place for each of the values, which it quotes.

    Attributes:
        values: numbers, heads, and texts, which are data.
    """

    verdict: Verdict
    template: str
    values: Mapping[str, object]


def right(template: str, **values: object) -> Feedback:
    """The exercise is solved."""
    return Feedback("right", template, values)


def nearly(template: str, **values: object) -> Feedback:
    """Not the best there is, but not far from it."""
    return Feedback("nearly", template, values)


def wrong(template: str, **values: object) -> Feedback:
    """It is not that."""
    return Feedback("wrong", template, values)


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. Its sentences are marked for translation, and in Markdown.

    Attributes:
        slug: its name in links.
        title: a few words.
        question, hint: sentences.
        kind: of its answers.
        judge: what is said of an answer of that kind.
        solution: an answer that is right.
        page, parameters: the view of the app that shows what the answer is read from.
        model: the shipped model that it is about; "" where it is about a formula.
        source, target: of the recorded pass; without a target the model's own output, without a source no pass.
        values: that the question quotes.
    """

    slug: str
    title: str
    question: str
    hint: str
    kind: Kind
    judge: Callable[[Bench, Any], Feedback]
    solution: Callable[[Bench], Any]
    page: str
    parameters: Mapping[str, str]
    model: str = ""
    source: str = ""
    target: str = ""
    values: Mapping[str, object] = field(default_factory=dict)

    def bench(self, translator: Translator | None) -> Bench:
        """The bench that it is checked on: `translator` is its model, None where it needs none."""
        if translator is None or not self.source:
            return Bench(translator)
        return Bench(translator, translator.trace(self.source, self.target or None))

    def check(self, bench: Bench, answer: str) -> Feedback:
        """What is said of an answer as it was typed; of one that cannot be read, why."""
        if not answer.strip():
            return wrong(N_("There is no answer yet: type or choose one."))
        try:
            return self.judge(bench, self.kind.read(answer, bench))
        except SaidError as error:
            return wrong(error.template, **error.values)

    def solve(self, bench: Bench) -> str:
        """A right answer as it would be typed, found by the numbers that `check` goes by."""
        return self.kind.write(self.solution(bench))

    def link(self) -> dict[str, str]:
        """The parameters of the link to `page`: the model and its sentence among them."""
        texts = {"model": self.model, "source": self.source, "target": self.target}
        return {name: text for name, text in texts.items() if text} | dict(self.parameters)


def first_right(judge: Callable[[Any], Feedback], candidates: Iterable[Any]) -> Any:
    """The first of the candidates that is right.

    Raises:
        LookupError: none is.
    """
    for candidate in candidates:
        if judge(candidate).verdict == "right":
            return candidate
    raise LookupError("none of the candidates is right")


def compared(head: HeadRef, values: Mapping[HeadRef, float]) -> Feedback:
    """Which head puts the largest share of its weight there: that one, one of the first three, or another."""
    value, ranked = values[head], sorted(values.values(), reverse=True)
    if value == ranked[0]:
        return right(
            N_("{head} puts {share:.1%} of its weight there, more than any other head."), head=head, share=value
        )
    sentence = N_("{head} puts {share:.1%} of its weight there; another head puts {most:.1%}.")
    say = nearly if value >= ranked[min(2, len(ranked) - 1)] else wrong
    return say(sentence, head=head, share=value, most=ranked[0])


def sized(answer: float, exact: float) -> Feedback:
    """Whether a wrong number is too small or too large."""
    if answer < exact:
        return wrong(N_("{answer:g} is too small."), answer=answer)
    return wrong(N_("{answer:g} is too large."), answer=answer)
