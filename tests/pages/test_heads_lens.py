"""The logit lens and the contributions to a logit, without a browser: what is shown is what the functions give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import random_translator
from tests.packed import received
from tests.pages.helpers import ROOT, html_of, markdown_of, open_page, opened
from viz_transformer.analysis.logit_attribution import logit_contributions
from viz_transformer.analysis.logit_lens import logit_lens
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.heads.lens import TOP

PAGE = "pages/heads.py"


def view_of(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """The request and the content that the first component got."""
    return received(app.get("bidi_component")[0].proto.bytes)


def open_own(view: str, query: dict[str, str] | None = None, **changes: Any) -> AppTest:
    """A view on an own model; each kind has a name of its own, since passes are kept by name."""
    name = "my-" + "-".join(f"{one}={value}" for one, value in changes.items())
    app = AppTest.from_file(str(ROOT / PAGE), default_timeout=120)
    app.session_state["own models"] = {name: random_translator(3, **changes)}
    return opened(app, model=name, **{"source": "3 1 4", "target": "4 1 3", "view": view, **(query or {})})


@pytest.mark.parametrize(("model", "source"), [("en-de", "Hello, world!"), ("sort", "3 1 2")])
def test_the_grid_holds_what_each_layer_would_say(model: str, source: str) -> None:
    app = open_page(PAGE, model=model, source=source, view="lens")
    translator = vt.load(model, "cpu")
    trace = translator.trace(source)
    lens = logit_lens(translator.model, trace, TOP)
    _request, content = view_of(app)
    names = np.array(content["names"], dtype=object)
    label = translator.target_tokenizer.label
    said = [[[label(token) for token in cell] for cell in row] for row in lens.token_ids.tolist()]
    assert names[content["tokens"]].tolist() == said
    assert names[content["taken"]].tolist() == list(trace.predicted_tokens) == content["written"]
    assert content["read"] == list(trace.target_tokens)
    for sent, expected in (
        ("logProbs", lens.token_log_probs),
        ("takenLogProbs", lens.predicted_log_probs),
        ("ranks", lens.predicted_ranks),
        ("entropies", lens.entropies),
        ("divergences", lens.divergences),
    ):
        assert content[sent] == pytest.approx(expected, abs=1e-5), sent
    assert len(content["layers"]) == translator.model.config.n_decoder_layers + 1
    right = (lens.token_ids[:, :, 0] == np.array(trace.predicted_ids)).sum(axis=1)
    assert f"at {right[-2]} of {len(trace.target_ids)} positions" in html_of(app)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("2-3", [1, 2]), ("99-99", [2, 3]), ("x", None), ("1", None), ("-1-2", None), ("1-1", [0, 0])],
)
def test_the_link_says_which_place_is_explained(asked: str, shown: list[int] | None) -> None:
    request, content = view_of(open_own("lens", {"lens": asked}))
    usual = [1, int(content["divergences"][-2].argmax())]  # where the last layer changes most
    assert request["view"]["spot"] == (shown or usual)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "post-norm: each layer's states"),
        ({"norm_first": True}, "the final LayerNorm, then the output projection"),
        ({"final_norms": True}, "the final LayerNorm, then the output projection"),
        ({"norm_first": True, "final_norms": False}, "no final LayerNorm"),
    ],
    ids=str,
)
def test_it_says_what_the_lens_means_in_this_model(changes: dict[str, Any], said: str) -> None:
    assert any(said in text for text in markdown_of(open_own("lens", **changes)))


def test_without_weight_tying_nothing_is_said_of_it() -> None:
    assert any("weight tying" in text for text in markdown_of(open_own("lens")))
    assert not any("weight tying" in text for text in markdown_of(open_own("lens", weight_tying="none")))


def matrices_of(app: AppTest) -> dict[str, np.ndarray]:
    _request, content = view_of(app)
    (sheet,) = content["sheets"]
    return {matrix["name"]: matrix["values"] for matrix in sheet["matrices"]}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_first": True, "output_bias": True},
        {"n_decoder_heads": 2, "n_decoder_layers": 3},
        {"sublayers": "attention"},
        {"residuals": False},
        {"n_decoder_layers": 1},
    ],
    ids=str,
)
def test_the_heads_hold_their_shares_and_the_table_the_rest(changes: dict[str, Any]) -> None:
    app = open_own("contributions", {"step": "2", "says": "written", "against": "none"}, **changes)
    translator = random_translator(3, **changes)
    trace = translator.trace("3 1 4", "4 1 3")
    found = logit_contributions(translator.model, trace, 1, trace.predicted_ids[1])
    shown = matrices_of(app)
    for module, heads in found.heads.items():
        assert shown[module] == pytest.approx(heads, abs=1e-5)
    table = html_of(app).partition('data-testid="contributions"')[2]
    for value in (*found.feed_forwards, found.token, found.position, found.total, found.logit):
        assert f"<bdi>{decimals(float(value))}</bdi>" in table
    assert ("feed-forward network" in table) == translator.model.config.has_feed_forward
    assert ("bias of the output projection" in table) == translator.model.config.output_bias
    texts = " ".join(markdown_of(app))
    assert ("This model has no feed-forward networks." in texts) == (not translator.model.config.has_feed_forward)
    assert ("post-norm" in texts) != translator.model.config.norm_first


def test_it_opens_on_the_written_token_against_the_likeliest_other() -> None:
    app = open_page(PAGE, model="en-de", source="Hello, world!", view="contributions")
    translator = vt.load("en-de", "cpu")
    trace = translator.trace("Hello, world!")
    row = (len(trace.target_ids) + 1) // 2 - 1
    written = trace.predicted_ids[row]
    other = next(int(one) for one in np.argsort(-trace.log_probs[row]) if one != written)
    found = logit_contributions(translator.model, trace, row, written, other)
    assert matrices_of(app)["cross"] == pytest.approx(found.heads["cross"], abs=1e-5)
    labels = [translator.target_tokenizer.label(one) for one in (written, other)]
    said = html_of(app)
    assert f"The logit of «{labels[0]}» is {decimals(found.logit, 3)} above that of «{labels[1]}»." in said
    layer, head = np.unravel_index(found.heads["cross"].argmax(), found.heads["cross"].shape)
    assert f"cross {layer + 1}.{head + 1} adds the most" in said


def test_choosing_a_step_and_two_tokens_is_in_the_link() -> None:
    app = open_own("contributions")
    box = {one.label: one for one in app.selectbox}
    box["Step"].set_value("3").run()
    assert app.query_params["step"] == "3"
    box = {one.label: one for one in app.selectbox}
    token = next(value for value in box["Token"].options if "rank" in value)
    rank = token.partition("rank ")[2].partition(",")[0]
    box["Token"].set_value(rank).run()
    assert app.query_params["says"] == rank
    box = {one.label: one for one in app.selectbox}
    assert token not in box["Compared with"].options
    box["Compared with"].set_value("none").run()
    assert app.query_params["against"] == "none"
    translator = random_translator(3)
    trace = translator.trace("3 1 4", "4 1 3")
    likeliest = np.argsort(-trace.log_probs[2], kind="stable")
    found = logit_contributions(translator.model, trace, 2, int(likeliest[int(rank) - 1]))
    assert matrices_of(app)["decoder_self"] == pytest.approx(found.heads["decoder_self"], abs=1e-5)


@pytest.mark.parametrize("query", [{"step": "99", "says": "<b>", "against": "written"}, {"says": "1", "against": "1"}])
def test_a_link_that_makes_no_sense_shows_a_right_view(query: dict[str, str]) -> None:
    assert set(matrices_of(open_own("contributions", query))) == {"decoder_self", "cross"}


@pytest.mark.parametrize("view", ["lens", "contributions"])
def test_as_long_as_a_text_can_be_and_as_small_as_a_model(view: str) -> None:
    digits = " ".join("3141592653" * 12 + "314159")  # 126 and the end token
    open_own(view, {"source": digits, "target": digits}, max_len=127, n_heads=1, n_decoder_layers=1)
