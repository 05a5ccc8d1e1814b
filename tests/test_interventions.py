from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.helpers import (
    ALL_ATTENTION,
    assert_near,
    assert_same_bits,
    assert_sentence,
    attention_of,
    changed_copy,
    one,
    random_ids,
    random_model,
    random_translator,
    softmax,
    tiny_config,
)
from viz_transformer import (
    ATTENTION_MODULES,
    AblateHeads,
    AttentionRecord,
    ChangeMask,
    HeadRef,
    PermuteSource,
    PositionsOff,
    ScaleHead,
    ScaleScores,
    ShiftPositions,
    Temperature,
    Transformer,
    Translator,
    greedy_search,
    record,
)
from viz_transformer.heads import AttentionModule, hook_path
from viz_transformer.interventions import Intervention, intervention_from_dict, intervention_to_dict
from viz_transformer.slips import CosineTwice, InvertMasks, MaskDiagonal, QueryFromMemory, SoftmaxOverQueries
from viz_transformer.training.corpus import pad

SOURCE = pad([random_ids(0, 7), random_ids(1, 4)])
TARGET = pad([[1, 5, 6], [1, 9, 8, 7, 6]])
TEXT, TARGET_TEXT = "3 1 4 1 5", "2 7 1 8"

ALL_KINDS: list[Intervention] = [
    AblateHeads([HeadRef("cross", 0, 1), HeadRef("encoder_self", 1, 3)]),
    AblateHeads([]),
    ScaleScores("none"),
    ScaleScores("sqrt_d_model"),
    Temperature(0.5),
    ScaleHead(HeadRef("cross", 0, 1), 2.5),
    ChangeMask("off", frozenset(["decoder_self"])),
    ChangeMask("after_softmax"),
    PositionsOff("target"),
    ShiftPositions(3, "source"),
    PermuteSource((2, 0, 1)),
    SoftmaxOverQueries(),
    InvertMasks(),
    MaskDiagonal(),
    QueryFromMemory(),
    CosineTwice(),
]


def logits_under(model: Transformer, *interventions: Intervention) -> Tensor:
    return record(model, SOURCE, TARGET, interventions)[0]


# --- heads -----------------------------------------------------------------------------------------------------


ABLATIONS = [
    *([HeadRef(module, layer, 2)] for module, layer in ALL_ATTENTION),
    [HeadRef("cross", 0, head) for head in range(4)],  # a whole module
    [HeadRef("encoder_self", 0, 0), HeadRef("encoder_self", 0, 3), HeadRef("decoder_self", 1, 1)],
    [HeadRef(module, layer, head) for module, layer in ALL_ATTENTION for head in (0, 2)],
]


def without_columns_of_w_o(model: Transformer, heads: list[HeadRef]) -> Transformer:
    changed = changed_copy(model)
    for module, layer, head in heads:
        width = model.config.d_k
        attention_of(changed, module, layer).w_o.weight[:, head * width : (head + 1) * width] = 0
    return changed


@pytest.mark.parametrize("heads", ABLATIONS, ids=lambda heads: "+".join(f"{m}.{layer}.{h}" for m, layer, h in heads))
def test_ablating_heads_equals_zeroing_their_columns_of_w_o(model: Transformer, heads: list[HeadRef]) -> None:
    ablated = logits_under(model, AblateHeads(heads))
    assert_near(ablated, logits_under(without_columns_of_w_o(model, heads)), 1e-6)
    assert (ablated - logits_under(model)).abs().max() > 1e-3  # it did something


def test_ablating_while_decoding_equals_decoding_without_the_columns() -> None:
    heads = [HeadRef("cross", 0, 1), HeadRef("decoder_self", 1, 0), HeadRef("encoder_self", 0, 2)]
    model = random_model(1, peaked=3.0)
    ablated = list(greedy_search(model, random_ids(0, 6), interventions=[AblateHeads(heads)], max_len=10))
    zeroed = list(greedy_search(without_columns_of_w_o(model, heads), random_ids(0, 6), max_len=10))
    assert ablated[-1].best.ids == zeroed[-1].best.ids
    for one_step, other in zip(ablated, zeroed, strict=True):
        assert_near(one_step.log_probs, other.log_probs, 1e-5)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_an_ablated_heads_heatmap_stays_visible(translator: Translator, module: AttentionModule, layer: int) -> None:
    plain = translator.trace(TEXT, TARGET_TEXT).attention(module, layer)
    ablated = translator.trace(TEXT, TARGET_TEXT, interventions=[AblateHeads([HeadRef(module, layer, 1)])]).attention(
        module, layer
    )
    assert_same_bits(ablated.weights, plain.weights)
    assert not ablated.context[1].any()
    assert_same_bits(np.delete(ablated.context, 1, axis=0), np.delete(plain.context, 1, axis=0))


@pytest.mark.parametrize("head", [HeadRef("cross", 2, 0), HeadRef("cross", 0, 4), HeadRef("encoder_self", -1, 0)])
def test_a_head_that_the_model_lacks_is_refused_with_a_sentence(translator: Translator, head: HeadRef) -> None:
    with pytest.raises(ValueError) as caught:
        translator.trace(TEXT, TARGET_TEXT, interventions=[AblateHeads([head])])
    assert_sentence(caught.value)


# --- scaling ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("divisor", "number"), [("none", 1.0), ("sqrt_d_k", math.sqrt(4)), ("sqrt_d_model", math.sqrt(16))]
)
@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_scores_are_divided_by_what_was_asked_for(
    translator: Translator, divisor: Any, number: float, module: AttentionModule, layer: int
) -> None:
    shown = translator.trace(TEXT, TARGET_TEXT, interventions=[ScaleScores(divisor)]).attention(module, layer)
    scores = shown.q.astype(np.float64) @ shown.k.astype(np.float64).transpose(0, 2, 1)
    assert_near(shown.scores, scores, 1e-5)
    assert_near(shown.scaled_scores, scores / number, 1e-5)
    assert_near(shown.weights, softmax(np.where(shown.mask, scores / number, -np.inf)), 1e-5)
    assert_near(shown.context, shown.weights @ shown.v, 1e-5)


def test_dividing_by_the_papers_divisor_changes_nothing(model: Transformer) -> None:
    assert_same_bits(logits_under(model, ScaleScores("sqrt_d_k")), logits_under(model))


def test_scores_have_one_divisor(model: Transformer) -> None:
    for divisors in (("none", "none"), ("none", "sqrt_d_model")):  # even two equal ones: they would act twice
        twice = [ScaleScores(divisor) for divisor in divisors]  # type: ignore[arg-type]
        with pytest.raises(ValueError) as caught:
            logits_under(model, Temperature(2), *twice)
        assert_sentence(caught.value, "2 times")
        with pytest.raises(ValueError):
            next(greedy_search(model, random_ids(0, 5), interventions=twice))


@pytest.mark.parametrize("temperature", [0.1, 0.5, 1, 3.0])
@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_a_temperature_divides_the_scaled_scores(
    translator: Translator, temperature: float, module: AttentionModule, layer: int
) -> None:
    shown = translator.trace(TEXT, TARGET_TEXT, interventions=[Temperature(temperature)]).attention(module, layer)
    scores = shown.q.astype(np.float64) @ shown.k.astype(np.float64).transpose(0, 2, 1)
    assert_near(shown.scores, scores, 1e-5)
    assert_near(shown.scaled_scores, scores / math.sqrt(4) / temperature, 5e-5)
    assert_near(shown.weights, softmax(np.where(shown.mask, scores / math.sqrt(4) / temperature, -np.inf)), 1e-5)


@pytest.mark.parametrize("factor", [0.25, 2.0])
@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_the_scores_of_one_head_are_scaled_and_no_others(
    translator: Translator, factor: float, module: AttentionModule, layer: int
) -> None:
    change = ScaleHead(HeadRef(module, layer, 1), factor)
    shown = translator.trace(TEXT, TARGET_TEXT, interventions=[change]).attention(module, layer)
    plain = translator.trace(TEXT, TARGET_TEXT).attention(module, layer)
    expected = plain.scaled_scores.astype(np.float64).copy()
    expected[1] *= factor
    assert_near(shown.scaled_scores, expected, 5e-5)
    assert_near(shown.weights, softmax(np.where(shown.mask, expected, -np.inf)), 1e-5)
    assert np.abs(shown.weights[1] - plain.weights[1]).max() > 1e-4


def test_a_head_that_the_model_lacks_is_not_scaled(model: Transformer) -> None:
    with pytest.raises(ValueError, match="heads 0 to"):
        logits_under(model, ScaleHead(HeadRef("cross", 0, 99), 2.0))
    for factor in (0, -1.0, math.inf, True):
        with pytest.raises(ValueError, match="factor must be"):
            ScaleHead(HeadRef("cross", 0, 0), factor)


def test_a_temperature_of_one_changes_nothing(model: Transformer) -> None:
    assert_same_bits(logits_under(model, Temperature(1.0)), logits_under(model))


@pytest.mark.parametrize("temperature", [1e-40, 1e-12, 1e12, 1e300])
def test_no_temperature_that_is_accepted_makes_weights_that_are_no_numbers(
    translator: Translator, temperature: float
) -> None:
    try:
        change = Temperature(temperature)
    except ValueError as error:
        assert_sentence(error, "temperature")
        return
    weights = translator.trace(TEXT, TARGET_TEXT, interventions=[change]).attention("encoder_self", 0).weights
    assert_near(weights.sum(axis=-1), np.ones(weights.shape[:-1]), 1e-5)


# --- masks -----------------------------------------------------------------------------------------------------


def recorded_stages(model: Transformer, intervention: Intervention, module: AttentionModule, layer: int) -> Any:
    _, recorded = record(model, SOURCE, TARGET, [intervention])
    path = hook_path(module, layer)
    return {name.removeprefix(f"{path}."): t.numpy() for name, t in recorded.items() if name.startswith(path)}


def true_mask(module: AttentionModule) -> np.ndarray:
    """What may be attended to in the batch of this file, built by hand: (B, 1, T or 1, S)."""
    keys = TARGET if module == "decoder_self" else SOURCE
    mask = (keys != 0).numpy()[:, None, None, :]
    if module == "decoder_self":
        mask = mask & np.tri(TARGET.shape[1], dtype=bool)
    return mask


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_with_the_mask_off_every_query_attends_to_every_key(
    model: Transformer, module: AttentionModule, layer: int
) -> None:
    stage = recorded_stages(model, ChangeMask("off"), module, layer)
    assert stage["mask"].all()
    assert_same_bits(stage["masked_scores"], stage["scaled_scores"])
    assert_near(stage["weights"], softmax(stage["scaled_scores"]), 1e-6)
    assert (stage["weights"] > 0).all()
    assert_near(stage["context"], stage["weights"] @ stage["v"], 1e-6)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_a_mask_after_the_softmax_leaves_rows_that_do_not_sum_to_one(
    model: Transformer, module: AttentionModule, layer: int
) -> None:
    stage = recorded_stages(model, ChangeMask("after_softmax"), module, layer)
    mask = true_mask(module)
    assert_same_bits(np.broadcast_to(stage["mask"], mask.shape), mask)
    assert_near(stage["weights"], softmax(stage["scaled_scores"]) * mask, 1e-6)
    sums = stage["weights"].sum(axis=-1)
    masked_rows = np.broadcast_to(~mask.all(axis=-1), sums.shape)
    assert masked_rows.any()
    assert (sums[masked_rows] < 1 - 1e-4).all()
    assert_near(sums[~masked_rows], np.ones((~masked_rows).sum()), 1e-5)
    assert_near(stage["context"], stage["weights"] @ stage["v"], 1e-6)


@pytest.mark.parametrize("mode", ["off", "after_softmax"])
@pytest.mark.parametrize("changed", ATTENTION_MODULES)
def test_only_the_named_modules_masks_change(model: Transformer, mode: Any, changed: AttentionModule) -> None:
    for module in ATTENTION_MODULES:
        stage = recorded_stages(model, ChangeMask(mode, frozenset([changed])), module, 0)
        mask = np.broadcast_to(true_mask(module), stage["weights"].shape)
        if module == changed:
            assert np.broadcast_to(stage["mask"], mask.shape).all() == (mode == "off")
        else:
            assert_near(stage["weights"], softmax(np.where(mask, stage["scaled_scores"], -np.inf)), 1e-6)


@st.composite
def with_a_mask_after_the_softmax(draw: st.DrawFn) -> tuple[list[Intervention], ChangeMask, float]:
    """Changes in any order, the mask among them, and what they divide QKᵀ by when d_k is 4 and d_model 16."""
    mask = ChangeMask("after_softmax", draw(st.frozensets(st.sampled_from(ATTENTION_MODULES), min_size=1)))
    divisor, number = draw(st.sampled_from([("sqrt_d_k", 2.0), ("none", 1.0), ("sqrt_d_model", 4.0)]))
    heat = draw(st.sampled_from([0.25, 0.5, 2.0, 3.0]))
    return draw(st.permutations([mask, ScaleScores(divisor), Temperature(heat)])), mask, number * heat


@given(drawn=with_a_mask_after_the_softmax(), scale_scores=st.booleans())
def test_a_mask_after_the_softmax_multiplies_the_weights_of_scaled_scores_in_any_order(
    drawn: tuple[list[Intervention], ChangeMask, float], scale_scores: bool
) -> None:
    changes, change, divisor = drawn
    trace = random_translator(2, scale_scores=scale_scores).trace(TEXT, TARGET_TEXT, interventions=changes)
    for module, layer in ALL_ATTENTION:
        shown = trace.attention(module, layer)
        scaled = shown.q.astype(np.float64) @ shown.k.astype(np.float64).transpose(0, 2, 1) / divisor
        mask = np.tri(5, dtype=bool) if module == "decoder_self" else np.ones(scaled.shape[1:], dtype=bool)
        softmaxed = scaled if module in change.modules else np.where(mask, scaled, -np.inf)
        assert_near(shown.scaled_scores, scaled, 1e-4)
        assert_near(shown.masked_scores, softmaxed, 1e-4)
        assert_near(shown.weights, softmax(softmaxed) * mask, 1e-5)
        assert_near(shown.context, shown.weights @ shown.v, 1e-5)


@given(drawn=with_a_mask_after_the_softmax(), seed=st.integers(0, 99))
def test_a_search_under_a_mask_after_the_softmax_is_that_of_one_pass_over_its_output(
    drawn: tuple[list[Intervention], ChangeMask, float], seed: int
) -> None:
    changes, mask, _ = drawn
    model, source = random_model(seed, peaked=3.0), [*random_ids(seed, 5), 0, 0]  # with padding, which is masked
    (*_, last) = steps = list(greedy_search(model, source, interventions=changes, max_len=6))
    # In a search nothing comes after the newest token; one pass over all of them needs its causal mask for that.
    no_causal = ChangeMask(mask.mode, mask.modules - {"decoder_self"})
    in_order = [*(change for change in changes if change is not mask), no_causal]
    logits = record(model, one(source), one([1, *last.best.ids[:-1]]), in_order)[0]
    for step, expected in zip(steps, logits[0].log_softmax(dim=-1), strict=True):
        assert_near(step.log_probs[0], expected, 1e-4)


@pytest.mark.parametrize("modes", [("off", "after_softmax"), ("after_softmax", "off")])
def test_a_mask_that_is_off_masks_nothing_after_the_softmax_either(model: Transformer, modes: Any) -> None:
    both = logits_under(model, *(ChangeMask(mode) for mode in modes))
    assert_same_bits(both, logits_under(model, ChangeMask("off")))


def test_a_mask_that_is_on_changes_nothing(model: Transformer) -> None:
    assert_same_bits(logits_under(model, ChangeMask("on")), logits_under(model))


# --- positions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_a_model_with_positions_off_equals_one_without_positions(kind: Any) -> None:
    model = random_model(positions=kind)
    without = Transformer(tiny_config(positions="none")).eval()
    weights = {name: value for name, value in model.state_dict().items() if not name.endswith("table")}
    without.load_state_dict(weights)
    logits, recorded = record(model, SOURCE, TARGET, [PositionsOff()])
    for side in ("source", "target"):
        assert not recorded[f"{side}_embedding.positions.encoding"].any()
    assert_near(logits, record(without, SOURCE, TARGET)[0], 1e-6)


@pytest.mark.parametrize("side", ["source", "target"])
def test_one_sides_positions_can_be_off_alone(translator: Translator, side: Any) -> None:
    trace = translator.trace(TEXT, TARGET_TEXT, interventions=[PositionsOff(side)])
    plain = translator.trace(TEXT, TARGET_TEXT)
    other = "target" if side == "source" else "source"
    assert not trace.positional_encoding(side).any()
    assert_same_bits(trace.positional_encoding(other), plain.positional_encoding(other))


def with_shifted_tables(model: Transformer, offset: int, sides: tuple[str, ...]) -> Transformer:
    """The model whose position p has the vector that was at p + offset; the last ones, out of use here, are NaN."""
    changed = changed_copy(model)
    for side in sides:
        table = changed.get_submodule(f"{side}_embedding.positions").table
        shifted = torch.full_like(table, torch.nan)
        shifted[: len(table) - offset] = table[offset:]
        table.data.copy_(shifted)
    return changed


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
@pytest.mark.parametrize(
    ("side", "sides"), [("both", ("source", "target")), ("source", ("source",)), ("target", ("target",))]
)
@pytest.mark.parametrize("offset", [0, 1, 17])  # 17 + 7 source tokens: up to the table's last place
def test_shifting_equals_a_shifted_table(kind: Any, side: Any, sides: tuple[str, ...], offset: int) -> None:
    model = random_model(positions=kind)
    shifted = logits_under(model, ShiftPositions(offset, side))
    assert_near(shifted, logits_under(with_shifted_tables(model, offset, sides)), 1e-6)


def test_shifting_while_decoding_equals_decoding_with_a_shifted_table() -> None:
    model = random_model(2, peaked=3.0)
    other = with_shifted_tables(model, 9, ("source", "target"))
    shifted = list(greedy_search(model, random_ids(0, 6), interventions=[ShiftPositions(9)], max_len=10))
    expected = list(greedy_search(other, random_ids(0, 6), max_len=10))
    assert shifted[-1].best.ids == expected[-1].best.ids
    for one_step, another in zip(shifted, expected, strict=True):
        assert_near(one_step.log_probs, another.log_probs, 1e-5)


@pytest.mark.parametrize("offset", [19, 24, 10_000])
def test_shifting_out_of_the_table_is_refused_with_a_sentence(translator: Translator, offset: int) -> None:
    with pytest.raises(ValueError) as caught:
        translator.trace(TEXT, TARGET_TEXT, interventions=[ShiftPositions(offset)])  # 6 source tokens
    assert_sentence(caught.value, "0 to 23", offset + 5)


# --- order of the source ---------------------------------------------------------------------------------------


def test_labels_and_ids_go_where_their_tokens_go(translator: Translator) -> None:
    order = (4, 0, 5, 2, 1, 3)
    plain = translator.trace(TEXT, TARGET_TEXT)
    trace = translator.trace(TEXT, TARGET_TEXT, interventions=[PermuteSource(order)])
    assert trace.source_tokens == tuple(plain.source_tokens[i] for i in order) == ("5", "3", "</s>", "4", "1", "1")
    assert trace.source_ids == tuple(plain.source_ids[i] for i in order)
    assert tuple(trace.tensors["source_tokens"]) == trace.source_ids
    assert trace.attention("cross", 0).key_tokens == trace.source_tokens
    assert (trace.target_tokens, trace.predicted_tokens) == (plain.target_tokens, plain.predicted_tokens)


def test_permuting_equals_feeding_the_permuted_source() -> None:
    model, source = random_model(4), random_ids(0, 6)
    order = (3, 5, 0, 1, 4, 2)
    logits, _ = record(model, one(source), TARGET[:1], [PermuteSource(order)])
    assert_same_bits(logits, record(model, one([source[i] for i in order]), TARGET[:1])[0])


def test_two_permutations_follow_one_another(translator: Translator) -> None:
    first, second = PermuteSource((1, 2, 3, 4, 5, 0)), PermuteSource((5, 4, 3, 2, 1, 0))
    trace = translator.trace(TEXT, TARGET_TEXT, interventions=[first, second])
    assert trace.source_tokens == second.apply(first.apply(translator.trace(TEXT, TARGET_TEXT).source_tokens))
    assert tuple(trace.tensors["source_tokens"]) == trace.source_ids


def test_an_order_of_another_length_is_refused_with_a_sentence(translator: Translator) -> None:
    with pytest.raises(ValueError) as caught:
        translator.trace(TEXT, TARGET_TEXT, interventions=[PermuteSource((1, 0, 2))])
    assert_sentence(caught.value, 3, 6)


# --- as values -------------------------------------------------------------------------------------------------


def test_interventions_act_together(translator: Translator) -> None:
    heads = [HeadRef("cross", 1, 0)]
    trace = translator.trace(
        TEXT, TARGET_TEXT, interventions=[ScaleScores("none"), AblateHeads(heads), PositionsOff("source")]
    )
    shown: AttentionRecord = trace.attention("cross", 1)
    assert not trace.positional_encoding("source").any()
    assert not shown.context[0].any()
    assert_near(shown.scaled_scores, shown.scores, 1e-6)
    assert trace.interventions == (ScaleScores("none"), AblateHeads(heads), PositionsOff("source"))


@pytest.mark.parametrize("intervention", ALL_KINDS)
def test_an_intervention_survives_json(intervention: Intervention) -> None:
    written = json.loads(json.dumps(intervention_to_dict(intervention)))
    read = intervention_from_dict(written)
    assert read == intervention
    assert hash(read) == hash(intervention)
    assert type(read) is type(intervention)


def test_interventions_are_equal_and_hash_by_value() -> None:
    pairs = [
        (AblateHeads([("cross", 0, 1), ("cross", 1, 2)]), AblateHeads({HeadRef("cross", 1, 2), ("cross", 0, 1)})),
        (ChangeMask("off", ["cross", "cross"]), ChangeMask("off", frozenset({"cross"}))),  # type: ignore[arg-type]
        (PermuteSource([1, 0]), PermuteSource((1, 0))),  # type: ignore[arg-type]
        (ScaleScores(), ScaleScores("none")),
        (ShiftPositions(2), ShiftPositions(2, "both")),
        (PositionsOff(), PositionsOff("both")),
    ]
    for left, right in pairs:
        assert left == right
        assert len({left, right}) == 1
    assert len(set(ALL_KINDS)) == len(ALL_KINDS)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: ScaleScores("sqrt"), "'sqrt'"),
        (lambda: ChangeMask("maybe"), "'maybe'"),
        (lambda: ChangeMask("off", frozenset(["self"])), "'self'"),
        (lambda: PositionsOff("left"), "'left'"),
        (lambda: Temperature(0), "0"),
        (lambda: Temperature(-1.0), "-1.0"),
        (lambda: Temperature(math.nan), "nan"),
        (lambda: Temperature(math.inf), "inf"),
        (lambda: Temperature("hot"), "'hot'"),  # type: ignore[arg-type]
        (lambda: ShiftPositions(-1), "-1"),
        (lambda: ShiftPositions(1.5), "1.5"),
        (lambda: ShiftPositions(True), "True"),
        (lambda: ShiftPositions(2**63), str(2**63)),
        (lambda: ShiftPositions(2**64 - 1), str(2**64 - 1)),  # −1 in 64 bits
        (lambda: ShiftPositions(1, "left"), "'left'"),
        (lambda: PermuteSource((0, 0)), "[0, 0]"),
        (lambda: PermuteSource((1, 2)), "[1, 2]"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(make: Any, named: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert_sentence(caught.value, named)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"kind": "Nonsense"},
        {"kind": "ScaleScores"},
        {"kind": "ScaleScores", "divisor": "none", "more": 1},
        {"kind": ["ScaleScores"], "divisor": "none"},
        {"kind": "ScaleScores", "divisor": ["none"]},
        {"kind": "AblateHeads", "heads": 5},
        {"kind": "AblateHeads", "heads": [["cross", 0]]},
        {"kind": "AblateHeads", "heads": [["cross", "0", 0]]},
        {"kind": "ChangeMask", "mode": "off", "modules": 3},
        {"kind": "ChangeMask", "mode": "off", "modules": [["cross"]]},
        {"kind": "PermuteSource", "order": [1, "a"]},
        {"kind": "PermuteSource", "order": 4},
    ],
    ids=json.dumps,
)
def test_json_that_is_no_intervention_is_refused_with_a_sentence(values: dict[str, Any]) -> None:
    # A link or a file may hold anything: it must come out as a ValueError, whatever its shape.
    with pytest.raises(ValueError) as caught:
        intervention_from_dict(values)
    assert_sentence(caught.value)
