"""The logic of the page Decoding, without a browser."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.helpers import assert_near
from tests.pages.helpers import html_of, opened
from tests.pages.searches import levels_of, next_tokens, sent_by
from viz_transformer.ui.decoding import progress as decoding_progress
from viz_transformer.ui.decoding.hypothesis import what_is_asked
from viz_transformer.ui.decoding.search import run_search
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.views.decoding.tree import Settings
from viz_transformer.views.decoding.view import DecodingView

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def run(**query: str | list[str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page("pages/decoding.py")
    return opened(app, **query)


def open_teacher_forcing(app: AppTest) -> AppTest:
    """With the box below the picture open."""
    app.session_state["teacher forcing"] = True
    app.run()
    assert not app.exception
    return app


def shown_tokens(app: AppTest) -> list[str]:
    return sent_by(app).trace["predicted"]


@pytest.mark.parametrize(
    ("method", "key", "control"),
    [
        ("beam", "what if", "prefix"),
        ("greedy", "what if", "choice of swap"),
        ("beam", "more of beam", "choice of stop"),
        ("sample", "more of sampling", "topk"),
    ],
)
def test_a_box_is_empty_until_it_is_opened_and_opening_it_changes_no_search(
    method: str, key: str, control: str
) -> None:
    app = run(model="sort", source="3 1 2", method=method)
    closed = sent_by(app).search
    assert control not in app.session_state
    app.session_state[key] = True
    app.run()
    assert control in app.session_state
    np.testing.assert_equal(sent_by(app).search, closed)


def test_the_page_opens_with_the_beam_of_the_example() -> None:
    app = run(model="sort")
    translator = vt.load("sort", "cpu")
    (*_, last) = translator.beam_search("3 1 4 1 5 9 2 6")
    assert translator.target_tokenizer.decode(last.best.ids) in html_of(app)
    request, search, node, trace = sent_by(app)
    assert search["method"] == "beam"
    assert len(search["counts"]) == last.index + 1
    assert search["best"] == node == request["view"]["node"]
    assert request["view"]["step"] == node[0]  # where the output ends, not the search
    assert trace["predicted"] == list(translator.target_tokenizer.labels(last.best.ids))
    assert f"stopped after step {last.index + 1}" in html_of(app)


@pytest.mark.parametrize(("swap", "read"), [("1", "A cat sleeps."), ("2", "The A sleeps."), ("4", "The cat sleepsA")])
def test_a_source_token_is_replaced_and_the_space_before_it_stays(swap: str, read: str) -> None:
    app = run(model="en-de", source="The cat sleeps.", swap=swap, by="A")
    translator = vt.load("en-de", "cpu")
    (cross,) = [module for module in sent_by(app).trace["modules"] if module["name"] == "cross"]
    assert cross["keys"] == list(translator.trace(read).source_tokens)
    assert translator.translate(read, beam_size=4) in html_of(app)


def test_the_first_line_says_whose_output_it_shows() -> None:
    app = run(model="zh-en", source="他怎么找到我们的?")  # which greedy and beam search translate differently
    (chip,) = [one.value for one in app.get("html") if "vt-chip" in one.value]
    assert "→ greedy: How did he find out our?" in chip
    assert "How did he find us?" in html_of(app)
    app = run(model="zh-en", source="他怎么找到我们的?", target="Peace.")
    (chip,) = [one.value for one in app.get("html") if "vt-chip" in one.value]
    assert "→ Peace." in chip and "greedy" not in chip


@pytest.mark.parametrize("score", ["gnmt", "power"])
def test_the_n_best_are_ranked_by_every_alpha(score: str) -> None:
    source = "他怎么找到我们的?"
    app = run(model="zh-en", source=source, method="beam", beam="3", alpha="1.0", score=score, stop="certain")
    _request, search, _node, _trace = sent_by(app)
    ranked, nodes = search["rankings"], search["nodes"]
    assert search["normalization"] == score
    starts = np.concatenate([[0], np.cumsum(search["counts"])])
    places = zip(ranked["nodes"], np.repeat(ranked["alphas"], ranked["counts"]), ranked["scores"], strict=True)
    checked = 0
    for (level, rank), alpha, found in places:
        length = level + 1
        divisor = length**alpha if score == "power" else ((5 + length) / 6) ** alpha
        assert_near(found, nodes["sums"][starts[level] + rank] / divisor, 1e-9)
        checked += 1
    assert checked >= 3 * 21


def test_every_setting_is_in_the_link() -> None:
    query = {"method": "beam", "beam": "2", "alpha": "1.5", "stop": "certain", "layer": "2", "head": "3", "step": "4"}
    app = run(
        model="sort", source="3 1 2 0", node="2-3", rerank="0.5", zoom="1", module="decoder_self", cell="3-2", **query
    )
    request, search, node, _trace = sent_by(app)
    assert (search["beam"], search["alpha"]) == (2, 1.5)
    assert node == [1, 2]
    view = request["view"]
    assert (view["layer"], view["head"], view["step"], view["rerank"], view["zoom"]) == (1, 2, 3, 0.5, 0)
    assert (view["module"], view["pinned"]) == ("decoder_self", [2, 1])


@pytest.mark.parametrize(
    "query",
    [
        {"beam": "99", "node": "77-1", "step": "0", "layer": "-4", "zoom": "x", "rerank": "nan", "cell": "a-b"},
        {"method": "magic", "alpha": "-3", "score": "?", "stop": "", "swap": "99", "by": "x", "mask": "no"},
        {"method": "sample", "heat": "1000", "topp": "0", "topk": "-1", "seed": "x"},
        {"ablate": "cross-9-9", "shift": "-1", "positions": "shift", "sharpness": "0"},
    ],
)
def test_nonsense_in_the_link_does_no_harm(query: dict[str, str]) -> None:
    app = run(model="copy", source="1 2", **query)
    assert not app.error
    assert len(sent_by(app).search["counts"])


def test_a_forced_prefix_shows_the_output_before_and_after() -> None:
    app = run(model="sort", source="3 1 2", prefix="9 9")
    assert "Before: the model as it is" in html_of(app)
    assert shown_tokens(app)[:2] == ["9", "9"]
    assert levels_of(sent_by(app).search)[0][0]["reason"] == "forced"


def test_a_banned_token_is_never_taken() -> None:
    app = run(model="sort", source="3 1 2", ban="1 </s>")
    search = sent_by(app).search
    assert not {*search["nodes"]["tokens"]} & {"1", "</s>"}
    assert len(search["counts"]) == vt.load("sort", "cpu").model.config.max_len
    assert "has not ended" in html_of(app)


def test_a_replaced_source_token_changes_what_is_read() -> None:
    app = run(model="sort", source="3 1 2", swap="1", by="8")
    assert shown_tokens(app) == ["1", "2", "8", "</s>"]
    assert "1 2 3" in html_of(app)


def first_step(app: AppTest) -> tuple[float, float]:
    """log p of the first token of the output: in the tree, and in the recorded pass."""
    _request, search, _node, trace = sent_by(app)
    top = next_tokens(trace)[0]
    token = top["tokens"][top["taken"]]
    in_tree = next(node["log_prob"] for node in levels_of(search)[0] if node["token"] == token)
    return in_tree, top["log_probs"][top["taken"]]


@pytest.mark.parametrize(
    "query",
    [
        {"divisor": "none"},
        {"sharpness": "3"},
        {"sharpness": "3", "mask": "after_softmax"},
        {"positions": "off", "side": "source"},
        {"positions": "shift", "shift": "3", "side": "source"},
        {"order": "4 3 2 1"},
        {"ablate": "cross-1-1"},
    ],
)
def test_every_intervention_acts_in_the_search_and_in_what_is_recorded(query: dict[str, str]) -> None:
    plain, _recorded = first_step(run(model="sort", source="3 1 2"))
    in_tree, recorded = first_step(run(model="sort", source="3 1 2", **query))
    assert in_tree == pytest.approx(recorded, abs=1e-5)
    assert in_tree != plain


@pytest.mark.parametrize("mode", ["off", "after_softmax"])
def test_generation_needs_no_causal_mask_and_what_is_shown_is_generation(mode: str) -> None:
    plain = sent_by(run(model="sort", source="3 1 2"))
    app = open_teacher_forcing(run(model="sort", source="3 1 2", mask=mode, maskof="decoder_self"))
    sent = sent_by(app)
    assert sent.search["counts"].tolist() == plain.search["counts"].tolist()
    assert sent.search["nodes"]["tokens"] == plain.search["nodes"]["tokens"]
    for shown, expected in zip(next_tokens(sent.trace), next_tokens(plain.trace), strict=True):
        assert shown["log_probs"] == pytest.approx(expected["log_probs"], abs=1e-4)
    assert "causal mask is changed" in app.warning[0].value  # it does change teacher forcing's parallel pass


@pytest.mark.parametrize(
    "ablate",
    ["cross.1.1,decoder_self.2.3", ["cross-1-1", "decoder_self-2-3"], ["decoder_self.2.3", "cross-1-1", "cross-9-9"]],
)
def test_heads_to_ablate_are_read_in_every_spelling_that_links_had(ablate: str | list[str]) -> None:
    app = run(model="sort", source="3 1 2", ablate=ablate)
    chosen = app.multiselect(key="heads to ablate")
    assert chosen.value == ["decoder_self.2.3", "cross.1.1"]
    chosen.set_value(["cross.1.1"]).run()
    assert app.query_params["ablate"] == "cross.1.1"
    app.multiselect(key="heads to ablate").set_value([]).run()
    assert "ablate" not in app.query_params


def test_a_link_without_a_step_opens_where_its_hypothesis_ends() -> None:
    for node, step in (("2-3", 1), ("77-1", None)):
        request, search, _node, _trace = sent_by(run(model="sort", source="3 1 2 0", node=node))
        assert request["view"]["step"] == (search["best"][0] if step is None else step)
        omitted = {one["name"]: one["omit"] for one in request["link"] if "omit" in one}
        assert omitted == {
            "node": search["best"], "rerank": search["alpha"], "module": "cross", "cell": None, "zoom": None,
            "result": None,
        }  # fmt: skip


def test_a_shift_past_the_models_positions_gets_a_sentence() -> None:
    app = run(model="sort", source="3 1 2", positions="shift", shift="16", side="target")
    assert "positions" in app.error[0].value


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"source": ""}, "empty"),
        ({"source": "1 " * 17}, "at most 16"),
        ({"prefix": "1 " * 16}, "forced prefix has 16 tokens"),
        ({"ban": "cat"}, "«cat» is not a single token"),
        ({"ban": "0 1 2 3 4 5 6 7 8 9 </s> <unk>"}, "All tokens are banned"),
        ({"order": "1 1"}, "must name each source token"),
        ({"target": "1 " * 17}, "target"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(query: dict[str, str], sentence: str) -> None:
    app = run(model="copy", **{"source": "1 2 3", **query})
    assert sentence in app.error[0].value


def test_what_cannot_be_read_leaves_the_rest_as_it_is() -> None:
    app = run(model="sort", source="3 1 2", ban="cat 1 dog", order="1 1", prefix="9 " * 16, swap="1", by=" ")
    said = "".join(error.value for error in app.error)
    for sentence in ("«cat» is not", "«dog» is not", "must name each", "forced prefix has 16 tokens"):
        assert sentence in said
    sent = sent_by(app)
    assert "1" not in sent.search["nodes"]["tokens"]
    assert sent.trace["read"][1] != "9"
    assert "Clear prefix and bans" in [button.label for button in app.button]


def test_the_step_shown_is_forced_or_banned_and_not_the_end_of_its_hypothesis() -> None:
    translator = vt.load("sort", "cpu")
    search = run_search(ModelChoice("sort", "cpu"), "3 1 2 0", Settings())
    tokens = [search.levels[level][rank].token for level, rank in search.path(*search.best)]
    assert tokens == ["0", "1", "2", "3", "</s>"]

    def asked(what: str, step: int, node: tuple[int, int] = search.best, banned: str = "") -> dict[str, str]:
        view = DecodingView(0, 0, step, node, 0.6, asked=what)
        return what_is_asked(translator, search, view, banned)

    for step in range(4):
        assert asked("ban", step) == {"ban": tokens[step]}
        assert asked("force", step) == {"prefix": " ".join(tokens[: step + 1])}
    assert asked("ban", 1, banned="7 1 8") == {"ban": "7 1 8"}
    assert asked("ban", 2, banned="7") == {"ban": "7 2"}
    level = 2
    rank = next(r for r, node in enumerate(search.levels[level]) if node.status == "pruned")
    pruned = search.levels[level][rank].token
    for step in (2, 4):  # the hypothesis has ended by then
        assert asked("ban", step, (level, rank)) == {"ban": pruned}


def test_what_would_be_read_as_other_tokens_is_not_forced() -> None:
    translator = vt.load("zh-en", "cpu")
    tokenizer = translator.target_tokenizer
    seen = set()
    for settings in (Settings(), Settings("sample", temperature=3.0, seed=1)):
        search = run_search(ModelChoice("zh-en", "cpu"), "你好,世界!", settings)
        for level, rank in search.path(*search.best):
            ids = tuple(one for one in search.ids(level, rank) if one != 2)
            view = DecodingView(0, 0, level, (level, rank), 0.6, asked="force")
            found = what_is_asked(translator, search, view, "")
            seen.add(bool(found))
            can_be_read = bool(ids) and tokenizer.encode(tokenizer.decode(ids)).ids == ids
            assert found == ({"prefix": tokenizer.decode(ids)} if can_be_read else {})
    assert seen == {True, False}


def test_clearing_the_prefix_leaves_the_box_of_what_ifs_open() -> None:
    app = run(model="sort", source="3 1 2", prefix="9 9")
    assert app.session_state["what if"]
    app.button(key="clear").click().run()
    assert shown_tokens(app) == shown_tokens(run(model="sort", source="3 1 2"))
    assert app.text_input(key="prefix").value == ""
    assert app.session_state["what if"]


def test_the_sentence_reads_what_beam_and_greedy_found() -> None:
    translator = vt.load("zh-en", "cpu")
    text = "他怎么找到我们的?"
    app = run(model="zh-en", source=text)
    *_, beam = translator.beam_search(text)
    *_, greedy = translator.greedy_search(text)
    page = html_of(app)
    for last in (beam, greedy):
        sentence = f"«{translator.target_tokenizer.decode(last.best.ids)}» (log p {last.best.total_log_prob:.2f})"
        assert sentence.replace("-", "−") in page
    ratio = math.exp(beam.best.total_log_prob - greedy.best.total_log_prob)
    assert f"{ratio:.2g} times the probability" in page
    same = html_of(run(model="zh-en", source="你好,世界!"))
    assert "Greedy search and beam 4 agree on «Hello, world!»" in same


def test_greedy_search_says_where_it_was_least_sure() -> None:
    translator = vt.load("zh-en", "cpu")
    *_, last = translator.greedy_search("他怎么找到我们的?")
    log_probs = translator.trace_ids("他怎么找到我们的?", last.best.ids).token_log_probs
    step = int(log_probs.argmin())
    token = translator.target_tokenizer.label(last.best.ids[step])
    page = html_of(run(model="zh-en", source="他怎么找到我们的?", method="greedy"))
    assert f"least sure at step {step + 1}: «{token}» had p = {math.exp(log_probs[step]):.2f}" in page


def test_a_given_target_is_judged_token_by_token() -> None:
    app = run(model="sort", source="3 1 2", target="1 3 2")
    trace = vt.load("sort", "cpu").trace("3 1 2", "1 3 2")
    page = html_of(app)
    assert f"{trace.token_log_probs.sum():.4f}".replace("-", "−") in page
    for rank in trace.token_ranks:
        assert f"<td><bdi>{rank}</bdi></td>" in page
    assert "All at once or one by one" in "".join(header.value for header in app.header)


def test_typed_markup_stays_text() -> None:
    app = run(model="copy", source="1 <b>2", prefix="<i>", ban="<i>")
    assert app.error
    assert "<b>2" not in html_of(app)


def test_the_method_is_chosen_by_hand() -> None:
    app = run(model="sort", source="3 1 2")
    method = app.button_group(key="choice of method")
    method.set_value("greedy").run()
    assert sent_by(app).search["beam"] == 1
    app.button_group(key="choice of method").set_value("sample").run()
    assert sent_by(app).search["method"] == "sample"
    assert app.number_input(key="seed").value == 1


def test_a_slow_search_shows_its_first_level_and_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(decoding_progress, "FIRST_LEVEL_AFTER", 0.0)
    monkeypatch.setattr(decoding_progress, "BAR_AFTER", 0.0)
    monkeypatch.setattr(decoding_progress, "_BEAT", 0.0)
    first_level = decoding_progress._first_level
    monkeypatch.setattr(
        decoding_progress, "_first_level", lambda search: (shown.append(str(len(search.levels))), first_level(search))
    )
    monkeypatch.setattr(
        decoding_progress, "_words", lambda search, max_len: shown.append(f"bar {len(search.levels)}") or "bar"
    )
    started = time.monotonic()
    app = run(model="sort", source="8 6 4 2 0", beam="7")
    assert shown[0] == "1"
    assert shown[1:] == [f"bar {n}" for n in range(1, len(sent_by(app).search["counts"]) + 1)], (
        time.monotonic() - started
    )
    assert "first-level" not in html_of(app)


def test_changing_a_number_of_the_search_keeps_where_the_person_is_in_the_head() -> None:
    app = run(model="sort", source="3 1 2", head="2", layer="2")
    app.slider(key="beam").set_value(2).run()
    view = sent_by(app).request["view"]
    assert (view["layer"], view["head"]) == (1, 1)


def test_every_shipped_model_opens() -> None:
    for name in vt.shipped_models():
        assert len(sent_by(run(model=name)).search["counts"]), name
