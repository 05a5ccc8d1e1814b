"""How much memory a value takes, compared with what Python allocates, and how much the app may use."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import torch

from viz_transformer import Transformer, Translator, record
from viz_transformer.machine import BUDGET, budget, memory
from viz_transformer.ui.shared.sizes import give_back, size_of

MB = 10**6


@dataclass(frozen=True)
class Record:
    text: str
    values: np.ndarray
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Slotted:
    values: np.ndarray


class Row(NamedTuple):
    name: str
    number: float


MADE: dict[str, Callable[[], Any]] = {
    "array": lambda: np.ones(MB),
    "array in a record": lambda: Record("a" * MB, np.ones(MB), {"more": np.ones(MB // 2)}),
    "array in slots": lambda: Slotted(np.ones(MB)),
    "arrays in a mapping": lambda: MappingProxyType({str(n): np.ones(MB // 10) for n in range(10)}),
    "bytes": lambda: [bytes(MB), bytearray(MB)],
    "rows": lambda: tuple(Row(f"row {n}", n / 3) for n in range(20_000)),
    "sets": lambda: {f"{n:05}" for n in range(20_000)} | {frozenset({n / 7}) for n in range(2000)},
    "objects in an array": lambda: np.array([f"text {n}" for n in range(20_000)], dtype=object),
}


@pytest.mark.parametrize("what", MADE)
def test_it_is_what_python_allocates(what: str) -> None:
    tracemalloc.start()
    try:
        value = MADE[what]()
        allocated, _peak = tracemalloc.get_traced_memory()
        assert size_of(value) == pytest.approx(allocated, rel=0.1)
    finally:
        tracemalloc.stop()


def test_a_view_counts_as_what_it_keeps_alive_and_once() -> None:
    array = np.ones(MB)
    assert size_of(array[:10]) == size_of(array)
    assert size_of([array, array[5:], array.reshape(10, -1)[2]]) < size_of(array) + 1000
    tensor = torch.ones(MB)
    for views in (tensor[:3], tensor[:3].numpy(), [tensor, tensor.numpy(), tensor[1:].numpy()[2:]]):
        assert 4 * MB <= size_of(views) < 4 * MB + 1000


def test_a_model_is_its_parameters(model: Transformer) -> None:
    weights = sum(one.nbytes for one in model.parameters())
    assert weights < size_of(model) < weights + 500_000


def test_a_trace_is_what_it_keeps_and_neither_its_model_nor_what_is_made_again(translator: Translator) -> None:
    trace = translator.trace("1 2 3 4 5 6 7 8 9 0 1 2")
    _, recording = record(translator.model, torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids]))
    kept = [tensor.untyped_storage() for tensor in recording.kept.values()]  # a few are the same one
    expected = sum({storage.data_ptr(): storage.nbytes() for storage in kept}.values())
    assert expected <= size_of(trace) < 1.1 * expected + 50_000


def test_a_frame_counts_with_its_texts() -> None:
    frame = pd.DataFrame({"name": [f"number {n}" for n in range(1000)], "value": np.arange(1000.0)})
    assert size_of(frame) == frame.memory_usage(deep=True).sum()


def test_what_holds_itself_ends() -> None:
    value: list[Any] = [1]
    value.append(value)
    assert 0 < size_of(value) < 1000


def test_what_belongs_to_the_program_is_not_counted() -> None:
    assert size_of([pd, pd.DataFrame, len, size_of]) < 200


def test_the_budget_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUDGET, "400")
    assert budget() == 400 * MB
    monkeypatch.setenv(BUDGET, " 0.5 ")
    assert budget() == MB // 2
    for nothing in ("", " "):
        monkeypatch.setenv(BUDGET, nothing)
        assert budget() == memory() // 4
    monkeypatch.delenv(BUDGET)
    assert budget() == memory() // 4


@pytest.mark.parametrize("wrong", ["much", "0", "-1", "nan", "inf", "4 GB"])
def test_another_budget_is_refused_with_its_name(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUDGET, wrong)
    with pytest.raises(ValueError, match=f"^{BUDGET} must be a number of megabytes above 0; it is '{wrong}'"):
        budget()


def test_memory_can_be_given_back() -> None:
    give_back()
