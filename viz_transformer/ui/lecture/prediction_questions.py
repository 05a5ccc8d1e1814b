"""What a scene asks, in words, and the true answer, from the parameters of its link, read as the pages read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from viz_transformer.devices import pick_device
from viz_transformer.experiments.lecture.answers import (
    Answer,
    Cells,
    Choice,
    Curve,
    Token,
    allowed_in,
    cell_or_usual,
    crossing,
    entropy_of,
    gradient_curve,
    learning_rate_curve,
    mask_of,
    mask_of_batch,
    next_token,
    score_sd_curve,
    score_sd_drawn,
    score_sd_of,
    weight_at,
    weight_by_head,
    weights_of,
)
from viz_transformer.experiments.masks.padding import module_masks
from viz_transformer.experiments.scaling.variance import DrawSettings
from viz_transformer.experiments.why_attention.layer_types import MAX_WIDTH
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.lectures import Ask, said
from viz_transformer.trace import Trace
from viz_transformer.translator import Translator
from viz_transformer.ui.components.sliders import Values, values_in
from viz_transformer.ui.shared.batch import batch_of, example_batch, sentences_to_read
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import module_names
from viz_transformer.ui.shared.controls import USUAL_MODELS, examples_of
from viz_transformer.ui.shared.draw_sliders import settings_in, softmax_sliders
from viz_transformer.ui.shared.draws import drawn, scores_by_size
from viz_transformer.ui.shared.models import ModelChoice, load_translator, opening_head, recorded_trace
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.linked import CELL, INDEX, OneOf, OrNone, clamped, in_parameters, linked
from viz_transformer.views.linked import Number as LinkedNumber
from viz_transformer.views.text import _, language
from viz_transformer.views.trace_view import clearest_step

_MASKED = ("mask", "softmax", "context", "output")  # stages for which Attention opens with decoder self-attention
_STAGES = ("x", "qkv", "scores", "scale", *_MASKED)


@dataclass(frozen=True)
class Shown:
    """The head that a link shows, and where in its matrix. Numbers count from 0."""

    module: AttentionModule = linked("module", OneOf(ATTENTION_MODULES), "cross")
    layer: int = linked("layer", INDEX, 0)
    head: int = linked("head", INDEX, 0)
    cell: tuple[int, int] | None = linked("cell", OrNone(CELL), None)
    step: int | None = linked("step", OrNone(INDEX), None)
    stage: str = linked("stage", OneOf(_STAGES), "scores")


@dataclass(frozen=True)
class InBatch:
    """What a link of the page Masks shows: a sentence of its batch, None for the shortest, and a mask."""

    sentence: int | None = linked("sentence", OrNone(INDEX), None)
    mask: str = linked("mask", OneOf(("padding", "causal", "combined")), "combined")
    module: AttentionModule = linked("module", OneOf(ATTENTION_MODULES), "decoder_self")


@dataclass(frozen=True)
class Schedule:
    """The learning-rate schedule that a link of the page Training shows."""

    d_model: float = linked("noam_width", LinkedNumber(64, 1024), 512)
    warmup: float = linked("noam_warmup", LinkedNumber(100, 16_000, 6), 4000)
    steps: float = linked("noam_steps", LinkedNumber(2000, 100_000, 6), 20_000)


@dataclass(frozen=True)
class Table1:
    """The width that a link of the page Why attention shows in Table 1; None: the model's."""

    d: float | None = linked("d", OrNone(LinkedNumber(1, MAX_WIDTH)), None)


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be predicted.

    Attributes:
        task: a sentence that says what to do.
        rule: a sentence that says how it is scored; "" where nobody scores it.
        axes: titles of columns and rows, or of x and y.
    """

    answer: Answer
    task: str
    rule: str
    axes: tuple[str, str] = ("", "")


def question_of(ask: Ask, page: str, parameters: Mapping[str, str], asked: str = "") -> Question:
    """What is asked of the view that a link opens.

    Args:
        asked: the scene's question, which is the task of a choice and of a text.

    Raises:
        KeyError: there is no such model.
        ModelDamaged: it cannot be read.
        ValueError: a sentence, why there is no answer; a TextError where a text cannot be read.
    """
    match ask.kind, ask.of:
        case "choice", _:
            options = tuple(said(option, language()) for option in ask.options)
            return Question(Choice(options, None if ask.right is None else ask.right - 1), asked, "")
        case "text", _:
            return Question(Token((), (), np.zeros(0, dtype=np.float32)), asked, "")
        case "curve", "score_sd":
            return _score_sd_curve(settings_in(parameters))
        case "curve", "gradient":
            return _gradient_curve(values_in(softmax_sliders(), parameters))
        case "curve", "learning_rate":
            return _learning_rate_curve(in_parameters(parameters, Schedule()))
        case "number", "crossing":
            return _crossing(in_parameters(parameters, Table1()).d or _model_of(parameters)[1].model.config.d_model)
        case "number", "score_sd" if page == "scaling":
            return _score_sd_drawn(settings_in(parameters))
        case (_, ("mask" | "allowed")) if page == "masks":
            return _mask_question(ask, *_mask_of_batch(parameters))
    return _of_pass(ask, page, parameters)


def _of_pass(ask: Ask, page: str, parameters: Mapping[str, str]) -> Question:
    model, translator = _model_of(parameters)
    source = parameters.get("source", examples_of(translator.card)[0])
    trace = recorded_trace(model, source, parameters.get("target", "").strip() and parameters["target"])
    shown = _shown(ask, page, parameters, trace, opening_head(translator))
    module, layer, head = shown.module, shown.layer, shown.head
    place = _("{module}, layer {layer}, head {head}").format(
        module=module_names()[module], layer=layer + 1, head=head + 1
    )
    if ask.of == "next":
        step = clearest_step(trace, HeadRef("cross", layer, head)) if shown.step is None else shown.step
        step, ids = min(step, len(trace.target_ids) - 1), (trace.source_ids, trace.target_ids)
        return Question(
            _next_token(model, trace, ids, step, translator.target_tokenizer.label),
            _("The source is “{source}”: which token does the model write next? Type it.").format(source=source),
            _(
                "The score is the probability of your token, divided by that of the likeliest one; a token that "
                "is not in the vocabulary gets 0."
            ),
        )
    if ask.of in ("mask", "allowed"):
        place = _("{module}, layer {layer}").format(module=module_names()[module], layer=layer + 1)
        return _mask_question(ask, mask_of(trace, module, layer), module, place)
    if ask.of == "weights":
        return Question(
            weights_of(trace, module, layer, head),
            _("Mark in each row the key that gets the most weight: {place}.").format(place=place),
            _by_weight(),
            _axes(module),
        )
    record = trace.attention(module, layer)
    if ask.of == "heads":
        row, column = cell_or_usual(record, head, shown.cell, shown.step)
        task = _("Mark in each layer the head in which “{query}” puts the most weight on “{key}”: {module}.").format(
            query=record.query_tokens[row], key=record.key_tokens[column], module=module_names()[module]
        )
        names = (_("layer {number}"), _("head {number}"))
        return Question(weight_by_head(trace, module, (row, column), names), task, _by_weight())
    if ask.of == "score_sd":
        scaled = shown.stage in _STAGES[_STAGES.index("scale") :]
        what = _("the scores ÷ √d_k") if scaled else _("the scores QKᵀ")
        task = _("What is the standard deviation of {what}? {place}.").format(what=what, place=place)
        return Question(score_sd_of(record, head, scaled=scaled), task, _by_relative_error())
    row, column = cell_or_usual(record, head, shown.cell, shown.step)
    if ask.of == "entropy":
        entropy = entropy_of(record, head, row)
        task = _(
            "What is the entropy, in bits, of the weights of “{query}”? It is 0 if one key has all the weight, "
            "and {most} if all keys have the same. {place}."
        ).format(query=entropy.query, most=f"{math.log2(int(record.mask[row].sum())):.2f}", place=place)
        return Question(entropy, task, _by_relative_error())
    weight = weight_at(record, head, (row, column))
    task = _("How much weight, from 0 to 1, does “{query}” put on “{key}”? {place}.").format(
        query=weight.query, key=weight.key, place=place
    )
    return Question(weight, task, _by_relative_error())


def _shown(ask: Ask, page: str, parameters: Mapping[str, str], trace: Trace, opening: HeadRef) -> Shown:
    """The head and cell that the page opens with, clamped to what the model has."""
    shown = in_parameters(parameters, Shown(layer=opening.layer, head=opening.head))
    is_masked = page == "attention" and shown.stage in _MASKED
    if "module" not in parameters and (ask.of in ("mask", "allowed") or is_masked):
        shown = replace(shown, module="decoder_self")
    stack = stack_config(trace.config, shown.module)
    return clamped(shown, layer=n_layers(trace.config, shown.module), head=stack.n_heads)


def _mask_of_batch(parameters: Mapping[str, str]) -> tuple[Cells, AttentionModule, str]:
    """The mask of a sentence of a batch, its module, and where it is in words."""
    model, translator = _model_of(parameters)
    usual = example_batch(translator.card)
    typed = [parameters.get(f"s{n}", text) for n, text in enumerate(usual, start=1)]
    batch, recorded = batch_of(model, sentences_to_read(translator, typed))
    shown = clamped(in_parameters(parameters, InBatch()), sentence=len(batch.source_lengths))
    lengths = batch.source_lengths
    sentence = lengths.index(min(lengths)) if shown.sentence is None else shown.sentence
    place = _("{module}, sentence {sentence} of the batch").format(
        module=module_names()[shown.module], sentence=sentence + 1
    )
    return mask_of_batch(module_masks(batch, recorded, shown.module, sentence), shown.mask), shown.module, place


def _mask_question(ask: Ask, cells: Cells, module: AttentionModule, place: str) -> Question:
    if ask.kind == "number":
        task = _("How many of the {cells} cells may be attended to? {place}.").format(
            cells=cells.truth.size, place=place
        )
        return Question(allowed_in(cells), task, _by_relative_error())
    rule = _("The score is the share of cells that you got right. Treating all cells alike gets {chance}%.")
    return Question(
        cells,
        _("Mark the cells that the mask removes: {place}.").format(place=place),
        rule.format(chance=math.floor(100 * cells.chance)),
        _axes(module),
    )


def _score_sd_drawn(settings: DrawSettings) -> Question:
    answer = score_sd_drawn(drawn(settings))
    task = _("What is the standard deviation of q·k where d_k is {d_k}?").format(d_k=settings.d_k)
    return Question(answer, task, _by_relative_error())


def _score_sd_curve(settings: DrawSettings) -> Question:
    task, title = _("Draw the standard deviation of q·k against d_k."), _("standard deviation of q·k")
    return Question(_sd_by_size(settings), task, _by_distance(), ("d_k", title))


def _gradient_curve(values: Values) -> Question:
    curve = _gradient_by_size(int(values["seed"]), int(values["keys"]))
    task = _("Draw how much of the softmax's gradient is left without ÷ √d_k, as a share of its maximum, against d_k.")
    return Question(curve, task, _by_distance(), ("d_k", _("remaining gradient")))


def _crossing(d: float) -> Question:
    task = _(
        "From how many tokens on does self-attention take at least as many operations as a recurrent layer? d = {d}."
    )
    return Question(crossing(int(d)), task.format(d=int(d)), _by_relative_error())


def _learning_rate_curve(schedule: Schedule) -> Question:
    d_model, warmup, steps = (int(number) for number in (schedule.d_model, schedule.warmup, schedule.steps))
    task = _("Draw the learning rate of the paper's schedule: d_model = {d_model}, {warmup} steps of warm-up.")
    return Question(
        learning_rate_curve(d_model, warmup, steps),
        task.format(d_model=d_model, warmup=f"{warmup:,}"),
        _by_distance(),
        (_("training step"), _("learning rate")),
    )


@kept()
def _next_token(
    model: ModelChoice, _trace: Trace, ids: tuple[tuple[int, ...], ...], step: int, _label: Callable[[int], str]
) -> Token:
    with scheduler.short():
        return next_token(_trace, step, _label)


@kept()
def _sd_by_size(settings: DrawSettings) -> Curve:
    with scheduler.short():
        return score_sd_curve(settings)


@kept()
def _gradient_by_size(seed: int, n_keys: int) -> Curve:
    scores = scores_by_size(seed)
    with scheduler.short():
        return gradient_curve(scores, n_keys)


def _by_relative_error() -> str:
    return _("The score is 1 − |yours − the model's| ÷ |the model's|, and never below 0.")


def _by_weight() -> str:
    return _(
        "The score is the total weight in the cells that you marked, divided by the most that one cell in each "
        "row can collect."
    )


def _by_distance() -> str:
    return _(
        "The score is 1 − the mean distance between the two curves ÷ the range of the true one, and never below "
        "0. Where you drew nothing, the distance is the whole range."
    )


def _axes(module: AttentionModule) -> tuple[str, str]:
    source, read = _("source token"), _("target token read")
    return (
        _("key: {token}").format(token=read if module == "decoder_self" else source),
        _("query: {token}").format(token=source if module == "encoder_self" else read),
    )


def _model_of(parameters: Mapping[str, str]) -> tuple[ModelChoice, Translator]:
    model = ModelChoice(parameters.get("model", USUAL_MODELS[language()]), pick_device().type)
    return model, load_translator(model.name, model.device)
