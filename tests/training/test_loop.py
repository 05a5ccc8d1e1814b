from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_near, assert_same_bits, assert_sentence, random_model, tiny_config
from viz_transformer import Transformer
from viz_transformer.training.corpus import TaskBatches, make_batch
from viz_transformer.training.loop import Report, Trainer, TrainingOptions, token_loss
from viz_transformer.training.tasks import Task

OPTIONS = TrainingOptions(steps=12, warmup=4, cooldown=0.5, average=0.9, seed=3)


@pytest.fixture(autouse=True)
def own_dice() -> object:
    """A trainer seeds torch's global generator: the other tests keep theirs."""
    with torch.random.fork_rng(devices=[]):
        yield


def new_trainer(options: TrainingOptions = OPTIONS, model_seed: int = 0) -> Trainer:
    torch.manual_seed(model_seed)
    model = Transformer(tiny_config(dropout=0.3, attention_dropout=0.2, n_encoder_layers=1, n_decoder_layers=1))
    return Trainer(model, TaskBatches(Task("copy"), batch_size=4, seed=1), options)


# --- learning rate ---------------------------------------------------------------------------------------------


def closed_form(step: int, peak: float, warmup: int, steps: int, cooldown: float) -> float:
    rate = peak * step / warmup if step <= warmup else peak * math.sqrt(warmup) / math.sqrt(step)
    cool_from = steps - cooldown * steps
    if step > cool_from:
        rate *= 1 - (step - cool_from) / (steps + 1 - cool_from)
    return rate


@pytest.mark.parametrize("cooldown", [0.0, 0.25, 0.4, 0.9])
def test_the_learning_rate_warms_up_decays_and_cools_down(cooldown: float) -> None:
    options = TrainingOptions(steps=1000, warmup=100, learning_rate=3e-3, cooldown=cooldown)
    rates = [options.learning_rate_at(step) for step in range(1, 1001)]
    expected = [closed_form(step, 3e-3, 100, 1000, cooldown) for step in range(1, 1001)]
    np.testing.assert_allclose(rates, expected, rtol=1e-9)
    assert rates[0] == pytest.approx(3e-5)
    assert int(np.argmax(rates)) + 1 == 100
    assert rates[99] == pytest.approx(3e-3)
    assert all(a > b for a, b in itertools.pairwise(rates[99:]))
    if cooldown:
        assert 0 < rates[-1] < 0.01 * 3e-3  # about nothing


def test_without_a_cooldown_the_papers_formula_remains() -> None:
    # §5.3: d_model^-0.5 · min(step^-0.5, step · warmup^-1.5), with the peak in place of d_model^-0.5 · warmup^-0.5
    options = TrainingOptions(steps=50_000, warmup=4000, cooldown=0.0, learning_rate=512**-0.5 * 4000**-0.5)
    for step in (1, 10, 4000, 4001, 50_000):
        assert options.learning_rate_at(step) == pytest.approx(512**-0.5 * min(step**-0.5, step * 4000**-1.5))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("steps", 0),
        ("warmup", 0),
        ("cooldown", 1.0),
        ("cooldown", -0.1),
        ("label_smoothing", 1.0),
        ("average", 1.0),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("clip", -1.0),
        ("optimizer", "sgd"),
        ("precision", "float16"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(field: str, value: float | str) -> None:
    with pytest.raises(ValueError) as caught:
        TrainingOptions(**{field: value})  # type: ignore[arg-type]
    assert_sentence(caught.value, field, value)


# --- loss ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_the_loss_is_the_smoothed_cross_entropy_over_real_tokens(smoothing: float) -> None:
    model = random_model(peaked=2.0)
    batch = make_batch([[5, 6, 7], [8]], [[9, 10, 11, 12], [4]])
    logits = model(batch.source_ids, batch.target_ids).double().numpy()
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    losses = []
    for row, labels in enumerate(batch.label_ids.tolist()):
        for t, label in enumerate(labels):
            if label != 0:
                # The label has 1 - ε, and all 14 tokens, the label too, share ε.
                target = np.full(14, smoothing / 14)
                target[label] += 1 - smoothing
                losses.append(-(target * log_probs[row, t]).sum())
    assert len(losses) == 5 + 2
    assert abs(token_loss(model, batch, smoothing).item() - np.mean(losses)) <= 1e-5


def test_padding_changes_no_loss() -> None:
    model = random_model()
    short = make_batch([[5, 6]], [[7, 8]])
    padded = make_batch([[5, 6], [5, 6, 7, 8]], [[7, 8], [7, 8, 9, 10]])
    padded = type(padded)(padded.source_ids[:1], padded.target_ids[:1], padded.label_ids[:1])
    assert padded.label_ids.shape[1] > short.label_ids.shape[1]
    assert_near(token_loss(model, padded, 0.1), token_loss(model, short, 0.1), 1e-6)


# --- training --------------------------------------------------------------------------------------------------


@pytest.mark.trains
def test_training_on_copy_reduces_the_loss_clearly() -> None:
    torch.manual_seed(0)
    model = Transformer(tiny_config(d_model=32, d_ff=64, n_encoder_layers=1, n_decoder_layers=1, dropout=0.0))
    options = TrainingOptions(steps=150, warmup=30, learning_rate=5e-3, label_smoothing=0.0, average=0.95)
    trainer = Trainer(model, TaskBatches(Task("copy"), batch_size=16, seed=0), options)
    reports: list[Report] = []
    trainer.run(on_step=reports.append)
    first, last = (float(np.mean([report.loss for report in part])) for part in (reports[:5], reports[-5:]))
    assert first > 2.0
    assert last < 0.7 * first
    held_out = TaskBatches(Task("copy"), batch_size=32, seed=99)[0]
    assert token_loss(trainer.averaged_model(), held_out).item() < 0.7 * first
    assert [report.step for report in reports] == list(range(1, 151))
    assert [report.learning_rate for report in reports] == [options.learning_rate_at(s) for s in range(1, 151)]


def test_the_first_step_is_adams() -> None:
    # After one step of Adam from nothing, m̂ / (√v̂ + ε) is the gradient's sign: every weight moves by the rate.
    trainer = new_trainer(TrainingOptions(steps=10, warmup=1, cooldown=0.0, learning_rate=1e-3, clip=1e9))
    (adam,) = trainer.optimizers
    assert (adam.defaults["betas"], adam.defaults["eps"]) == ((0.9, 0.98), 1e-9)  # §5.3
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.run(1)
    for parameter, old in zip(trainer.model.parameters(), before, strict=True):
        moved = (parameter.detach() - old).abs()[parameter.grad.abs() > 1e-6]
        assert_near(moved, np.full(moved.shape, 1e-3), 2e-6)


def test_muon_turns_the_gradient_of_a_sublayers_matrix_into_one_whose_singular_values_are_alike() -> None:
    options = TrainingOptions(steps=10, warmup=1, cooldown=0.0, learning_rate=1e-3, clip=1e9, optimizer="muon")
    trainer = new_trainer(options)
    before = {name: parameter.detach().clone() for name, parameter in trainer.model.named_parameters()}
    trainer.run(1)
    for name, parameter in trainer.model.named_parameters():
        moved = parameter.detach() - before[name]
        if parameter.ndim == 2 and "layers" in name:
            gradient = parameter.grad.double()
            u, sizes, v = torch.linalg.svd(gradient, full_matrices=False)
            expected = -1e-3 * 0.2 * math.sqrt(max(gradient.shape)) * (u @ v)  # as long as one of Adam's
            rank = int((sizes > 0.01 * sizes[0]).sum())
            along = torch.linalg.svdvals(moved.double())[:rank] / torch.linalg.svdvals(expected)[:rank]
            assert along.min() > 0.6 and along.max() < 1.3, name  # five of Newton and Schulz's steps, in bfloat16
            assert torch.cosine_similarity(moved.flatten(), expected.flatten().float(), dim=0) > 0.9, name
        else:  # biases, norms and embeddings are Adam's
            steps = moved.abs()[parameter.grad.abs() > 1e-6]
            assert_near(steps, np.full(steps.shape, 1e-3), 2e-6)


def test_with_bfloat16_only_the_products_of_a_step_are_short() -> None:
    losses: dict[str, list[float]] = {}
    for precision in ("float32", "bfloat16"):
        torch.manual_seed(0)
        model = Transformer(tiny_config(dropout=0.0))
        options = TrainingOptions(steps=5, warmup=2, precision=precision)
        trainer = Trainer(model, TaskBatches(Task("copy"), batch_size=16, seed=1), options)
        losses[precision] = []
        trainer.run(on_step=lambda report, kept=losses[precision]: kept.append(report.loss))
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert losses["bfloat16"] != losses["float32"]
    assert_near(losses["bfloat16"], losses["float32"], 0.03)


def test_each_step_has_the_gradient_of_its_own_batch() -> None:
    torch.manual_seed(0)
    batches = TaskBatches(Task("copy"), batch_size=4, seed=1)
    model = Transformer(tiny_config(dropout=0.0))
    trainer = Trainer(model, batches, TrainingOptions(steps=10, clip=1e9))
    trainer.run(2)
    alone = Transformer(model.config)
    alone.load_state_dict(model.state_dict())
    token_loss(alone, batches[2], trainer.options.label_smoothing).backward()
    trainer.run(3)
    for parameter, expected in zip(model.parameters(), alone.parameters(), strict=True):
        assert_near(parameter.grad, expected.grad, 1e-6)


@pytest.mark.parametrize(("clip", "clipped"), [(0.01, True), (1e6, False)])
def test_gradients_are_clipped_to_the_norm_that_was_asked_for(clip: float, clipped: bool) -> None:
    trainer = new_trainer(TrainingOptions(steps=10, clip=clip))
    trainer.run(1)
    squares = sum(float(parameter.grad.double().square().sum()) for parameter in trainer.model.parameters())
    assert (math.sqrt(squares) == pytest.approx(0.01, rel=1e-3)) is clipped


def test_the_average_is_the_moving_average_of_the_weights() -> None:
    trainer = new_trainer()
    expected = [parameter.detach().double() for parameter in trainer.model.parameters()]
    for step in range(1, 7):
        trainer.run(step)
        decay = min(0.9, step / (step + 9))
        expected = [
            decay * average + (1 - decay) * parameter.detach().double()
            for average, parameter in zip(expected, trainer.model.parameters(), strict=True)
        ]
    for parameter, average in zip(trainer.averaged_model().parameters(), expected, strict=True):
        assert_near(parameter, average, 1e-6)


def test_the_averaged_model_is_in_eval_mode_and_still_tied() -> None:
    model = new_trainer().averaged_model()
    assert not model.training
    assert model.output_projection.weight is model.source_embedding.tokens.weight


# --- stopping and going on -------------------------------------------------------------------------------------


def state_of(trainer: Trainer) -> list[torch.Tensor]:
    averages = [parameter.detach() for parameter in trainer.averaged_model().parameters()]
    return [*(parameter.detach() for parameter in trainer.model.parameters()), *averages]


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
@pytest.mark.parametrize("stops", [[1], [5], [11], [2, 7]])
def test_a_resumed_run_equals_one_that_never_stopped(tmp_path: Path, stops: list[int], optimizer: str) -> None:
    options = replace(OPTIONS, optimizer=optimizer)
    through = new_trainer(options)
    losses: list[float] = []
    through.run(on_step=lambda report: losses.append(report.loss))

    resumed_losses: list[float] = []
    trainer = new_trainer(options)
    for stop in stops:
        trainer.run(stop, lambda report: resumed_losses.append(report.loss))
        trainer.save(tmp_path)
        torch.rand(17)  # somebody else draws from torch's generator in between
        trainer = new_trainer(options, model_seed=99)  # other weights: all must come from the file
        trainer.resume(tmp_path)
        assert trainer.step == stop
    trainer.run(on_step=lambda report: resumed_losses.append(report.loss))

    assert resumed_losses == losses
    assert len(set(losses)) == 12
    for left, right in zip(state_of(trainer), state_of(through), strict=True):
        assert_same_bits(left, right)


def test_looking_at_the_averaged_model_does_not_change_the_run() -> None:
    through = new_trainer()
    through.run()
    watched = new_trainer()
    for step in range(1, 13):
        watched.run(step)
        watched.averaged_model()
    for left, right in zip(state_of(watched), state_of(through), strict=True):
        assert_same_bits(left, right)


def test_a_run_with_other_options_is_not_resumed(tmp_path: Path) -> None:
    trainer = new_trainer()
    trainer.run(2)
    trainer.save(tmp_path)
    for changes in ({"warmup": 5}, {"seed": 4}, {"steps": 1}):  # a run goes on to more steps, not back
        with pytest.raises(ValueError) as caught:
            new_trainer(replace(OPTIONS, **changes)).resume(tmp_path)
        assert_sentence(caught.value, tmp_path)
    longer = new_trainer(replace(OPTIONS, steps=OPTIONS.steps + 1))
    longer.resume(tmp_path)
    longer.run()
    assert longer.step == OPTIONS.steps + 1


def test_a_run_of_another_model_is_not_resumed(tmp_path: Path) -> None:
    trainer = new_trainer()
    trainer.run(2)
    trainer.save(tmp_path)
    for changes in ({"d_ff": 20}, {"n_decoder_layers": 2}, {"norm_first": True}, {"weight_tying": "target"}):
        other = Trainer(Transformer(tiny_config(n_encoder_layers=1, **{"n_decoder_layers": 1, **changes})),
                        TaskBatches(Task("copy"), 4, seed=1), OPTIONS)  # fmt: skip
        with pytest.raises(ValueError) as caught:
            other.resume(tmp_path)
        assert_sentence(caught.value, tmp_path)


def test_a_state_that_is_missing_or_broken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        new_trainer().resume(tmp_path / "nowhere")
    trainer = new_trainer()
    trainer.run(1)
    trainer.save(tmp_path)
    path = tmp_path / "state.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError) as caught:
        new_trainer().resume(tmp_path)
    assert_sentence(caught.value, tmp_path)


def test_saving_leaves_no_half_written_state(tmp_path: Path) -> None:
    trainer = new_trainer()
    trainer.run(1)
    trainer.save(tmp_path / "run")
    trainer.save(tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["state.safetensors"]


@given(until=st.integers(0, 30))
def test_a_run_stops_where_it_is_told_to_and_never_beyond_the_end(until: int) -> None:
    trainer = new_trainer(TrainingOptions(steps=2, warmup=1))
    trainer.run(until)
    assert trainer.step == min(until, 2)
    assert not trainer.model.training
