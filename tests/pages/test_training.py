"""The logic of the page Training, without a browser."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import received, unpacked
from tests.pages.helpers import html_of, markdown_of, opened, unmarked
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.training.queue import MAX_SECONDS
from viz_transformer.training.run import Run
from viz_transformer.training.snapshots import Film, from_codes, read_film
from viz_transformer.training.toy_runs import PRESETS, Example, RunSettings
from viz_transformer.translator import model_folder
from viz_transformer.ui.shared import training_session
from viz_transformer.ui.shared.browser import COOKIE
from viz_transformer.ui.shared.training_session import training_runs
from viz_transformer.ui.training.film_view import film_content
from viz_transformer.ui.training.settings import name_of, preset_lessons
from viz_transformer.views.codec import pack

APP = str(Path(__file__).resolve().parents[2] / "app.py")
NUMBERS = {"valid_loss": 0.0123, "token_accuracy": 0.998, "exact_match": 0.004}


def open_page(session: dict[str, object] | None = None, **query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page("pages/training.py")
    for name, value in (session or {}).items():
        app.session_state[name] = value
    return opened(app, **query)


def film_of(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """The request and the film that the component got."""
    sent = [received(component.proto.bytes) for component in app.get("bidi_component")]
    (film,) = [(request, content) for request, content in sent if "snapshots" in content]
    return film


def is_film_of(film: dict[str, Any], name: str) -> bool:
    """Whether every number of a film is that of a shipped run."""
    shipped = read_film(model_folder(name))
    steps = [one.step for one in shipped.snapshots]
    numbers = {key: [one.numbers[key] for one in shipped.snapshots] for key in shipped.snapshots[0].numbers}
    return (
        film["snapshots"]["steps"].tolist() == steps
        and {key: values.tolist() for key, values in film["snapshots"]["numbers"].items()} == numbers
        and film["curve"]["steps"].tolist() == [point["step"] for point in shipped.curve]
        and film["curve"]["losses"].tolist() == [point["loss"] for point in shipped.curve]
    )


def labelled(elements: Any, label: str) -> Any:
    return next(element for element in elements if element.label == label)


# --- the films -------------------------------------------------------------------------------------------------


def test_the_page_opens_with_the_film_of_a_shipped_run() -> None:
    request, film = film_of(open_page())
    assert film["steps"] == vt.load("copy", "cpu").card["training"]["steps"]
    steps = film["snapshots"]["steps"]
    assert (steps[0], steps[-1]) == (0, film["steps"])
    assert request["view"]["at"] is None  # the last one
    assert film["sentences"][0]["source"] == "3 1 4 1 5 9 2 6"
    assert is_film_of(film, "copy")


def test_run_and_snapshot_are_in_the_link() -> None:
    request, film = film_of(open_page(run="reverse", snapshot="3"))
    assert request["view"]["at"] == 2
    assert is_film_of(film, "reverse") and not is_film_of(film, "copy")
    for wrong in ("0", "-1", "x", "999", str(len(film["snapshots"]["steps"]))):
        request, film = film_of(open_page(run="nonsense", snapshot=wrong))
        assert request["view"]["at"] is None
        assert is_film_of(film, "copy")


def test_the_open_head_of_a_film_is_in_the_link() -> None:
    link = {"sentence": "2", "only": "cross", "module": "cross", "layer": "1", "head": "2", "open": "1", "cell": "3-2"}
    request, _film = film_of(open_page(**link))
    expected = {"sentence": 1, "only": "cross", "module": "cross", "layer": 0, "head": 1, "is_open": True}
    assert request["view"] == {"at": None, **expected, "pinned": [2, 1]}
    names = {parameter["name"] for parameter in request["link"]}
    assert names == {"snapshot", *link}
    view = film_of(open_page(sentence="9", layer="9", head="9", cell="99-99", module="?"))[0]["view"]
    assert (view["sentence"], view["layer"], view["head"], view["module"]) == (1, 1, 3, "cross")


def test_every_frame_holds_the_weights_of_its_snapshot() -> None:
    film = read_film(model_folder("copy"))
    packed = pack(film_content(film, 1500))
    sent = unpacked(packed)
    for n, (sentence, of_sentence) in enumerate(zip(film.sentences, sent["sentences"], strict=True)):
        assert [one["name"] for one in of_sentence["modules"]] == list(ATTENTION_MODULES)
        for one in of_sentence["modules"]:
            mask = sentence.masks[one["name"]]
            layers, heads = one["layers"], one["heads"]
            assert one["allowed"] == [mask.sum()] * layers
            assert (tuple(one["queries"]), tuple(one["keys"])) == sentence.axes(one["name"])
            codes = one["codes"].reshape(len(film.snapshots), layers, heads, -1)
            for snapshot, own in zip(film.snapshots, codes, strict=True):
                recorded = snapshot.maps[n][one["name"]]  # (layers, H, T, S)
                assert (recorded[:, :, ~mask] == 0).all()  # no weight where the mask forbids it
                np.testing.assert_array_equal(own, recorded[:, :, mask])
                np.testing.assert_allclose(from_codes(recorded).sum(-1), 1, atol=1e-3)
    assert 40_000 < len(packed) < 400_000


def test_of_a_number_that_was_not_measured_there_is_none() -> None:
    film = read_film(model_folder("copy"))
    del film.snapshots[1].numbers["exact_match"]
    film.snapshots[2].numbers["valid_loss"] = float("inf")
    numbers = unpacked(pack(film_content(film, 1500)))["snapshots"]["numbers"]
    assert np.isnan(numbers["exact_match"]).tolist() == [n == 1 for n in range(len(film.snapshots))]
    assert numbers["valid_loss"][2] == np.inf
    with pytest.raises(ValueError, match="at least one snapshot"):
        film_content(Film(film.sentences), 10)


# --- settings --------------------------------------------------------------------------------------------------


def settings_shown(app: AppTest) -> dict[str, Any]:
    command = next(block.value for block in app.code if "viz_transformer train" in block.value)
    words = command.split()
    return dict(zip(words[4::2], words[5::2], strict=False)) | {word: "" for word in words if word.startswith("--no-")}


def test_the_settings_are_ready_and_something_true_is_there_before_any_run() -> None:
    app = open_page(view="train")
    assert settings_shown(app)["--steps"] == str(RunSettings().steps)
    assert not labelled(app.button, "Train").disabled
    assert is_film_of(film_of(app)[1], "copy")
    for task in ("reverse", "sort"):
        assert is_film_of(film_of(open_page(view="train", task=task))[1], task)


def test_a_link_brings_the_settings_of_a_run() -> None:
    query = {
        "task": "sort", "layers": "2", "nheads": "8", "width": "96", "steps": "600", "batch": "32", "rate": "0.002",
        "warmup": "77", "smoothing": "0.2", "dropout": "0.15", "trainseed": "9", "scaling": "false",
        "causal": "false", "positions": "none", "sublayers": "attention",
    }  # fmt: skip
    shown = settings_shown(open_page(view="train", **query))
    expected = {
        "--task": "sort", "--encoder-layers": "2", "--heads": "8", "--d-model": "96", "--steps": "600",
        "--batch": "32", "--learning-rate": "0.002", "--warmup": "77", "--label-smoothing": "0.2",
        "--dropout": "0.15", "--seed": "9", "--positions": "none", "--sublayers": "attention",
        "--no-scaling": "", "--no-causal-mask": "",
    }  # fmt: skip
    assert expected.items() <= shown.items()


def test_wrong_settings_in_a_link_are_replaced() -> None:
    query = {
        "task": "chess", "layers": "99", "nheads": "3", "width": "1e9", "steps": "-1", "rate": "nan",
        "positions": "?", "sublayers": "", "scaling": "perhaps", "lesson_of_run": "none", "trainseed": "1.5",
    }  # fmt: skip
    shown = settings_shown(open_page(view="train", **query))
    assert (shown["--task"], shown["--heads"], shown["--positions"]) == ("copy", "4", "sinusoidal")
    assert (shown["--learning-rate"], shown["--seed"]) == ("0.007", "1")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_lesson_in_the_link_sets_every_control_and_says_what_to_look_for(preset: str) -> None:
    app = open_page(view="train", lesson_of_run=preset)
    command = next(block.value for block in app.code if "viz_transformer train" in block.value)
    assert command == RunSettings(**PRESETS[preset]).command("my-copy")
    assert preset_lessons()[preset] in [unmarked(box.value) for box in app.info]


def test_choosing_a_lesson_keeps_the_task_and_leaves_the_lesson_before() -> None:
    app = open_page(view="train", task="reverse", lesson_of_run="no-mask")
    assert "--no-causal-mask" in settings_shown(app)
    labelled(app.selectbox, "Lesson").select("no-positions").run()
    assert not app.exception
    shown = settings_shown(app)
    assert (shown["--task"], shown["--positions"], shown["--label-smoothing"]) == ("reverse", "none", "0.1")
    assert "--no-causal-mask" not in shown


# --- runs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def visitor() -> Iterator[str]:
    """A name that no other test has; its runs are forgotten afterwards."""
    name = secrets.token_hex(16)
    yield name
    training_runs()._runs.pop(name, None)


def add_run(visitor: str, status: str, **changes: Any) -> Run:
    """A run as the queue would have it, without a process."""
    settings = RunSettings(**changes.pop("settings", {}))
    runs = training_runs()._runs.setdefault(visitor, [])
    run = Run(visitor, len(runs) + 1, settings, status, **changes)  # type: ignore[arg-type]
    run.folder.cleanup()
    runs.append(run)
    return run


def done(visitor: str, **changes: Any) -> Run:
    film = read_film(model_folder("copy"))
    example = Example("3 1 4", "3 1 4", "3 1 4 </s>", "1 1 <b>")
    values = {"film": film, "step": 400, "numbers": NUMBERS, "count": 500, "examples": [example]}
    return add_run(visitor, "done", progress={"seconds": 12.3}, **values | changes)


def test_a_finished_run_shows_the_gap_and_the_table(visitor: str) -> None:
    translator = vt.load("copy", "cpu")
    done(visitor, translator=translator)
    done(visitor, settings=PRESETS["no-mask"], translator=translator)
    app = open_page({"visitor": visitor}, view="train")
    text = " ".join(markdown_of(app))
    assert (
        "**99.8%** of the tokens (loss 0.012 nats, both on 100 held-out sequences)" in text
        and "**0.4%** of 500" in text
    )
    assert any("there is no next token to read" in box.value for box in app.info)
    tables = html_of(app)
    assert "1 1 &lt;b&gt;" in tables and 'class="text strong"><bdi>1 1 ' in tables
    assert tables.count("without the causal mask") == 1 and tables.count("0.4%") == 2
    names = list(app.session_state["own models"])
    assert len(names) == 2 and names[1] in app.success[0].value
    request, film = film_of(app)
    assert (request["key"], film["steps"]) == ("film of run 2", 400)
    labelled(app.button, "Clear the table").click().run()
    assert not app.exception
    assert list(app.session_state["own models"]) == names  # the models stay
    assert is_film_of(film_of(app)[1], "copy")


def test_another_visitor_sees_nothing_of_it(visitor: str) -> None:
    done(visitor, translator=vt.load("copy", "cpu"))
    app = open_page(view="train")
    assert is_film_of(film_of(app)[1], "copy")
    assert "own models" not in app.session_state


def test_a_running_run_shows_its_progress_and_what_can_be_done(visitor: str) -> None:
    film = read_film(model_folder("copy"))
    progress = {"seconds": 5.0, "tokens_per_second": 1234.0, "loss": 1.0, "learning_rate": 0.1}
    add_run(visitor, "running", film=film, step=100, progress=progress, started=monotonic())
    app = open_page({"visitor": visitor}, view="train")
    assert labelled(app.button, "Train").disabled
    assert not labelled(app.button, "Pause").disabled and not labelled(app.button, "Stop").disabled
    assert "Step 100 of 400, about 15 seconds left" in str(app.get("progress")[0].proto)
    assert {metric.label: metric.value for metric in app.metric}["Tokens per second"] == "1,234"
    assert film_of(app)[0]["key"] == "film of run 1"


def test_a_run_that_its_limit_will_stop_says_when(visitor: str) -> None:
    started = monotonic() - MAX_SECONDS + 20
    progress = {"seconds": 280.0, "tokens_per_second": 1234.0, "loss": 1.0, "learning_rate": 0.1}
    add_run(visitor, "running", step=100, progress=progress, started=started)
    app = open_page({"visitor": visitor}, view="train")
    (said,) = re.findall(r"before it is done, in (\d+) seconds", str(app.get("progress")[0].proto))
    assert int(said) <= 20


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "the whole Transformer"),
        ({"n_heads": 1}, "one head"),
        ({"causal": False, "n_heads": 1}, "without the causal mask"),
        ({"scale_scores": False, "positions": "none"}, "without scaling, positions"),
        ({"warmup": 1}, "without warm-up"),
        ({"sublayers": "attention"}, "without feed-forward layers"),
        ({"sublayers": "feed_forward"}, "without attention"),
    ],
    ids=str,
)
def test_a_run_is_named_after_its_settings(settings: dict[str, Any], name: str) -> None:
    assert name_of(RunSettings(**settings)) == name
    assert name_of(RunSettings(**PRESETS["no-scaling"] | {"scale_scores": True})) == "one head"


def test_a_run_stays_on_its_page_when_the_caches_are_emptied(visitor: str) -> None:
    run = add_run(visitor, "paused", step=100)
    queue = training_runs()
    app = open_page({"visitor": visitor}, view="train")
    st.cache_resource.clear()
    assert training_runs() is queue
    app.run()
    assert not app.exception
    assert "Paused after step 100 of 400" in str(app.get("progress")[0].proto)
    assert queue.runs_of(visitor) == [run]


def test_a_paused_run_can_go_on(visitor: str) -> None:
    add_run(visitor, "paused", step=100)
    app = open_page({"visitor": visitor}, view="train")
    assert "Paused after step 100 of 400" in str(app.get("progress")[0].proto)
    assert [button.label for button in app.button if button.label in ("Pause", "Resume")] == ["Resume"]


def test_a_waiting_run_says_its_place_and_how_long_at_most(visitor: str) -> None:
    run = add_run(visitor, "waiting")
    queue = training_runs()
    queue._waiting.append(run)
    try:
        app = open_page({"visitor": visitor}, view="train")
        assert "Place 1 in the queue. It starts within 0 seconds." in str(app.get("progress")[0].proto)
        labelled(app.button, "Stop").click().run()
        assert not app.exception
        assert run not in queue._waiting and queue.runs_of(visitor) == []
    finally:
        if run in queue._waiting:
            queue._waiting.remove(run)


@pytest.mark.parametrize(
    ("status", "changes", "words"),
    [
        ("failed", {}, "ended with an error"),
        ("done", {"numbers": NUMBERS | {"valid_loss": float("nan")}}, "no longer a finite number"),
    ],
)
def test_a_run_that_went_wrong_says_so(visitor: str, status: str, changes: dict[str, Any], words: str) -> None:
    (done if status == "done" else add_run)(visitor, **({} if status == "done" else {"status": status}), **changes)
    app = open_page({"visitor": visitor}, view="train")
    assert words in " ".join(box.value for box in (*app.error, *app.warning))


def test_a_run_at_its_limit_says_so(visitor: str) -> None:
    done(visitor, reached_limit=True, translator=vt.load("copy", "cpu"))
    app = open_page({"visitor": visitor}, view="train")
    assert f"Stopped after {MAX_SECONDS} seconds" in app.warning[0].value


def test_a_run_says_of_how_many_sequences_its_shares_are(visitor: str) -> None:
    done(visitor, translator=vt.load("copy", "cpu"))
    app = open_page({"visitor": visitor}, view="train")
    assert film_of(app)[1]["count"] == 100  # at a snapshot
    assert "<bdi>token accuracy on 100</bdi>" in html_of(app) and "<bdi>exact match on 500</bdi>" in html_of(app)
    assert film_of(open_page())[1]["count"] == 200  # of a shipped run


def conclusion(app: AppTest) -> str:
    """The sentence that reads the last run's numbers."""
    return next(text for text in markdown_of(app) if "token accuracy" in text)


BROKEN = {"valid_loss": 0.001, "token_accuracy": 0.999, "exact_match": 0.01}
LEARNED = {"valid_loss": 0.01, "token_accuracy": 0.999, "exact_match": 0.98}
NOTHING = {"valid_loss": 2.3, "token_accuracy": 0.2, "exact_match": 0.0}


@pytest.mark.parametrize(
    ("preset", "numbers", "said"),
    [
        ("no-mask", BROKEN, "it cannot write by itself"),
        ("no-positions", LEARNED, "this task can be learned without positions"),
        ("one-head", LEARNED, "this task can be learned without several heads"),
        ("feed-forward-only", NOTHING, "without attention it has not learned the task"),
        ("attention-only", LEARNED | {"exact_match": 0.6}, "few sequences are right from start to end"),
        ("whole", LEARNED, "it has learned the task"),
        ("whole", NOTHING, "it has not learned the task yet"),
    ],
)
def test_each_lesson_ends_by_comparing_its_numbers_with_the_whole_models(
    visitor: str, preset: str, numbers: dict[str, float], said: str
) -> None:
    done(visitor, settings=PRESETS[preset], numbers=numbers)
    ended = conclusion(open_page({"visitor": visitor}, view="train"))
    assert ended.startswith(f"**{name_of(RunSettings(**PRESETS[preset])).capitalize()[:3]}")
    assert f"token accuracy {numbers['token_accuracy']:.1%}, exact match {numbers['exact_match']:.1%} on 500" in ended
    assert said in ended
    shot = min(read_film(model_folder("copy")).snapshots, key=lambda one: abs(one.step - 400))
    own = f"step {shot.step}: {shot.numbers['token_accuracy']:.1%} and {shot.numbers['exact_match']:.1%}"
    assert f"the shipped whole model at {own}" in ended


def test_a_run_of_ones_own_is_compared_with_before_the_shipped_one(visitor: str) -> None:
    done(visitor, numbers=LEARNED | {"exact_match": 0.3})
    done(visitor, settings=PRESETS["no-mask"], numbers=BROKEN)
    ended = conclusion(open_page({"visitor": visitor}, view="train"))
    assert "the whole model of your run 1: 99.9% and 30.0%" in ended
    assert "too early to compare" in ended  # the whole one has not learned it either


def test_a_loss_that_is_no_number_concludes_nothing(visitor: str) -> None:
    done(visitor, numbers=NUMBERS | {"valid_loss": float("nan")})
    app = open_page({"visitor": visitor}, view="train")
    assert not any("shipped whole model" in text for text in markdown_of(app))


def test_what_has_nothing_to_act_on_is_disabled_with_the_reason() -> None:
    app = open_page(view="train", lesson_of_run="feed-forward-only")
    acting = [labelled(app.toggle, "Scores ÷ √dₖ"), labelled(app.toggle, "Causal mask")]
    assert all(one.disabled for one in [*acting, labelled(app.select_slider, "Heads")])
    assert any("have nothing to act on" in one.value for one in app.caption)
    app = open_page(view="train")
    assert not labelled(app.toggle, "Causal mask").disabled and not labelled(app.select_slider, "Heads").disabled
    assert not any("have nothing to act on" in one.value for one in app.caption)


def test_the_two_losses_are_told_apart_by_the_smoothing_of_the_run() -> None:
    for smoothing in (0.1, 0.4):
        said = [one.value for one in open_page(view="train", smoothing=str(smoothing)).caption]
        target = np.full(14, smoothing / 14) + np.eye(14)[0] * (1 - smoothing)
        least = -(target * np.log(target)).sum()
        assert any(f"a training loss of {least:.2f} is already perfect" in one for one in said)
    assert not any("is already perfect" in one.value for one in open_page(view="train", smoothing="0").caption)


def test_the_film_ends_with_the_steps_at_which_half_was_right() -> None:
    for run in ("copy", "sort"):
        film = read_film(model_folder(run))
        steps = [
            next(one.step for one in film.snapshots if one.numbers[name] > 0.5)
            for name in ("token_accuracy", "exact_match")
        ]
        said = " ".join(markdown_of(open_page(run=run)))
        assert f"from step {steps[0]} on, half of the sequences only from step {steps[1]}" in said


def of_browser() -> None:
    """A page that asks who its visitor is."""
    from viz_transformer.ui.shared.own_models import own_models
    from viz_transformer.ui.shared.training_session import visitor

    visitor()
    own_models()


def opened_with(monkeypatch: pytest.MonkeyPatch, cookies: dict[str, str]) -> AppTest:
    monkeypatch.setattr(type(st.context), "cookies", cookies)
    app = AppTest.from_function(of_browser, default_timeout=60).run()
    assert not app.exception
    return app


def test_the_same_browser_comes_back_to_runs_and_models(visitor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = done(visitor, translator=vt.load("copy", "cpu"))
    first = open_page({"visitor": visitor}, view="models")
    assert run.model_name in first.session_state["own models"]
    again = opened_with(monkeypatch, {COOKIE: visitor})
    assert again.session_state["visitor"] == visitor
    assert list(again.session_state["own models"]) == [run.model_name]


@pytest.mark.parametrize("cookies", [{}, {COOKIE: ""}, {COOKIE: "nobody"}, {COOKIE: "../" * 20}])
def test_who_brings_no_secret_is_somebody_new(cookies: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (opened_with(monkeypatch, cookies).session_state["visitor"] for _ in range(2))
    assert one != other
    assert {one, other}.isdisjoint({"", *cookies.values()})


def test_runs_end_with_the_last_session_of_their_visitor(visitor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[str] = []
    monkeypatch.setattr(training_runs(), "leave", lambda name, _stop_after, _forget_after: left.append(name))
    training_session._presence.__wrapped__(visitor)
    training_session._presence.__wrapped__(visitor)  # a reload, before the first session has left
    training_session._leave(visitor)
    assert left == []
    training_session._leave(visitor)
    assert left == [visitor]


# --- pictures --------------------------------------------------------------------------------------------------


def test_the_pictures_say_their_numbers() -> None:
    app = open_page(view="pictures", noam_width="256", noam_warmup="1000", epsilon="0.2")
    captions = " ".join(caption.value for caption in app.caption)
    assert f"{256**-0.5 * 1000**-0.5:.3e}, at step 1000" in captions
    assert f"{0.8 + 0.2 / 14:.4f}" in captions and f"{0.2 / 14:.4f}" in captions
    app = open_page(view="pictures", epsilon="9", noam_warmup="-4")
    assert f"{0.9 + 0.1 / 14:.4f}" in " ".join(caption.value for caption in app.caption)


# --- slips -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"slip": "polarity"}, "with masks the wrong way round"),
        ({"slip": "cos-cos", "causal": False}, "without the causal mask, with cosines in place of sines"),
        ({"slip": "sqrt-d-model", "scale_scores": False}, "with scores ÷ √d_model"),
        ({"residuals": False}, "without residual connections"),
        ({"slip": "cos-cos", "positions": "none"}, "without positions"),  # there are no sines to replace
        ({"slip": "polarity", "sublayers": "feed_forward"}, "without attention"),
    ],
)
def test_a_run_is_called_by_its_slip(settings: dict[str, Any], name: str) -> None:
    assert name_of(RunSettings(**settings)) == name


def test_slip_and_residuals_are_settings_of_the_link() -> None:
    app = open_page(view="train", slip="encoder-mask", residuals="false")
    assert labelled(app.selectbox, "Slip, made in every pass").value == "encoder-mask"
    assert "--no-residuals" in settings_shown(app)
    captions = [one.value for one in app.caption]
    assert any("The command line has no option for slips" in one for one in captions)
    assert any("without residual connections, with no mask on the source's padding" in one for one in captions)
    assert labelled(open_page(view="train", slip="query").selectbox, "Slip, made in every pass").value == "none"
    app = open_page(view="train", slip="cos-cos", positions="none")
    assert any("nothing to act on" in one.value for one in app.caption)


def test_a_link_from_another_page_sets_its_slip_though_the_page_was_open_before() -> None:
    app = open_page(view="train")
    assert labelled(app.selectbox, "Slip, made in every pass").value == "none"
    app.query_params["lesson_of_run"] = "loss"
    app.query_params.pop("slip", None)
    app.run()
    assert labelled(app.selectbox, "Slip, made in every pass").value == "loss"


@pytest.mark.parametrize(
    ("preset", "why"),
    [("polarity", "would compute without it"), ("no-residuals", "no residual connections"), ("loss", "")],
)
def test_a_model_that_needs_its_slip_stays_off_the_other_pages_and_says_so(visitor: str, preset: str, why: str) -> None:
    done(visitor, settings=PRESETS[preset], translator=vt.load("copy", "cpu"))
    app = open_page({"visitor": visitor}, view="train")
    said = " ".join(one.value for one in app.caption)
    if why:
        assert why in said and not app.success
        assert not app.session_state["own models"] if "own models" in app.session_state else True
    else:
        assert "can be used only here" not in said and len(app.session_state["own models"]) == 1


@pytest.mark.parametrize(
    ("numbers", "follows"),
    [
        ({"token_accuracy": 0.998, "exact_match": 0.004}, "it cannot write by itself"),
        ({"token_accuracy": 0.99, "exact_match": 0.99}, "numbers that look right do not rule this slip out"),
        ({"token_accuracy": 0.4, "exact_match": 0.0}, "with this slip it has not learned the task"),
    ],
)
def test_a_run_with_a_slip_ends_in_what_it_shows(visitor: str, numbers: dict[str, float], follows: str) -> None:
    done(visitor, settings=PRESETS["sqrt-d-model"], numbers=NUMBERS | numbers)
    said = next(text for text in markdown_of(open_page({"visitor": visitor}, view="train")) if "exact match" in text)
    assert said.startswith("**With scores ÷ √d_model**") and follows in said
