"""Every page and view, with models whose encoder and decoder differ in the number of heads and in their width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.helpers import SLIPS, random_translator
from tests.packed import received
from tests.pages.helpers import html_of, markdown_of
from viz_transformer import ATTENTION_MODULES, Translator
from viz_transformer.experiments.heads.knock_out import all_heads

ROOT = Path(__file__).resolve().parents[2]
HEADS = {"few-many": (2, 8), "many-few": (8, 2)}  # of encoder and decoder
VIEWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "overview": ("", ("",)),
    "attention": ("hand", ("false",)),
    "masks": ("lesson", ("matrices", "softmax", "causality", "teacher", "encoder")),
    "heads": ("view", ("glance", "arcs", "query-key", "measured", "knock-out", "effect", "compare")),
    "decoding": ("method", ("beam", "greedy", "sample")),
    "architecture": ("lesson", ("figure", "shapes", "cost", "heads", "norm", "ffn")),
    "why_attention": ("lesson", ("table", "paths", "lookup")),
    "scaling": ("lesson", ("products", "softmax", "lengths")),
    "positions": ("lesson", ("encoding", "distance", "order")),
    "slips": (
        "slip",
        SLIPS,
    ),
    "training": ("view", ("models",)),
}


@pytest.fixture(scope="module")
def translators() -> dict[str, Translator]:
    """By name; their cards say that they copy digits."""
    found = {}
    for name, (encoder, decoder) in HEADS.items():
        sizes = {"n_heads": encoder, "n_decoder_heads": decoder, "d_ff": 24, "decoder_d_ff": 40, "n_encoder_layers": 3}
        one = random_translator(2, peaked=2.0, **sizes)
        found[f"my-{name}"] = Translator(one.model, one.source_tokenizer, one.target_tokenizer, {"task": "copy"})
    return found


def opened(translators: dict[str, Translator], page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / f"pages/{page}.py"), default_timeout=120)
    app.session_state["own models"] = translators
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [one.value for one in app.exception]
    assert not app.error, [one.value for one in app.error]
    return app


def sent(app: AppTest, place: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    return received(app.get("bidi_component")[place].proto.bytes)


# Each model's module with fewer heads: the other stack's last head does not exist there.
@pytest.mark.parametrize(("name", "module"), [("few-many", "encoder_self"), ("many-few", "cross")])
@pytest.mark.parametrize(("page", "view"), [(page, view) for page, (_, views) in VIEWS.items() for view in views])
def test_every_view_opens_at_the_last_head_of_every_module(
    translators: dict[str, Translator], name: str, page: str, view: str, module: str
) -> None:
    parameter, _views = VIEWS[page]
    query = {"model": f"my-{name}", "source": "3 1 4", "module": module, "layer": "9", "head": "9", "part": "model"}
    app = opened(translators, page, **query, **({parameter: view} if parameter else {}))
    assert app.get("bidi_component") or html_of(app)


@pytest.mark.parametrize("module", ATTENTION_MODULES)
@pytest.mark.parametrize("name", HEADS)
def test_the_place_is_clamped_to_the_heads_of_the_module(
    translators: dict[str, Translator], name: str, module: str
) -> None:
    encoder, decoder = HEADS[name]
    count = encoder if module == "encoder_self" else decoder
    for view in ("glance", "arcs", "query-key"):
        query = {"model": f"my-{name}", "source": "3 1 4", "module": module, "head": "9", "view": view}
        request, content = sent(opened(translators, "heads", **query))
        assert request["view"]["head"] == count - 1
        assert {one["name"]: one["heads"] for one in content["modules"]} == {
            "encoder_self": encoder,
            "decoder_self": decoder,
            "cross": decoder,
        }


@pytest.mark.parametrize("name", HEADS)
def test_each_head_has_a_button_and_its_own_fall(translators: dict[str, Translator], name: str) -> None:
    app = opened(translators, "heads", model=f"my-{name}", source="3 1 4", view="knock-out", off="cross.1.2")
    request, grid = sent(app)
    heads = all_heads(translators[f"my-{name}"].model.config)
    assert sum(len(row["heads"]) for row in grid["rows"]) == len(grid["falls"]) == len(heads)
    encoder, decoder = HEADS[name]
    assert [len(row["heads"]) for row in grid["rows"]] == [encoder] * 3 + [decoder] * 4
    assert [heads[place] for place in request["view"]["off"]] == [("cross", 0, 1)]


def test_sizes_are_said_of_both_stacks(translators: dict[str, Translator]) -> None:
    app = opened(translators, "overview", model="my-few-many", source="3 1 4")
    assert any("· 2 / 8 heads ·" in one.value for one in app.caption)
    app = opened(translators, "architecture", model="my-few-many", lesson="cost")
    assert "difference" in html_of(app)
    app = opened(translators, "training", view="models")
    assert "3 + 2 × 2 / 8 × 16" in html_of(app)
    assert markdown_of(app)
