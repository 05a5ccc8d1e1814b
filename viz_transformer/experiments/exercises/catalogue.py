"""All exercises, from easy to hard."""

from __future__ import annotations

from viz_transformer.experiments.exercises import attention, costs, heads, masks, positions, writing
from viz_transformer.experiments.exercises.exercise import Exercise

EXERCISES: tuple[Exercise, ...] = (
    heads.COPY,
    heads.PREVIOUS,
    heads.LOOK,
    attention.BY_HAND,
    masks.CAUSAL,
    masks.ONE_KEY,
    heads.REVERSE,
    heads.ALIGNED,
    attention.LARGEST_SCORE,
    writing.PIECES,
    writing.SEED,
    masks.PADDING,
    heads.SHARP,
    attention.VARIANCE,
    positions.SAME_PRODUCT,
    positions.SLOW_PAIR,
    costs.WARM_UP,
    costs.CROSSOVER,
    heads.NEEDED,
    heads.HARMFUL,
    writing.SURPRISE,
    writing.TOP_P,
    positions.SHIFT,
    costs.PARAMETERS,
    attention.TEMPERATURE,
    attention.HALVES,
    costs.SMOOTHING,
    writing.TRANSLATION,
    writing.BEAM_BEATS,
    writing.PENALTY,
    positions.BAG,
)
BY_SLUG = {exercise.slug: exercise for exercise in EXERCISES}
