"""Checks answers and computes right ones, in turn with whatever else the server computes."""

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
from viz_transformer.views.text import language

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_FEEDBACK: Kept[tuple[str, str, str], Feedback] = Kept()  # by exercise, its model and answer
_PASSES = 7  # of each source token: read by greedy and by beam search (2), its translation written by both (1 + 4)


def translator_of(exercise: Exercise) -> Translator | None:
    """The model that the exercise is about, or None."""
    return load_translator(exercise.model, pick_device().type) if exercise.model else None


def shown_bench(exercise: Exercise) -> Bench:
    """The exercise's bench for the page, with the same recorded pass that other pages show."""
    translator = translator_of(exercise)
    if not exercise.source:
        return Bench(translator)
    model = ModelChoice(exercise.model, pick_device().type)
    return Bench(translator, recorded_trace(model, exercise.source, exercise.target), exercise.source)


@kept()
def _solved(slug: str, reader: str) -> tuple[str, Feedback]:
    exercise = BY_SLUG[slug].for_reader(reader)
    bench = exercise.bench(translator_of(exercise))  # `recorded_trace` would wait for a second turn within this one
    answer = exercise.solve(bench)
    return answer, exercise.check(bench, answer)


def feedback_on(exercise: Exercise, bench: Bench, answer: str, place: DeltaGenerator) -> Feedback:
    """The feedback on an answer, checked on `bench` if the answer is new; then `place` says how many are ahead."""
    key = exercise.slug, exercise.model, answer
    if found := _FEEDBACK.get(key):
        return found
    job = (_FEEDBACK.computed(key, lambda: exercise.check(bench, answer)) for _once in [key])
    (feedback,) = in_turn(job, _cost(exercise, bench, answer), place)
    return feedback


def _cost(exercise: Exercise, bench: Bench, answer: str) -> int:
    """About how many tokens go through a model for an answer: none if it cannot be read."""
    if not isinstance(exercise.kind, AText):
        return 0
    try:
        return _PASSES * len(exercise.kind.read(answer, bench).ids)
    except SaidError:
        return 0


def answers_to(exercises: Iterable[Exercise], place: DeltaGenerator) -> Iterator[tuple[str, Feedback]]:
    """A right answer to each, and what is said of it, one after the other."""
    reader = language()
    return in_turn((_solved(one.slug, reader) for one in exercises), 0, place)
