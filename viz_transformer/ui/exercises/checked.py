"""Answers checked and found, in turn with whatever else the server computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from viz_transformer.devices import pick_device
from viz_transformer.experiments.exercises.answers import AText
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.sentences import SaidError
from viz_transformer.translator import Translator
from viz_transformer.ui.shared.byte_cache import Kept, kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator, recorded_trace
from viz_transformer.ui.shared.scheduler import in_turn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_FEEDBACK: Kept[tuple[str, str], Feedback] = Kept()  # by exercise and answer
_PASSES = 7  # that a token takes: read by greedy search and by a beam of 4, and its translation written by both


def translator_of(exercise: Exercise) -> Translator | None:
    """The model that it is about."""
    return load_translator(exercise.model, pick_device().type) if exercise.model else None


def shown_bench(exercise: Exercise) -> Bench:
    """What is shown of it: the pass is the one that other pages show."""
    translator = translator_of(exercise)
    if not exercise.source:
        return Bench(translator)
    model = ModelChoice(exercise.model, pick_device().type)
    return Bench(translator, recorded_trace(model, exercise.source, exercise.target), exercise.source)


@kept()
def _solved(slug: str) -> tuple[str, Feedback]:
    exercise = BY_SLUG[slug]
    bench = exercise.bench(translator_of(exercise))  # within a turn `recorded_trace` would wait for one of its own
    answer = exercise.solve(bench)
    return answer, exercise.check(bench, answer)


def feedback_on(exercise: Exercise, bench: Bench, answer: str, place: DeltaGenerator) -> Feedback:
    """What is said of an answer, on what is shown of the exercise; where it is new, `place` says who computes first."""
    key = exercise.slug, answer
    if found := _FEEDBACK.get(key):
        return found
    job = (_FEEDBACK.computed(key, lambda: exercise.check(bench, answer)) for _once in [key])
    (feedback,) = in_turn(job, _cost(exercise, bench, answer), place)
    return feedback


def _cost(exercise: Exercise, bench: Bench, answer: str) -> int:
    """In tokens that go through a model, about; one that is refused goes through none."""
    if not isinstance(exercise.kind, AText):
        return 0
    try:
        return _PASSES * len(exercise.kind.read(answer, bench).ids)
    except SaidError:
        return 0


def answers_to(exercises: Iterable[Exercise], place: DeltaGenerator) -> Iterator[tuple[str, Feedback]]:
    """A right answer to each, and what is said of it, one after the other."""
    return in_turn((_solved(one.slug) for one in exercises), 0, place)
