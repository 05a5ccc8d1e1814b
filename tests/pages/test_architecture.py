"""The logic of the page Architecture, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import matrices_in, random_translator
from tests.packed import listed, received
from tests.pages.helpers import html_of, markdown_of, open_page, opened
from viz_transformer.experiments.architecture.costs import flops_by_part
from viz_transformer.experiments.architecture.residual_stream import random_stack
from viz_transformer.experiments.architecture.shapes import BOXES, Lengths, layers_of, tensor_shapes
from viz_transformer.ui.architecture.view import shape_text
from viz_transformer.ui.components.number_table import decimals

ROOT = Path(__file__).resolve().parents[2]
LESSONS = {"figure": 2, "shapes": 2, "cost": 2, "heads": 4, "norm": 3, "ffn": 2}  # lesson -> number of its components


def run(own: vt.Translator | None = None, **query: str) -> AppTest:
    if own is None:
        return open_page("pages/architecture.py", **query)
    name = f"my-copy-{token_hex(4)}"  # a name of its own: caches go by name
    app = AppTest.from_file(str(ROOT / "pages" / "architecture.py"), default_timeout=120)
    app.session_state["own models"] = {name: own}
    return opened(app, model=name, **query)


def texts_of(app: AppTest) -> str:
    return "\n".join([*markdown_of(app), *(element.value for element in app.caption)])


def table(app: AppTest, name: str) -> list[list[str]]:
    """The rows of a table of the page, as texts."""
    for component in range(len(app.get("bidi_component"))):
        for sent in sent_to(app, component).get("tables", []):
            if sent["name"] == name:
                return [[cell["text"] for cell in row] for row in sent["rows"]]
    (body,) = re.findall(rf'data-testid="{name}".*?<tbody>(.*?)</tbody>', html_of(app), re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [re.findall(r"<bdi>(.*?)</bdi>", row, re.DOTALL) for row in rows]


def leads_of(app: AppTest) -> str:
    """The large lines and the captions above the tables that sliders move."""
    sent = [sent_to(app, component) for component in range(len(app.get("bidi_component")))]
    return "\n".join(
        f"{one['lead']}\n{one['caption']}" for view in sent for one in view.get("tables", []) if "lead" in one
    )


def problem_of(app: AppTest) -> str:
    """The message that is shown in place of the tables."""
    return "".join(sent_to(app, component).get("problem", "") for component in range(len(app.get("bidi_component"))))


def sent_to(app: AppTest, component: int) -> dict[str, Any]:
    """The content that a component of the page got, arrays as lists, and the view that it was asked for."""
    request, content = received(app.get("bidi_component")[component].proto.bytes)
    return {**listed(content), "view": request["view"]}


def bar_of(app: AppTest) -> dict[str, Any]:
    """What the first bar of sliders got."""
    sent = [sent_to(app, component) for component in range(len(app.get("bidi_component")))]
    return next(one for one in sent if "sliders" in one)


def slider(app: AppTest, name: str) -> tuple[str, list[str]]:
    """The value of a slider of the first bar, and all that it can be."""
    bar = bar_of(app)
    place = [one["name"] for one in bar["sliders"]].index(name)
    texts = bar["sliders"][place]["texts"]
    return texts[bar["view"]["places"][place]], texts


@pytest.mark.parametrize("model", vt.shipped_models())
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_opens_for_every_model(model: str, lesson: str) -> None:
    app = run(model=model, lesson=lesson)
    assert not app.error
    assert {heading.value for heading in app.header} == {"Theory", "This model"}
    assert len(app.get("bidi_component")) == LESSONS[lesson]


def test_the_figure_has_every_box_with_the_recorded_tensors_and_a_page_that_exists() -> None:
    content = sent_to(run(model="copy", source="3 1 4"), 0)
    trace = vt.load("copy", "cpu").trace("3 1 4")
    boxes = content["boxes"]
    assert [box["id"] for box in boxes] == list(BOXES)
    listed = {}
    for box, name in zip(boxes, BOXES, strict=True):
        assert len(box["layers"]) == layers_of(trace.config, name)
        for n, layer in enumerate(box["layers"]):
            listed |= {tensor["name"]: tensor["shape"] for tensor in layer["tensors"]}
            link = urlsplit(layer["href"])
            assert link.path in (".", "positions") or (ROOT / "pages" / f"{link.path}.py").exists()
            asked = {key: values[0] for key, values in parse_qs(link.query).items()}
            assert (asked["model"], asked["source"]) == ("copy", "3 1 4")
            if name in ("encoder_self", "decoder_self", "cross"):
                assert (link.path, asked["module"], asked["layer"]) == ("attention", name, str(n + 1))
    assert listed == {name: shape_text(tensor.shape) for name, tensor in trace.tensors.items()}


@pytest.mark.parametrize("box", BOXES)
def test_every_tensor_of_every_box_is_shown_as_recorded(box: str) -> None:
    trace = vt.load("copy", "cpu").trace("3 1 4")
    lengths = Lengths(len(trace.source_tokens), len(trace.target_tokens))
    names = {content.name for content in tensor_shapes(trace.config, lengths)}
    app = run(model="copy", source="3 1 4", box=box)
    (shown,) = re.findall(r"`(.*?)`, recorded in this pass", texts_of(app))
    assert shown in names
    (matrix, *_rest) = matrices_in(app.get("bidi_component")[1].proto.bytes)
    recorded = trace.tensors[shown]
    first = recorded[0] if recorded.ndim == 3 else recorded
    assert matrix.tolist() == first.reshape(matrix.shape).astype("float32").tolist()


@pytest.mark.parametrize("tensor", ["mask", "masked_scores", "q", "output", "nonsense", "<b>"])
@pytest.mark.parametrize("box", ["decoder_self", "cross"])
def test_any_tensor_in_the_link_is_shown_or_ignored(box: str, tensor: str) -> None:
    app = run(model="copy", box=box, tensor=tensor, layer="2", head="3")
    assert not app.error
    assert f".{tensor if tensor.isidentifier() and tensor != 'nonsense' else 'weights'}`" in texts_of(app)


def test_a_wide_tensor_says_which_columns_it_shows() -> None:
    app = run(model="zh-en", box="softmax")
    assert "those with the 5 largest numbers" in texts_of(app)


def test_wrong_links_give_a_right_page() -> None:
    wrong = {"lesson": "x", "box": "<b>", "layer": "99", "head": "0", "tensor": "²", "d_model": "-3", "heads": "a"}
    app = run(model="copy", **wrong)
    assert not app.error
    assert app.button_group(key="choice of lesson").value == "figure"


@pytest.mark.parametrize("lesson", ["shapes", "cost"])
@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"d_model": "7"}, "not divisible by 4"),
        ({"d_model": "7", "heads": "7"}, "Sinusoidal positions need an even d_model"),
        ({"heads": "5"}, "not divisible by 5"),
        ({"d_model": "1", "heads": "1"}, "even d_model"),
        ({"d_model": "2", "heads": "2", "d_ff": "1", "layers": "1", "vocab": "1"}, None),  # d_k = 1
        ({"d_model": "999999999999", "heads": "1024", "layers": "9999", "vocab": "9" * 40, "d_ff": "9" * 40}, None),
    ],
)
def test_extreme_sizes_give_numbers_or_a_sentence(lesson: str, sizes: dict[str, str], sentence: str | None) -> None:
    app = run(model="copy", lesson=lesson, **sizes)
    if sentence:
        assert sentence in problem_of(app)
    else:
        assert not problem_of(app)
        assert table(app, "shapes" if lesson == "shapes" else "parameters")
    assert app.header[-1].value == "This model"  # the page goes on


def test_different_vocabularies_cannot_share_one_matrix() -> None:
    app = run(model="zh-en", lesson="cost", tying="all")
    assert "both vocabularies must have the same size" in problem_of(app)
    assert not problem_of(run(model="zh-en", lesson="cost", tying="all", vocab="8000"))


@pytest.mark.parametrize(
    ("preset", "millions", "exactly"), [("base", "63.08", 63_082_496), ("big", "214.25", 214_245_376)]
)
def test_the_papers_models_come_from_their_buttons(preset: str, millions: str, exactly: int) -> None:
    app = run(model="copy", lesson="cost")
    app.button(key=f"preset {preset}").click().run()
    assert f"{millions} million parameters ({exactly:,})" in leads_of(app)
    assert slider(app, "vocab")[0] == "37,000"
    app.button(key="preset own").click().run()
    assert f"({vt.load('copy', 'cpu').model.count_parameters():,})" in leads_of(app)


def test_table_3_is_printed_next_to_the_count() -> None:
    rows = {row[0]: row for row in table(run(model="copy", lesson="cost"), "table-3")}
    assert rows["base"] == ["base", "65", "63.08", "63,082,496", "39,769 – 41,721"]
    assert rows["big"] == ["big", "213", "214.25", "214,245,376", "35,296 – 36,272"]


@pytest.mark.parametrize(("vocab", "size", "printed"), [("41000", "base", "65"), ("36000", "big", "213")])
def test_with_the_vocabulary_that_is_said_the_page_counts_what_table_3_prints(
    vocab: str, size: str, printed: str
) -> None:
    big = {"d_model": "1024", "heads": "16", "d_ff": "4096"}
    sizes = {"d_model": "512", "heads": "8", "d_ff": "2048", **(big if size == "big" else {})}
    app = run(model="copy", lesson="cost", layers="6", tying="all", vocab=vocab, **sizes)
    (millions,) = re.findall(r"([\d.,]+) million parameters", leads_of(app))
    assert f"{float(millions):.0f}" == printed


def test_every_operation_is_what_torch_counts_and_the_length_follows_its_slider() -> None:
    app = run(model="copy", lesson="cost", length="100", count="true")
    config = vt.load("copy", "cpu").model.config
    parts = flops_by_part(config, Lengths(100, 100))
    rows = table(app, "operations")
    assert [row[2] for row in rows] == [f"{part.each:,}" for part in parts]
    assert [row[1] for row in table(app, "counted")] == [row[2] for row in table(app, "counted")]
    assert [row[1] for row in table(app, "counted")] == [f"{part.each:,}" for part in parts]
    assert {row[3] for row in table(app, "own-parts")} == {"0"}
    assert [row[3] for row in table(app, "own-costs")] == ["0", "0"]


def test_an_odd_number_in_the_link_becomes_a_step_of_its_slider() -> None:
    app = run(model="copy", lesson="shapes", d_model="100")
    value, texts = slider(app, "d_model")
    assert value == "100" and "128" in texts
    assert "d_model 100" in sent_to(app, 0)["line"]


def test_moving_nothing_leaves_the_model_its_own_two_vocabularies() -> None:
    config = vt.load("zh-en", "cpu").model.config
    own = {"layers": config.n_encoder_layers, "vocab": config.target_vocab_size, "d_ff": config.d_ff}
    app = run(model="zh-en", lesson="cost", **{name: str(value) for name, value in own.items()})
    assert f"({vt.load('zh-en', 'cpu').model.count_parameters():,})" in leads_of(app)


def test_all_recorded_tensors_have_the_shapes_of_the_rules() -> None:
    trace = vt.load("copy", "cpu").trace("3 1 4")
    said = texts_of(run(model="copy", source="3 1 4", lesson="shapes"))
    assert f"recorded {len(trace.tensors)} tensors. {len(trace.tensors)} of them" in said


def test_two_ways_to_write_heads_agree_and_two_do_not() -> None:
    rows = table(run(model="copy", lesson="heads", module="cross", layer="2"), "three-ways")
    differences = [max(float(cell.replace("−", "-")) for cell in row[2:]) for row in rows]
    assert max(differences[:2]) < 1e-5 and min(differences[2:]) > 1e-2


def test_bleu_is_shown_for_the_width_it_was_measured_at() -> None:
    assert len(table(run(model="copy", lesson="heads"), "equal-cost")[0]) == 5
    rows = table(run(model="copy", lesson="heads", d_model="512"), "equal-cost")
    assert {row[0]: row[-1] for row in rows}["8"] == "25.8"
    assert len({(row[2], row[3]) for row in rows}) == 1


@pytest.mark.parametrize("depth", ["1", "64", "100000"])
def test_any_depth_is_drawn(depth: str) -> None:
    app = run(model="copy", lesson="norm", depth=depth)
    expected = random_stack(min(int(depth), 64), norm_first=True)
    for plot in sent_to(app, 0)["plots"]:
        (line, _points) = [series for series in plot["series"] if series["name"] == "pre-norm"]
        np.testing.assert_allclose(line["y"], expected[plot["name"]])


@pytest.mark.parametrize("order", ["reverse", "rotate", "swap"])
@pytest.mark.parametrize("source", ["3", "3 1 4 1 5"])
def test_permuted_positions_give_permuted_outputs(order: str, source: str) -> None:
    rows = table(run(model="copy", lesson="ffn", order=order, source=source), "ffn-checks")
    assert all(float(row[1].replace("−", "-")) < 1e-4 for row in rows)


# --- what follows from the numbers ---------------------------------------------------------------------------------


def conclusion_of(app: AppTest) -> str:
    """The sentence below the first tables or plots."""
    sent = sent_to(app, 0)
    return str(sent["conclusion"] if "conclusion" in sent else " ".join(sent["notes"]))


def test_the_cost_lesson_says_where_most_is_and_when_length_takes_over() -> None:
    def heaviest(app: AppTest, name: str) -> tuple[str, str]:
        totals = {row[0]: int(row[-1].replace(",", "")) for row in table(app, name)}
        part = max(totals, key=lambda one: totals[one])
        return part, f"{totals[part] / sum(totals.values()):.0%}"

    for length, said in (("8", "not above"), ("4096", "is above")):
        app = run(model="copy", lesson="cost", length=length)
        part, share = heaviest(app, "parameters")
        assert conclusion_of(app).startswith(f"{share} of the parameters are in {part}")
        part, share = heaviest(app, "operations")
        assert f"{share} of the operations in {part}" in conclusion_of(app)
        assert f"L = {int(length):,} {'is ' * (length == '8')}{said}" in conclusion_of(app)


def test_the_shapes_lesson_says_from_when_on_scores_outgrow_the_stream() -> None:
    config = vt.load("copy", "cpu").model.config
    said = conclusion_of(run(model="copy", source="3 1 4", lesson="shapes"))
    (keys,) = re.findall(r"from ([\d,]+) keys on", said)
    assert config.n_heads * int(keys) > config.d_model >= config.n_heads * (int(keys) - 1)


def test_the_heads_lesson_reads_the_first_and_the_last_row() -> None:
    app = run(model="copy", lesson="heads", length="16")
    (first, *_others, last) = table(app, "equal-cost")
    said = conclusion_of(app)
    assert f"from {first[4]} to {last[4]}" in said and f"{last[1]} instead of {first[1]}" in said
    assert f"{first[2]} parameters and {first[3]} operations" in said and first[2:4] == last[2:4]


@pytest.mark.parametrize("depth", ["1", "24"])
def test_the_norm_lesson_reads_both_ends_of_both_stacks(depth: str) -> None:
    said = conclusion_of(run(model="copy", lesson="norm", depth=depth))
    post, pre = (random_stack(int(depth), norm_first=first) for first in (False, True))
    assert f"has size {post.stream.iloc[-1]:.2f}, the pre-norm stream {pre.stream.iloc[-1]:.2f}" in said
    shares = [stack.gradient.iloc[0] / stack.gradient.iloc[-1] for stack in (post, pre)]
    assert f"{shares[1]:.2f} times with pre-norm" in said
    assert ("less is lost with pre-norm" in said) == bool(shares[1] > shares[0])
    bare = random_stack(int(depth), norm_first=False, has_residual=False)
    layer = min(2, int(depth))
    without, with_them = (decimals(stack["alike"].iloc[layer - 1], 3) for stack in (bare, post))
    assert f"After layer {layer}, the mean cosine between two tokens is {without} without residual" in said
    assert f"and {with_them} with them: attention averages" in said


@pytest.mark.parametrize(
    ("lesson", "said"),
    [
        ("figure", "with Q from the encoder there would be 9 rows where the decoder's residual stream has"),
        ("figure", "**Dropout** acts in training only"),
        ("norm", "BatchNorm, without gain and bias, changes them by up to"),
        ("heads", "in a subspace of its own"),
    ],
)
def test_what_is_often_done_wrong_is_said_where_it_belongs(lesson: str, said: str) -> None:
    assert said in "".join(markdown_of(run(model="copy", lesson=lesson)))


def test_two_vocabularies_are_said_not_to_share_a_matrix() -> None:
    for model, is_said in (("zh-en", True), ("copy", False)):
        app = run(model=model, lesson="cost")
        assert ("When not to tie" in "".join(markdown_of(app))) == is_said


def test_the_feed_forward_lesson_counts_the_outputs_that_move() -> None:
    app = run(model="copy", lesson="ffn", source="3 1 4")
    ffn, attention = (matrices_in(app.get("bidi_component")[0].proto.bytes))[:2]
    reached = [int((change > 1e-4).sum(axis=0).max()) for change in (ffn, attention)]
    assert reached[0] == 1
    assert f"changes at most 1 of the 4 outputs of the feed-forward, its own, and up to {reached[1]} of" in texts_of(
        app
    )
    sizes = {matrix["extent"] for matrix in sent_to(app, 0)["sheets"][0]["matrices"]}
    assert len(sizes) == 1  # one scale


# --- a model of attention alone ------------------------------------------------------------------------------------


def attention_alone(**changes: Any) -> vt.Translator:
    return replace(random_translator(4, peaked=2.0, sublayers="attention", **changes), card={"task": "copy"})


@pytest.mark.parametrize("query", [{}, {"box": "encoder_ffn"}, {"box": "decoder_add_ffn", "tensor": "hidden"}])
def test_the_figure_has_no_box_that_the_model_lacks(query: dict[str, str]) -> None:
    own = attention_alone(n_encoder_layers=3)
    app = run(own, source="3 1 4", **query)
    content = sent_to(app, 0)
    assert [box["id"] for box in content["boxes"]] == [name for name in BOXES if not name.endswith("ffn")]
    listed = {tensor["name"] for box in content["boxes"] for layer in box["layers"] for tensor in layer["tensors"]}
    assert listed == set(own.trace("3 1 4").tensors)
    assert content["view"]["box"] == "cross"
    assert ".cross_attention.weights`, recorded" in texts_of(app)
    assert "This model has no feed-forward layers" in texts_of(app)
    assert "no feed-forward" not in texts_of(run(model="copy"))


def test_a_box_that_another_model_had_is_left_with_it() -> None:
    app = run(attention_alone(), box="encoder_ffn")
    app.query_params["model"] = "copy"
    app.query_params["box"] = "encoder_ffn"
    (model,) = [box for box in app.selectbox if box.label == "Model"]
    model.set_value("copy").run()
    assert ".feed_forward.hidden`, recorded" in texts_of(app)
    app.query_params["box"] = "encoder_ffn"
    (model,) = [box for box in app.selectbox if box.label == "Model"]
    (name,) = app.session_state["own models"]
    model.set_value(name).run()
    assert not app.exception
    assert sent_to(app, 0)["view"]["box"] == "cross"


def test_only_the_tensors_and_costs_that_are_there_are_listed() -> None:
    own = attention_alone(weight_tying="target", source_vocab_size=14)
    shapes = run(own, lesson="shapes")
    trace = own.trace("3 1 4 1 5 9 2 6")
    assert f"recorded {len(trace.tensors)} tensors. {len(trace.tensors)} of them" in texts_of(shapes)
    assert not {"hidden", "input"} & {row[1] for row in table(shapes, "shapes")}
    cost = run(own, lesson="cost", count="true")
    for name in ("parameters", "operations", "own-parts", "counted"):
        parts = {row[0] for row in table(cost, name)}
        assert "Cross-attention" in parts and not any("feed-forward" in part for part in parts)
    assert f"({own.model.count_parameters():,})" in leads_of(cost)
    assert {row[3] for row in table(cost, "own-parts")} == {"0"}
    assert [row[3] for row in table(cost, "own-costs")] == ["0", "0"]


@pytest.mark.parametrize("lesson", ["shapes", "cost"])
def test_no_control_of_sizes_acts_on_nothing(lesson: str) -> None:
    app = run(attention_alone(), lesson=lesson)
    assert "d_ff" not in {one["name"] for one in bar_of(app)["sliders"]}
    presets = [button.label for button in app.button if str(button.key).startswith("preset")]
    assert presets == ["This model"]  # the paper's models have feed-forward layers
    assert "no feed-forward" in sent_to(app, 0)["line"] and "d_ff" not in sent_to(app, 0)["line"]
    usual = run(model="copy", lesson=lesson)
    assert "d_ff" in {one["name"] for one in bar_of(usual)["sliders"]}
    assert "d_ff" in sent_to(usual, 0)["line"]


def test_the_lesson_on_the_feed_forward_says_that_there_is_none() -> None:
    app = run(attention_alone(), lesson="ffn")
    assert "This model has no feed-forward layers" in texts_of(app)
    assert [heading.value for heading in app.header] == ["Theory", "This model"]
    assert not app.get("bidi_component")


@pytest.mark.parametrize("lesson", LESSONS)
def test_typed_text_is_data_and_never_markup(lesson: str) -> None:
    app = run(model="zh-en", source="<img src=x> $x$ _a_ </td> 你", lesson=lesson)
    assert not app.error
    assert "<img" not in html_of(app) + texts_of(app)
    assert "$x$" not in texts_of(app)


def test_a_model_of_another_tab_is_not_replaced_in_silence() -> None:
    app = run(model="my-copy-0<b>$x$")
    (said,) = app.error
    assert "is not here" in said.value and "en-de" in said.value
    assert "<b>" not in said.value and "$x$" not in said.value  # typed, so data
    assert sent_to(app, 0)["boxes"]  # and the page shows something
    assert not run(model="zh-en").error and not run(model="nonsense").error
    model = next(box for box in app.selectbox if box.label == "Model")
    model.set_value("copy").run()
    assert not app.error


def test_nothing_typed_gives_a_sentence() -> None:
    assert "empty" in run(model="copy", source=" ").error[0].value
