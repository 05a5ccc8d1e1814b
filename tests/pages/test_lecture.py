"""The home page with a lecture of one's own: changed, exported, imported."""

from __future__ import annotations

import json
from html import unescape
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from tests.packed import panel_of, received
from tests.pages.helpers import ROOT, opened
from viz_transformer.lecture_links import find, packed
from viz_transformer.lectures import Ask, Lecture, Scene
from viz_transformer.ui.components import shared_payload
from viz_transformer.ui.shared.verbatim import CUT

OWN = Lecture(
    "Mine *and* <b>",
    (
        Scene("One", "masks?lesson=matrices", question="Why?", note="Say nothing."),
        Scene({"en": "Two", "zh": "二"}, "heads"),
        Scene("Three", "scaling"),
    ),
)


def open_lecture(lecture: str, **more: str) -> AppTest:
    return opened(AppTest.from_file(str(ROOT / "pages/lecture.py"), default_timeout=60), lecture=lecture, **more)


def open_editor(app: AppTest) -> AppTest:
    app.session_state["own-box"] = True
    app.run()
    assert not app.exception
    return app


def path_of(app: AppTest) -> dict[str, object]:
    data = [one.proto.bytes for one in app.get("bidi_component") if panel_of(one.proto.bytes) == "path_view"]
    return received(data[0])[1]


def lecture_of(app: AppTest) -> Lecture:
    asked = app.query_params["lecture"]
    return find(asked if isinstance(asked, str) else asked[-1])


def titles(app: AppTest) -> list[object]:
    return [scene.title for scene in lecture_of(app).scenes]


def test_the_path_of_a_lecture_in_a_link() -> None:
    app = open_lecture(packed(OWN))
    sent = path_of(app)
    assert sent["title"] == OWN.title
    assert [scene["title"] for scene in sent["scenes"]] == ["One", "Two", "Three"]  # type: ignore[attr-defined]
    assert sent["packed"] == sent["lecture"] == packed(OWN)
    assert any("Mine" in one.value and "<b>" not in one.value for one in app.markdown)


def test_what_a_lecturer_typed_is_said_as_it_was_typed() -> None:
    typed = Scene("`Q` *and* $K$", "masks", question="`Q` or _K_?\n$x$ <b>", note="> `dim=-1`\n`")
    (said,) = path_of(open_lecture(packed(Lecture("`Mine`", (typed,)))))["scenes"]  # type: ignore[misc]
    assert (said["title"], said["question"]) == (typed.title, typed.question)
    assert "note" not in said  # the lecturer's, in a window of its own


def test_a_shipped_lecture_can_become_ones_own() -> None:
    sent = path_of(open_lecture("attention"))
    assert find(str(sent["packed"])) == find("attention")


@pytest.mark.parametrize("lecture", ["z.", "z.AAAA", "nothing", "z." + "A" * 40_000])
def test_a_damaged_lecture_gets_a_sentence_beside_a_shipped_one(lecture: str) -> None:
    app = open_lecture(lecture)
    assert len(app.error) == 1
    assert path_of(app)["lecture"] == "attention"


def test_scenes_are_moved_changed_and_removed() -> None:
    app = open_editor(open_lecture(packed(OWN)))
    app.button(key="own later").click().run()
    assert titles(app) == [{"en": "Two", "zh": "二"}, "One", "Three"]
    assert app.text_input(key="own title").value == "One"  # the fields go along
    app.text_input(key="own question").set_value("And now?").run()
    assert lecture_of(app).scenes[1].question == "And now?"
    app.selectbox(key="own scene").set_value(2).run()
    assert app.text_input(key="own title").value == "Three"
    app.button(key="own remove").click().run()
    assert titles(app) == [{"en": "Two", "zh": "二"}, "One"]
    assert app.text_input(key="own title").value == "One"
    app.text_input(key="own lecture").set_value("Another").run()
    assert lecture_of(app).title == "Another"
    assert lecture_of(app).scenes[1].note == "Say nothing."
    assert path_of(app)["title"] == "Another"


def test_fields_of_another_lecture_change_nothing() -> None:
    """A link with fewer scenes was opened, and then the browser sent what was typed for the old lecture."""
    app = open_editor(open_lecture(packed(OWN)))
    app.selectbox(key="own scene").set_value(2).run()
    other = Lecture("Other", OWN.scenes[:1])
    app.query_params["lecture"] = packed(other)
    app.text_input(key="own title").set_value("Third").run()
    assert not app.exception
    assert not app.error
    assert lecture_of(app) == other
    assert app.text_input(key="own title").value == "One"


def test_nothing_of_ones_own_lecture_is_kept_for_others() -> None:
    """A process caches shipped lectures for all visitors, and never a visitor's own."""
    kept = shared_payload._PACKED
    cache, own = kept._cache, packed(OWN)
    kept.clear()
    for name in (own, "attention"):
        open_lecture(name)
        open_lecture(name, notes="1", scene="2")
        opened(AppTest.from_function(scene_bar, default_timeout=60), lecture=name, scene="2")
    assert not any(own in repr(key) for key in cache.keys())  # noqa: SIM118
    assert len([key for key in cache.keys() if key[0] is kept and "attention" in key[1]]) == 3  # noqa: SIM118


def scene_bar() -> None:
    from viz_transformer.ui.lecture.scene import show_scene

    show_scene()


def test_what_is_typed_and_what_is_pressed_at_once_are_both_kept() -> None:
    app = open_editor(open_lecture(packed(OWN)))
    app.text_input(key="own title").set_value("First")
    app.button(key="own later").click().run()
    assert titles(app) == [{"en": "Two", "zh": "二"}, "First", "Three"]
    app.text_input(key="own title").set_value("Gone")
    app.button(key="own remove").click().run()
    assert titles(app) == [{"en": "Two", "zh": "二"}, "Three"]
    assert app.text_input(key="own title").value == "Three"


def test_a_scene_without_a_title_is_refused_and_what_was_typed_stays() -> None:
    app = open_editor(open_lecture(packed(OWN)))
    app.text_input(key="own title").set_value(" ").run()
    assert "title" in app.error[0].value
    assert lecture_of(app) == OWN
    assert app.text_input(key="own title").value == " "
    app.text_input(key="own title").set_value("Again").run()
    assert not app.error
    assert titles(app)[0] == "Again"


def test_another_language_changes_its_own_text_only() -> None:
    app = open_editor(open_lecture(packed(OWN), lang="zh"))
    app.selectbox(key="own scene").set_value(1).run()
    app.text_input(key="own title").set_value("第二").run()
    assert titles(app) == ["One", {"en": "Two", "zh": "第二"}, "Three"]


def test_edits_are_of_one_line_and_other_links_are_not() -> None:
    app = open_editor(open_lecture(packed(OWN)))
    line = path_of(app)["line"]
    app.button(key="own later").click().run()
    assert path_of(app)["line"] == line
    app.query_params["lecture"] = packed(Lecture("Other", OWN.scenes))
    app.run()
    assert path_of(app)["line"] != line


def test_a_file_is_read_and_a_bad_one_changes_nothing() -> None:
    app = open_editor(open_lecture("attention"))
    app.file_uploader(key="own import").set_value(("bad.json", b"{", "application/json")).run()
    assert not app.exception
    assert len(app.error) == 1
    assert any("JSON" in one.value for one in app.markdown)
    assert path_of(app)["lecture"] == "attention"
    file = {"format": 1, "title": "From a file", "scenes": [{"title": "One", "link": "masks"}]}
    app.file_uploader(key="own import").set_value(("l.json", json.dumps(file).encode(), "application/json")).run()
    assert not app.exception
    assert lecture_of(app).title == "From a file"
    assert path_of(app)["is_imported"]


def test_the_lecture_stands_once_in_what_is_sent_of_its_places() -> None:
    """A long lecture with many steps would else be sent hundreds of times."""
    long = Lecture("Long", tuple(Scene("S", f"masks?s1={n}", steps=("cell=1-1",) * 30) for n in range(60)))
    text = packed(long)
    sent = path_of(open_lecture(text))
    assert urlencode({"lecture": text}) not in json.dumps(sent["places"])


STEPS = Scene(
    {"en": "Scores", "zh": "得分"},
    "attention?model=copy&source=1 2 3&stage=scores",
    question="Which one?",
    steps=("stage=scale&whatif=none", "stage=softmax&whatif="),
    says=("First.", "Then.", "Last."),
)


def scene_of(app: AppTest, index: int = 0) -> Scene:
    return lecture_of(app).scenes[index]


def test_a_scene_asks_what_is_chosen_and_only_what_its_page_can_ask() -> None:
    app = open_editor(open_lecture(packed(Lecture("Mine", (STEPS, Scene("Table", "why_attention"))))))
    ask = app.selectbox(key="own ask")
    assert ask.value == ""
    assert "mark what the mask removes" in ask.options
    assert "a curve: the learning rate" not in ask.options
    ask.set_value("cells.weights").run()
    assert scene_of(app).ask == Ask("cells", "weights")
    assert not app.warning
    app.selectbox(key="own scene").set_value(1).run()
    assert app.selectbox(key="own ask").options == [
        "nothing",
        "a number: from how many tokens on the recurrent layer is cheaper",
        "a choice",
        "an answer in your own words",
    ]
    app.selectbox(key="own ask").set_value("text.question").run()
    assert scene_of(app, 1).ask == Ask("text", "question")
    assert any("type one above" in one.value for one in app.caption)
    app.selectbox(key="own ask").set_value("").run()
    assert scene_of(app, 1).ask is None
    assert scene_of(app).ask == Ask("cells", "weights")


def test_what_has_no_true_answer_is_said_at_once() -> None:
    scene = Scene("Long", "attention?model=copy&source=" + " ".join("123" * 12), ask=Ask("curve", "gradient"))
    app = open_editor(open_lecture(packed(Lecture("Mine", (scene,)))))
    assert app.selectbox(key="own ask").value == "curve.gradient"  # as its file has it, though no such page offers it
    app.selectbox(key="own ask").set_value("cells.weights").run()
    (why,) = [one.value for one in app.warning]
    assert why.startswith("There is nothing to predict here: ")
    app.selectbox(key="own ask").set_value("").run()
    assert not app.warning
    nobody = Scene("Nobody", "overview?model=*nobody*", ask=Ask("token", "next"))
    app = open_editor(open_lecture(packed(Lecture("Mine", (nobody,)))))
    assert "is not available here" in app.warning[0].value and "*nobody*" not in app.warning[0].value


def test_a_choice_is_typed_and_what_is_refused_stays_as_it_was_typed() -> None:
    app = open_editor(open_lecture(packed(Lecture("Mine", (STEPS,)))))
    app.selectbox(key="own ask").set_value("choice.question").run()
    assert "2 to 6 options" in app.error[0].value
    assert scene_of(app) == STEPS
    app.text_area(key="own options").set_value("Only one").run()
    app.text_input(key="own question").set_value("Which, then?").run()
    assert app.error and scene_of(app) == STEPS
    assert app.text_area(key="own options").value == "Only one"
    app.text_area(key="own options").set_value("Only one\n\n  <b>Two</b> \n").run()
    assert not app.error
    assert scene_of(app).question == "Which, then?"
    assert scene_of(app).ask == Ask("choice", "question", ("Only one", "<b>Two</b>"))
    app.selectbox(key="own right").set_value(2).run()
    assert scene_of(app).ask == Ask("choice", "question", ("Only one", "<b>Two</b>"), 2)
    app.text_area(key="own options").set_value("None\nOnly one\n<b>Two</b>").run()
    assert scene_of(app).ask == Ask("choice", "question", ("None", "Only one", "<b>Two</b>"), 3)
    assert app.selectbox(key="own right").value == 3
    app.text_area(key="own options").set_value("\n".join("1234567")).run()
    assert app.error and scene_of(app).ask == Ask("choice", "question", ("None", "Only one", "<b>Two</b>"), 3)
    app.text_area(key="own options").set_value("None\nOnly one").run()
    assert scene_of(app).ask == Ask("choice", "question", ("None", "Only one"))


def test_an_option_changes_in_one_language_and_keeps_its_text_in_the_other() -> None:
    options = ({"en": "Yes", "zh": "是"}, {"en": "No", "zh": "否"})
    scene = Scene("Masks", "masks", ask=Ask("choice", "question", options, 1))
    app = open_editor(open_lecture(packed(Lecture("Mine", (scene,))), lang="zh"))
    assert app.text_area(key="own options").value == "是\n否"
    app.text_area(key="own options").set_value("否\n是的").run()
    assert scene_of(app).ask == Ask("choice", "question", ({"en": "No", "zh": "否"}, "是的"), 1)


def test_steps_are_listed_with_their_sentences_and_removed() -> None:
    app = open_editor(open_lecture(packed(Lecture("Mine", (STEPS,)))))
    assert [app.text_input(key=f"own says {n}").value for n in range(3)] == ["First.", "Then.", "Last."]
    labels = [unescaped(app.text_input(key=f"own says {n}").label) for n in (1, 2)]
    assert labels == ["Step 2: stage scale · whatif none", "Step 3: stage softmax · whatif default"]
    app.text_input(key="own says 2").set_value("Look: {reads}")
    app.button(key="own remove 1").click().run()
    scene = scene_of(app)
    assert (scene.steps, scene.says) == (("stage=softmax",), ("First.", "Look: {reads}"))
    assert app.text_input(key="own says 1").value == "Look: {reads}"
    for n in range(2):
        app.text_input(key=f"own says {n}").set_value("").run()
    assert scene_of(app).says == ()


def test_a_box_that_was_closed_opens_with_its_fields_filled() -> None:
    app = open_editor(open_lecture(packed(Lecture("Mine", (STEPS,)))))
    app.session_state["own-box"] = False
    app.run()
    open_editor(app)
    assert app.text_input(key="own title").value == "Scores"
    assert app.text_input(key="own says 2").value == "Last."


HOSTILE = some.text(some.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=15, deadline=None)
@given(some.lists(HOSTILE, max_size=7), HOSTILE, some.sampled_from(["", "choice.question", "text.question"]))
def test_whatever_is_typed_is_kept_or_refused_with_a_sentence(options: list[str], says: str, ask: str) -> None:
    app = open_editor(open_lecture(packed(Lecture("Mine", (STEPS,)))))
    app.session_state["own ask"] = ask
    app.session_state["own options"] = "\n".join(options)
    app.text_input(key="own says 1").set_value(says).run()
    assert not app.exception
    if not app.error:
        assert scene_of(app).says_at(1) == says
        assert (scene_of(app).ask is None) == (ask == "")
    else:
        assert scene_of(app) == STEPS


def unescaped(label: str) -> str:
    return unescape(label.replace(CUT, ""))
