"""Answers checked and found, in turn with whatever else the server computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from viz_transformer.devices import pick_device
from viz_transformer.experiments.exercises.answers import AText
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.translator import Translator
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator, recorded_trace
from viz_transformer.ui.shared.slots import in_turn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def translator_of(exercise: Exercise) -> Translator | None:
    """The model that it is about."""
    return load_translator(exercise.model, pick_device().type) if exercise.model else None


def shown_bench(exercise: Exercise) -> Bench:
    """What is shown of it: the pass is the one that other pages show."""
    translator = translator_of(exercise)
    if not exercise.source:
        return Bench(translator)
    model = ModelChoice(exercise.model, pick_device().type)
    return Bench(translator, recorded_trace(model, exercise.source, exercise.target))


def _bench(exercise: Exercise) -> Bench:
    """The same, within the turn of whoever checks on it: `recorded_trace` would wait for one of its own."""
    return exercise.bench(translator_of(exercise))


@kept()
def _feedback(slug: str, answer: str) -> Feedback:
    return BY_SLUG[slug].check(_bench(BY_SLUG[slug]), answer)


@kept()
def _solved(slug: str) -> tuple[str, Feedback]:
    exercise = BY_SLUG[slug]
    bench = _bench(exercise)
    answer = exercise.solve(bench)
    return answer, exercise.check(bench, answer)


def feedback_on(exercise: Exercise, answer: str, place: DeltaGenerator) -> Feedback:
    """What is said of an answer; `place` says who computes first."""
    cost = len(answer) if isinstance(exercise.kind, AText) else 0  # letters are more than tokens
    (feedback,) = in_turn((_feedback(slug, answer) for slug in [exercise.slug]), cost, place)
    return feedback


def answers_to(exercises: Iterable[Exercise], place: DeltaGenerator) -> Iterator[tuple[str, Feedback]]:
    """A right answer to each, and what is said of it, one after the other."""
    return in_turn((_solved(one.slug) for one in exercises), 0, place)
