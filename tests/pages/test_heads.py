"""The logic of the page Heads, without a browser."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import received
from tests.pages.helpers import markdown_of
from viz_transformer.analysis.catalogue import read_catalogue
from viz_transformer.analysis.measures import MEASURES, entropy
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.translator import model_folder
from viz_transformer.ui.shared import head_names, link
from viz_transformer.views.heads import HeadsView
from viz_transformer.views.linked import checked

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "heads.py")
SOURCE = "3 1 4 1 5 9 2 6"


def run(**query: str) -> AppTest:
    app = AppTest.from_file(PAGE, default_timeout=120)
    for name, value in {"model": "reverse", **query}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert not app.error
    return app


def sent(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """The request and the content that the component got."""
    return received(app.get("bidi_component")[0].proto.bytes)


def commit(app: AppTest, key: str, **fields: Any) -> AppTest:
    """What the browser does when a person has settled on a view."""
    request, _ = sent(app)
    app.session_state[key] = {"view": {**request["view"], **fields, "revision": request["revision"]}}
    return app.run()


def test_the_page_opens_on_the_head_of_the_card_and_says_what_weights_are_not() -> None:
    app = run()
    request, content = sent(app)
    translator = vt.load("reverse", "cpu")
    layer, head = translator.card.get("opens_with", (translator.model.config.n_decoder_layers - 1, 0))
    assert (request["key"], request["view"]["layer"], request["view"]["head"]) == ("heads-glance", layer, head)
    assert [module["name"] for module in content["modules"]] == list(ATTENTION_MODULES)
    assert any("Attention is not explanation" in text for text in markdown_of(app))
    assert content["notes"] == []


def test_scores_are_means_over_the_queries() -> None:
    _request, content = sent(run())
    record = vt.load("reverse", "cpu").trace(SOURCE).attention("decoder_self", 1)
    scores = {score["name"]: score["values"]["decoder_self"][1] for score in content["scores"]}
    free = record.weights[:, 1:]  # the first row may attend to one key only
    assert scores["entropy"] == pytest.approx(entropy(free).mean(axis=1), abs=1e-5)
    rows, columns = np.indices(record.mask.shape)
    distances = (free * abs(rows - columns)[1:]).sum(axis=2).mean(axis=1)
    assert scores["distance"] == pytest.approx(distances, abs=1e-5)
    assert set(scores) == {measure.name for measure in MEASURES}
    assert np.isnan(scores["diagonal"]).tolist() == [True] * 4  # defined for cross-attention only


@pytest.mark.parametrize("view", ["glance", "arcs", "query-key"])
@pytest.mark.parametrize(
    "query",
    [
        {"module": "x", "layer": "99", "head": "-1", "heads": "7-x-2", "token": "k99", "threshold": "-3"},
        {"module": "encoder_self", "layer": "0", "head": "abc", "token": "<b>", "threshold": "1e9", "cell": "900-900"},
        {"only": "y", "score": "<i>", "order": "up", "open": "yes", "cell": "1", "heads": "", "threshold": "9.9.9"},
    ],
)
def test_a_wrong_link_gives_a_right_view(view: str, query: dict[str, str]) -> None:
    request, content = sent(run(view=view, **query))
    shown = request["view"]
    module = next(one for one in content["modules"] if one["name"] == shown["module"])
    assert 0 <= shown["layer"] < module["layers"]
    assert 0 <= shown["head"] < module["heads"]
    assert 0 <= shown["threshold"] <= 1
    if shown["token"]:
        side, place = shown["token"]
        assert 0 <= place < len(module["queries" if side == "query" else "keys"])


def test_a_link_gives_the_exact_view() -> None:
    link = {
        "module": "encoder_self", "layer": "2", "head": "3", "heads": "1-3", "token": "k4", "threshold": "0.0225",
        "only": "cross", "score": "none", "order": "score", "open": "1", "cell": "2-5", "words": "1", "nosinks": "0",
    }  # fmt: skip
    shown = sent(run(view="arcs", **link))[0]["view"]
    assert shown == {
        "module": "encoder_self", "layer": 1, "head": 2, "heads": [0, 2], "token": ["key", 3], "threshold": 0.0225,
        "only": "cross", "score": None, "order": "score", "is_open": True, "pinned": [1, 4],
        "words": True, "nosinks": False,
    }  # fmt: skip


def test_it_opens_on_alignment_where_that_is_known_with_the_head_of_the_card_large() -> None:
    request, content = sent(run(model="zh-en"))
    catalogue = read_catalogue(model_folder("zh-en"))
    assert catalogue is not None
    assert (request["view"]["score"], request["view"]["is_open"]) == ("alignment", True)
    values = content["scores"][0]["values"]
    known = {head: means["alignment"] for head, means in catalogue.means.items() if "alignment" in means}
    for module in ATTENTION_MODULES:
        for (layer, head), value in np.ndenumerate(values[module]):
            assert value == pytest.approx(known.get(vt.HeadRef(module, layer, head), np.nan), nan_ok=True)
    assert max(known, key=lambda head: known[head]) == vt.HeadRef("cross", 1, 0)
    request, _content = sent(run(score="alignment"))  # which this model's catalogue lacks
    assert request["view"]["score"] == MEASURES[0].name


@pytest.mark.parametrize("on", ["true", "1"])
def test_a_switch_is_read_as_links_once_had_it(on: str) -> None:
    shown = sent(run(words=on, nosinks="false"))[0]["view"]
    assert (shown["words"], shown["nosinks"]) == (True, False)


def test_a_view_that_the_browser_settled_on_is_not_sent_back() -> None:
    app = run(view="arcs")
    before = app.get("bidi_component")[0].proto.bytes
    commit(app, "heads-arcs", module="decoder_self", layer=1, head=1, heads=[1], token=["query", 2], threshold=0.01)
    assert app.get("bidi_component")[0].proto.bytes == before


def test_words_and_sinks_say_what_was_done() -> None:
    text = "Hello wonderful world!"
    _request, content = sent(run(model="zh-en", source=text, words="true", nosinks="true", view="arcs"))
    assert len(content["notes"]) == 2
    encoder = content["modules"][0]
    assert encoder["keys"] == ["Hello", "wonderful", "world"]
    assert encoder["queries"] == ["Hello", "wonderful", "world", "!", "</s>"]
    record = vt.load("zh-en", "cpu").trace(text).attention("encoder_self", 0)
    assert len(record.key_tokens) > len(encoder["queries"])  # or nothing was merged


def test_where_every_key_is_a_sink_none_is_hidden() -> None:
    _request, content = sent(run(model="zh-en", source="!?", nosinks="true"))
    assert "none is hidden" in content["notes"][0]
    assert content["modules"][0]["keys"][-1] == "</s>"


def test_texts_that_cannot_be_read_get_a_sentence() -> None:
    app = AppTest.from_file(PAGE, default_timeout=120)
    app.query_params["model"] = "reverse"
    app.query_params["source"] = "1 " * 40
    app.run()
    assert not app.exception
    assert app.error[0].value.endswith(".")


@given(
    st.builds(
        HeadsView,
        module=st.sampled_from(ATTENTION_MODULES),
        layer=st.integers(0, 5),
        head=st.integers(0, 7),
        heads=st.lists(st.integers(0, 7), unique=True).map(tuple),
        token=st.none() | st.tuples(st.sampled_from(["query", "key"]), st.integers(0, 90)),
        threshold=st.integers(0, 100).map(lambda step: step**2 / 1e4),  # as the slider has it
        only=st.none() | st.sampled_from(ATTENTION_MODULES),
        score=st.none() | st.sampled_from([measure.name for measure in MEASURES]),
        order=st.sampled_from(["place", "score"]),
        is_open=st.booleans(),
        pinned=st.none() | st.tuples(st.integers(0, 90), st.integers(0, 90)),
        words=st.booleans(),
        nosinks=st.booleans(),
    )
)
def test_every_view_comes_back_from_its_link(view: HeadsView) -> None:
    usual = HeadsView(layer=1, heads=(0, 1, 2, 3))
    parameters: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link.st, "query_params", parameters)
        link.keep_in_link(view, usual)
        assert link.from_link(usual) == view
    browser = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(view).items()}
    assert checked(HeadsView, browser) == view


def test_heads_in_links_of_earlier_versions_are_read() -> None:
    config = vt.load("reverse", "cpu").model.config
    with pytest.MonkeyPatch.context() as patch:
        parameters = SimpleNamespace(
            get_all=lambda name: ["cross-1-2,cross.2.1,cross.9.9,nonsense", "encoder_self.1.1"]
        )
        patch.setattr(head_names.st, "query_params", parameters)
        heads = head_names.heads_in_link("off", config)
    assert set(heads) == {("cross", 0, 1), ("cross", 1, 0), ("encoder_self", 0, 0)}
