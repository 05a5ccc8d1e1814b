"""An exercise: a question, how an answer to it is judged by recorded numbers, and how one is found by the same numbers.

No answer is stored: when a model is retrained, or a sentence changed, the answers change with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal, TypeVar

from viz_transformer.experiments.exercises.answers import Kind
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.sentences import N_, SaidError
from viz_transformer.tokenizers import EncodedText
from viz_transformer.translator import Translator

Candidate = TypeVar("Candidate")
Verdict = Literal["right", "nearly", "wrong"]


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer: a sentence in Markdown, with a placeholder for each of the values.

    Attributes:
        values: numbers, heads, and texts, which are shown as they are, not as Markdown.
    """

    verdict: Verdict
    template: str
    values: Mapping[str, object]


def right(template: str, **values: object) -> Feedback:
    """Feedback on an answer that solves the exercise."""
    return Feedback("right", template, values)


def nearly(template: str, **values: object) -> Feedback:
    """Feedback on an answer that is not the best, but not far from it."""
    return Feedback("nearly", template, values)


def wrong(template: str, **values: object) -> Feedback:
    """Feedback on any other answer."""
    return Feedback("wrong", template, values)


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. Its sentences are marked for translation, and in Markdown.

    Attributes:
        slug: its name in links.
        title: a few words.
        question: a sentence or two.
        hints: two sentences; the second one says more, and neither gives the answer away.
        kind: of its answers.
        judge: what is said of an answer of that kind.
        solution: an answer that is right.
        page, parameters: the view of the app that shows what the answer is read from.
        model: the shipped model that it is about; "" where it is about a formula.
        source, target: of the recorded pass; without a target the model's own output, without a source no pass.
        values: that the question quotes.
        code, table: lines that the question is about, with numbers; or numbers in columns. Shown as they are.
        chinese: the fields that are others for who reads Chinese: another model and its sentence, and what speaks of
            them.
    """

    slug: str
    title: str
    question: str
    hints: tuple[str, str]
    kind: Kind
    judge: Callable[[Bench, Any], Feedback]
    solution: Callable[[Bench], Any]
    _: KW_ONLY
    page: str
    parameters: Mapping[str, str]
    model: str = ""
    source: str = ""
    target: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    code: str = ""
    table: str = ""
    chinese: Mapping[str, Any] = field(default_factory=dict)

    def for_reader(self, language: str) -> Exercise:
        """The same exercise about a model whose texts somebody can write who reads this language, `en` or `zh`."""
        return replace(self, **self.chinese) if language == "zh" else self

    def bench(self, translator: Translator | None) -> Bench:
        """The bench that it is checked on: `translator` is its model, None where it needs none."""
        if translator is None or not self.source:
            return Bench(translator)
        return Bench(translator, translator.trace(self.source, self.target or None), self.source)

    def check(self, bench: Bench, answer: str) -> Feedback:
        """What is said of a typed answer; if it cannot be read, why not."""
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


def first_right(judge: Callable[[Candidate], Feedback], candidates: Iterable[Candidate]) -> Candidate:
    """The first of the candidates that is right.

    Raises:
        LookupError: none is.
    """
    for candidate in candidates:
        if judge(candidate).verdict == "right":
            return candidate
    raise LookupError("none of the candidates is right")


def first_text(
    bench: Bench,
    judge: Callable[[Bench, EncodedText], Feedback],
    texts: Iterable[str],
    side: Literal["source", "target"] = "source",
) -> str:
    """The first of the texts that is right as the model reads it, as its source or as its target.

    Raises:
        LookupError: none is.
    """
    encode = bench.translator.encode_source if side == "source" else bench.translator.encode_target
    return first_right(lambda text: judge(bench, encode(text)), texts)


def placed(value: float, values: Iterable[float]) -> Verdict:
    """The verdict on a value by its rank: the largest is right, the next two nearly so."""
    ranked = sorted(values, reverse=True)
    if value == ranked[0]:
        return "right"
    return "nearly" if value >= ranked[min(2, len(ranked) - 1)] else "wrong"


def sized(answer: float, exact: float) -> Feedback:
    """Whether a wrong number is too small or too large."""
    if answer < exact:
        return wrong(N_("{answer:g} is too small."), answer=answer)
    return wrong(N_("{answer:g} is too large."), answer=answer)
