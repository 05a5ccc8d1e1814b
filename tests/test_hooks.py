from __future__ import annotations

import contextvars
import threading

import pytest
import torch
from torch import Tensor

from tests.helpers import assert_near, one, random_ids
from viz_transformer import HookPoint, Transformer, active_hooks
from viz_transformer.hooks import Hook, hooks_active

SOURCE, TARGET = one(random_ids(0, 5)), one([1, 7, 8])


def test_every_hook_point_has_its_path_as_name(model: Transformer) -> None:
    points = {name: module for name, module in model.named_modules() if isinstance(module, HookPoint)}
    assert {name: point.name for name, point in points.items()} == {name: name for name in points}
    assert "decoder_layers.1.cross_attention.weights" in points
    assert all(point.shape for point in points.values())


def test_a_hook_sees_every_point_of_the_pass(model: Transformer) -> None:
    seen: list[str] = []
    with active_hooks(lambda name, tensor: seen.append(name)):
        model(SOURCE, TARGET)
    points = {module.name for module in model.modules() if isinstance(module, HookPoint)}
    assert set(seen) == points
    # Only the source's ids are read twice: by the encoder, and by the decoder for its mask.
    assert sorted(seen) == sorted([*points, "source_tokens"])


def test_what_a_hook_returns_replaces_the_tensor() -> None:
    point = HookPoint("(L,)")
    with active_hooks(lambda name, tensor: tensor + 1, lambda name, tensor: None, lambda name, tensor: tensor * 10):
        assert point(torch.tensor([1.0])).item() == 20.0


def test_nested_blocks_run_the_outer_hooks_first_and_in_order() -> None:
    order: list[str] = []
    point = HookPoint("(L,)")

    def note(who: str) -> Hook:
        return lambda name, tensor: order.append(who)

    with active_hooks(note("outer 1"), note("outer 2")):
        with active_hooks(note("inner")):
            point(torch.zeros(1))
        assert order == ["outer 1", "outer 2", "inner"]
        order.clear()
        point(torch.zeros(1))
        assert order == ["outer 1", "outer 2"]


def test_with_no_block_there_are_no_hooks() -> None:
    assert not hooks_active()
    with active_hooks(lambda name, tensor: None):
        assert hooks_active()
    assert not hooks_active()


def test_hooks_end_with_their_block_even_when_the_pass_fails(model: Transformer) -> None:
    before = model(SOURCE, TARGET)

    def fail(name: str, tensor: Tensor) -> Tensor | None:
        if name == "decoder_layers.0.cross_attention.weights":
            raise RuntimeError("stopped in the middle")
        return torch.zeros_like(tensor) if name.endswith("context") else None

    outer_calls: list[str] = []
    with active_hooks(lambda name, tensor: outer_calls.append(name)):
        with pytest.raises(RuntimeError, match="stopped in the middle"), active_hooks(fail):
            model(SOURCE, TARGET)
        outer_calls.clear()
        model(SOURCE, TARGET)  # the outer block goes on, without the inner hook
        assert outer_calls
    assert not hooks_active()
    assert_near(model(SOURCE, TARGET), before, 0)


def test_another_thread_does_not_see_the_hooks() -> None:
    seen: list[bool] = []
    with active_hooks(lambda name, tensor: None):
        thread = threading.Thread(target=lambda: seen.append(hooks_active()))
        thread.start()
        thread.join()
        # asyncio and thread pools that copy the context do see them: that is what a context is for
        seen.append(contextvars.copy_context().run(hooks_active))
    assert seen == [False, True]
