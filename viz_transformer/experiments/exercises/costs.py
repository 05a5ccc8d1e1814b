"""Exercises about what a Transformer costs, and how it is trained."""

from __future__ import annotations

from dataclasses import replace

from viz_transformer.experiments.architecture.costs import PAPER_BASE, count_parameters
from viz_transformer.experiments.exercises.answers import ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, first_right, nearly, right, sized, wrong
from viz_transformer.experiments.training.schedule import lowest_loss, noam_rates, smoothed_target
from viz_transformer.experiments.why_attention.layer_types import Sizes, complexity
from viz_transformer.sentences import N_
from viz_transformer.training.tasks import Task

_FEWER = 60_000_000  # parameters
_WIDTH = 512
_WARMUP, _STEPS = 1000, 20_000
_SMOOTHING = 0.1


def _millions(layers: int) -> float:
    return count_parameters(replace(PAPER_BASE, n_encoder_layers=layers, n_decoder_layers=layers)) / 1e6


def _judge_parameters(_bench: Bench, layers: int) -> Feedback:
    values = {"layers": layers, "millions": _millions(layers), "next": _millions(layers + 1)}
    if values["millions"] >= _FEWER / 1e6:
        return wrong(N_("With N = {layers} there are {millions:.1f} million parameters."), **values)
    if values["next"] < _FEWER / 1e6:
        return nearly(N_("With N = {layers} there are {millions:.1f} million: one layer more still fits."), **values)
    return right(N_("With N = {layers} there are {millions:.1f} million; one layer more, {next:.1f}."), **values)


def _judge_crossover(_bench: Bench, n: int) -> Feedback:
    attention, recurrent = (complexity(kind, Sizes(n, _WIDTH, 3, 8)) for kind in ("attention", "recurrent"))
    values = {"n": n, "attention": attention / 1e6, "recurrent": recurrent / 1e6}
    if attention < recurrent:
        return wrong(
            N_(
                "At n = {n}, self-attention takes {attention:.1f} million operations, a recurrent layer "
                "{recurrent:.1f} million."
            ),
            **values,
        )
    if complexity("attention", Sizes(n - 1, _WIDTH, 3, 8)) >= complexity("recurrent", Sizes(n - 1, _WIDTH, 3, 8)):
        return nearly(N_("At n = {n} it takes as many or more, but this is already so at a smaller n."), **values)
    return right(N_("n² · d = n · d² where n = d: {attention:.1f} million each."), **values)


def _half_again() -> int:
    """The first step after the peak whose learning rate is at most half of the peak's."""
    rates = noam_rates(_STEPS, _WIDTH, _WARMUP)
    peak = int(rates.argmax())
    return next(step + 1 for step in range(peak, _STEPS) if rates[step] <= rates[peak] / 2)


def _judge_warm_up(_bench: Bench, step: int) -> Feedback:
    rates = noam_rates(_STEPS, _WIDTH, _WARMUP)
    share = float(rates[step - 1] / rates.max())
    if step <= int(rates.argmax()) + 1:
        return wrong(
            N_("At step {step} it is still warming up, at {share:.0%} of its peak: look beyond the peak."),
            step=step,
            share=share,
        )
    if abs(share - 0.5) < 0.005:
        return right(
            N_(
                "At step {step} the rate is {share:.1%} of its peak: 1/√step halves when the step is four times as"
                " large."
            ),
            step=step,
            share=share,
        )
    return wrong(N_("At step {step} the rate is {share:.0%} of its peak."), step=step, share=share)


def _least_loss() -> float:
    return lowest_loss(smoothed_target(0, Task("copy").tokenizer().vocab_size, _SMOOTHING))


def _judge_smoothing(_bench: Bench, answer: float) -> Feedback:
    least = _least_loss()
    if abs(answer - least) < 0.006:
        return right(
            N_(
                "The entropy of the target is {least:.4f} nats; no prediction can be closer to the target than the"
                " target itself."
            ),
            least=least,
        )
    if answer == 0:
        return nearly(N_("0 is the lowest loss without smoothing: a smoothed target has an entropy of its own."))
    return sized(answer, least)


CROSSOVER = Exercise(
    "crossover",
    N_("When attention costs as much as recurrence"),
    N_(
        "By Table 1 of the paper, with d = 512: what is the smallest length n at which a self-attention layer "
        "takes as many operations as a recurrent one?"
    ),
    (N_("Compare n² · d with n · d²."), N_("Divide both sides by n · d: what is left of each?")),
    ANumber(1, 100_000, label=N_("n")),
    _judge_crossover,
    lambda bench: first_right(lambda n: _judge_crossover(bench, n), range(1, 4096)),
    page="why_attention",
    parameters={"lesson": "table", "d": str(_WIDTH), "n": "64"},
)
PARAMETERS = Exercise(
    "parameters",
    N_("Fewer than 60 million"),
    N_(
        "The paper's base model has N = 6 layers in each stack. How many layers may each stack have at most if "
        "the model is to have fewer than 60 million parameters?"
    ),
    (
        N_("Move N in *Cost*; everything else stays as in the base model."),
        N_(
            "A layer of the encoder has about 4 d² + 2 d · d_ff parameters, one of the decoder 4 d² more. What is"
            " left for the layers once the embedding of 37,000 tokens is subtracted?"
        ),
    ),
    ANumber(1, 96, label=N_("N")),
    _judge_parameters,
    lambda bench: first_right(lambda layers: _judge_parameters(bench, layers), range(1, 97)),
    page="architecture",
    parameters={
        "lesson": "cost", "d_model": "512", "heads": "8", "layers": "6", "d_ff": "2048", "vocab": "37000",
        "norm": "post", "tying": "all", "model": "copy",
    },
)  # fmt: skip
WARM_UP = Exercise(
    "warm-up",
    N_("After the warm-up"),
    N_(
        "By the paper's schedule, with d_model = 512 and 1000 steps of warm-up: at which step, after its peak, is the "
        "learning rate half as large as at its peak?"
    ),
    (
        N_("It peaks where the warm-up ends, and then falls with 1/√step."),
        N_("1/√step has to halve from step 1000 on. By what factor must the step grow, then?"),
    ),
    ANumber(1, _STEPS, label=N_("Step")),
    _judge_warm_up,
    lambda bench: _half_again(),
    page="training",
    parameters={"view": "pictures", "noam_width": str(_WIDTH), "noam_warmup": str(_WARMUP), "noam_steps": str(_STEPS)},
)
SMOOTHING = Exercise(
    "smoothing",
    N_("The lowest possible loss"),
    N_(
        "With label smoothing of ε = 0.1 and the 14 tokens of the copy task, what is the lowest loss that any "
        "model can reach, in nats, to two decimals?"
    ),
    (
        N_("It is the entropy of the smoothed target: 1 − ε + ε/V for the label, ε/V for each other token."),
        N_("−p · ln p for the label, with p = 0.9 + 0.1/14, and 13 times the same with p = 0.1/14."),
    ),
    ANumber(0, 10, is_whole=False, label=N_("Loss")),
    _judge_smoothing,
    lambda bench: round(_least_loss(), 2),
    page="training",
    parameters={"view": "pictures", "epsilon": str(_SMOOTHING)},
)
