"""Small random models, and the two assertions that nearly every test makes."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import monotonic, sleep
from typing import Any, TypeVar

import numpy as np
import torch
from hypothesis import settings
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from tests.packed import received
from viz_transformer import ATTENTION_MODULES, Transformer, TransformerConfig, Translator
from viz_transformer.attention import MultiHeadAttention
from viz_transformer.heads import AttentionModule, hook_path
from viz_transformer.seeds import seeded
from viz_transformer.tokenizers import END_ID
from viz_transformer.training.tasks import Task

T = TypeVar("T")
SLIPS = (
    *("softmax-axis", "sqrt-d-model", "polarity", "diagonal", "encoder-mask", "query", "loss", "pad-loss", "graphs"),
    "cos-cos",
)
N_LAYERS = 2  # of each stack of `tiny_config`
ALL_ATTENTION = [(module, layer) for module in ATTENTION_MODULES for layer in range(N_LAYERS)]


def examples(times: int) -> settings:
    """Hypothesis settings with `times` as many examples as usual, for tests that are quick."""
    return settings(max_examples=times * settings.default.max_examples)


def tiny_config(**changes: Any) -> TransformerConfig:
    """A config that computes in a millisecond; its vocabulary is that of the digit tokenizer."""
    values: dict[str, Any] = {
        "source_vocab_size": 14,
        "target_vocab_size": 14,
        "d_model": 16,
        "n_heads": 4,
        "n_encoder_layers": N_LAYERS,
        "n_decoder_layers": N_LAYERS,
        "d_ff": 24,
        "max_len": 24,
    }
    return TransformerConfig(**{**values, **changes})


@cache
def random_model(seed: int = 0, *, peaked: float = 1.0, **changes: Any) -> Transformer:
    """A model in eval mode whose every parameter is random, so that a swapped bias or norm shows. Shared.

    Args:
        peaked: what the output projection is multiplied by; above 1, distributions have a clear favourite.
    """
    with seeded(seed):
        model = Transformer(tiny_config(**changes))
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() == 1 or name.endswith("table"):
                    parameter.add_(torch.randn_like(parameter) * 0.3)
            model.output_projection.weight.mul_(peaked)
    return model.eval().requires_grad_(False)


def random_translator(seed: int = 0, **changes: Any) -> Translator:
    """A random model that reads and writes digits."""
    tokenizer = Task("copy").tokenizer()
    return Translator(random_model(seed, **changes), tokenizer, tokenizer, {})


def ends_after() -> tuple[int, int]:
    """The seed of a `random_translator` that ends its output for "3" by itself, and its length, end token included.

    With sinusoidal positions no weight depends on `max_len`, which may be set to that length, or to less.
    """
    outputs = ((seed, random_translator(seed).trace("3").predicted_ids) for seed in range(99))
    return next((seed, len(ids)) for seed, ids in outputs if ids[-1] == END_ID and len(ids) > 3)


def changed_copy(model: Transformer) -> Transformer:
    """A copy of the model whose weights a test may change."""
    return copy.deepcopy(model)


def attention_of(model: nn.Module, module: AttentionModule, layer: int) -> MultiHeadAttention:
    """One attention module of the model."""
    found = model.get_submodule(hook_path(module, layer))
    assert isinstance(found, MultiHeadAttention)
    return found


def random_ids(seed: int, length: int, vocab_size: int = 14) -> list[int]:
    """Token ids without the four special ones, but for the end token that comes last."""
    return [*np.random.default_rng(seed).integers(4, vocab_size, size=length - 1).tolist(), 2]


def one(ids: Sequence[int]) -> Tensor:
    """A batch of one sequence: (1, L)."""
    return torch.tensor([list(ids)])


def as_array(values: ArrayLike | Tensor) -> np.ndarray:
    return values.detach().numpy() if isinstance(values, Tensor) else np.asarray(values)


def assert_near(actual: ArrayLike | Tensor, expected: ArrayLike | Tensor, tolerance: float) -> None:
    """No element differs by more than `tolerance`; infinities must be equal and no NaN is."""
    actual, expected = as_array(actual), as_array(expected)
    assert actual.shape == expected.shape
    assert not np.isnan(actual).any()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def assert_same_bits(actual: ArrayLike | Tensor, expected: ArrayLike | Tensor) -> None:
    """Same type, shape and bytes."""
    actual, expected = as_array(actual), as_array(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.tobytes() == expected.tobytes()


def assert_sentence(error: object, *parts: object) -> None:
    """The message is one sentence, or a few, for a person: a full stop at the end, no line break, each part in it."""
    message = str(error)
    assert message.endswith(".") and not message.endswith(".."), message
    assert "\n" not in message, message
    assert len(message.split()) >= 4, message
    for part in parts:
        assert str(part) in message, f"{part!r} is not named in: {message}"


def softmax(x: np.ndarray) -> np.ndarray:
    """Softmax over the last axis in float64, written out."""
    exponentials = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def matrices_in(sent: bytes) -> list[NDArray[np.float32]]:
    """The matrices of the first sheet that `stages_view` sent, as the browser reads them."""
    _request, content = received(sent)
    return [matrix["values"] for matrix in content["sheets"][0]["matrices"]]


def until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for what another thread or process does."""
    end = monotonic() + seconds
    while not is_so():
        assert monotonic() < end, "nothing happened"
        sleep(0.005)


def in_a_loop(scenario: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, run in a thread of its own: this one has Playwright's event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, scenario).result()  # noqa: TID251
