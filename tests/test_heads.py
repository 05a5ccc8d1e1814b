from __future__ import annotations

import pytest

from tests.helpers import ALL_ATTENTION, assert_sentence, tiny_config
from viz_transformer import ATTENTION_MODULES, HeadRef, HookPoint, Transformer
from viz_transformer.heads import AttentionModule, check_layer, hook_path, n_layers, parse_hook_path


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_a_modules_path_can_be_read_back(module: AttentionModule, layer: int) -> None:
    assert parse_hook_path(f"{hook_path(module, layer)}.weights") == (module, layer, "weights")


def test_only_hook_points_inside_attention_are_parsed(model: Transformer) -> None:
    names = [point.name for point in model.modules() if isinstance(point, HookPoint)]
    parsed = {name for name in names if parse_hook_path(name)}
    assert parsed == {name for name in names if "_attention." in name and "add_" not in name}


def test_each_stack_has_its_own_number_of_layers() -> None:
    config = tiny_config(n_encoder_layers=1, n_decoder_layers=3)
    assert [n_layers(config, module) for module in ("encoder_self", "decoder_self", "cross")] == [1, 3, 3]


@pytest.mark.parametrize("module", ATTENTION_MODULES)
def test_no_layer_of_feed_forward_alone_has_a_head(module: AttentionModule) -> None:
    config = tiny_config(sublayers="feed_forward")
    assert n_layers(config, module) == 0
    with pytest.raises(ValueError) as caught:
        HeadRef(module, 0, 0).check(config)
    assert_sentence(caught.value, "no attention")


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (HeadRef("cross", 2, 0), "layer 2"),
        (HeadRef("cross", -1, 0), "layer -1"),
        (HeadRef("encoder_self", 0, 4), "head 4"),
        (HeadRef("encoder_self", 0, -1), "head -1"),
        (HeadRef("self", 0, 0), "'self'"),  # type: ignore[arg-type]
    ],
)
def test_a_head_that_the_model_lacks_is_refused_with_a_sentence(head: HeadRef, named: str) -> None:
    with pytest.raises(ValueError) as caught:
        head.check(tiny_config())
    assert_sentence(caught.value, named)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_a_head_that_the_model_has_is_accepted(module: AttentionModule, layer: int) -> None:
    check_layer(tiny_config(), module, layer)
    assert HeadRef(module, layer, 3).check(tiny_config()) is None
