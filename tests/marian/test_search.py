"""What an imported model writes, against `generate` of `transformers`: greedy, and the n best of a beam.

The rules are those of tests/decoding/test_huggingface.py, and two more: the sum is divided by any power of the length,
and OPUS forces the end at the longest length, so that nothing stays unended there. Its configs ban padding, as we do.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import torch
from transformers import MarianMTModel

from tests.helpers import assert_near
from tests.huggingface import finalised
from tests.marian.opus import different, opus
from viz_transformer import Translator, beam_search, from_huggingface, greedy_search, rerank
from viz_transformer.decoding.search import greedy_batch
from viz_transformer.decoding.step_decoder import never_written

MAX_LEN = 12
STOPS: dict[Any, Any] = {"first": True, "likely": False, "certain": "never"}
PENALTIES = (-0.8, 0.0, 0.7, 1.6)
SHAPES: dict[str, Any] = {"opus": opus, "different": different}
SEEDS = range(3)


@cache
def both(shape: str, seed: int) -> tuple[MarianMTModel, Translator]:
    folder = Path(mkdtemp())
    return SHAPES[shape](folder, seed), from_huggingface(folder)


def source_of(theirs: MarianMTModel, seed: int) -> list[int]:
    config: Any = theirs.config
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(6, config.vocab_size - 1, (3 + seed % 4,), generator=generator)
    return [*ids.tolist(), config.eos_token_id]


def generated(theirs: MarianMTModel, sources: torch.Tensor, banned: tuple[int, ...], **options: Any) -> Any:
    config: Any = theirs.config
    return theirs.generate(
        sources,
        attention_mask=(sources != config.pad_token_id).long(),
        do_sample=False,
        max_length=MAX_LEN + 1,  # the start token, too
        max_new_tokens=None,
        bad_words_ids=[[token_id] for token_id in banned],
        return_dict_in_generate=True,
        output_scores=True,
        **options,
    )


def cut(row: list[int], end_id: int) -> tuple[int, ...]:
    ids = row[1:]  # the start token
    return tuple(ids[: ids.index(end_id) + 1] if end_id in ids else ids)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_a_beam_finds_what_generate_finds(shape: str, k: int, stop: Any) -> None:
    for seed in SEEDS:
        theirs, ours = both(shape, seed)
        source, config, forced = source_of(theirs, seed), ours.model.config, seed != 1
        for penalty in PENALTIES:
            found = generated(
                theirs,
                torch.tensor([source]),
                never_written(config),
                num_beams=k,
                num_return_sequences=k,
                early_stopping=STOPS[stop],
                length_penalty=penalty,
                forced_eos_token_id=config.end_id if forced else None,
            )
            steps = list(
                beam_search(
                    ours.model,
                    source,
                    beam_size=k,
                    normalization="power",
                    length_penalty=penalty,
                    stop=stop,
                    max_len=MAX_LEN,
                    forced_end=forced,
                )
            )
            outputs = finalised(steps, k, MAX_LEN, config.end_id)
            assert [ids for ids, _ in outputs] == [cut(row, config.end_id) for row in found.sequences.tolist()]
            assert_near([score for _, score in outputs], found.sequences_scores, 2e-5 * max(1, MAX_LEN**-penalty))


@pytest.mark.parametrize("shape", SHAPES)
def test_greedy_search_writes_what_generate_writes(shape: str) -> None:
    """One by one, and as a padded batch."""
    for seed in range(6):
        theirs, ours = both(shape, seed % 3)
        config = ours.model.config
        sources = [source_of(theirs, 10 * seed + n) for n in range(3)]
        width = max(map(len, sources))
        padded = torch.tensor([[*ids, *[config.pad_id] * (width - len(ids))] for ids in sources])
        for forced in (config.end_id, None):
            options: dict[str, Any] = {"num_beams": 1, "forced_eos_token_id": forced}
            found = generated(theirs, padded, never_written(config), **options).sequences.tolist()
            alone = [
                generated(theirs, torch.tensor([ids]), never_written(config), **options).sequences[0].tolist()
                for ids in sources
            ]
            for row, one, ids in zip(found, alone, sources, strict=True):
                *_, last = greedy_search(ours.model, ids, max_len=MAX_LEN, forced_end=forced is not None)
                assert last.best.ids == cut(one, config.end_id) == cut(row, config.end_id)
        unforced = [[i for i in cut(row, config.end_id) if i != config.end_id] for row in found]
        assert greedy_batch(ours.model, padded, MAX_LEN) == unforced


@pytest.mark.parametrize("forced", [True, False])
def test_ranking_anew_finds_what_another_search_finds(forced: bool) -> None:
    for seed in SEEDS:
        theirs, ours = both("opus", seed)
        source = source_of(theirs, seed)
        common: dict[str, Any] = {"beam_size": 3, "max_len": MAX_LEN, "normalization": "power", "forced_end": forced}
        for stop in STOPS:
            steps = list(beam_search(ours.model, source, length_penalty=1.0, stop=stop, **common))
            for penalty in PENALTIES:
                *_, last = other = list(beam_search(ours.model, source, length_penalty=penalty, stop=stop, **common))
                found = rerank(steps, length_penalty=penalty, stop=stop, **common)
                if found.needs_search:
                    assert len(other) > len(steps)
                    continue
                assert (found.n_steps, found.stop_reason) == (len(other), last.stop_reason)
                assert found.hypotheses == last.finished


def test_these_outputs_are_not_trivial() -> None:
    """They end and do not, early and late, and rules, penalties and the forced end make a difference."""

    def outputs(stop: Any, penalty: float, forced: bool) -> list[Any]:
        found = []
        for shape in SHAPES:
            for seed in SEEDS:
                theirs, ours = both(shape, seed)
                *_, last = beam_search(
                    ours.model,
                    source_of(theirs, seed),
                    beam_size=3,
                    normalization="power",
                    length_penalty=penalty,
                    stop=stop,
                    max_len=MAX_LEN,
                    forced_end=forced,
                )
                found.append([hypothesis.ids for hypothesis in last.finished])
        return found

    usual = outputs("likely", 0.7, True)
    assert len({len(ids) for n_best in usual for ids in n_best}) >= 4
    assert usual != outputs("first", 0.7, True)
    assert outputs("certain", 1.6, True) != outputs("likely", 1.6, True)
    assert usual != outputs("likely", 1.6, True) != outputs("likely", 0.0, True)
    assert usual != outputs("likely", 0.7, False)


def test_the_forced_end_is_seen_and_costs_nothing() -> None:
    theirs, ours = both("opus", 0)
    config = ours.model.config
    steps = list(beam_search(ours.model, source_of(theirs, 0), beam_size=3, stop="certain", max_len=4, forced_end=True))
    forced = [one for one in steps[-1].candidates if one.status == "finished"]
    assert len(steps) == 4 and steps[-1].stop_reason == "max_len" and not steps[-1].live
    assert {(one.token_id, one.log_prob, one.reason) for one in forced} == {(config.end_id, 0.0, "forced")}
    before = steps[-2].live
    assert [one.total_log_prob for one in forced] == [before[one.parent].total_log_prob for one in forced]
    assert steps[-1].log_probs[0, config.end_id] < 0  # what the model says is recorded all the same


def test_a_forced_end_that_is_banned_is_refused() -> None:
    theirs, ours = both("opus", 0)
    with pytest.raises(ValueError, match="banned"):
        beam_search(ours.model, source_of(theirs, 0), forced_end=True, banned_ids=[ours.model.config.end_id])
    with pytest.raises(ValueError, match="forced_end must be true or false"):
        beam_search(ours.model, source_of(theirs, 0), forced_end=1)  # type: ignore[arg-type]
