"""The logic of the Masks page, without a browser."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import listed, received
from tests.pages.helpers import html_of, markdown_of, open_page
from viz_transformer.experiments.masks.padding import padding_leak, widened
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.shared.batch import batch_of
from viz_transformer.ui.shared.models import ModelChoice

LESSONS = {"matrices": 1, "softmax": 1, "causality": 1, "teacher": 0, "encoder": 2}  # lesson -> number of matrix views


def run(**query: str) -> AppTest:
    return open_page("pages/masks.py", **query)


@pytest.mark.parametrize("model", vt.shipped_models())
def test_the_page_opens_with_a_padded_batch_of_every_model(model: str) -> None:
    app = run(model=model)
    assert app.title[0].value == "Masks"
    assert not app.error
    assert len(app.get("bidi_component")) == LESSONS["matrices"]
    assert "longest sentence" not in html_of(app)  # the sentence that it opens with has padding


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_opens_from_its_link(lesson: str) -> None:
    app = run(model="copy", lesson=lesson)
    assert not app.error
    assert len(app.get("bidi_component")) == LESSONS[lesson]
    assert app.button_group(key="choice of lesson").value == lesson


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("sentence", ["1", "2", "3"])
def test_every_lesson_works_without_padding_too(lesson: str, sentence: str) -> None:
    app = run(
        model="copy",
        lesson=lesson,
        sentence=sentence,
        s1="1 2",
        s2="3 4",
        s3="5 6",
        module="encoder_self",
        neighbour="typed",
    )
    assert not app.error
    if lesson in ("matrices", "softmax", "encoder"):
        assert "choose another" in html_of(app)


def test_a_wrong_link_gives_a_right_page() -> None:
    app = run(model="copy", lesson="x", sentence="9", module="<b>", layer="0", head="99", cell="a.b.c", edit="-1")
    assert not app.error
    assert app.button_group(key="choice of lesson").value == "matrices"
    assert app.radio(key="choice of sentence").value == "2"


def matrices_of(app: AppTest) -> list[dict[str, Any]]:
    """What each matrix view got of its one stage, arrays as lists."""
    contents = [listed(received(component.proto.bytes)[1]) for component in app.get("bidi_component")]
    return [matrix for content in contents for sheet in content["sheets"] for matrix in sheet["matrices"]]


@pytest.mark.parametrize("part", ["padding", "causal", "combined"])
def test_the_convention_turns_every_number_and_hatches_the_same_cells(part: str) -> None:
    (may,), (masked,) = (matrices_of(run(model="copy", mask=part, true=true)) for true in ("may", "masked"))
    assert (may["name"], masked["name"]) == (f"{part}-may", f"{part}-masked")
    assert may["mask"] == masked["mask"] == [[bool(value) for value in row] for row in may["values"]]
    assert [[1 - value for value in row] for row in may["values"]] == masked["values"]
    assert any(0 in row for row in may["values"])
    assert masked["hasMaskedNumbers"]  # its 1s are where nothing may be attended to


@pytest.mark.parametrize("name", ["padding-may", "causal-masked", "combined-masked"])
def test_a_link_to_a_cell_opens_its_mask(name: str) -> None:
    (matrix,) = matrices_of(run(model="copy", cell=f"{name}.2-3"))
    assert matrix["name"] == name


def test_the_encoder_leak_opens_where_it_can_be_seen() -> None:
    seen = "".join(markdown_of(run(lesson="encoder")))
    model, translator = ModelChoice("zh-en", "cpu"), vt.load("zh-en", "cpu")
    sentences = ("你好,世界!", "我爱你。", "今天天气很好。")
    batch, _recorded = batch_of(model, sentences)
    far, near = (padding_leak(translator.model, widened(batch, width), 1) for width in (33, 0))
    less, much = (float(leak.pad_weight_off[0, 0].max()) for leak in (near, far))
    assert less < 0.5 < 0.8 < much
    assert f"**{decimals(much)}**" in seen
    typed = markdown_of(run(lesson="encoder", neighbour="typed"))
    assert any(f"**{decimals(less)}**" in one for one in typed)


def test_zeros_for_padding_are_said_to_be_no_mask_and_what_leaks_is_theirs() -> None:
    translator = vt.load("zh-en", "cpu")
    batch, _recorded = batch_of(ModelChoice("zh-en", "cpu"), ("你好,世界!", "我爱你。", "今天天气很好。"))
    leak = padding_leak(translator.model, widened(batch, 33), 1, zeros=True)
    app = run(lesson="encoder", pad="zero")
    seen = "".join(markdown_of(app))
    assert "Zeros are no mask" in seen and f"**{decimals(float(leak.pad_weight_off[0, 0].max()))}**" in seen
    off, _on = matrices_of(app)
    assert off["title"] == "Padding mask off, <pad> all zeros"
    assert "Zeros are no mask" not in "".join(markdown_of(run(lesson="encoder")))


def test_no_column_of_the_edits_is_for_the_start_token() -> None:
    for matrix in matrices_of(run(model="copy", lesson="causality", sentence="1")):
        values = np.array(matrix["values"], dtype=float)
        assert values.shape == (9, 8) and np.isfinite(values).all()
        assert (matrix["firstIndex"], matrix["columnLabels"][0], matrix["rowLabels"][0]) == (2, "3", "3")
        if matrix["name"] == "change-on":  # nothing on the diagonal, where a row writes the token, or above it
            assert (np.triu(values) == 0).all() and (values[1:][np.eye(8, dtype=bool)] > 0).all()
    on, off = matrices_of(run(model="copy", lesson="causality", sentence="1"))
    assert on["extent"] == off["extent"] > 0  # one scale


@pytest.mark.parametrize("cell", ["combined-may.1.2", "combined-may.900.900", "combined-may.²²", "own.1.1", "...."])
def test_any_cell_in_the_link_is_read_or_ignored(cell: str) -> None:
    assert not run(model="copy", cell=cell).error


@pytest.mark.parametrize(
    ("sentences", "sentence"),
    [
        ({"s1": " ", "s2": "1"}, "The first source text is empty"),
        ({"s1": "1", "s2": " "}, "The second source text is empty"),
        ({"s3": "1 " * 17}, "The third source text has 17 tokens, and this model reads at most 16"),
    ],
)
def test_unreadable_sentences_are_named(sentences: dict[str, str], sentence: str) -> None:
    app = run(model="copy", **sentences)
    assert sentence in app.error[0].value
    for key, text in sentences.items():
        assert app.text_input(key=key).value == text


def test_the_third_sentence_may_be_left_out() -> None:
    app = run(model="copy")
    app.text_input(key="s3").set_value("").run()
    assert not app.error
    assert app.radio(key="choice of sentence").options == ["1", "2"]


def test_an_untouched_batch_changes_with_the_model_and_a_typed_one_stays() -> None:
    app = run(model="copy")
    app.selectbox(key="model").set_value("zh-en").run()
    assert app.text_input(key="s2").value == "我爱你。"
    app.text_input(key="s2").set_value("谢谢你。").run()
    app.selectbox(key="model").set_value("copy").run()
    assert app.text_input(key="s2").value == "谢谢你。"
    assert app.text_input(key="s1").value == "你好,世界!"


def test_unknown_characters_are_named_and_escaped() -> None:
    app = run(model="copy", s1="1 <b> 猫", lesson="teacher")
    assert "never seen" in html_of(app)
    assert "<bdi><b>&lt;</b></bdi>" in html_of(app)


@pytest.mark.parametrize("lesson", LESSONS)
def test_typed_text_is_data_and_never_markup(lesson: str) -> None:
    app = run(model="copy", s1="<img src=x> 1", s2="$x$ 2 _a_ </td>", lesson=lesson, sentence="2")
    assert not app.error
    assert "<img" not in html_of(app)
    assert "</td> " not in html_of(app)


def test_a_replacement_of_several_tokens_says_so_and_an_unknown_one_too() -> None:
    app = run(model="copy", lesson="causality")
    app.text_input(key="instead").set_value("8 9").run()
    assert "more than one token" in html_of(app)
    app.text_input(key="instead").set_value("猫").run()
    assert "never seen" in html_of(app)
    app.text_input(key="instead").set_value("8 " * 30).run()
    assert "The replacement text has 30 tokens" in app.error[0].value


def test_a_replacement_that_changes_nothing_says_so() -> None:
    app = run(model="copy", lesson="causality", sentence="1", edit="2")
    app.text_input(key="instead").set_value("3").run()
    assert "is there already" in html_of(app)


def test_a_table_escapes_everything_and_counts_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("streamlit.html", shown.append)
    number_table("t", "<i>", ["<s>", "a"], [["$x$", Cell("<b>", "text")]])
    assert "<i>" not in shown[0].split("</style>")[1]
    assert "&lt;s&gt;" in shown[0]
    assert "&lt;b&gt;" in shown[0]
    with pytest.raises(ValueError, match="2 columns, but a row has 1 cells"):
        number_table("t", "", ["a", "b"], [["1"]])
    with pytest.raises(ValueError, match="no rows"):
        number_table("t", "", ["a"], [])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.12345, "0.1235"), (-2.5, "−2.5000"), (2.6e-7, "2.60e−7"), (-4e-5, "−4.00e−5"), (float("nan"), "NaN")],
)
def test_no_number_looks_like_another(value: float, text: str) -> None:
    assert decimals(value) == text


def said_by(app: AppTest) -> str:
    return "".join(markdown_of(app))


def test_teacher_forcing_says_what_dividing_twice_would_make_of_the_loss() -> None:
    app = run(lesson="teacher", sentence="2")
    batch, recorded = batch_of(ModelChoice("zh-en", "cpu"), ("你好,世界!", "我爱你。", "今天天气很好。"))
    n = batch.target_lengths[1]
    trace = vt.load("zh-en", "cpu").trace("我爱你。")
    loss = -float(recorded.label_log_probs[1, :n].mean(dtype=np.float64))
    assert loss == pytest.approx(-float(np.mean(trace.token_log_probs)), abs=1e-5)
    assert f"**{decimals(loss)}** nats per token" in said_by(app)
    assert f"Divided by {n} once more, it would be {decimals(loss / n)}" in said_by(app)


def test_the_softmax_over_the_wrong_axis_has_rows_that_are_no_averages() -> None:
    app = run(lesson="softmax", sentence="2")
    found = re.search(r"rows to anything from (\S+) to (\S+), so", said_by(app))
    assert found and float(found[1]) < 0.5 < 1.5 < float(found[2])


def test_a_wrong_value_does_not_stay_in_the_link() -> None:
    app = run(model="copy", lesson="softmax", sentence="9", layer="77", head="2")
    assert {"sentence", "layer"} & set(app.query_params) == set()
    assert app.query_params["head"] in ("2", ["2"])
    assert "lesson" not in run(model="copy", lesson="x").query_params


def test_both_pictures_of_the_leak_are_on_one_scale() -> None:
    off, on = matrices_of(run(lesson="encoder"))
    assert (off["name"], on["name"]) == ("leak-off", "leak-on")
    assert off["extent"] == on["extent"] == 1
