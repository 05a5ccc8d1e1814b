from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors
from torch import Tensor

from tests.helpers import (
    ALL_ATTENTION,
    N_LAYERS,
    assert_near,
    assert_same_bits,
    assert_sentence,
    attention_of,
    one,
    random_ids,
    random_model,
    softmax,
)
from viz_transformer import (
    ATTENTION_MODULES,
    AblateHeads,
    ChangeMask,
    HeadRef,
    HookPoint,
    PermuteSource,
    PositionsOff,
    ScaleScores,
    ShiftPositions,
    Trace,
    Translator,
    load_trace,
    record,
)
from viz_transformer.heads import AttentionModule
from viz_transformer.trace import trace

TEXT, TARGET = "3 1 4 1 5 9", "2 7 1"
AWKWARD = ("<s>", "$x$", "🙂", "é̂", '"', "\\n", " ", "العربية", "你好")


@pytest.fixture(scope="module")
def shown(translator: Translator) -> Trace:
    return translator.trace(TEXT, TARGET)


# --- what a record holds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_every_stage_follows_from_the_one_before(
    translator: Translator, shown: Trace, module: AttentionModule, layer: int
) -> None:
    r = shown.attention(module, layer)
    assert_near(r.scores, np.einsum("htd,hsd->hts", r.q, r.k), 1e-5)
    assert_near(r.scaled_scores, r.scores / math.sqrt(4), 1e-6)
    assert_same_bits(r.masked_scores, np.where(r.mask, r.scaled_scores, np.float32(-np.inf)))
    assert_near(r.weights, softmax(r.masked_scores), 1e-6)
    assert_near(r.context, r.weights @ r.v, 1e-6)
    w_o = attention_of(translator.model, module, layer).w_o
    concatenated = np.concatenate(list(r.context), axis=-1)  # the heads side by side
    assert_near(r.output, concatenated @ w_o.weight.numpy().T + w_o.bias.numpy(), 1e-5)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_shapes_types_and_labels_fit_together(shown: Trace, module: AttentionModule, layer: int) -> None:
    r = shown.attention(module, layer)
    queries = 7 if module == "encoder_self" else 4
    keys = 4 if module == "decoder_self" else 7
    assert (r.module, r.layer) == (module, layer)
    assert r.q.shape == r.context.shape == (4, queries, 4)
    assert r.k.shape == r.v.shape == (4, keys, 4)
    for matrix in (r.scores, r.scaled_scores, r.masked_scores, r.weights):
        assert matrix.shape == (4, queries, keys)
    assert r.mask.shape == (queries, keys)
    assert r.output.shape == (queries, 16)
    assert r.mask.dtype == np.bool_
    assert {array.dtype for array in (r.q, r.k, r.v, r.scores, r.weights, r.output)} == {np.dtype(np.float32)}
    source, target = ("3", "1", "4", "1", "5", "9", "</s>"), ("<s>", "2", "7", "1")
    assert r.query_tokens == (source if module == "encoder_self" else target)
    assert r.key_tokens == (target if module == "decoder_self" else source)


def test_the_mask_is_causal_in_the_decoder_only(shown: Trace) -> None:
    assert shown.attention("encoder_self", 0).mask.all()
    assert shown.attention("cross", 1).mask.all()
    assert_same_bits(shown.attention("decoder_self", 1).mask, np.tri(4, dtype=bool))


def test_row_t_reads_token_t_and_predicts_the_next(shown: Trace) -> None:
    assert shown.target_tokens == ("<s>", "2", "7", "1")
    assert shown.predicted_tokens == ("2", "7", "1", "</s>")
    assert shown.target_ids[1:] == shown.predicted_ids[:-1]


def test_log_probs_are_the_models(translator: Translator, shown: Trace) -> None:
    logits = translator.model(one(shown.source_ids), one(shown.target_ids))
    assert_near(shown.log_probs, logits[0].log_softmax(-1), 1e-5)
    assert_near(np.exp(shown.log_probs.astype(np.float64)).sum(-1), np.ones(4), 1e-5)
    expected = [shown.log_probs[t, predicted] for t, predicted in enumerate(shown.predicted_ids)]
    assert_same_bits(shown.token_log_probs, np.array(expected, dtype=np.float32))
    assert shown.log_prob == sum(float(one_of_them) for one_of_them in expected)


def test_a_tokens_rank_is_its_place_by_probability(shown: Trace) -> None:
    for row, rank, predicted in zip(shown.log_probs, shown.token_ranks, shown.predicted_ids, strict=True):
        assert sorted(range(len(row)), key=lambda token: -row[token]).index(predicted) == rank - 1


def test_tokens_of_equal_probability_share_the_better_rank(shown: Trace) -> None:
    log_probs = np.full_like(shown.log_probs, -9.0)
    log_probs[:, [0, 1, *shown.predicted_ids]] = -2.0  # as likely as two others at least
    log_probs[1:, 3] = -1.0
    even = dataclasses.replace(shown, tensors={"log_probs": log_probs})
    assert even.token_ranks.tolist() == [1, 2, 2, 2]


@pytest.mark.parametrize("side", ["source", "target"])
def test_positional_encoding_is_what_was_added(shown: Trace, side: str) -> None:
    encoding = shown.positional_encoding(side)
    length = 7 if side == "source" else 4
    angles = np.arange(length)[:, None] / 10_000 ** (np.arange(0, 16, 2) / 16)
    assert_near(encoding[:, 0::2], np.sin(angles), 1e-6)
    assert_near(encoding[:, 1::2], np.cos(angles), 1e-6)
    tokens, output = (shown.tensors[f"{side}_embedding.{point}"] for point in ("scaled_tokens", "output"))
    assert_near(tokens + encoding, output, 1e-6)


def test_every_hook_point_is_kept_under_its_name(translator: Translator, shown: Trace) -> None:
    points = {module.name for module in translator.model.modules() if isinstance(module, HookPoint)}
    assert set(shown.tensors) == points | {"log_probs"}
    assert [shown.shape(name) for name in shown.tensors] == [tensor.shape for tensor in shown.tensors.values()]


def test_a_trace_is_the_recorded_pass_to_the_last_bit(translator: Translator, shown: Trace) -> None:
    logits, recorded = record(translator.model, one(shown.source_ids), one(shown.target_ids))
    assert_same_bits(shown.tensors["logits"], logits[0])
    for name, tensor in recorded.items():
        whole = name.endswith((".positions", ".encoding"))  # these have no batch axis
        assert_same_bits(shown.tensors[name], tensor if whole else tensor[0])


def test_a_teacher_forced_trace_equals_the_steps_of_greedy_search(translator: Translator) -> None:
    steps = list(translator.greedy_search(TEXT))
    assert len(steps) > 3
    shown = translator.trace(TEXT)
    assert shown.predicted_ids == steps[-1].best.ids
    assert_near(shown.log_probs, np.concatenate([step.log_probs for step in steps]), 1e-5)


@pytest.mark.parametrize("module", ["self", "", None, 0])
def test_an_unknown_module_is_refused_with_a_sentence(shown: Trace, module: Any) -> None:
    with pytest.raises(ValueError) as caught:
        shown.attention(module, 0)
    assert_sentence(caught.value, *ATTENTION_MODULES, repr(module))


@pytest.mark.parametrize("layer", [-1, 2])
def test_a_layer_that_is_not_there_is_refused_with_a_sentence(shown: Trace, layer: int) -> None:
    with pytest.raises(ValueError) as caught:
        shown.attention("cross", layer)
    assert_sentence(caught.value, "0 to 1", layer)


def test_an_unknown_side_is_refused_with_a_sentence(shown: Trace) -> None:
    with pytest.raises(ValueError) as caught:
        shown.positional_encoding("left")
    assert_sentence(caught.value, "'left'")


@pytest.mark.parametrize("name", ["source", "target", "predicted"])
def test_labels_that_differ_in_number_from_the_ids_are_refused(name: str) -> None:
    arguments: dict[str, Any] = {"source_ids": [5, 2], "target_ids": [1, 5], "predicted_ids": [5, 2]}
    arguments |= {f"{side}_tokens": ["a", "b"] for side in ("source", "target", "predicted")}
    arguments[f"{name}_tokens"] = ["a", "b", "c"]
    with pytest.raises(ValueError) as caught:
        trace(random_model(), **arguments)
    assert_sentence(caught.value, name, 2, 3)


@pytest.mark.parametrize("name", ["source", "target", "predicted"])
@pytest.mark.parametrize("wrong", [14, -1, 2**40])
def test_ids_beyond_the_vocabulary_are_refused_with_a_sentence(name: str, wrong: int) -> None:
    arguments: dict[str, Any] = {"source_ids": [5, 2], "target_ids": [1, 5], "predicted_ids": [5, 2]}
    arguments[f"{name}_ids"] = [wrong, 2]
    with pytest.raises(ValueError) as caught:
        trace(
            random_model(), **arguments, **{f"{side}_tokens": ["a", "b"] for side in ("source", "target", "predicted")}
        )
    assert_sentence(caught.value, f"{name}_ids", "0 to 13", wrong)


@pytest.mark.parametrize("pad_id", [0, 3])
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_sequence_of_padding_only_is_refused_with_a_sentence(side: str, pad_id: int) -> None:
    model, some = random_model(pad_id=pad_id), torch.tensor([[1, 5, 6], [1, 5, pad_id]])
    record(model, some, some)
    ids = {"source": some, "target": some, side: torch.tensor([[1, 5, 6], [pad_id] * 3])}
    with pytest.raises(ValueError) as caught:
        record(model, ids["source"], ids["target"])
    assert_sentence(caught.value, side, "padding")


def test_nobody_can_change_a_recorded_number(shown: Trace) -> None:
    record_of_cross = shown.attention("cross", 0)
    for array in (*shown.tensors.values(), record_of_cross.weights, record_of_cross.mask):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# --- as a table ------------------------------------------------------------------------------------------------


def test_the_frame_has_a_row_for_every_number(shown: Trace) -> None:
    frame = shown.to_frame()
    assert len(frame) == N_LAYERS * 4 * (7 * 7 + 4 * 4 + 4 * 7)
    assert not frame.duplicated(["module", "layer", "head", "query", "key"]).any()


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_the_frame_agrees_with_the_records(shown: Trace, module: AttentionModule, layer: int) -> None:
    r = shown.attention(module, layer)
    frame = shown.to_frame().query("module == @module and layer == @layer")
    place = (frame["head"].to_numpy(), frame["query"].to_numpy(), frame["key"].to_numpy())
    for column, matrix in (
        ("score", r.scores),
        ("scaled_score", r.scaled_scores),
        ("masked_score", r.masked_scores),
        ("weight", r.weights),
        ("may_attend", np.broadcast_to(r.mask, r.weights.shape)),
    ):
        assert_same_bits(frame[column].to_numpy(), matrix[place])
    assert frame["query_token"].tolist() == [r.query_tokens[i] for i in place[1]]
    assert frame["key_token"].tolist() == [r.key_tokens[i] for i in place[2]]


# --- as a file -------------------------------------------------------------------------------------------------


def awkward_trace() -> Trace:
    """Labels, interventions and numbers (-inf, bool, int) that a careless writer loses."""
    interventions = (
        AblateHeads([HeadRef("cross", 0, 1), HeadRef("encoder_self", 1, 2)]),
        ScaleScores("sqrt_d_model"),
        ChangeMask("after_softmax", frozenset(["cross"])),
        PositionsOff("target"),
        ShiftPositions(2, "source"),
        PermuteSource(
            tuple(reversed(range(len(AWKWARD)))),
        ),
    )
    return trace(
        random_model(norm_first=True, positions="learned", dropout=0.25),
        source_ids=random_ids(0, len(AWKWARD)),
        source_tokens=AWKWARD,
        target_ids=(1, 5, 6),
        target_tokens=AWKWARD[:3],
        predicted_ids=(5, 6, 2),
        predicted_tokens=AWKWARD[3:6],
        interventions=interventions,
    )


def test_a_saved_trace_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    before = awkward_trace()
    before.save(tmp_path / "a trace.safetensors")
    after = load_trace(tmp_path / "a trace.safetensors")
    assert after.tensors.keys() == before.tensors.keys()
    for name, tensor in before.tensors.items():
        assert_same_bits(after.tensors[name], tensor)
    for field in dataclasses.fields(Trace):
        if field.name != "tensors":
            assert getattr(after, field.name) == getattr(before, field.name), field.name
            assert type(getattr(after, field.name)) is type(getattr(before, field.name)), field.name
    assert after.source_tokens == tuple(reversed(AWKWARD))
    assert np.isneginf(after.attention("decoder_self", 0).masked_scores).any()
    assert after.to_frame().equals(before.to_frame())


def test_a_saved_trace_makes_the_same_stages_again_without_the_model(tmp_path: Path, shown: Trace) -> None:
    shown.save(tmp_path / "trace")
    with safe_open(tmp_path / "trace", framework="numpy") as file:
        assert not [name for name in file.keys() if name.endswith(("scores", "weights", "context"))]  # noqa: SIM118
    after = load_trace(tmp_path / "trace")
    assert list(after.tensors.keys() - shown.tensors.keys()) == []
    for name, tensor in shown.tensors.items():
        assert_same_bits(after.tensors[name], tensor)


def test_a_trace_of_the_first_format_has_its_stages_in_the_file(tmp_path: Path, shown: Trace) -> None:
    shown.save(tmp_path / "trace")
    with safe_open(tmp_path / "trace", framework="numpy") as file:
        description = file.metadata()["trace"]
    tensors = {name: tensor.copy() for name, tensor in shown.tensors.items()}
    tensors["encoder_layers.0.self_attention.weights"][:] = 0.25
    save_file(tensors, tmp_path / "old", {"format": "viz_transformer.trace.1", "trace": description})
    assert (load_trace(tmp_path / "old").attention("encoder_self", 0).weights == 0.25).all()


def test_a_path_may_be_a_string(shown: Trace, tmp_path: Path) -> None:
    shown.save(str(tmp_path / "trace"))
    assert load_trace(str(tmp_path / "trace")).source_ids == shown.source_ids


FORMAT = {"format": "viz_transformer.trace.2"}


def text_file(path: Path) -> None:
    path.write_text("this is no trace", encoding="utf-8")


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


def truncated_trace(path: Path) -> None:
    awkward_trace().save(path)
    path.write_bytes(path.read_bytes()[:-100])


def other_safetensors(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path)


def newer_trace(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata={"format": "viz_transformer.trace.2", "trace": "{}"})


def without_description(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata=FORMAT)


def with_broken_json(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata={**FORMAT, "trace": "{"})


def with_an_empty_description(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata={**FORMAT, "trace": "{}"})


def with_a_list_as_description(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata={**FORMAT, "trace": "[]"})


def with_a_deep_description(path: Path) -> None:
    save_file({"weights": np.zeros(3, np.float32)}, path, metadata={**FORMAT, "trace": "[" * 100_000})


def changed_trace(change: Callable[[dict[str, Tensor], dict[str, Any]], object]) -> Callable[[Path], None]:
    """A trace whose tensors or description were changed."""

    def write(path: Path) -> None:
        awkward_trace().save(path)
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
            description = json.loads(file.metadata()["trace"])
        change(tensors, description)
        save_tensors(tensors, path, metadata={**FORMAT, "trace": json.dumps(description)})

    return write


ONE = "decoder_layers.0.cross_attention.weights"


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors, _: tensors.update({ONE: tensors[ONE].bfloat16()}),
        lambda tensors, _: tensors.update({ONE: tensors[ONE].to(torch.float8_e4m3fn)}),
        lambda tensors, _: tensors.pop(ONE),
        lambda tensors, _: tensors.update({ONE: tensors[ONE][:, :1].contiguous()}),
        lambda tensors, _: [tensors.pop(name) for name in ("log_probs", "logits")],
        lambda tensors, _: tensors.update(log_probs=tensors["log_probs"][:1]),
        lambda _, description: description.update(config={}),
        lambda _, description: description.update(config=[]),
        lambda _, description: description.update(source_ids="abc"),
        lambda _, description: description.update(source_ids=[]),
        lambda _, description: description.update(source_ids=[10**30] * len(AWKWARD)),
        lambda _, description: description.update(predicted_ids=[99, 5, 2]),
        lambda _, description: description.update(predicted_tokens=["a"]),
        lambda _, description: description.update(target_tokens=[1, 2, 3]),
        lambda _, description: description.update(interventions=[5]),
        lambda _, description: description.update(interventions=[{"kind": "ScaleHead", "head": 5, "factor": 1}]),
    ],
    ids=range(16),
)
def test_a_trace_whose_parts_do_not_belong_together_is_refused(tmp_path: Path, change: Any) -> None:
    changed_trace(change)(tmp_path / "wrong")
    with pytest.raises(ValueError) as caught:
        load_trace(tmp_path / "wrong")
    assert_sentence(caught.value, tmp_path / "wrong")


@pytest.mark.parametrize(
    "write",
    [
        text_file,
        empty_file,
        truncated_trace,
        other_safetensors,
        newer_trace,
        without_description,
        with_broken_json,
        with_an_empty_description,
        with_a_list_as_description,
        with_a_deep_description,
    ],
)
def test_a_file_that_is_no_trace_is_refused_with_a_sentence_that_names_it(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "wrong.safetensors"
    write(path)
    with pytest.raises(ValueError) as caught:
        load_trace(path)
    assert_sentence(caught.value, path)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        load_trace(tmp_path / "nowhere")


def test_a_missing_folder_is_an_os_error_with_a_sentence(shown: Trace, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        shown.save(tmp_path / "nowhere" / "trace")
    assert_sentence(caught.value, "nowhere")
