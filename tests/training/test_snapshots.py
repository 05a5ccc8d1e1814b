"""Films of training runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_same_bits, assert_sentence, tiny_config
from viz_transformer import ATTENTION_MODULES, Transformer, Translator, load
from viz_transformer.heads import n_layers
from viz_transformer.training.corpus import TaskBatches
from viz_transformer.training.loop import Trainer, TrainingOptions
from viz_transformer.training.snapshots import (
    SNAPSHOTS,
    STEPS_PER_UNIT,
    Camera,
    Film,
    film_sentences,
    from_codes,
    read_film,
    snapshot_steps,
    take_snapshot,
    to_codes,
)
from viz_transformer.training.tasks import Task
from viz_transformer.translator import model_folder

PAIRS = [("3 1 4", "3 1 4"), ("7 7", "7 7")]
OPTIONS = TrainingOptions(steps=12, warmup=4, average=0.9)
TOKENIZER = Task("copy").tokenizer()


@pytest.fixture(autouse=True)
def own_dice() -> object:
    """A trainer seeds torch's global generator: the other tests keep theirs."""
    with torch.random.fork_rng(devices=[]):
        yield


def new_trainer() -> Trainer:
    torch.manual_seed(0)
    model = Transformer(tiny_config(dropout=0.2, n_encoder_layers=1))
    return Trainer(model, TaskBatches(Task("copy"), 4, seed=1), OPTIONS)


def new_film(trainer: Trainer) -> Film:
    return Film(film_sentences(Translator(trainer.averaged_model(), TOKENIZER, TOKENIZER, {}), PAIRS))


def camera_on(trainer: Trainer, film: Film, steps: tuple[int, ...] = (0, 2, 5, 12)) -> Camera:
    return Camera(trainer, film, (TOKENIZER, TOKENIZER), steps, lambda translator: {"answer": 42.0})


@given(weights=st.lists(st.floats(0, 1, width=32), min_size=1))
def test_codes_keep_a_weight_to_a_hundred_thousandth(weights: list[float]) -> None:
    codes = to_codes(weights)
    assert codes.dtype == np.uint16
    np.testing.assert_allclose(from_codes(codes), weights, rtol=0, atol=0.5 / STEPS_PER_UNIT + 1e-7)
    assert_same_bits(to_codes(from_codes(codes)), codes)


@given(steps=st.integers(1, 5000), count=st.integers(1, 40))
def test_snapshots_go_from_the_start_to_the_end(steps: int, count: int) -> None:
    chosen = snapshot_steps(steps, count)
    assert list(chosen) == sorted(set(chosen))
    assert chosen[-1] == steps
    assert len(chosen) <= count
    assert count == 1 or chosen[0] == 0


def test_a_snapshot_holds_the_recorded_weights() -> None:
    trainer = new_trainer()
    trainer.run(3)
    translator = Translator(trainer.averaged_model(), TOKENIZER, TOKENIZER, {})
    film = new_film(trainer)
    snapshot = take_snapshot(translator, film.sentences, 3, {})
    for n, (source, target) in enumerate(PAIRS):
        trace = translator.trace(source, target)
        for module in ATTENTION_MODULES:
            assert len(snapshot.maps[n][module]) == n_layers(trace.config, module)
            for layer, codes in enumerate(snapshot.maps[n][module]):
                recorded = trace.attention(module, layer)
                np.testing.assert_allclose(from_codes(codes), recorded.weights, rtol=0, atol=1.1e-5)
                assert film.sentences[n].axes(module) == (recorded.query_tokens, recorded.key_tokens)
                np.testing.assert_array_equal(film.sentences[n].masks[module], recorded.mask)


def test_filming_changes_nothing_in_the_run() -> None:
    plain = new_trainer()
    plain.run()
    filmed = new_trainer()
    filmed.run(on_step=camera_on(filmed, new_film(filmed)))
    for left, right in zip(filmed.model.parameters(), plain.model.parameters(), strict=True):
        assert_same_bits(left, right)


def test_a_film_is_saved_and_read_whole(tmp_path: Path) -> None:
    trainer = new_trainer()
    film = new_film(trainer)
    losses: list[float] = []
    camera = camera_on(trainer, film)
    trainer.run(on_step=lambda report: (losses.append(report.loss), camera(report)))
    film.save(tmp_path)
    again = read_film(tmp_path)
    assert [one.step for one in again.snapshots] == [0, 2, 5, 12]
    assert again.snapshots[1].numbers == {"answer": 42.0}
    assert [point["step"] for point in again.curve] == list(range(1, 13))
    np.testing.assert_allclose([point["loss"] for point in again.curve], losses, atol=1e-5)
    assert [point["learning_rate"] for point in again.curve] == [OPTIONS.learning_rate_at(n) for n in range(1, 13)]
    for left, right in zip(again.sentences, film.sentences, strict=True):
        assert (left.source, left.target_tokens, left.predicted_tokens) == (
            right.source,
            right.target_tokens,
            right.predicted_tokens,
        )
    for left, right in zip(again.snapshots, film.snapshots, strict=True):
        for n in range(len(PAIRS)):
            for module in ATTENTION_MODULES:
                assert_same_bits(left.maps[n][module], right.maps[n][module])
    assert [path.name for path in tmp_path.iterdir()] == [SNAPSHOTS]


def test_a_resumed_run_goes_on_with_its_film(tmp_path: Path) -> None:
    through = new_trainer()
    whole = new_film(through)
    through.run(on_step=camera_on(through, whole))

    trainer = new_trainer()
    camera = camera_on(trainer, new_film(trainer))
    trainer.run(3, camera)
    trainer.save(tmp_path)
    trainer.run(6, camera)  # lost: it was not saved
    camera.film.save(tmp_path)
    resumed = new_trainer()
    resumed.resume(tmp_path)
    film = read_film(tmp_path)
    resumed.run(on_step=camera_on(resumed, film))
    assert [one.step for one in film.snapshots] == [one.step for one in whole.snapshots]
    assert film.curve == whole.curve
    for left, right in zip(film.snapshots, whole.snapshots, strict=True):
        assert_same_bits(left.maps[0]["cross"], right.maps[0]["cross"])


def test_a_file_that_is_no_film_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read_film(tmp_path)
    assert_sentence(caught.value, tmp_path)
    for content in (b"", b"not safetensors", (model_folder("copy") / "model.safetensors").read_bytes()):
        (tmp_path / SNAPSHOTS).write_bytes(content)
        with pytest.raises(ValueError) as refused:
            read_film(tmp_path)
        assert_sentence(refused.value, tmp_path)
    with pytest.raises(ValueError) as empty:
        Film(()).save(tmp_path)
    assert_sentence(empty.value)


@pytest.mark.parametrize("name", ["copy", "reverse"])
def test_a_shipped_film_ends_in_the_shipped_model(name: str) -> None:
    film, translator = read_film(model_folder(name)), load(name, "cpu")
    assert 10 <= len(film.snapshots) <= 20
    assert film.snapshots[0].step == 0
    assert film.snapshots[-1].step == translator.card["training"]["steps"]
    assert film.snapshots[0].numbers["exact_match"] == 0 and film.snapshots[-1].numbers["exact_match"] > 0.99
    assert film.curve[-1]["loss"] < 0.5 * film.curve[0]["loss"]
    for n, sentence in enumerate(film.sentences):
        trace = translator.trace(sentence.source, sentence.target)
        for module in ATTENTION_MODULES:
            for layer, codes in enumerate(film.snapshots[-1].maps[n][module]):
                # The shipped weights are rounded to half precision.
                np.testing.assert_allclose(from_codes(codes), trace.attention(module, layer).weights, atol=0.01)
