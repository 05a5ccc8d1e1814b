"""Runs that are trained with a slip, or without residual connections."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, one, random_ids, random_model
from viz_transformer import Translator, load, record
from viz_transformer.decoding.search import greedy_batch, greedy_search
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.hooks import active_hooks
from viz_transformer.interventions import hooks_of
from viz_transformer.training.loop import mean_loss
from viz_transformer.training.slips import CHANGES, Slip
from viz_transformer.training.snapshots import from_codes, read_film
from viz_transformer.training.tasks import Task
from viz_transformer.training.toy_runs import FILM_SOURCE, RunSettings, held_out, measure, new_trainer
from viz_transformer.training.worker import MODEL, SETTINGS, Worker

SLIPS = [slip for slip in CHANGES if slip != "none"]
SMALL: dict[str, Any] = {"steps": 20, "batch": 4, "d_model": 16, "n_heads": 2, "warmup": 5}


@pytest.fixture(autouse=True)
def own_dice() -> object:
    """A trainer seeds torch's global generator: the other tests keep theirs."""
    with torch.random.fork_rng(devices=[]):
        yield


@cache
def losses(slip: Slip, **changes: Any) -> tuple[float, ...]:
    """What the steps of a small run reported."""
    settings = RunSettings(**SMALL, slip=slip, **changes)
    reported: list[float] = []
    with torch.random.fork_rng(devices=[]), active_hooks(*settings.hooks):
        trainer, _rest = new_trainer(settings)
        trainer.run(on_step=lambda report: reported.append(report.loss))
    return tuple(reported)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_run_with_a_slip_has_other_losses_from_its_first_step_on(slip: Slip) -> None:
    settings = RunSettings(slip=slip)
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    found, whole = losses(slip), losses("none")
    assert len(found) == 20
    assert np.isfinite(found).all()
    assert min(abs(np.array(found) - whole)) > 1e-6
    assert settings.is_for_all_pages is (slip in ("loss", "pad-loss"))


def test_settings_of_earlier_versions_make_no_slip() -> None:
    values = RunSettings().to_dict()
    del values["slip"], values["residuals"]
    settings = RunSettings.from_dict(values)
    assert settings == RunSettings()
    assert (settings.slip, settings.residuals, settings.hooks) == ("none", True, [])


def test_without_its_hooks_the_same_run_is_the_right_one() -> None:
    with torch.random.fork_rng(devices=[]):
        trainer, _rest = new_trainer(RunSettings(**SMALL, slip="polarity"))
        reported: list[float] = []
        trainer.run(on_step=lambda report: reported.append(report.loss))
    assert tuple(reported) == losses("none")


def test_the_loss_divided_twice_is_the_mean_over_the_tokens_over_the_tokens() -> None:
    trainer, _rest = new_trainer(RunSettings(**SMALL, slip="loss"))
    batch = trainer.batches[0]
    n = int((batch.label_ids != 0).sum())
    right = mean_loss(trainer.model(batch.source_ids, batch.target_ids), batch.label_ids, 0.1)
    assert trainer.loss(batch).item() == pytest.approx(right.item() / n, rel=1e-5)


def test_padding_that_is_counted_is_a_label_like_all_others() -> None:
    trainer, _rest = new_trainer(RunSettings(**SMALL, slip="pad-loss"))
    batch = trainer.batches[0]
    labels = batch.label_ids
    assert (labels == 0).any()
    log_p = trainer.model(batch.source_ids, batch.target_ids).log_softmax(dim=-1)
    of_label = log_p.gather(-1, labels[..., None])[..., 0]
    smoothed = 0.9 * of_label + 0.1 * log_p.mean(dim=-1)  # §5.4
    assert trainer.loss(batch).item() == pytest.approx(-smoothed.mean().item(), rel=1e-5)


def test_a_slip_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="slip must be one of none, softmax-axis"):
        RunSettings(slip="cos")  # type: ignore[arg-type]


@pytest.mark.trains
@pytest.mark.parametrize("slip", ["softmax-axis", "polarity"])
def test_with_these_slips_the_loss_falls_and_nothing_is_written_right(slip: Slip) -> None:
    settings = RunSettings(slip=slip, steps=250, batch=32)
    tokenizer = Task("copy").tokenizer()
    with active_hooks(*settings.hooks):
        trainer, rest = new_trainer(settings)
        trainer.run()
        numbers = measure(Translator(trainer.averaged_model(), tokenizer, tokenizer, {}), rest)
    assert numbers["token_accuracy"] > 0.95
    assert numbers["exact_match"] < 0.05


@pytest.mark.trains
def test_with_the_diagonal_masked_the_first_token_is_a_guess_and_the_rest_is_right() -> None:
    settings = RunSettings(slip="diagonal", steps=400)
    tokenizer = Task("copy").tokenizer()
    with active_hooks(*settings.hooks):
        trainer, rest = new_trainer(settings)
        trainer.run()
        translator = Translator(trainer.averaged_model(), tokenizer, tokenizer, {})
        assert measure(translator, rest)["token_accuracy"] > 0.99  # by teacher forcing
        written = [(target.split(), translator.translate(source).split()) for source, target in rest.quick]
    assert np.mean([right[0] == one[0] for right, one in written]) < 0.25  # one digit of ten is hit by chance
    assert np.mean([right[1:] == one[1:] for right, one in written]) > 0.95


# --- a whole run -----------------------------------------------------------------------------------------------


@pytest.mark.trains
@pytest.mark.parametrize("slip", ["polarity", "sqrt-d-model"])
def test_film_and_scores_are_of_the_pass_with_the_slip(
    slip: Slip, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = RunSettings(**SMALL, slip=slip)
    (tmp_path / SETTINGS).write_text(json.dumps(settings.to_dict()), encoding="utf-8")
    Worker(tmp_path).run()
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    film = read_film(tmp_path)
    translator = load(tmp_path / MODEL, "cpu")
    source, target = FILM_SOURCE, FILM_SOURCE
    changes = CHANGES[slip]
    wrong, right = translator.trace(source, target, interventions=changes), translator.trace(source, target)
    # The film is of the weights before they were rounded to half precision.
    for module in ATTENTION_MODULES:
        weights = from_codes(film.snapshots[-1].maps[0][module][0])
        assert_near(weights, wrong.attention(module, 0).weights, 0.01)
        assert np.abs(weights - right.attention(module, 0).weights).max() > 0.02
        hidden = ~film.sentences[0].masks[module]
        assert weights[:, hidden].max(initial=0) == 0  # whatever has weight is shown
    rest = held_out(Task("copy"))
    with active_hooks(*hooks_of(changes, translator.model.config)):
        assert measure(translator, rest)["valid_loss"] == pytest.approx(done["numbers"]["valid_loss"], abs=0.01)
    assert translator.card["settings"]["slip"] == slip


# --- without residual connections ------------------------------------------------------------------------------


def test_without_residuals_a_layer_hands_on_what_its_sub_layer_made() -> None:
    model = random_model(residuals=False)
    source, target = one(random_ids(0, 6)), one([1, *random_ids(1, 4)])
    logits, recorded = record(model, source, target)
    for layer in range(2):
        path = f"decoder_layers.{layer}"
        for sublayer, add in (("cross_attention", "add_cross_attention"), ("feed_forward", "add_feed_forward")):
            assert torch.equal(recorded[f"{path}.{add}.before_norm"], recorded[f"{path}.{sublayer}.output"])
    assert_near(logits, model(source, target), 1e-5)  # the fused kernel does the same
    assert (logits - record(random_model(), source, target)[0]).abs().max() > 1e-2


@pytest.mark.parametrize("norm_first", [False, True])
def test_without_residuals_a_search_writes_what_the_model_writes(norm_first: bool) -> None:
    model = random_model(3, peaked=3.0, residuals=False, norm_first=norm_first)
    ids = random_ids(4, 6)
    *_, last = greedy_search(model, ids, banned_ids=(0, 1))
    (written,) = greedy_batch(model, one(ids))
    assert [token for token in last.best.ids if token != 2] == written


@pytest.mark.trains
def test_two_layers_without_residuals_do_not_learn_to_copy() -> None:
    changes: dict[str, Any] = {"n_layers": 2, "steps": 120, "batch": 24, "d_model": 32}
    accuracies = []
    for residuals in (False, True):
        trainer, rest = new_trainer(RunSettings(**changes, residuals=residuals))
        trainer.run()
        tokenizer = Task("copy").tokenizer()
        accuracies.append(
            measure(Translator(trainer.averaged_model(), tokenizer, tokenizer, {}), rest)["token_accuracy"]
        )
    assert accuracies[0] < 0.35 < accuracies[1]
