"""The shipped lectures on the pages: each parameter of each link is read as it is spelled, each number is right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import exp, sqrt
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import received
from tests.pages.helpers import ROOT, opened
from tests.test_lectures import PLACES
from tests.ui.test_every_view import COMPONENTS
from viz_transformer.experiments.architecture.residual_stream import random_stack
from viz_transformer.experiments.training.schedule import noam_rates
from viz_transformer.experiments.why_attention.layer_types import Sizes, layer_cost
from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import LANGUAGES, Scene, said
from viz_transformer.trace import Trace
from viz_transformer.ui.attention import place as attention_place

LECTURE = shipped_lectures()["attention"]
NAMED = dict(zip(LECTURE.names, LECTURE.scenes, strict=True))
SENTENCES = {language: LECTURE.scenes[0].parameters(language) for language in LANGUAGES}
# The heads of encoder and cross-attention that the scenes open, layer and head, counted from 1 as on the screen.
SELF = {"en": (3, 4), "zh": (1, 3)}
CROSS = {"en": (2, 1), "zh": (2, 1)}
BY_NAME = {component.name: component for component in COMPONENTS.values()}


def spelled_by_views(app: AppTest) -> Iterator[tuple[str, str]]:
    """Parameter and value, as the link would spell what the components were asked to show."""
    for shown in app.get("bidi_component"):
        request, _ = received(shown.proto.bytes)
        yield from spelled_by(BY_NAME[request["panel"]].view, request["view"])


def spelled_by(view: Any, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Parameter and value of the fields that are in the link."""
    for one in fields(view):
        if name := one.metadata["parameter"]:
            yield name, one.metadata["spelling"].write(values[one.name])


def is_spelled(app: AppTest, name: str, value: str) -> bool:
    """Whether a widget, a choice or a slider of the page stands at what the link says."""
    if f"choice of {name}" in app.session_state:
        return bool(app.session_state[f"choice of {name}"] == value)
    if name in app.session_state:
        held = app.session_state[name]
        return bool(held == value if isinstance(held, str) else held == float(value))
    contents = [received(shown.proto.bytes)[1] for shown in app.get("bidi_component")]
    sliders = {slider["name"] for content in contents for slider in content.get("sliders", [])}
    return name in sliders and app.query_params[name] in (value, [value])  # the bar puts the nearest into the link


@pytest.mark.parametrize(("name", "index", "step", "language"), PLACES)
def test_a_link_of_a_lecture_says_what_the_page_shows(
    name: str, index: int, step: int, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = shipped_lectures()[name].scenes[index]
    places: list[Any] = []

    def place_in_link(*given: Any) -> Any:
        places.append(_place_in_link(*given))
        return places[-1]

    _place_in_link = attention_place.place_in_link
    monkeypatch.setattr(attention_place, "place_in_link", place_in_link)
    parameters = scene.parameters(language, step)
    app = opened(AppTest.from_file(str(ROOT / f"pages/{scene.page(language)}.py"), default_timeout=120), **parameters)
    assert not app.error
    spelled = set(spelled_by_views(app))
    for place in places:
        spelled |= set(spelled_by(place, {one.name: getattr(place, one.name) for one in fields(place)}))
    # A step may open another lesson of the page, which has no use for what the steps before it said.
    new = dict(parse_qsl(said(scene.steps[step - 1], language))) if step else dict(parameters)
    new.pop("picture", "")  # which is looked for in a browser
    unread = {
        parameter: value
        for parameter, value in new.items()
        if (parameter, value) not in spelled and not is_spelled(app, parameter, value)
    }
    assert unread == {}


# --- The numbers in questions and notes, worked out again

NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


def two(value: float) -> str:
    return f"{value:.2f}"


def weight(trace: Trace, module: Any, layer: int, head: int, query: int, key: int) -> float:
    """Layer, head, query and key count from 1, as on the screen."""
    return float(trace.attention(module, layer - 1).weights[head - 1, query - 1, key - 1])


def numbers(language: str) -> dict[str, set[str]]:
    """By scene's name, every number that its texts may say: what the model, or a formula of the paper, has there."""
    parameters = SENTENCES[language]
    translator = vt.load(parameters["model"], "cpu")
    trace = translator.trace(parameters["source"])
    n_source, n_target, d, d_k = (
        len(trace.source_tokens),
        len(trace.target_tokens),
        trace.config.d_model,
        trace.config.d_k,
    )
    cost = {
        (kind, n): layer_cost(kind, Sizes(n, d, 3, 4)).complexity
        for kind in ("attention", "recurrent")
        for n in (n_source, 1024)
    }
    query, keys = {"en": (5, (2, 3, 5)), "zh": (8, (7, 2))}[language]  # it → cat, sleeps, it; 了 → 累, 睡
    layer, head = SELF[language]
    self_attention = trace.attention("encoder_self", layer - 1)
    raw, scaled, weights = (
        [float(of[head - 1, query - 1, key - 1]) for key in keys]
        for of in (self_attention.scores, self_attention.scaled_scores, self_attention.weights)
    )
    masked = int((~trace.attention("decoder_self", 1).mask).sum())
    in_heads = {
        (layer, head): weight(trace, "encoder_self", layer, head, query, keys[0])
        for layer in range(1, trace.config.n_encoder_layers + 1)
        for head in range(1, trace.config.n_heads + 1)
    }
    strong = {place: value for place, value in in_heads.items() if value > 0.5}
    step = {"en": 6, "zh": 3}[language]
    likely = sorted(map(exp, trace.log_probs[step - 1]))[::-1]
    other = NAMED["11"].parameters(language, len(NAMED["11"].steps))  # where greedy and beam differ
    other_trace = translator.trace(other["source"])
    close = sorted(map(exp, other_trace.log_probs[int(other["step"]) - 1]))[::-1]
    found = [
        hypothesis
        for source in (parameters["source"], other["source"])
        for hypothesis in [*translator.beam_search(source, beam_size=4)][-1].finished[:2]
    ]
    log_ps = [*(sum(one.log_probs) for one in found), *(of.token_log_probs.sum() for of in (trace, other_trace))]
    rates = noam_rates(20_000, 512, 4_000)
    stacks = [random_stack(12, norm_first=False, has_residual=has_residual) for has_residual in (False, True)]
    config = trace.config
    sizes = {str(n_source), str(d), str(config.n_heads)}
    return {
        "start": sizes | {str(n_target), str(config.n_encoder_layers), str(config.n_decoder_layers)},
        "qkv": sizes | {str(d_k)},
        "1": {str(n_source), str(d), "1,024", "1", f"{cost['recurrent', n_source] / cost['attention', n_source]:.1f}"}
        | {f"{cost['attention', 1024] / cost['recurrent', 1024]:.1f}"},
        "2": set(),
        "3": set(),
        "4": {str(d_k), *map(two, raw)},
        "5": {"1", "64", two(sqrt(64))[0], "1,024", str(int(sqrt(1024))), str(d_k), two(sqrt(d_k))}
        | {two(float(self_attention.scores[head - 1].std())), two(float(self_attention.scaled_scores[head - 1].std()))},
        "6": {"0", "1", str(masked), str(n_target**2), str(n_target**2 - masked)},
        "7": {"1", str(d_k), *map(two, scaled), *map(two, weights)}
        | {two(scaled[0] - scaled[1]), f"{weights[0] / weights[1]:.1f}"},
        "8": {two(max(value for place, value in in_heads.items() if place not in strong))}
        | {said for (_layer, head), value in strong.items() for said in (str(head), two(value))},
        "addnorm": sizes | {"0", "1", "2", *(f"{stack.alike[1]:.3f}" for stack in stacks)},
        "9": {str(n_source), str(n_target)}
        | {two(weight(trace, "cross", *CROSS[language], 2, {"en": 2, "zh": 1}[language]))}
        | {two(weight(trace, "cross", *CROSS[language], 3, {"en": 3, "zh": 2}[language]))},
        "10": {two(likely[0]), two(likely[1]), *_tense(translator, trace)},
        "11": {"4", other["step"], two(likely[0]), two(likely[1]), *map(two, close[:2])}
        | {two(exp(of.token_log_probs.min())) for of in (trace, other_trace)}
        | {two(-log_p) for log_p in log_ps},
        "after": set(),
        "12": {"4,000", "4000", "20,000", "1", "16,000", f"{rates.max():.3e}".replace("e-0", "e-")},
    }


def _tense(translator: vt.Translator, trace: Trace) -> set[str]:
    """What the Chinese note says of the first 了, which is what makes the model write the past tense."""
    if "了" not in trace.source_tokens:
        return set()
    without = translator.trace("猫睡，因为它累了。")
    slept, sleeps = (translator.target_tokenizer.encode(word).ids[0] for word in ("slept", "sleeps"))
    assert trace.target_ids[3] == slept and without.target_ids[3] == sleeps
    probabilities = (exp(without.log_probs[2][one]) for one in (slept, sleeps))
    return {"4", two(weight(trace, "cross", 2, 4, 3, 3)), *map(two, probabilities)}


def told_in(scene: Scene, language: str) -> str:
    """The scene's texts but for its options, of which some are wrong."""
    return " ".join(said(text, language) for text in (scene.question, scene.note, scene.keep, *scene.says))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_that_a_lecturer_is_told_is_the_models(language: str) -> None:
    expected = numbers(language)
    told = 0
    for name, scene in NAMED.items():
        quoted = set(NUMBER.findall(told_in(scene, language)))
        assert quoted <= expected[name], f"scene {name}"
        told += len(quoted)
    assert told > 40


def test_the_peak_of_the_schedule_is_where_the_note_says_and_half_of_it_at_four_times_that_step() -> None:
    rates = noam_rates(20_000, 512, 4_000)
    assert rates.argmax() + 1 == 4_000
    assert rates[16_000 - 1] == pytest.approx(rates.max() / 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_output_that_a_lecturer_is_told_is_the_models(language: str) -> None:
    translator = vt.load(SENTENCES[language]["model"], "cpu")
    source = SENTENCES[language]["source"]
    n = len(translator.trace(source).source_ids)
    without, backwards = vt.PositionsOff("source"), vt.PermuteSource((*range(n - 2, -1, -1), n - 1))
    outputs = [
        translator.decode(translator.trace(source, interventions=changes))
        for changes in ([without], [backwards, without])
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0] in said(NAMED["2"].note, language)
    if language == "en":
        swapped = [
            translator.trace(text, interventions=[without])
            for text in ("The dog sees the man.", "The man sees the dog.")
        ]
        assert translator.decode(swapped[0]) == translator.decode(swapped[1])

    last = NAMED["11"]
    other = last.parameters(language, len(last.steps))["source"]
    assert translator.translate(source) == translator.translate(source, beam_size=4)
    greedy, beam = translator.translate(other), translator.translate(other, beam_size=4)
    note = said(last.note, language)
    for output in (greedy, beam):
        quoted = [text for text in re.findall(r"“([^”]+)”", note) if text in output]
        assert quoted and all((text in greedy) != (text in beam) for text in quoted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_that_is_told_of_a_slip_is_the_models(language: str) -> None:
    trace = vt.load(SENTENCES[language]["model"], "cpu").trace(SENTENCES[language]["source"])
    d, d_k = trace.config.d_model, trace.config.d_k
    roots = {str(d), two(sqrt(d)), str(d_k), two(sqrt(d_k)), str(int(sqrt(trace.config.n_heads)))}
    expected = {2: roots, 5: {str(len(trace.source_tokens)), str(len(trace.target_tokens))}}
    for number, scene in enumerate(shipped_lectures()["slips"].scenes, start=1):
        words = re.sub(r"dim=-\d|−1e9", "", told_in(scene, language))
        assert set(NUMBER.findall(words)) <= expected.get(number, set()) | {"0", "1"}, f"scene {number}"
