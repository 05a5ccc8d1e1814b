"""The logic of the page Attention step by step, without a browser."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from pickle import dumps
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import assert_near
from tests.packed import received
from tests.pages.helpers import open_page
from viz_transformer.analysis.measures import entropy
from viz_transformer.heads import ATTENTION_MODULES, HeadRef
from viz_transformer.ui.components import shared_payload
from viz_transformer.views.code_lens import EINSUMS, code_of
from viz_transformer.views.head_sheet import HAND_STAGES, STAGES
from viz_transformer.views.matrices import Pinned, StagesView

SOURCE = "3 1 4 1 5 9 2 6"


def run(**query: str) -> AppTest:
    return open_page("pages/attention.py", **{"model": "reverse", **query})


def table(app: AppTest, name: str) -> list[list[str]]:
    """The cells of a number table, as texts."""
    html = next(element.proto.body for element in app.get("html") if f'data-testid="{name}"' in element.proto.body)
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def alert(app: AppTest) -> str:
    """The message about a mistake in what was typed by hand, or an empty text."""
    return "".join(element.proto.body for element in app.get("html") if 'role="alert"' in element.proto.body)


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def test_the_microscope_shows_recorded_numbers_that_follow_from_one_another() -> None:
    app = run(module="cross", layer="1", head="2", cell="4-3")
    record = vt.load("reverse", "cpu").trace(SOURCE).attention("cross", 0)
    terms = {name: number(value) for name, value, _how in table(app, "cell-terms")[1:]}
    score, scaled, masked, exponential, denominator, weight = terms.values()
    assert score == pytest.approx(record.scores[1, 3, 2], abs=1e-6)
    assert scaled == pytest.approx(record.scaled_scores[1, 3, 2], abs=1e-6)
    assert masked == scaled
    assert weight == pytest.approx(record.weights[1, 3, 2], abs=1e-6)
    # What is on the screen adds up in the four decimals of the matrices.
    app.session_state["cell-open"] = True  # the box of all dimensions, which begins closed
    app.run()
    rows = table(app, "cell-dimensions")[1:]
    assert len(rows) == record.q.shape[2]
    products = [number(row[3]) for row in rows]
    assert sum(products) == pytest.approx(score, abs=5e-5)
    assert all(number(q) * number(k) == pytest.approx(number(product), abs=5e-5) for _d, q, k, product, *_rest in rows)
    assert exponential / denominator == pytest.approx(weight, abs=5e-5)
    assert score / len(rows) ** 0.5 == pytest.approx(scaled, abs=5e-5)
    np.testing.assert_allclose([number(row[4]) for row in rows], record.v[1, 2], atol=1e-5)
    assert all(weight * number(v) == pytest.approx(number(part), abs=5e-5) for *_, v, part, _context in rows)
    lengths = dict(table(app, "cell-similarity")[1:])
    assert number(lengths["|q|"]) == pytest.approx(np.linalg.norm(record.q[1, 3]), abs=1e-5)
    assert number(lengths["|q| |k| cos ∠"]) == pytest.approx(score, abs=5e-5)


def test_a_masked_cell_says_minus_infinity_and_zero() -> None:
    app = run(module="decoder_self", layer="1", head="1", cell="2-5")
    values = [row[1] for row in table(app, "cell-terms")[1:]]
    assert values[2] == "−∞"
    assert [number(values[3]), number(values[5])] == [0, 0]


def test_the_notebook_snippet_prints_what_the_screen_shows(capsys: pytest.CaptureFixture[str]) -> None:
    app = run(module="cross", layer="1", head="2", cell="4-3")
    exec(app.code[0].value, {})
    tokens, score, weight = capsys.readouterr().out.splitlines()
    shown = [row[1] for row in table(app, "cell-terms")[1:]]
    assert float(score) == pytest.approx(number(shown[0]), abs=1e-6)
    assert float(weight) == pytest.approx(number(shown[-1]), abs=1e-6)
    assert len(tokens.split()) == 2


def test_the_snippet_opens_the_saved_file_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = run(module="cross", layer="1", head="2", cell="4-3").code[0].value
    exec(code, {})
    from_model = capsys.readouterr().out
    opening = re.search(r"^# Or.*: (trace = .*load_trace\('(.*)'\))$", code, re.MULTILINE)
    assert opening
    monkeypatch.chdir(tmp_path)
    vt.load("reverse", "cpu").trace(SOURCE).save(opening[2])
    exec(re.sub(r"^trace = .*$", opening[1], code, flags=re.MULTILINE), {})
    assert capsys.readouterr().out == from_model


def test_a_link_leads_to_its_place() -> None:
    app = run(module="decoder_self", layer="1", head="2", stage="softmax", cell="4-2")
    choices = (ATTENTION_MODULES.index("decoder_self"), 0, 1, 0)
    assert app.session_state["stages:sent"].asked == StagesView(5, choices, Pinned(0, 3, 1))


def test_a_settled_view_that_the_link_repeats_does_not_move_the_browser() -> None:
    app = run()
    sent = app.session_state["stages:sent"]
    choices = (ATTENTION_MODULES.index("cross"), 0, 1, 0)
    app.session_state["stages"] = {
        "view": {"revision": sent.revision, "stage": 2, "choices": list(choices), "pinned": [0, 2, 2]}
    }
    for name, value in {"module": "cross", "layer": "1", "head": "2", "stage": "scores", "cell": "3-3"}.items():
        app.query_params[name] = value  # what the callback writes; AppTest calls none for a component
    app.run()
    assert app.session_state["stages:sent"].asked == StagesView(2, choices, Pinned(0, 2, 2))
    assert app.session_state["stages:sent"].revision == sent.revision
    app.query_params["head"] = "1"  # as the browser's Back button does
    app.run()
    assert app.session_state["stages:sent"].revision != sent.revision


def test_a_released_pin_stays_released() -> None:
    app = run(cell="none")
    assert app.session_state["stages:sent"].asked.pinned is None
    assert any("Pin a cell" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    "query",
    [
        {"module": "x", "layer": "99", "head": "-1", "stage": "<b>", "cell": "900-900"},
        {"module": "encoder_self", "layer": "0", "head": "abc", "stage": "", "cell": "1"},
        {"whatif": "nonsense", "temperature": "99", "cell": "--"},
    ],
)
def test_a_wrong_link_gives_a_right_page(query: dict[str, str]) -> None:
    app = run(**query)
    assert not app.error
    assert len(table(app, "cell-terms")) == 7


def shown(app: AppTest) -> dict[str, Any]:
    """What the stages got."""
    _request, content = received(app.get("bidi_component")[0].proto.bytes)
    return content


def matrices_of(app: AppTest, sheet: int = 0) -> dict[str, Any]:
    return {matrix["name"]: matrix for matrix in shown(app)["sheets"][sheet]["matrices"]}


def test_what_if_compares_recorded_passes() -> None:
    app = run(module="cross", layer="1", head="1", cell="2-3")
    translator = vt.load("reverse", "cpu")
    plain = translator.trace(SOURCE)
    assert shown(app)["results"] is None
    assert "changed" not in matrices_of(app)

    def check(change: vt.ScaleScores | vt.ScaleHead | vt.Temperature) -> list[list[str]]:
        app.run()
        changed = translator.trace(SOURCE, translator.decode(plain), interventions=[change])
        before, after = (trace.attention("cross", 0).weights for trace in (plain, changed))
        rows: list[list[str]] = shown(app)["results"]["rows"]
        output = translator.decode(translator.trace(SOURCE, interventions=[change]))
        assert rows[1][1:] == [translator.decode(plain), output]
        assert rows[2][1:] == [f"{entropy(weights[0, 1]):.4f}" for weights in (before, after)]
        assert rows[3][1:] == [f"{entropy(weights[0]).mean():.4f}" for weights in (before, after)]
        assert rows[4][1:] == [f"{entropy(weights).mean():.4f}" for weights in (before, after)]
        assert rows[5][1:] == [f"{trace.token_log_probs.sum():.4f}" for trace in (plain, changed)]
        sent = matrices_of(app)
        np.testing.assert_allclose(sent["weights"]["values"], before[0], atol=1e-6)
        np.testing.assert_allclose(sent["changed"]["values"], after[0], atol=1e-5)
        np.testing.assert_allclose(sent["change"]["values"], after[0] - before[0], atol=1e-5)
        np.testing.assert_allclose(
            sent["changed_scores"]["values"], changed.attention("cross", 0).scaled_scores[0], atol=1e-4
        )
        return rows

    app.query_params["whatif"] = "none"
    check(vt.ScaleScores("none"))  # an older link, whose change is made everywhere
    app.query_params["reach"] = "head"
    check(vt.ScaleHead(HeadRef("cross", 0, 0), plain.config.score_divisor))
    app.query_params.update({"whatif": "temperature", "temperature": "1"})
    rows = check(vt.ScaleHead(HeadRef("cross", 0, 0), 1.0))
    assert rows[2][1] == rows[2][2]  # a temperature of 1 changes nothing
    app.query_params["temperature"] = "4"
    rows = check(vt.ScaleHead(HeadRef("cross", 0, 0), 0.25))
    assert float(rows[3][2]) > float(rows[3][1])


def test_what_is_kept_is_what_would_be_made() -> None:
    texts: list[dict[str, str]] = [{}, {"source": "2 7 1 8"}, {"target": "2 7 1 8"}]
    views = [{"lang": "zh"}, {"module": "cross"}, {"module": "decoder_self"}, {"stage": "softmax"}]
    change = {"module": "cross", "whatif": "none", "reach": "head"}
    changes = [change, {**change, "reach": "every"}, {**change, "head": "2"}, {**change, "cell": "3-1"}]
    links = [*texts, *views, *changes, {**change, "whatif": "temperature", "temperature": "0.5"}]
    made = []
    for link in links:
        shared_payload._PACKED.clear()
        made.append(shown(run(**link)))
    assert len(set(map(dumps, made))) == len(links)
    for link, content in zip(links, made, strict=True):
        np.testing.assert_equal(shown(run(**link)), content)


def test_one_colour_scale_reaches_from_the_scores_to_the_masked_scores() -> None:
    app = run(model="zh-en")
    for sheet in range(4):
        sent = matrices_of(app, sheet)
        largest = float(np.abs(sent["scores"]["values"]).max())
        for name in ("scores", "scaled_scores", "masked_scores"):
            assert sent[name]["extent"] == pytest.approx(largest), name
        projected = max(float(np.abs(sent[name]["values"]).max()) for name in ("q", "k", "v", "concatenated"))
        for name in ("q", "k_transposed", "v", "context", "concatenated"):
            assert sent[name]["extent"] == pytest.approx(projected), name


def test_factors_stand_where_their_rows_and_columns_meet() -> None:
    sheet = shown(run())["sheets"][0]
    products = [stage for stage in sheet["stages"] if stage["isProduct"]]
    assert [stage["title"] for stage in products] == ["Q Kᵀ", "· V"]
    for stage in products:
        left, above, product = (sheet["matrices"][n] for n in stage["matrices"])
        np.testing.assert_allclose(left["values"] @ above["values"], product["values"], atol=1e-4)
        assert (left["rowAxis"], above["columnAxis"]) == (product["rowAxis"], product["columnAxis"])
        assert left["rowLabels"] == product["rowLabels"]
        assert left["columnAxis"] == above["rowAxis"]


def test_from_the_mask_on_the_decoders_own_attention_is_shown_unless_a_module_was_chosen() -> None:
    def module_of(app: AppTest) -> str:
        return ATTENTION_MODULES[app.session_state["stages:sent"].asked.choices[0]]

    def until(app: AppTest) -> list[int] | None:
        module: dict[str, Any] = shown(app)["choices"][0]
        return module["until"]

    assert module_of(run()) == "cross"
    assert until(run()) == [STAGES.index("mask"), ATTENTION_MODULES.index("decoder_self")]
    for stage in ("mask", "softmax"):
        assert module_of(run(stage=stage)) == "decoder_self"
        chosen = run(stage=stage, module="cross")
        assert module_of(chosen) == "cross"
        assert until(chosen) is None


def test_rows_of_the_decoder_say_what_they_write() -> None:
    app = run(model="zh-en", module="cross")
    predicted = list(vt.load("zh-en", "cpu").trace("你好,世界!").predicted_tokens)
    for name in ("x", "q", "scores", "weights", "context", "output"):
        matrix = matrices_of(app)[name]
        assert (matrix["rowEnds"], matrix["rowEndsAxis"]) == (predicted, "writes"), name
    assert matrices_of(run(model="zh-en", module="encoder_self"))["weights"]["rowEnds"] == []


@pytest.mark.parametrize(
    ("query", "idle"),
    [
        ({"module": "decoder_self"}, []),
        ({"module": "cross"}, ["mask"]),
        ({"module": "decoder_self", "whatif": "none"}, ["scale"]),
        ({"module": "encoder_self", "whatif": "none", "reach": "head"}, ["scale", "mask"]),
        ({"module": "decoder_self", "whatif": "temperature"}, []),
        ({"hand": "true"}, []),
    ],
)
def test_a_stage_that_changes_nothing_is_said_to(query: dict[str, str], idle: list[str]) -> None:
    app = run(layer="1", head="1", **query)
    stages = received(app.get("bidi_component")[0].proto.bytes)[1]["sheets"][0]["stages"]
    assert [stage["name"] for stage in stages] == list(HAND_STAGES if "hand" in query else STAGES)
    assert [stage["name"] for stage in stages if stage["isIdle"]] == idle


def test_by_hand_runs_the_same_stages_on_typed_matrices() -> None:
    app = run(hand="true", cell="3-1")
    terms = table(app, "by_hand-terms")[1:]
    # q₃ = (1, 1, 0, 0), k₁ = (1, 0, 0, 1): one product is 1; all three scores are 1, 1, 2 over √4.
    assert [number(row[1]) for row in terms[:3]] == [1, 0.5, 0.5]
    expected = np.exp([0.5, 0.5, 1.0])
    assert number(terms[-1][1]) == pytest.approx(expected[0] / expected.sum(), abs=1e-6)
    app.text_area(key="hand_q").set_value("1 0 1 0\n0 2 0 <b>\n1 1 0 0").run()
    assert "Row 2 of Q: “&lt;b&gt;” is not a number" in alert(app)
    app.text_area(key="hand_q").set_value("1 0 1 0\n0 2 0 1").run()
    assert "The mask has 3 rows" in alert(app)
    app.text_area(key="hand_mask").set_value("1 0 0\n1 1 0").run()
    assert not alert(app)
    assert table(app, "by_hand-terms")


@pytest.mark.parametrize("stage", STAGES)
def test_the_code_lens_reads_lines_that_are_there(stage: str) -> None:
    source = (Path(vt.__file__).parent / "attention.py").read_text(encoding="utf-8").splitlines()
    for line in code_of(stage).splitlines():
        number_, code = line.strip().split("  ", 1)
        assert number_ == "=" or source[int(number_) - 1].strip() == code


def test_the_einsums_of_the_code_lens_are_the_recorded_products() -> None:
    record = vt.load("zh-en", "cpu").trace("你好,世界!").attention("cross", 1)
    given = {name: torch.tensor(getattr(record, name))[None] for name in ("q", "k", "v", "weights")}
    for stage, einsum in EINSUMS.items():
        assert einsum in code_of(stage)
        assert_near(eval(einsum, {"torch": torch}, given)[0], getattr(record, stage), 1e-5)
