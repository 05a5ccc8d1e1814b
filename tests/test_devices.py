from __future__ import annotations

import pytest
import torch

from tests.helpers import assert_near, assert_sentence, random_translator
from viz_transformer import Translator
from viz_transformer.devices import available_devices, pick_device
from viz_transformer.experiments.architecture.position_wise import position_wise


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIZ_DEVICE", raising=False)


def test_there_is_always_a_cpu_and_it_comes_last() -> None:
    assert available_devices()[-1] == "cpu"


def test_the_fastest_device_is_taken_unless_somebody_says_otherwise() -> None:
    assert pick_device().type == pick_device("auto").type == available_devices()[0]


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_the_order_is_cuda_mps_cpu(monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, expected: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)  # the machine, not the code under test
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert pick_device() == torch.device(expected)


def test_the_environment_decides_for_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("VIZ_DEVICE", "cpu")
    assert pick_device("auto") == torch.device("cpu")
    assert pick_device("cuda") == torch.device("cuda")  # an explicit choice is stronger


@pytest.mark.parametrize("name", ["tpu", "cuda:7", "CPU", " "])
def test_an_unknown_device_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for choose in (lambda: pick_device(name), lambda: pick_device()):
        with pytest.raises(ValueError) as caught:
            choose()
        assert_sentence(caught.value, repr(name), "cpu")
        monkeypatch.setenv("VIZ_DEVICE", name)  # the second time it is the environment that asks


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIZ_DEVICE", "")  # what `VIZ_DEVICE= python …` and compose files without a value set
    assert pick_device().type == available_devices()[0]


needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device: compares it with the CPU")


def on_the_gpu(translator: Translator) -> Translator:
    return Translator(translator.model.to("cuda"), translator.source_tokenizer, translator.target_tokenizer, {})


@needs_cuda
def test_a_gpu_computes_what_the_cpu_does() -> None:
    cpu, gpu = random_translator(0), on_the_gpu(random_translator(0))
    expected, actual = cpu.trace("3 1 4", "1 5"), gpu.trace("3 1 4", "1 5")
    assert expected.tensors.keys() == actual.tensors.keys()
    for name, tensor in expected.tensors.items():
        assert_near(actual.tensors[name].astype("float64"), tensor.astype("float64"), 1e-4)
    *_, greedy = cpu.greedy_search("3 1 4")
    *_, greedy_on_gpu = gpu.greedy_search("3 1 4")
    assert greedy.best.ids == greedy_on_gpu.best.ids


@needs_cuda
def test_what_a_gpu_checks_differs_by_rounding_alone() -> None:
    """Also of convolutions, which it would round to 10 bits."""
    gpu = on_the_gpu(random_translator(0))
    found = position_wise(gpu.model, gpu.trace("3 1 4"), 0, [2, 1, 0, 3])
    assert max(found.permutation_difference, found.convolution_difference, found.recorded_difference) < 1e-4
