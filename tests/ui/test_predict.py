"""Scenes that ask for a prediction: the answer sheet that their link gives, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import received
from tests.pages.helpers import html_of, opened
from viz_transformer.experiments.scaling.variance import Draws, DrawSettings, draw
from viz_transformer.lecture_links import packed
from viz_transformer.lectures import ASKS, Ask, Lecture, Scene
from viz_transformer.ui.shared import draws
from viz_transformer.ui.shared.scheduler import LONG

SOURCE = "你好，世界！"
HEAD = f"model=zh-en&source={SOURCE}&module=cross&layer=2&head=3&cell=2-3&step=2"


def scene() -> None:
    from viz_transformer.ui.lecture.scene import show_scene

    show_scene()


def shown(ask: Ask | None, link: str, place: str = "1", **more: str) -> tuple[AppTest, Any]:
    """The app, and what the answer sheet got; None where there is none."""
    lecture = Lecture("Test", (Scene("One", link, steps=("stage=scale",), ask=ask),))
    app = opened(
        AppTest.from_function(scene, default_timeout=120),
        lecture=packed(lecture),
        scene=place,
        **{"lang": "en", **more},
    )
    sheets = [received(one.proto.bytes) for one in app.get("bidi_component")[1:]]
    assert len(sheets) < 2
    return app, sheets[0][1] if sheets else None


@pytest.fixture(scope="module")
def trace() -> vt.Trace:
    return vt.load("zh-en", "cpu").trace(SOURCE)


def test_the_sheet_is_of_the_head_of_the_link(trace: vt.Trace) -> None:
    app, sheet = shown(Ask("cells", "weights"), f"attention?{HEAD}")
    np.testing.assert_array_equal(sheet["truth"], trace.attention("cross", 1).weights[2])
    assert sheet["rows"] == [*trace.target_tokens]
    assert sheet["columns"] == [*trace.source_tokens]
    assert "Cross-attention, layer 2, head 3" in sheet["task"]
    assert f':not([data-revealed="{sheet["id"]}"]) ~ *' in html_of(app)


def test_a_scene_that_asks_nothing_and_a_later_step_hide_nothing() -> None:
    for ask, place in ((None, "1"), (Ask("cells", "weights"), "1.2")):
        app, sheet = shown(ask, f"attention?{HEAD}", place)
        assert sheet is None
        assert "display: none" not in html_of(app)


def test_the_token_is_that_of_the_step(trace: vt.Trace) -> None:
    _app, sheet = shown(Ask("token", "next"), f"overview?{HEAD}")
    expected = trace.log_probs[1]
    assert sheet["read"] == [*trace.target_tokens[:2]]
    np.testing.assert_allclose(sheet["probabilities"], np.sort(np.exp(expected.astype(float)))[::-1], rtol=1e-5)
    assert sheet["tokens"][0] == trace.predicted_tokens[1]
    assert len(sheet["tokens"]) == expected.size


def test_numbers_are_those_of_the_cell_the_row_and_the_mask(trace: vt.Trace) -> None:
    record = trace.attention("cross", 1)
    weights = record.weights[2].astype(float)
    values = {of: shown(Ask("number", of), f"attention?{HEAD}")[1]["value"] for of in ASKS["number"]}
    assert values["weight"] == pytest.approx(weights[1, 2])
    assert values["entropy"] == pytest.approx(-(weights[1] * np.log2(weights[1])).sum(), rel=1e-4)
    assert values["score_sd"] == pytest.approx(record.scores[2].astype(float).std(ddof=1))
    assert values["allowed"] == weights.size
    _app, sheet = shown(Ask("number", "score_sd"), f"attention?{HEAD}&stage=scale")
    assert sheet["value"] == pytest.approx(record.scaled_scores[2].astype(float).std(ddof=1))
    _app, sheet = shown(Ask("number", "score_sd"), "scaling?dk=256&draws=20000")
    assert sheet["value"] == pytest.approx(16, rel=0.05)


def test_many_draws_wait_for_their_turn_and_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = []

    def in_turn(job: object, cost: float, place: object) -> list[tuple[int, Draws]]:
        costs.append(cost)
        return [(2, draw(DrawSettings(draws=2)))]

    monkeypatch.setattr(draws, "in_turn", in_turn)
    for _again in range(2):
        _app, sheet = shown(Ask("number", "score_sd"), "scaling?dk=1024&draws=100000&seed=97")
        assert sheet["value"] > 0
    assert len(costs) == 1 and costs[0] > LONG


def test_a_mask_is_the_decoders_or_that_of_the_batch(trace: vt.Trace) -> None:
    n = len(trace.target_tokens)
    _app, sheet = shown(Ask("cells", "mask"), f"attention?model=zh-en&source={SOURCE}&stage=mask")
    assert sheet["truth"].tolist() == np.triu(np.ones((n, n)), 1).tolist()
    _app, sheet = shown(Ask("cells", "mask"), "masks?model=copy&s1=1 2 3&s2=4 5&s3=6&sentence=2&module=encoder_self")
    assert sheet["columns"][-1] == "<pad>"
    assert sheet["truth"].tolist() == [[0, 0, 0, 1]] * 4
    assert "gets 75%" in sheet["rule"]


def test_curves_are_of_the_settings_of_the_link() -> None:
    _app, sheet = shown(Ask("curve", "learning_rate"), "training?noam_width=256&noam_warmup=1000&noam_steps=5000")
    assert sheet["x"][sheet["y"].argmax()] == 1000
    assert sheet["y"].max() == pytest.approx(256**-0.5 * 1000**-0.5)
    assert sheet["axes"]["x"]["high"] == 5000
    _app, sheet = shown(Ask("curve", "score_sd"), "scaling?sd=2&seed=5")
    np.testing.assert_allclose(sheet["y"][1:], 4 * np.sqrt(sheet["x"][1:]), rtol=0.15)
    _app, sheet = shown(Ask("curve", "gradient"), "scaling?lesson=softmax&keys=4")
    assert sheet["y"].max() == 1
    assert sheet["y"][-1] < 0.3


def test_what_is_drawn_is_what_the_page_draws() -> None:
    """The page's slider has no d_k of 9, so the nearest one, 8, is drawn; a million draws it does have."""
    _app, sheet = shown(Ask("number", "score_sd"), "scaling?dk=9&draws=1000000&seed=3")
    assert "where d_k is 8" in sheet["task"]
    assert sheet["value"] == draw(DrawSettings(d_k=8, draws=1_000_000, seed=3)).products.std(ddof=1)


def test_another_scene_link_or_lecture_is_another_question() -> None:
    links = [f"attention?{HEAD}", f"attention?{HEAD}&head=1", f"overview?{HEAD}"]
    ids = {shown(Ask("cells", "weights"), link)[1]["id"] for link in [*links, links[0]]}
    assert len(ids) == len(links)


@pytest.mark.parametrize(
    ("ask", "link", "why"),
    [
        (Ask("cells", "weights"), "attention?model=zh-en&source=%20", "empty"),
        (Ask("cells", "weights"), f"attention?model=zh-en&source={'好' * 400}", "tokens"),
        (Ask("cells", "weights"), f"attention?model=zh-en&source={'好的，' * 20}&module=encoder_self", "can be marked"),
        (Ask("token", "next"), "overview?model=nobody", "is not available here"),
        (Ask("token", "next"), "overview?model=../../etc", "is not available here"),
        (Ask("curve", "gradient"), "scaling?keys=1", "no gradient"),
        (Ask("number", "score_sd"), "scaling?draws=1", "no standard deviation"),
        (Ask("cells", "mask"), "masks?model=copy&s1=%20&s2=1", "empty"),
    ],
)
def test_without_a_true_answer_there_is_a_sentence_and_nothing_is_hidden(ask: Ask, link: str, why: str) -> None:
    app, sheet = shown(ask, link)
    assert sheet is None
    (said,) = [one.value for one in app.caption]
    assert said.startswith("There is nothing to predict here: ")
    assert why in said
    assert "display: none" not in html_of(app)


@pytest.mark.parametrize(
    "of", [(kind, of) for kind, names in ASKS.items() for of in names if kind not in ("choice", "text")]
)
@pytest.mark.parametrize("page", ["attention", "masks", "scaling", "overview"])
def test_whatever_may_be_asked_has_an_answer_on_any_page_in_both_languages(of: tuple[str, str], page: str) -> None:
    for language in ("en", "zh"):
        _app, sheet = shown(
            Ask(*of), f"{page}?model=copy&module=nonsense&layer=99&head=99&cell=99-99&step=99", lang=language
        )
        assert sheet is not None
        assert sheet["task"]
        assert sheet["rule"]


def test_heads_are_compared_at_the_cell_of_the_link(trace: vt.Trace) -> None:
    _app, sheet = shown(Ask("cells", "heads"), f"heads?{HEAD}")
    expected = [[trace.attention("cross", layer).weights[head, 1, 2] for head in range(4)] for layer in range(2)]
    np.testing.assert_array_equal(sheet["truth"], expected)
    assert sheet["rows"] == ["layer 1", "layer 2"]
    assert sheet["columns"] == ["head 1", "head 2", "head 3", "head 4"]
    assert trace.target_tokens[1] in sheet["task"] and trace.source_tokens[2] in sheet["task"]


def test_the_lengths_cross_where_both_layers_take_as_many_operations() -> None:
    for link, d in (("why_attention?d=64", 64), ("why_attention?model=zh-en", 192)):
        _app, sheet = shown(Ask("number", "crossing"), link)
        assert sheet["value"] == d  # n²·d = n·d²


def test_a_choice_and_a_text_ask_the_scenes_question() -> None:
    options = ({"en": "Yes", "zh": "是"}, "<b>No</b>")
    for language, first in (("en", "Yes"), ("zh", "是")):
        _app, sheet = shown(Ask("choice", "question", options, 2), "masks", lang=language)
        assert (sheet["options"], sheet["right"], sheet["rule"]) == ([first, "<b>No</b>"], 1, "")
    _app, sheet = shown(Ask("text", "question"), "masks")
    assert sheet["kind"] == "text"
    assert sheet["tokens"] == []


def test_damaged_models_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from viz_transformer.ui.lecture import prediction_questions
    from viz_transformer.ui.shared.models import ModelDamaged

    def damaged(name: str, device: str) -> vt.Translator:
        raise ModelDamaged(name)

    monkeypatch.setattr(prediction_questions, "load_translator", damaged)
    app, sheet = shown(Ask("cells", "weights"), f"attention?{HEAD}")
    assert sheet is None
    assert "damaged" in app.caption[0].value
