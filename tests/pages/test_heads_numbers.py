"""The sections of the page Heads that the server computes, without a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import matrices_in
from tests.packed import received
from tests.pages.helpers import opened
from viz_transformer.analysis.catalogue import read_catalogue
from viz_transformer.analysis.measures import MEASURES, measure_heads
from viz_transformer.experiments.heads.contributions import contributions, rank_correlation
from viz_transformer.experiments.heads.knock_out import all_heads, impact_of_heads
from viz_transformer.translator import model_folder
from viz_transformer.ui.heads.knock_out import GRID
from viz_transformer.ui.shared.head_names import head_label
from viz_transformer.views.linked import HEAD

SOURCE = "3 1 4 1 5 9 2 6"


def measured() -> None:
    import streamlit as st

    from viz_transformer.ui.heads.measured import heads_measured
    from viz_transformer.ui.shared.models import ModelChoice, recorded_trace

    model = ModelChoice(st.query_params["model"], "cpu")
    heads_measured(model, recorded_trace(model, st.query_params["source"], ""))


def knocked_out() -> None:
    import streamlit as st

    from viz_transformer.ui.heads.knock_out import heads_knock_out
    from viz_transformer.ui.shared.models import ModelChoice, recorded_trace

    model, source = ModelChoice(st.query_params["model"], "cpu"), st.query_params["source"]
    heads_knock_out(model, source, recorded_trace(model, source, ""))


def clicked() -> None:
    """As `knocked_out`, but what the browser committed is read first."""
    import streamlit as st

    from viz_transformer.experiments.heads.knock_out import all_heads
    from viz_transformer.ui.heads.knock_out import heads_knock_out, keep_committed
    from viz_transformer.ui.shared.models import ModelChoice, recorded_trace

    model, source = ModelChoice(st.query_params["model"], "cpu"), st.query_params["source"]
    trace = recorded_trace(model, source, "")
    keep_committed(all_heads(trace.config))
    heads_knock_out(model, source, trace)


def importance() -> None:
    import streamlit as st

    from viz_transformer.heads import HeadRef
    from viz_transformer.ui.heads.importance import heads_importance
    from viz_transformer.ui.shared.models import ModelChoice, recorded_trace

    model = ModelChoice(st.query_params["model"], "cpu")
    heads_importance(model, recorded_trace(model, st.query_params["source"], ""), HeadRef("cross", 1, 0))


def compared() -> None:
    import streamlit as st

    from viz_transformer.heads import HeadRef
    from viz_transformer.ui.heads.compare import heads_compare
    from viz_transformer.ui.shared.controls import Texts
    from viz_transformer.ui.shared.models import ModelChoice, recorded_trace

    model, texts = ModelChoice(st.query_params["model"], "cpu"), Texts(st.query_params["source"], "")
    heads_compare(model, texts, recorded_trace(model, texts.source, ""), HeadRef("cross", 1, 0))


def run(section: Callable[[], None], **query: str) -> AppTest:
    app = AppTest.from_function(section, default_timeout=120)
    return opened(app, **{"model": "reverse", "source": SOURCE, **query})


def htmls(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def table(app: AppTest, name: str) -> list[list[str]]:
    """The cells of a number table, as texts."""
    html = next(body for body in htmls(app) if f'data-testid="{name}"' in body)
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def reads(app: AppTest) -> str:
    """The sentence that reads the numbers on the screen."""
    body = next(body for body in htmls(app) if "vt-reads" in body)
    return unescape(re.sub(r"<[^>]*>", "", body))


def notes(app: AppTest) -> str:
    return " ".join(body for body in htmls(app) if 'role="status"' in body)


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_the_table_has_every_head_and_measure_of_sentence_and_held_out_data() -> None:
    head_row, *rows = table(run(measured), "heads-measured")
    translator = vt.load("reverse", "cpu")
    here = measure_heads(translator.trace(SOURCE))
    catalogue = read_catalogue(model_folder("reverse"))
    assert catalogue is not None
    assert len(rows) == len(here)
    by_label = {head_label(head): head for head in here}
    for row in rows:
        head = by_label[row[0]]
        for title, cell in zip(head_row[1:], row[1:], strict=True):
            name, which = title.split(": ")
            measure = next(measure for measure in MEASURES if measure.title == name)
            numbers = here if which == "this sentence" else catalogue.means
            expected = numbers[head].get(measure.name, np.nan)
            assert cell == ("—" if np.isnan(expected) else f"{expected:.3f}")


def test_it_opens_with_what_the_model_does_most_and_sorts_by_it() -> None:
    app = run(measured)
    assert app.selectbox[0].value == "antidiagonal"  # this model reverses
    held_out = [number(row[2]) for row in table(app, "heads-measured")[1:] if row[2] != "—"]
    assert held_out == sorted(held_out, reverse=True)
    assert app.latex
    app = run(measured, measure="entropy", numbers="held")
    column = [number(row[1]) for row in table(app, "heads-measured")[1:]]
    assert column == sorted(column, reverse=True)
    assert len(table(app, "heads-measured")[0]) == len(MEASURES)  # with heads, without punctuation: digits have none


def test_the_strongest_sentences_are_links_into_the_app() -> None:
    app = run(measured, measure="antidiagonal", of="cross.2.3", layer="9")
    html = next(body for body in htmls(app) if 'data-testid="strongest"' in body)
    catalogue = read_catalogue(model_folder("reverse"))
    assert catalogue is not None
    examples = catalogue.strongest[vt.HeadRef("cross", 1, 2)]["antidiagonal"]
    links = [parse_qs(unescape(link)) for link in re.findall(r'href="\?([^"]*)"', html)]
    assert [link["source"] for link in links] == [[example.source] for example in examples]
    place = {"model": ["reverse"], "module": ["cross"], "layer": ["2"], "head": ["3"], "measure": ["antidiagonal"]}
    assert all(place.items() <= link.items() for link in links)


def test_a_knock_out_compares_outputs_and_every_token() -> None:
    heads = [vt.HeadRef("cross", 1, head) for head in range(4)]
    app = run(knocked_out, off=",".join(map(HEAD.write, heads)))
    translator = vt.load("reverse", "cpu")
    before = translator.trace(SOURCE)
    change = vt.AblateHeads(heads)
    after = translator.trace(SOURCE, translator.decode(before), interventions=[change])
    rows = table(app, "knock-out-output")[1:]
    *_, last = translator.greedy_search(SOURCE, interventions=[change])
    assert rows[0][1] == translator.decode(before)
    assert rows[1][1].startswith(translator.target_tokenizer.decode(last.best.ids))
    assert rows[1][1] != rows[0][1]
    *tokens, total = table(app, "knock-out-tokens")[1:]
    falls = before.token_log_probs - after.token_log_probs
    assert [number(row[3]) for row in tokens] == pytest.approx(falls, abs=1e-4)
    assert number(total[3]) == pytest.approx(float(falls.sum()), abs=1e-4)
    assert f"log p falls by {falls.sum():.3f}, and the model writes «{rows[1][1]}»" in reads(app)


def toggled(app: AppTest, *heads: vt.HeadRef) -> AppTest:
    """What the browser does when a person has clicked until just these heads are out."""
    request, _content = received(app.get("bidi_component")[0].proto.bytes)
    everyone = all_heads(vt.load("reverse", "cpu").model.config)
    off = sorted(everyone.index(head) for head in heads)
    app.session_state[GRID] = {"view": {"off": off, "revision": request["revision"]}}
    return app.run()


def test_heads_are_switched_by_a_click_and_all_on_again() -> None:
    app = run(clicked)
    assert "No head is knocked out." in reads(app)
    before = app.get("bidi_component")[0].proto.bytes
    toggled(app, vt.HeadRef("cross", 1, 0), vt.HeadRef("cross", 1, 2))
    assert app.query_params["off"] == "cross.2.1,cross.2.3"
    assert "without cross 2.1, cross 2.3" in " ".join(htmls(app))
    assert app.get("bidi_component")[0].proto.bytes == before  # the grid stays where it is
    toggled(app, vt.HeadRef("cross", 1, 2))
    assert app.query_params["off"] == "cross.2.3"
    toggled(app)
    assert "off" not in app.query_params
    assert "No head is knocked out." in reads(app)


def test_the_presets_take_out_the_head_that_aligns_best_and_the_others_of_its_layer() -> None:
    app = run(knocked_out, model="zh-en", source="你好,世界!")
    for n, off in (
        (1, "cross.2.1"),
        (2, "cross.2.2,cross.2.3,cross.2.4"),
        (3, "cross.2.1,cross.2.2,cross.2.3,cross.2.4"),
    ):
        app.button[n].click().run()
        assert app.query_params["off"] == off
    app.button[2].click().run()
    assert "and the model writes «Hello, the world!»" in reads(app)
    app.button[1].click().run()
    assert reads(app).startswith("Without cross 2.1, log p falls by 0.048, and the model writes the same")
    app.button[0].click().run()
    assert "off" not in app.query_params


@pytest.mark.parametrize("off", ["cross.9.9", "<b>", "cross.1", ",,,", "cross.-1.0"])
def test_a_wrong_set_of_heads_is_none(off: str) -> None:
    assert "No head is knocked out." in reads(run(knocked_out, off=off))


@pytest.mark.parametrize("off", [[99], [-1], ["<b>"], "1"])
def test_what_no_grid_can_send_takes_no_head_out(off: Any) -> None:
    app = run(clicked)
    request, _content = received(app.get("bidi_component")[0].proto.bytes)
    app.session_state[GRID] = {"view": {"off": off, "revision": request["revision"]}}
    app.run()
    assert not app.exception
    assert "No head is knocked out." in reads(app)


def test_the_grid_that_is_sent_is_what_is_lost_without_each_head() -> None:
    app = run(knocked_out)
    translator = vt.load("reverse", "cpu")
    changes = dict(impact_of_heads(translator.model, translator.trace(SOURCE)))
    config = translator.model.config
    expected = [-changes[head].sum() for head in all_heads(config)]
    _request, grid = received(app.get("bidi_component")[0].proto.bytes)
    (tokens,) = matrices_in(app.get("bidi_component")[1].proto.bytes)
    np.testing.assert_allclose(grid["falls"].ravel(), expected, atol=1e-5)
    labels = [label for row in grid["rows"] for label in row["heads"]]
    assert labels == [head_label(head) for head in all_heads(config)]
    np.testing.assert_allclose(tokens, -np.stack(list(changes.values())), atol=1e-5)
    most = labels[int(np.argmax(expected))]
    assert f"depends most on {most}: without this head alone, log p falls by {max(expected):.3f}" in reads(app)


def test_the_grid_and_the_table_say_the_same_fall() -> None:
    head = vt.HeadRef("cross", 1, 2)
    app = run(knocked_out, off=HEAD.write(head))
    _request, grid = received(app.get("bidi_component")[0].proto.bytes)
    (tokens,) = matrices_in(app.get("bidi_component")[1].proto.bytes)
    place = all_heads(vt.load("reverse", "cpu").model.config).index(head)
    *rows, total = table(app, "knock-out-tokens")[1:]
    assert [number(row[3]) for row in rows] == pytest.approx(tokens[place], abs=1e-4)
    assert number(total[3]) == pytest.approx(grid["falls"].ravel()[place], abs=1e-4)


def test_importance_shows_weight_contribution_and_effect_and_their_ranks() -> None:
    app = run(importance, effect_of="cross.2.2", row="3")
    translator = vt.load("reverse", "cpu")
    trace = translator.trace(SOURCE)
    record = trace.attention("cross", 1)
    rows = table(app, "importance")[1:]
    weights, lengths, effects = (np.array([number(row[n]) for row in rows]) for n in (1, 2, 3))
    np.testing.assert_allclose(weights, record.weights[1, 2], atol=1e-6)
    np.testing.assert_allclose(lengths, contributions(translator.model, record)[1, 2], atol=1e-6)
    ranks = dict(table(app, "rank-correlation")[1:])
    assert number(ranks["weight α · effect"]) == pytest.approx(rank_correlation(weights, effects), abs=2e-3)
    assert len(ranks) == 5


def test_all_rows_and_wrong_rows() -> None:
    app = run(importance, row="all")
    assert "over 81 cells" in " ".join(htmls(app))
    assert len(table(run(importance, row="999"), "importance")) == 10
    assert len(table(run(importance, effect_of="decoder_self.1.1", row="1"), "importance")) == 2  # <s> sees only itself


def test_aggregates_are_off_until_asked_for_and_labelled() -> None:
    assert not run(importance).get("bidi_component")
    for aggregate in ("mean", "rollout"):
        (sent,) = run(importance, aggregate=aggregate).get("bidi_component")
        assert b"(an aggregate)" in sent.proto.bytes


def test_two_heads_and_their_difference() -> None:
    app = run(compared, head_a="cross.2.1", head_b="cross.2.4")
    record = vt.load("reverse", "cpu").trace(SOURCE).attention("cross", 1)
    maps, difference = (component.proto.bytes for component in app.get("bidi_component"))
    values = [*matrices_in(maps), *matrices_in(difference)]
    assert len(values) == 3
    np.testing.assert_allclose(values[0], record.weights[0], atol=1e-7)
    np.testing.assert_allclose(values[1], record.weights[3], atol=1e-7)
    np.testing.assert_allclose(values[2], record.weights[3] - record.weights[0], atol=1e-7)
    extents = [matrix["extent"] for matrix in received(maps)[1]["sheets"][0]["matrices"]]
    assert extents == [1, 1]  # one scale
    i, j = np.unravel_index(np.abs(values[2]).argmax(), values[2].shape)
    assert f"«{record.key_tokens[j]}» {abs(values[2][i, j]):.3f}" in reads(app)
    gap = number(table(app, "compare-facts")[-1][2])
    assert gap == pytest.approx(np.abs(record.weights[3] - record.weights[0]).max(), abs=1e-4)


def test_where_tokens_differ_a_sentence_stands_for_the_difference() -> None:
    app = run(compared, head_a="cross.2.1", head_b="encoder_self.1.1")
    assert "their queries differ, first at position 1" in notes(app)
    app = run(compared, compare="sentence", **{"with": "1 2"})
    assert "A has 9 queries and B has 3" in notes(app)
    app = run(compared, compare="model", with_model="copy")
    assert "position 2" in notes(app)  # <s> is the same, what follows is reversed
    assert table(app, "compare-facts")[1][1:] == ["reverse", "copy"]
    app = run(compared, compare="model", with_model="copy", head_a="encoder_self.1.1")
    assert not notes(app)  # both read the same digits


def test_a_second_model_reads_what_it_can_read() -> None:
    app = run(compared, compare="model")
    assert app.selectbox(key="choice of with_model").value in ("copy", "sort")  # which read digits, too
    assert "does not read this language" not in notes(app)
    app = run(compared, model="zh-en", source="你好,世界!", compare="model", with_model="copy")
    assert "copy does not read this language" in notes(app)
    assert table(app, "compare-facts")[2][2] == SOURCE  # an example of its own, copied


@pytest.mark.parametrize("text", ["", "   ", "1 " * 40])
def test_a_second_sentence_that_cannot_be_read_gets_a_sentence(text: str) -> None:
    app = run(compared, compare="sentence")
    app.text_input(key="with").set_value(text).run()
    assert not app.exception
    assert "B cannot be read" in notes(app)


@pytest.mark.parametrize("change", ["no_scale", "d_model", "sharp", "flat", "no_mask", "bag_source", "shift", "off"])
def test_two_changes_are_two_recorded_passes(change: str) -> None:
    app = run(compared, compare="change", change_b=change, off="encoder_self.1.1")
    facts = table(app, "compare-facts")
    assert facts[2][1] == facts[2][2]  # the decoder read the same target
    assert facts[3][1] != facts[3][2]  # and found it more or less likely
    assert len(facts) == 6


@pytest.mark.parametrize("section", [measured, knocked_out, importance, compared])
@pytest.mark.parametrize("source", ["5", "3 <b> $x$ 👋 </s>", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6"])
def test_whatever_can_be_read_can_be_shown(section: Callable[[], None], source: str) -> None:
    app = run(section, source=source, off="cross.1.1", row="all", aggregate="rollout")
    assert not any("<b>" in body.replace("<b><bdi>", "") for body in htmls(app))
