"""The runs of the page Training."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, assert_sentence
from viz_transformer import Translator
from viz_transformer.cli.main import make_parser
from viz_transformer.tokenizers import PAD_ID
from viz_transformer.training.evaluation import exact_match, teacher_forced
from viz_transformer.training.tasks import TASKS, Task
from viz_transformer.training.toy_runs import (
    HELD_OUT,
    PRESETS,
    SHORTEST_HELD_OUT,
    RunSettings,
    examples,
    measure,
    new_trainer,
)

TOKENIZER = Task("copy").tokenizer()


@pytest.fixture(autouse=True)
def own_dice() -> object:
    """A trainer seeds torch's global generator: the other tests keep theirs."""
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", "chess"),
        ("n_layers", 0),
        ("n_layers", 4),
        ("n_layers", 1.0),
        ("n_heads", 9),
        ("n_heads", 3),  # does not divide d_model
        ("d_model", 130),
        ("steps", 3001),
        ("batch", 1),
        ("learning_rate", 0.5),
        ("learning_rate", float("nan")),
        ("warmup", 0),
        ("label_smoothing", -0.1),
        ("dropout", 0.6),
        ("seed", True),
        ("positions", "rotary"),
        ("sublayers", "none"),
        ("causal", "no"),
    ],
)
def test_a_setting_out_of_range_is_refused_with_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(ValueError) as caught:
        RunSettings(**{name: value})
    assert_sentence(caught.value, name)


def test_settings_survive_a_dictionary_and_nothing_else_does() -> None:
    settings = RunSettings(task="sort", n_layers=2, causal=False)
    assert RunSettings.from_dict(settings.to_dict()) == settings
    with pytest.raises(ValueError) as caught:
        RunSettings.from_dict({"colour": 3})
    assert_sentence(caught.value, "colour")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_command_line_trains_the_same_model(preset: str) -> None:
    settings = RunSettings(**PRESETS[preset])
    options = make_parser().parse_args(shlex.split(settings.command("my model"))[3:])
    config = settings.config
    assert (options.d_model, options.heads, options.d_ff, options.max_len) == (
        config.d_model, config.n_heads, config.d_ff, config.max_len
    )  # fmt: skip
    assert (options.encoder_layers, options.decoder_layers) == (config.n_encoder_layers, config.n_decoder_layers)
    assert (not options.no_scaling, not options.no_causal_mask) == (config.scale_scores, config.causal)
    assert (options.positions, options.sublayers, options.dropout) == (config.positions, config.sublayers, 0.0)
    assert (options.task, options.batch, str(options.out)) == (settings.task, settings.batch, "my model")
    for name, value in vars(settings.options).items():
        assert getattr(options, name) == value, name


@pytest.mark.parametrize("task", TASKS)
def test_no_batch_holds_what_is_held_out(task: str) -> None:
    trainer, rest = new_trainer(RunSettings(task=task, steps=20))
    sources = [source for source, _ in rest.pairs]
    assert len(sources) == len(set(sources)) == HELD_OUT
    assert all(len(source.split()) >= SHORTEST_HELD_OUT for source in sources)
    assert all(target.replace(" ", "") == TASKS[task](source.replace(" ", "")) for source, target in rest.pairs)
    drawn = {source for step in range(300) for source, _ in trainer.batches.pairs(step)}  # type: ignore[attr-defined]
    assert len(drawn) > 5000 and not drawn & set(sources)
    # Without the filter some would be drawn: it does something.
    batches = type(trainer.batches)(Task(task), 48, 1)  # type: ignore[call-arg]
    assert {source for step in range(300) for source, _ in batches.pairs(step)} & set(sources)


@pytest.mark.trains
def test_teacher_forcing_and_generation_are_what_they_say() -> None:
    trainer, rest = new_trainer(RunSettings(steps=60, d_model=32))
    trainer.run(40)
    translator = Translator(trainer.averaged_model(), TOKENIZER, TOKENIZER, {})
    numbers = measure(translator, rest)
    losses, right, outputs = [], [], []
    for source, target in rest.quick:
        trace = translator.trace(source, target)
        losses += [-value for value in trace.token_log_probs]
        right += list(trace.log_probs.argmax(axis=1) == np.array(trace.predicted_ids))
        outputs.append(translator.translate(source) == target)
    assert_near(np.array(numbers["valid_loss"]), np.array(np.mean(losses)), 1e-5)
    assert_near(np.array(numbers["token_accuracy"]), np.array(np.mean(right)), 1e-6)
    assert numbers["exact_match"] == np.mean(outputs)
    for one in examples(translator, rest):
        trace = translator.trace(one.source, one.right)
        forced = TOKENIZER.labels(trace.log_probs.argmax(axis=1).tolist())
        assert one.teacher_forced == " ".join(forced)
        assert one.generated == translator.translate(one.source)


def test_token_accuracy_leaves_padding_out() -> None:
    trainer, rest = new_trainer(RunSettings(d_model=16, n_heads=1))
    batch = rest.batch
    model = trainer.averaged_model()
    with torch.no_grad():
        predicted = model(batch.source_ids, batch.target_ids).argmax(-1)
    is_real = batch.label_ids != PAD_ID
    assert not is_real.all()
    expected = float((predicted == batch.label_ids)[is_real].double().mean())
    assert teacher_forced(model, batch).token_accuracy == pytest.approx(expected, abs=1e-6)


@pytest.mark.trains
def test_without_the_causal_mask_the_loss_falls_to_nothing_and_writing_fails() -> None:
    # With seed 1, one head comes to write a part of them right on some processors, which round differently.
    changes = {**PRESETS["no-mask"], "n_heads": 1, "steps": 250, "batch": 32, "seed": 2}
    trainer, rest = new_trainer(RunSettings(**changes))
    trainer.run()
    model = trainer.averaged_model()
    loss, accuracy = teacher_forced(model, rest.batch)
    assert loss < 0.05
    assert accuracy > 0.99
    pairs = rest.quick
    assert exact_match(Translator(model, TOKENIZER, TOKENIZER, {}), pairs) < 0.05
    # The standard form, which is saved, writes the same; its teacher-forced loss, with the mask on, is far higher.
    standard = model.standard_form()
    assert exact_match(Translator(standard, TOKENIZER, TOKENIZER, {}), pairs) < 0.05
    assert teacher_forced(standard, rest.batch).loss > 10 * loss


@pytest.mark.trains
def test_feed_forward_only_learns_no_more_than_a_guess() -> None:
    trainer, rest = new_trainer(RunSettings(sublayers="feed_forward", steps=60, d_model=32, label_smoothing=0.0))
    trainer.run()
    # Without the source, nothing tells the digits apart.
    assert teacher_forced(trainer.averaged_model(), rest.batch).loss > 0.85 * np.log(10)


def test_every_lesson_changes_what_its_name_says() -> None:
    whole = RunSettings()
    for name, changes in PRESETS.items():
        settings = RunSettings(**changes)
        assert (settings == whole) is (name == "whole")
        assert replace(settings, **{key: getattr(whole, key) for key in changes}) == whole
