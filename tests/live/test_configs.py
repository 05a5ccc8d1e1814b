"""Small random models of every option, computed by the front end: every recorded point is what it is in Python."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from tests.live.asking import Asked, Differences, answers, compare_pass, compare_search, pass_question, search_question
from viz_transformer import Transformer, TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, HeadRef
from viz_transformer.interventions import (
    AblateHeads,
    ChangeMask,
    Intervention,
    PermuteSource,
    PositionsOff,
    ScaleHead,
    ScaleScores,
    ShiftPositions,
    Temperature,
)
from viz_transformer.seeds import seeded
from viz_transformer.slips import CosineTwice, InvertMasks, MaskDiagonal, QueryFromMemory, SoftmaxOverQueries

STORED = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64}


@dataclass(frozen=True)
class Case:
    model: Transformer
    source: list[int]
    target: list[int]
    interventions: list[Intervention]
    options: dict[str, Any]


def random_config(dice: random.Random) -> TransformerConfig:
    d_model = dice.choice([4, 6, 8, 12, 16, 20, 30])
    heads = [n for n in range(1, 9) if d_model % n == 0]
    tying = dice.choice(["none", "target", "all"])
    target_vocab = dice.randint(5, 20)
    source_vocab = target_vocab if tying == "all" else dice.randint(5, 20)
    shared = min(source_vocab, target_vocab)
    pad_id, end_id, unknown_id = dice.sample(range(shared), 3)
    return TransformerConfig(
        source_vocab_size=source_vocab,
        target_vocab_size=target_vocab,
        d_model=d_model,
        n_heads=dice.choice(heads),
        n_decoder_heads=dice.choice([None, dice.choice(heads)]),
        n_encoder_layers=dice.randint(1, 3),
        n_decoder_layers=dice.randint(1, 3),
        d_ff=dice.randint(1, 40),
        decoder_d_ff=dice.choice([None, dice.randint(1, 40)]),
        max_len=dice.randint(5, 14),
        norm_first=dice.random() < 0.5,
        positions=dice.choice(["sinusoidal", "sinusoidal", "learned", "none"]),
        weight_tying=tying,
        scale_embeddings=dice.random() < 0.7,
        activation=dice.choice(["relu", "gelu", "swish"]),
        sines_first=dice.random() < 0.5,
        embedding_norm=dice.random() < 0.5,
        final_norms=dice.choice([None, True, False]),
        output_bias=dice.random() < 0.5,
        scale_scores=dice.random() < 0.7,
        causal=dice.random() < 0.8,
        sublayers=dice.choice(["both", "both", "both", "attention", "feed_forward"]),
        residuals=dice.random() < 0.85,
        pad_id=pad_id,
        start_id=dice.choice([pad_id, end_id, *(one for one in range(shared) if one not in (pad_id, end_id))]),
        end_id=end_id,
        unknown_id=unknown_id,
    )


def random_model(config: TransformerConfig, seed: int, dtype: torch.dtype) -> Transformer:
    """Every parameter is random and has the precision of `dtype`."""
    with seeded(seed), torch.no_grad():
        model = Transformer(config)
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1 or name.endswith("table"):
                parameter.add_(torch.randn_like(parameter) * 0.3)
            parameter.copy_(parameter.to(dtype))
    return model.eval().requires_grad_(False)


def random_interventions(
    dice: random.Random, config: TransformerConfig, n_source: int, n_target: int
) -> list[Intervention]:
    slips: list[Intervention] = [SoftmaxOverQueries(), InvertMasks(), MaskDiagonal()]
    if n_source == n_target:  # or else torch cannot add what comes out
        slips.append(QueryFromMemory())
    found: list[Intervention] = [
        PositionsOff(dice.choice(["source", "target", "both"])),
        ShiftPositions(dice.randint(0, 4), dice.choice(["source", "target", "both"])),
        PermuteSource(tuple(dice.sample(range(n_source), n_source))),
        CosineTwice(),
        Temperature(dice.choice([0.2, 3])),
        ScaleScores(dice.choice(["sqrt_d_k", "none", "sqrt_d_model"])),
        ChangeMask(dice.choice(["on", "off", "after_softmax"]), frozenset(dice.sample(ATTENTION_MODULES, 2))),
        dice.choice(slips),
    ]
    if config.has_attention:
        heads = [
            HeadRef("encoder_self", config.n_encoder_layers - 1, config.n_heads - 1),
            HeadRef("decoder_self", 0, 0),
            HeadRef("cross", config.n_decoder_layers - 1, config.decoder.n_heads - 1),
        ]
        found += [AblateHeads(dice.sample(heads, 2)), ScaleHead(dice.choice(heads), 0.5)]
    return dice.sample(found, dice.randint(1, 3))


def random_case(seed: int, dtype: torch.dtype) -> Case:
    dice = random.Random(seed)
    config = random_config(dice)
    model = random_model(config, seed, dtype)
    source = [*dice.choices(range(config.source_vocab_size), k=dice.randint(0, config.max_len - 2)), config.end_id]
    n_target = len(source) if dice.random() < 0.3 else dice.randint(1, config.max_len)
    target = [config.start_id, *dice.choices(range(config.target_vocab_size), k=n_target - 1)]
    max_len = dice.choice([None, dice.randint(2, config.max_len)])
    special = {config.pad_id, config.start_id, config.end_id}
    others = [one for one in range(config.target_vocab_size) if one not in special]
    options: dict[str, Any] = {
        "beam_size": dice.randint(1, 5),
        "length_penalty": dice.choice([0, 0.6, 1, -1.5]),
        "normalization": dice.choice(["gnmt", "power", "mean", "sum"]),
        "stop": dice.choice(["first", "likely", "certain"]),
        "max_len": max_len,
        "forced_end": dice.random() < 0.3,
        "prefix_ids": dice.sample(others, dice.choice([0, 0, 1])),
        "banned_ids": dice.choice([None, [], dice.sample(others, 1)]),
    }
    return Case(model, source, target, random_interventions(dice, config, len(source), n_target), options)


def in_eight_bits(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, columns) -> whole numbers from -127 to 127, and the scale of each row, by which they are multiplied."""
    scale = weight.abs().amax(dim=1) / 127  # (rows,)
    return (weight / scale[:, None]).round().to(torch.int8), scale


def save(folder: Path, model: Transformer, dtype: torch.dtype) -> None:
    """Its config and weights alone."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(model.config.to_dict()), encoding="utf-8")
    weights = {name: parameter.to(dtype).contiguous() for name, parameter in model.named_parameters()}
    save_file(weights, folder / "model.safetensors")


def save_in_eight_bits(folder: Path, model: Transformer) -> None:
    """The same in the form of `frontend/src/model/weights.ts`; the model gets the numbers that are stored."""
    save(folder, model, torch.float32)
    weights = {}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1 or name.endswith("table"):
                weights[name] = parameter.contiguous()
                continue
            whole, scale = in_eight_bits(parameter)
            weights |= {name: whole, f"{name}.scale": scale}
            parameter.copy_(whole * scale[:, None])
    save_file(weights, folder / "model.safetensors")


def test_small_models_of_every_option_are_the_same(tmp_path: Path) -> None:
    assert_the_same(range(40), tmp_path)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_hundreds_of_small_models_are_the_same(tmp_path: Path) -> None:
    assert_the_same(range(1000, 1300), tmp_path)


def assert_the_same(seeds: Sequence[int], folder: Path) -> None:
    """A pass and a search of each, as the model is and with interventions, in each form in which weights are stored."""
    cases, asked = [], []
    for n, seed in enumerate(seeds):
        kind = [*STORED, "I8"][n % 5]
        case = random_case(seed, STORED.get(kind, torch.float32))
        place = folder / str(n)
        if kind == "I8":
            save_in_eight_bits(place, case.model)
        else:
            save(place, case.model, STORED[kind])
        questions = [
            pass_question(case.source, case.target),
            pass_question(case.source, case.target, case.interventions),
            search_question(case.source, case.options),
            search_question(case.source, case.options, case.interventions),
        ]
        cases.append(case)
        asked.append(Asked(place, questions, is_whole=False, is_plain=n % 3 == 0))

    differences = Differences()
    refused = 0
    for case, found in zip(cases, answers(folder, asked), strict=True):
        assert isinstance(found, list), (found, case.model.config)
        passed, changed, searched, searched_changed = found
        model, interventions = case.model, case.interventions
        try:
            compare_pass(passed, model, case.source, case.target, differences)
            compare_pass(changed, model, case.source, case.target, differences, interventions)
            compare_search(searched, model, case.source, case.options, differences)
            compare_search(searched_changed, model, case.source, case.options, differences, interventions)
        except AssertionError as error:
            raise AssertionError(f"{case.model.config}\n{case.options}\n{interventions}\n{error}") from error
        refused += sum(isinstance(answer, dict) and "refused" in answer for answer in found)
    # Without residual connections a model soon forgets what it wrote: "a b" is then as good as "b a".
    forgetful = sum(not case.model.config.residuals for case in cases)
    assert differences.ties <= 2 * forgetful + len(cases) // 20
    print(f"\n{len(cases)} models, of {4 * len(cases)} questions both refuse {refused}; {differences}")
