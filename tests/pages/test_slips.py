"""The logic of the page of slips, without a browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import SLIPS, ends_after, random_translator
from tests.packed import received
from tests.pages.helpers import ROOT, html_of, markdown_of, open_page, opened
from viz_transformer.experiments.slips.kept_graphs import kept_graphs
from viz_transformer.interventions import Intervention, ScaleScores
from viz_transformer.slips import InvertMasks, SoftmaxOverQueries
from viz_transformer.training.slips import CHANGES
from viz_transformer.training.toy_runs import PRESETS, RunSettings
from viz_transformer.ui.components.number_table import decimals

SOURCE = "你好,世界!"


def run(**query: str) -> AppTest:
    return open_page("pages/slips.py", **query)


def run_own(slip: str, own: vt.Translator, **query: str) -> AppTest:
    """With a model of the visitor's own."""
    app = AppTest.from_file(str(ROOT / "pages/slips.py"), default_timeout=120)
    name = f"my-{uuid4().hex}"  # passes are kept by the name of their model
    app.session_state["own models"] = {name: own}
    return opened(app, model=name, slip=slip, **query)


def matrices_of(app: AppTest) -> list[dict[str, Any]]:
    _request, content = received(app.get("bidi_component")[0].proto.bytes)
    return list(content["sheets"][0]["matrices"])


def said(app: AppTest) -> str:
    return " ".join(markdown_of(app))


@pytest.mark.parametrize("model", vt.shipped_models())
@pytest.mark.parametrize("slip", SLIPS)
def test_every_slip_opens_from_its_link_with_every_model(model: str, slip: str) -> None:
    app = run(model=model, slip=slip)
    assert not app.error
    assert app.title[0].value == "Slips"
    assert app.button_group(key="choice of slip").value == slip
    right, wrong = matrices_of(app)
    assert (right["title"], wrong["title"]) == ("Right", "With the slip")
    assert right["extent"] == wrong["extent"] > 0  # one colour scale
    if slip == "pad-loss":  # the numbers of one pass: only which of them count differs
        np.testing.assert_array_equal(right["values"], wrong["values"])
        assert right["mask"].sum() == right["mask"].size - 6 and wrong["mask"].all()
    elif right["values"].shape == wrong["values"].shape:
        assert np.abs(right["values"] - wrong["values"]).max() > 1e-3
    else:
        assert slip == "query" and right["values"].shape[1] == wrong["values"].shape[1]
    assert "NaN" not in said(app).replace("would be NaN", "")
    assert len(app.code) == 2 and app.code[0].value.startswith(("-", " ")) and "assert" in app.code[1].value


@pytest.mark.parametrize(
    ("slip", "change", "module"),
    [
        ("softmax-axis", SoftmaxOverQueries(), "encoder_self"),
        ("sqrt-d-model", ScaleScores("sqrt_d_model"), "cross"),
        ("polarity", InvertMasks(), "decoder_self"),
    ],
)
def test_the_matrices_are_those_of_both_passes(slip: str, change: Intervention, module: Any) -> None:
    app = run(slip=slip, module=module, layer="2", head="3")
    translator = vt.load("zh-en", "cpu")
    right = translator.trace(SOURCE)
    wrong = translator.trace_ids(SOURCE, right.predicted_ids, interventions=[change])
    for matrix, trace in zip(matrices_of(app), (right, wrong), strict=True):
        np.testing.assert_array_equal(matrix["values"], trace.attention(module, 1).weights[2])
    shown = html_of(app)
    for trace in (right, wrong):
        assert decimals(float(trace.token_log_probs.sum())) in shown
    assert translator.decode(right) in shown
    assert translator.translate(SOURCE, interventions=[change]) in shown


def test_the_sentence_reads_the_rows_that_are_on_the_screen() -> None:
    app = run(slip="softmax-axis")
    sums = matrices_of(app)[1]["values"].sum(axis=1)
    assert f"from {decimals(float(sums.min()), 2)} to {decimals(float(sums.max()), 2)}" in said(app)
    np.testing.assert_allclose(matrices_of(app)[1]["values"].sum(axis=0), 1, atol=1e-5)


def test_where_nothing_is_masked_the_wrong_way_round_everything_is() -> None:
    app = run(slip="polarity", module="cross")
    values = matrices_of(app)[1]["values"]
    assert np.ptp(values) < 1e-6
    assert f"each of the {values.shape[1]} keys gets {decimals(float(values.max()))}" in said(app).replace("**", "")


def test_the_padding_has_the_width_that_was_chosen() -> None:
    for more in ("2", "12"):
        right, wrong = matrices_of(run(slip="encoder-mask", further=more))
        length = right["values"].shape[0]
        assert right["values"].shape[1] == wrong["values"].shape[1] == length + int(more)
        assert right["values"][:, length:].max() == 0 < wrong["values"][:, length:].max()
    assert run(slip="encoder-mask", further="3").radio(key="choice of further").value == "6"


def test_a_source_as_long_as_the_model_reads_has_no_padding() -> None:
    app = run(model="copy", source=" ".join("1234567890123456"), slip="encoder-mask")
    assert not app.error
    assert "0 tokens of padding" in said(app)


def test_queries_from_the_encoder_stop_where_the_lengths_differ_and_say_why() -> None:
    app = run(slip="query", length="own", layer="2")
    right, wrong = matrices_of(app)
    assert right["values"].shape == (5, 6) and wrong["values"].shape == (6, 6)
    assert "6 rows in place of 5" in said(app) and "must match" in said(app)
    assert "weights of layer 1 have" in said(app)  # the second was not reached
    assert "stopped" in html_of(app)
    assert "nothing stops it" in said(run(slip="query"))


def test_keys_from_the_decoder_stop_where_the_lengths_differ_and_say_why() -> None:
    app = run(slip="query", wrong="key", length="own", layer="2")
    right, wrong = matrices_of(app)
    assert right["values"].shape == (5, 6) and wrong["values"].shape == (5, 5)
    assert wrong["columnLabels"] == wrong["rowLabels"] != right["columnLabels"]
    assert "5 columns in place of 6" in said(app) and "torch stops" in said(app)
    assert "weights of layer 1 have" in said(app)  # the second was not reached
    assert "stopped" in html_of(app)
    assert "key=x" in app.code[0].value
    padded = said(run(slip="query", wrong="key"))
    assert "nothing stops it" in padded and "changes by more than **0**" in padded


def test_the_graphs_that_are_kept_grow_with_the_slip_alone() -> None:
    app = run(slip="graphs", source=SOURCE)
    translator = vt.load("zh-en", "cpu")
    right, wrong = kept_graphs(translator.model, translator.trace(SOURCE))
    shown = matrices_of(app)
    for matrix, found in zip(shown, (right, wrong), strict=True):
        np.testing.assert_array_equal(matrix["values"], found.nodes)
    assert f"**{wrong.nodes[1, -1]:,} nodes** are alive in place of {right.nodes[1, -1]:,}" in said(app)
    assert decimals(float(wrong.megabytes[1, -1]), 2) in html_of(app)


@pytest.mark.parametrize(("positions", "reason"), [("learned", "learned its positions"), ("none", "has no positions")])
def test_a_model_without_sines_has_none_to_mistake(positions: str, reason: str) -> None:
    app = run_own("cos-cos", random_translator(5, positions=positions), source="3 1 4")
    assert [reason in info.value for info in app.info] == [True]
    assert not app.error and not app.get("bidi_component")
    assert "Neighbours should all" not in said(app) and len(app.code) == 2


@pytest.mark.parametrize(
    ("changes", "reason"), [({"scale_scores": False}, "without scaling"), ({"n_heads": 1}, "one head in each module")]
)
def test_where_nothing_is_divided_by_the_width_of_a_head_no_slip_is_claimed(
    changes: dict[str, Any], reason: str
) -> None:
    app = run_own("sqrt-d-model", random_translator(5, **changes), source="3 1 4")
    assert [reason in info.value for info in app.info] == [True]
    assert not app.error and not app.get("bidi_component")
    assert "times too small" not in said(app) and len(app.code) == 2


def test_an_output_that_ends_in_the_last_place_was_not_stopped() -> None:
    seed, length = ends_after()
    for max_len, is_stopped in ((length, False), (length - 1, True)):
        own = random_translator(seed, max_len=max_len)
        shown = html_of(run_own("encoder-mask", own, source="3", target="2"))
        row = shown.partition("output</bdi>")[2].partition("</tr>")[0]
        right = row.split("<td")[1]
        assert own.translate("3") in right
        assert ("stopped at the maximum length" in right) == is_stopped


@pytest.mark.parametrize("slip", SLIPS)
def test_train_with_it_leads_to_a_run_with_this_slip(slip: str) -> None:
    app = run(model="copy", slip=slip)
    links = [text.rpartition("](")[2].partition(")")[0] for text in markdown_of(app) if "Train with this slip" in text]
    if slip in ("query", "graphs"):
        assert links == [] and "There is no training run with this slip" in said(app)
        return
    (link,) = links
    query = parse_qs(urlsplit(link).query)
    assert (urlsplit(link).path, query["view"]) == ("training", ["train"])
    assert RunSettings(**PRESETS[query["lesson_of_run"][0]]).slip == slip


def test_every_slip_that_can_be_trained_has_its_lesson() -> None:
    assert {name for name in CHANGES if name != "none"} == set(SLIPS) - {"query", "graphs"} == set(SLIPS) & set(PRESETS)


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("query", [{"source": "1"}, {"source": "1 2 3", "target": "<img> 7"}, {"target": "1 2 3 4 5"}])
def test_short_and_odd_texts_work_too(slip: str, query: dict[str, str]) -> None:
    app = run(model="copy", slip=slip, **query)
    assert not app.error
    assert "<img" not in html_of(app)


def test_a_text_that_cannot_be_read_is_said_and_a_wrong_slip_is_the_first() -> None:
    assert run(source=" ").error
    app = run(model="copy", slip="spelling")
    assert app.button_group(key="choice of slip").value == "softmax-axis"
    assert "slip" not in app.query_params
