"""A seed fixes what a thread draws, whatever the others draw: the oracle is torch's own generator, used alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from threading import Event, Thread

import pytest
import torch
from torch import Tensor, nn

from tests.helpers import random_translator, tiny_config
from viz_transformer import Transformer
from viz_transformer.experiments.architecture.residual_stream import random_stack
from viz_transformer.experiments.positions import learned
from viz_transformer.experiments.scaling.head_statistics import at_initialisation
from viz_transformer.seeds import seeded

DRAWS: dict[str, Callable[[], list[Tensor]]] = {
    "model": lambda: list(Transformer(tiny_config(positions="learned")).parameters()),
    "layers": lambda: [*nn.GRU(3, 4).parameters(), *nn.Conv1d(2, 3, 2).parameters(), *nn.Embedding(5, 2).parameters()],
    "numbers": lambda: [torch.randn(20), torch.rand(3), torch.randint(9, (5,)), torch.randperm(7), torch.rand(20)],
    "like": lambda: [torch.randn_like(torch.ones(3)), torch.ones(18).normal_(2, 3), torch.bernoulli(torch.ones(5) / 2)],
    "dropout": lambda: [nn.functional.dropout(torch.ones(50), 0.5)],
    "multinomial": lambda: [torch.multinomial(torch.ones(6), 3)],
}


@pytest.fixture
def everybody_draws() -> Iterator[None]:
    """Two threads draw all the time from torch's own generator, and seed it."""
    ended, interval = Event(), sys.getswitchinterval()

    def draw() -> None:
        for seed in repeat(13):
            if ended.is_set():
                return
            torch.manual_seed(seed)
            torch.rand(5)

    threads = [Thread(target=draw) for _ in range(2)]
    sys.setswitchinterval(1e-4)
    for thread in threads:
        thread.start()
    yield
    ended.set()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)


def same(left: list[Tensor], right: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_it_draws_what_a_seeded_torch_draws_and_leaves_torch_alone(draw: Callable[[], list[Tensor]]) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        expected = draw()
        before = torch.get_rng_state()
        with seeded(5):
            assert same(draw(), expected)
        assert torch.equal(torch.get_rng_state(), before)
    with seeded(6):
        assert not same(draw(), expected)


@pytest.mark.usefixtures("everybody_draws")
def test_other_threads_change_nothing_and_neither_do_other_seeds() -> None:
    def draw(seed: int) -> list[Tensor]:
        with seeded(seed):
            return [tensor for name in ("model", "layers", "numbers") for tensor in DRAWS[name]()]

    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(draw, [1, 2, 3, 4] * 10))
    for n in range(4):
        assert all(same(again, drawn[n]) for again in drawn[n::4])
        assert same(draw(n + 1), drawn[n])
    assert not same(drawn[0], drawn[1])


@pytest.mark.usefixtures("everybody_draws")
def test_two_visitors_see_what_one_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "STEPS", 10)
    translator = random_translator()
    trace = translator.trace("3 1 4", "1 5")

    def stack(seed: int) -> object:
        return random_stack(3, norm_first=False, seed=seed).to_numpy().tobytes()

    def fresh(seed: int) -> object:
        return at_initialisation(translator.model, trace, seed).log_probs.tobytes()

    def losses(seed: int) -> object:
        *_, (_steps, order) = learned.learn_order("learned", seed)
        assert order is not None
        return order.losses.tobytes()

    for compute, rounds in ((stack, 4), (fresh, 4), (losses, 2)):
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(compute, [0, 1] * rounds))
        assert set(found[::2]) == {compute(0)} and set(found[1::2]) == {compute(1)}
        assert found[0] != found[1]


def test_seeds_stand_within_seeds_and_end_where_something_fails() -> None:
    with seeded(1):
        expected = torch.rand(2), torch.rand(2)
    with seeded(1):
        first = torch.rand(2)
        with pytest.raises(ZeroDivisionError), seeded(2):
            inner = torch.rand(2)
            1 / 0  # noqa: B018
        second = torch.rand(2)
    assert same([first, second], list(expected)) and not torch.equal(inner, first)


def test_what_no_generator_can_be_given_to_is_refused() -> None:
    x = torch.ones(1, 1, 2, 4)
    with pytest.raises(NotImplementedError, match="no generator"), seeded(0):
        nn.functional.scaled_dot_product_attention(x, x, x)
