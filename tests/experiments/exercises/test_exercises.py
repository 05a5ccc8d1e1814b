"""Exercises: each has an answer that is judged right, and the numbers behind it are computed again in another way."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viz_transformer as vt
from tests.experiments.exercises.answers import WRONG, WRONG_IN_CHINESE
from viz_transformer.config import TransformerConfig
from viz_transformer.decoding.ranking import Hypothesis
from viz_transformer.experiments.exercises import beam_by_hand, slips
from viz_transformer.experiments.exercises.answers import AHead, AToken
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.catalogue import BY_SLUG, EXERCISES
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, first_right
from viz_transformer.experiments.scaling.saturation import SIZES, draw_scores
from viz_transformer.heads import n_layers
from viz_transformer.interventions import AblateHeads, PositionsOff, ShiftPositions
from viz_transformer.model import Transformer

load = cache(lambda name: vt.load(name, "cpu"))


@cache
def bench_of(slug: str) -> Bench:
    exercise = BY_SLUG[slug]
    return exercise.bench(load(exercise.model) if exercise.model else None)


def check(slug: str, answer: str) -> Feedback:
    return BY_SLUG[slug].check(bench_of(slug), answer)


def solution(slug: str) -> str:
    return BY_SLUG[slug].solve(bench_of(slug))


def sentence(feedback: Feedback) -> str:
    return feedback.template.format(**feedback.values)


every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(EXERCISES) == len(BY_SLUG) == len({exercise.title for exercise in EXERCISES}) >= 40
    assert set(WRONG) == set(BY_SLUG)


@every_exercise
def test_what_is_found_is_right_and_quotes_numbers(exercise: Exercise) -> None:
    feedback = check(exercise.slug, solution(exercise.slug))
    assert feedback.verdict == "right"
    assert "{" not in sentence(feedback)
    numbers = [value for value in feedback.values.values() if isinstance(value, int | float)]
    assert numbers or exercise.slug == "bag"  # which quotes the two outputs
    assert all(math.isfinite(number) for number in numbers)


@every_exercise
@pytest.mark.parametrize("reader", ["en", "zh"])
def test_two_hints_help_and_neither_gives_the_answer_away(exercise: Exercise, reader: str) -> None:
    variant = exercise.for_reader(reader)
    answer = variant.solve(variant.bench(load(variant.model) if variant.model else None))
    first, second = variant.hints
    assert first != second
    assert not any(re.search(rf"(?<![\w.]){re.escape(answer)}(?![\w.]|\.\d)", hint) for hint in variant.hints)


@every_exercise
def test_a_wrong_answer_is_not_right(exercise: Exercise) -> None:
    assert check(exercise.slug, WRONG[exercise.slug]).verdict == "wrong"
    assert "{" not in sentence(check(exercise.slug, WRONG[exercise.slug]))


@pytest.mark.parametrize("reader", ["en", "zh"])
@pytest.mark.parametrize(
    "exercise", [one for one in EXERCISES if isinstance(one.kind, AHead | AToken)], ids=lambda one: one.slug
)
def test_a_guess_among_the_choices_is_right_less_than_one_time_in_four(exercise: Exercise, reader: str) -> None:
    variant = exercise.for_reader(reader)
    bench = variant.bench(load(variant.model))
    kind = variant.kind
    choices = [*kind.options(bench)] if isinstance(kind, AHead) else []
    if isinstance(kind, AToken):
        choices = [kind.write(place) for place in range(len(kind.tokens(bench)))]
    right = [choice for choice in choices if variant.check(bench, choice).verdict == "right"]
    assert 0 < len(right) < len(choices) / 4


CHINESE = [exercise for exercise in EXERCISES if exercise.chinese]


def test_who_reads_chinese_has_no_exercise_about_german() -> None:
    assert len(CHINESE) == 16
    assert not any(exercise.for_reader("zh").model == "en-de" for exercise in EXERCISES)
    assert all(exercise.for_reader("en") is exercise for exercise in EXERCISES)


@pytest.mark.parametrize("exercise", CHINESE, ids=lambda exercise: exercise.slug)
def test_an_exercise_in_chinese_has_its_own_right_and_wrong_answers(exercise: Exercise) -> None:
    variant = exercise.for_reader("zh")
    bench = variant.bench(load(variant.model))
    answer = variant.solve(bench)
    found, failed = variant.check(bench, answer), variant.check(bench, WRONG_IN_CHINESE[exercise.slug])
    assert (found.verdict, failed.verdict) == ("right", "wrong")
    assert "{" not in sentence(found) + sentence(failed)
    assert (variant.slug, variant.title) == (exercise.slug, exercise.title)  # what is solved stays solved


@pytest.mark.parametrize(("reader", "count"), [("en", "five"), ("zh", "six")])
def test_the_hint_counts_the_pieces_of_its_word(reader: str, count: str) -> None:
    exercise = BY_SLUG["three-pieces"].for_reader(reader)
    model, numbers = load(exercise.model), {"five": 5, "six": 6}
    encode = model.encode_source if reader == "en" else model.encode_target
    assert f"*unbelievable* has {count} pieces" in exercise.hints[0]
    assert len(encode("unbelievable").tokens) == numbers[count]


@pytest.mark.parametrize("reader", ["en", "zh"])
def test_the_largest_score_is_not_in_the_row_of_the_largest_weight(reader: str) -> None:
    """As is said of it."""
    exercise = BY_SLUG["largest-score"].for_reader(reader)
    attention = load(exercise.model).trace(exercise.source).attention("encoder_self", 2)
    rows = [int(of[2].max(axis=1).argmax()) for of in (attention.scores, attention.weights)]
    assert rows[0] != rows[1]


@every_exercise
def test_nothing_is_no_answer(exercise: Exercise) -> None:
    for nothing in ("", " \n"):
        assert sentence(check(exercise.slug, nothing)) == "There is no answer yet: type or choose one."


JUNK = st.one_of(
    st.text(max_size=60),
    st.floats().map(str),
    st.integers().map(str),
    st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda cell: f"{cell[0]}-{cell[1]}"),
    st.sampled_from(
        ["cross.9.9", "cross.0.0", "cross.2", "encoder_self.1.1", "１２", "²", "1e999", "-0", "\ud800", "x" * 30_000]
    ),
)


@every_exercise
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(answer=JUNK)
def test_any_answer_gets_a_sentence(exercise: Exercise, answer: str) -> None:
    feedback = check(exercise.slug, answer)
    assert feedback.verdict in ("right", "nearly", "wrong")
    assert 0 < len(sentence(feedback)) < 3000


@pytest.mark.parametrize(
    ("slug", "answer", "said"),
    [
        ("copy", "cross.2.9", "cross.2.9 is not one of the heads"),
        ("copy", "encoder_self.1.1", "not one of the heads to choose from"),
        ("causal-cells", "many", "many is not a number"),
        ("causal-cells", "4.5", "4.5 is not a whole number"),
        ("causal-cells", "nan", "nan is not a number"),
        ("by-hand", "nan", "nan is not a number"),
        ("by-hand", "inf", "inf is not a number"),
        ("variance", "-1/2", "a number from 0 to 100000; yours was -1/2"),
        ("causal-cells", f"36{' ' * 80}x", "is not a number"),
        ("smoothing", "99", "a number from 0 to 10; yours was 99"),
        ("largest-score", "3", "3 is not a cell"),
        ("largest-score", "9-1", "There is no cell 9-1: this matrix has 8 queries and 8 keys"),
        ("look", "7", "7 is not one of the tokens"),
        ("cross-shape", "four", "four is not a shape"),
        ("cross-shape", "4 × -9 × 8", "is not a shape"),
        ("slip-axis", "44", "There is no code in line 44"),
        ("slip-heads", "6", "There is no code in line 6"),
        ("label-row", "44", "There is no row 44"),
        ("bag", "你好世界", "never seen 你 好 世 界"),
        ("bag", "x" * 30_000, "30000 characters"),
        ("bag", "word " * 200, "200 tokens"),
        ("beam-beats-greedy", "He slept well.", "This model has learned to read only Chinese"),
        ("three-pieces", "two words", "two words is not one word"),
    ],
)
def test_what_is_no_answer_is_told_why(slug: str, answer: str, said: str) -> None:
    feedback = check(slug, answer)
    assert feedback.verdict == "wrong"
    assert said in sentence(feedback)


@pytest.mark.parametrize(
    ("slug", "answer"),
    [
        ("by-hand", "0.12"),  # without the mask
        ("by-hand", "0.98"),  # without ÷ √d_k
        ("causal-cells", "81"),
        ("causal-cells", "36"),
        ("padding-cells", "15"),
        ("padding-cells", "40"),
        ("variance", "64"),
        ("variance", "32"),
        ("slow-pair", "20"),
        ("crossover", "600"),
        ("parameters", "3"),
        ("gradient-halves", "512"),
        ("temperature", "4"),
        ("length-penalty", "7"),
        ("shift", "7"),
        ("smoothing", "0"),
        ("cross-shape", "4 8 9"),
        ("cross-shape", "(4, 9, 9)"),
        ("cross-shape", "9 x 8"),
        ("split-heads", "2 × 10 × 8 × 64"),
        ("split-heads", "2*8*10*512"),
        ("label-row", "6"),
        ("later-rows", "9"),
        ("later-rows", "5"),
        ("later-rows", "1"),
        ("add-and-norm", "1.34"),  # without the residual
        ("add-and-norm", "0.39"),  # divided by n - 1
        ("add-and-norm", "2.34"),  # pre-norm
        ("beam-by-hand", "0.128"),
        ("beam-by-hand", "0.225"),
        ("beam-misses", "0.14"),
    ],
)
def test_a_known_slip_is_nearly_right(slug: str, answer: str) -> None:
    assert check(slug, answer).verdict == "nearly"


@pytest.mark.parametrize(
    ("slug", "source", "is_another"),
    [
        ("copy", "7 2 9 4", False),
        ("previous-word", "She gave the man a book.", False),
        ("reverse", "7 2 9 4", False),
        ("sharp", "She gave the man a book.", False),
        ("needed", "She gave the man a book.", False),
        ("largest-score", "She gave the man a book.", True),
        ("causal-cells", "She gave the man a book.", True),
        ("cross-shape", "She gave the man a book.", True),
        ("later-rows", "She gave the man a book.", True),
        ("shift", "我爱你。", True),
        ("seed", "明天会下雨吗?", True),
        ("top-p", "我爱你。", True),
        ("length-penalty", "She lost her wallet on the train.", True),
    ],
)
def test_no_answer_is_stored(slug: str, source: str, is_another: bool) -> None:
    """On another sentence, the numbers of that sentence decide."""
    exercise = BY_SLUG[slug]
    other = replace(exercise, source=source)
    bench = other.bench(load(exercise.model))
    assert other.check(bench, other.solve(bench)).verdict == "right"
    if is_another:
        assert other.solve(bench) != solution(slug)


def test_the_sentence_that_is_read_is_the_exercises_own() -> None:
    model, source = load("zh-en"), "明天会下雨吗?"
    said = {}
    for slug in ("shift", "seed"):
        other = replace(BY_SLUG[slug], source=source)
        said[slug] = other.check(other.bench(model), "4").values
    assert said["shift"]["output"] == model.translate(source, interventions=[ShiftPositions(4, "source")])
    *_, last = model.sample(source, seed=4)
    assert said["seed"]["drawn"] == model.target_tokenizer.decode(last.hypothesis.ids)


def test_where_no_candidate_is_right_nothing_is_made_up() -> None:
    with pytest.raises(LookupError):
        first_right(lambda answer: Feedback("wrong", "", {}), ["a"])


# The same answers, computed in another way.


def test_the_previous_word_by_a_loop() -> None:
    trace, means = bench_of("previous-word").trace, {}
    for module in vt.ATTENTION_MODULES:
        for layer in range(n_layers(trace.config, module)):
            weights = trace.attention(module, layer).weights
            for head in range(4):
                rows = range(1, weights.shape[1])
                values = [weights[head, row, row - 1] for row in rows if row - 1 < weights.shape[2]]
                means[f"{module}.{layer + 1}.{head + 1}"] = float(np.mean(values))
    assert solution("previous-word") == max(means, key=lambda name: means[name])


def test_the_head_that_translates_and_where_it_looks() -> None:
    trace = bench_of("aligned").trace
    row, key = trace.predicted_tokens.index("Straße"), trace.source_tokens.index("street")
    module, layer, head = solution("aligned").split(".")
    best = max(trace.attention("cross", n).weights[:, row, key].max() for n in range(2))
    assert trace.attention("cross", int(layer) - 1).weights[int(head) - 1, row, key] == best and module == "cross"
    seen = bench_of("look").trace
    weights = seen.attention("cross", 1).weights[1, seen.predicted_tokens.index("today")]
    assert solution("look") == str(int(weights.argmax()) + 1) == "1"


def test_heads_are_knocked_out_one_by_one() -> None:
    for slug, pick in (("needed", min), ("better-without", max)):
        bench, exercise = bench_of(slug), BY_SLUG[slug]
        assert isinstance(exercise.kind, AHead)
        changes = {}
        for name, head in exercise.kind.options(bench).items():
            ids = bench.trace.predicted_ids
            without = bench.translator.trace_ids(exercise.source, ids, interventions=[AblateHeads([head])])
            changes[name] = float(without.token_log_probs.sum() - bench.trace.token_log_probs.sum())
        assert solution(slug) == pick(changes, key=lambda name: changes[name])
        assert {name for name in changes if check(slug, name).verdict == "right"} == {solution(slug)}


def test_counts_and_formulas() -> None:
    tokens = len(bench_of("causal-cells").trace.target_ids)
    assert solution("causal-cells") == str(tokens * (tokens + 1) // 2)
    assert solution("one-key") == "1-1"
    assert float(solution("by-hand")) == round(math.e**2 / (math.e**2 + 1), 2)
    random = np.random.default_rng(0)
    q, k = random.normal(0, 2, (2, 200_000, 64))
    assert float(solution("variance")) == pytest.approx((q * k).sum(axis=1).var(), rel=0.02)
    assert solution("crossover") == "512"
    assert solution("warm-up") == str(4 * 1000)
    pair = int(solution("slow-pair"))
    assert 2 * math.pi * 10_000 ** (2 * (pair - 1) / 64) <= 100 < 2 * math.pi * 10_000 ** (2 * pair / 64)
    assert {place for place in range(200) if check("same-product", str(place)).verdict == "right"} == {37, 43}


def test_the_padding_mask_of_a_batch_by_its_lengths() -> None:
    encode = load("zh-en").encode_source
    lengths = [len(encode(text).ids) + 1 for text in str(BY_SLUG["padding-cells"].values["batch"]).split(" · ")]
    assert solution("padding-cells") == str(max(lengths) * (max(lengths) - min(lengths)))


def test_the_least_loss_by_gradient_descent() -> None:
    target = torch.full((14,), 0.1 / 14)
    target[0] += 0.9
    logits = torch.zeros(14, requires_grad=True)
    for _step in range(3000):
        loss = torch.nn.functional.cross_entropy(logits[None], target[None])
        (gradient,) = torch.autograd.grad(loss, logits)
        logits = (logits - 2 * gradient).detach().requires_grad_()
    assert float(solution("smoothing")) == pytest.approx(loss.item(), abs=0.006)


def test_parameters_of_models_that_are_built() -> None:
    layers = int(solution("parameters"))
    with torch.device("meta"):
        fewer, more = (
            Transformer(TransformerConfig(n_encoder_layers=n, n_decoder_layers=n)).count_parameters()
            for n in (layers, layers + 1)
        )
    assert fewer < 60_000_000 <= more


def test_the_gradient_by_autograd() -> None:
    drawn, means = draw_scores(), {}
    jacobian_of_each = torch.func.vmap(torch.func.jacrev(lambda scores: scores.softmax(0)))
    for place, d_k in enumerate(SIZES):
        for name in ("dot", "scaled"):
            jacobians = jacobian_of_each(torch.from_numpy(drawn[name][place].reshape(-1, 16)))
            means[name, d_k] = float(torch.linalg.matrix_norm(jacobians).mean())
    halved = [d_k for d_k in SIZES if means["dot", d_k] <= means["scaled", d_k] / 2]
    assert solution("gradient-halves") == str(halved[0])


def test_temperature_and_shift_at_their_borders() -> None:
    trace, answer = bench_of("temperature").trace, float(solution("temperature"))
    scores = torch.tensor(trace.attention("cross", 1).scaled_scores[0, trace.predicted_tokens.index("Straße")])
    assert float((scores / answer).softmax(0).max()) <= 0.5 < float((scores / (answer - 0.1)).softmax(0).max())
    model, exercise = load("zh-en"), BY_SLUG["shift"]
    outputs = [
        model.decode(model.trace(exercise.source, interventions=[ShiftPositions(shift, "source")]))
        for shift in range(int(solution("shift")) + 1)
    ]
    assert len(set(outputs[:-1])) == 1 and outputs[-1] != outputs[0]


def test_searches_by_teacher_forcing() -> None:
    """log p of what each of them writes is that of one parallel pass."""
    model, source = load("zh-en"), solution("beam-beats-greedy")
    greedy, beam = (model.translate(source, beam_size=size) for size in (1, 4))
    greedy_p, beam_p = (float(model.trace(source, text).token_log_probs.sum()) for text in (greedy, beam))
    assert beam_p > greedy_p
    values = check("beam-beats-greedy", source).values
    assert (values["beam_log_p"], values["greedy_log_p"]) == pytest.approx((beam_p, greedy_p), abs=1e-4)

    exercise = BY_SLUG["another-translation"]
    forced = load("en-de").trace(exercise.source, solution(exercise.slug))
    assert math.exp(forced.token_log_probs.sum()) >= 0.01
    assert "own output" in sentence(check(exercise.slug, load("en-de").translate(exercise.source)))


@pytest.mark.parametrize(
    ("beam", "verdict"),
    [
        ([(8, -3.0), (3, -1.0)], "right"),  # the first ranks higher by its length, the second is likelier
        ([(8, -3.0), (3, -2.5)], "nearly"),
        ([(3, -1.0), (8, -3.0)], "right"),
    ],
)
def test_a_beam_beats_greedy_search_by_its_likeliest(
    beam: list[tuple[int, float]], verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = tuple(Hypothesis((9,) * length, (log_p,), 0.0, True) for length, log_p in beam)
    monkeypatch.setattr(Bench, "greedy", lambda *_source: Hypothesis((8, 8), (-2.0,), 0.0, True))
    monkeypatch.setattr(Bench, "finished", lambda *_source: finished)
    feedback = check("beam-beats-greedy", "我爱你。")
    assert feedback.verdict == verdict
    assert feedback.values["beam_log_p"] == max(log_p for _length, log_p in beam)


def test_what_is_drawn_from() -> None:
    first = np.sort(np.exp(load("zh-en").trace(BY_SLUG["top-p"].source).log_probs[0].astype(float)))[::-1]
    allowed = first / first.sum()  # padding and start are never likely enough to matter here
    kept = int((allowed.cumsum() < 0.9).sum()) + 1
    assert solution("top-p") == str(kept)
    values = check("top-p", str(kept)).values
    assert (values["whole"], values["less"]) == pytest.approx(
        (allowed[:kept].sum(), allowed[: kept - 1].sum()), abs=1e-4
    )
    assert values["less"] < 0.9 <= values["whole"]


def test_a_longer_output_ranks_first_from_there_on() -> None:
    alpha, exercise = float(solution("length-penalty")), BY_SLUG["length-penalty"]
    *_, last = load("en-de").beam_search(exercise.source, beam_size=4)

    def length_at(a: float) -> int:
        scores = {len(one.ids): one.total_log_prob / ((5 + len(one.ids)) / 6) ** a for one in reversed(last.finished)}
        return max(scores, key=lambda length: scores[length])

    assert length_at(alpha) > length_at(round(alpha - 0.1, 1)) == length_at(0)


def test_a_bag_of_words_and_pieces_of_one() -> None:
    model, source = load("en-de"), solution("bag")
    assert model.translate(source) == model.translate(source, interventions=[PositionsOff("source")])
    assert len(model.encode_source(solution("three-pieces")).ids) == 3


def test_shapes_by_counting_and_by_torch() -> None:
    trace = bench_of("cross-shape").trace
    counted = (trace.config.n_heads, len(trace.target_ids), len(trace.source_ids))
    assert solution("cross-shape") == " × ".join(map(str, counted))
    assert counted[1] != counted[2]  # or else nobody could have them the wrong way round
    q = torch.zeros(2, 10, 512).unflatten(2, (8, -1)).movedim(2, 1)
    assert solution("split-heads") == " × ".join(map(str, q.shape))
    assert (q @ q.mT).shape == (2, 8, 10, 10)


def test_a_shape_is_read_as_people_write_it() -> None:
    read = BY_SLUG["split-heads"].kind.read
    for text in ("2 × 8 × 10 × 64", "2x8x10x64", "(2, 8, 10, 64)", "[2,8,10,64]", "2 8 10 64", "2 * 8 * 10 * 64"):
        assert read(text, Bench()) == (2, 8, 10, 64)


def test_rows_below_an_edit_and_the_row_of_a_label() -> None:
    bench = bench_of("later-rows")
    mask = bench.trace.attention("decoder_self", 0).mask
    assert solution("later-rows") == str(int(mask[:, 3].sum()))
    exercise = BY_SLUG["label-row"]
    labels = load("en-de").encode_target(exercise.target).tokens
    assert solution("label-row") == str(labels.index("neues") + 1)


def test_the_norm_by_torch() -> None:
    x, sublayer = torch.tensor([1.0, 2, -1, 4]), torch.tensor([3.0, 0, 1, 2])
    assert float(solution("add-and-norm")) == pytest.approx(
        torch.nn.functional.layer_norm(x + sublayer, (4,), eps=0)[0].item(), abs=0.005
    )


def test_the_beam_of_2_on_paper() -> None:
    assert float(solution("beam-by-hand")) == pytest.approx(max(0.40 * 0.32, 0.35 * 0.40))
    every = [*beam_by_hand.every_output()]
    assert sum(p for _output, p in every) == pytest.approx(1)
    assert float(solution("beam-misses")) == pytest.approx(max(p for _output, p in every)) == pytest.approx(0.25 * 0.9)
    assert [beam_by_hand.beam_search(size)[1] for size in (1, 2, 3)] == pytest.approx([0.128, 0.14, 0.225])
    assert all(sum(row) == pytest.approx(1) for row in beam_by_hand.NEXT.values())


def test_a_slip_in_code_is_one_and_its_line_mends_it() -> None:
    names: dict[str, Any] = {"PAD": 0}
    q, k, v = torch.randn(3, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    made = []
    for code in (slips.ATTENTION, slips.slipped(slips.ATTENTION)):
        exec(code, names)
        made.append(names["attention"](q, k, v, mask))
    assert torch.allclose(made[0], torch.nn.functional.scaled_dot_product_attention(q, k, v, mask), atol=1e-6)
    assert made[1].shape == made[0].shape and not torch.allclose(made[1], made[0], equal_nan=True)

    cut = []
    for code in (slips.HEADS, slips.slipped(slips.HEADS)):
        exec(code, names)
        cut.append(names["split_heads"](q, 2))
        is_whole = torch.equal(names["join_heads"](cut[-1]), q)
        assert is_whole == (code == slips.HEADS)
    assert cut[0].shape == cut[1].shape and torch.equal(cut[0], q.unflatten(2, (2, -1)).movedim(2, 1))

    seen: list[list[list[int]]] = []

    class Listener(torch.nn.Linear):
        def forward(self, source: torch.Tensor, read: torch.Tensor | None = None) -> torch.Tensor:
            assert read is not None
            seen.append(read.tolist())
            return self.weight.expand(1, 3, 9)

    def cross_entropy(logits: torch.Tensor, labels: torch.Tensor, ignore_index: int) -> torch.Tensor:
        seen.append([labels.tolist()])
        return logits.sum()

    names |= {"cross_entropy": cross_entropy}
    for code in (slips.LABELS, slips.slipped(slips.LABELS)):
        exec(code, names)
        model = Listener(9, 1)
        batch = torch.tensor([[7]]), torch.tensor([[1, 5, 6, 2]])
        names["train"](model, [batch], torch.optim.SGD(model.parameters(), 0.1))
    assert seen == [[[1, 5, 6]], [[5, 6, 2]], [[1, 5, 6]], [[1, 5, 6]]]
    for slug, code in (("slip-axis", slips.ATTENTION), ("slip-heads", slips.HEADS), ("slip-labels", slips.LABELS)):
        line = int(solution(slug)) - 1
        mended = BY_SLUG[slug].code.splitlines()
        mended[line] = code.splitlines()[line]
        assert mended == code.splitlines()
