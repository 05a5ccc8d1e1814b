"""A lecture: from the home page through its scenes, presented by keys, with notes in a second window."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bench.browser import until
from tests.browser.helpers import go_to, query_of
from tests.browser.walks import AT_REST
from viz_transformer.lecture_links import link_of, packed, shipped_lectures
from viz_transformer.lectures import Lecture, Scene

Visit = Callable[..., Page]
MINE = Lecture(
    "Mine",
    (
        Scene(
            "One",
            "attention?model=copy&source=1 2 3&module=cross&layer=1&head=1&stage=scores",
            "Which fit?",
            "Ask: which?\nAnswer: <b>all</b>.",
            ("stage=softmax",),
            minutes=5,
        ),
        Scene("Two", "overview?model=reverse&source=4 5&module=cross&layer=1&head=1&step=2", "Where does it look?"),
        Scene("Three", "overview?model=reverse&source=4 5&module=encoder_self&layer=1&head=2&step=1", "And here?"),
        Scene("Four", "masks?model=copy&lesson=teacher", "Why a triangle?"),
    ),
)
NAME = packed(MINE)
pytestmark = pytest.mark.own_browser  # it keeps where one was in a lecture


def title(page: Page) -> str:
    return page.get_by_test_id("scene-title").inner_text()


def test_from_the_home_page_through_the_scenes_and_back(visit: Visit) -> None:
    page = visit(f"/?lecture={NAME}")
    expect(page.get_by_test_id("path").get_by_role("link")).to_have_count(4)
    page.get_by_test_id("path-start").click()
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    expect(page.locator(".vt-chip")).to_contain_text("copy · 1 2 3")
    page.get_by_test_id("scene-next").click()
    expect(page.get_by_role("tab", name="softmax", selected=True)).to_be_visible()
    page.get_by_test_id("scene-next").click()
    expect(page.get_by_role("textbox", name="Source")).to_have_value("4 5")
    expect(page.get_by_test_id("tv-step-text")).to_contain_text("2 of")
    page.get_by_test_id("scene-next").click()  # the same text: another view of it
    expect(page.get_by_test_id("tv-matrix-encoder_self")).to_be_visible()
    expect(page.get_by_test_id("tv-head-2")).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("scene-next").click()
    expect(page.get_by_test_id("triangle")).to_be_visible()
    expect(page.locator(".vt-chip")).to_contain_text("copy")
    for scene in ("Three", "Two", "One"):
        page.go_back()
        expect(page.get_by_test_id("scene-title")).to_have_text(scene)
    expect(page.locator(".vt-chip")).to_contain_text("copy · 1 2 3")
    page.get_by_test_id("scene-free").click()
    expect(page.get_by_test_id("scene-title")).to_have_count(0)
    assert {"lecture", "scene"}.isdisjoint(query_of(page))
    go_to(page, "")
    page.goto(page.url.partition("?")[0] + f"?lecture={NAME}")
    expect(page.get_by_test_id("path-start")).to_contain_text("Begin")  # at its first scene one has only begun


def test_the_texts_of_a_scene_follow_the_language(visit: Visit) -> None:
    """A scene has a Chinese sentence in Chinese and an English one in English, even where the link has the other."""
    page = visit("attention?model=en-de&source=The cat sleeps because it is tired.&lecture=attention&scene=7")
    chip, language = page.locator(".vt-chip"), page.locator(".st-key-vt-language").get_by_role("button", name="中文")
    expect(chip).to_contain_text("The cat sleeps")
    until(page, AT_REST)
    language.click()
    expect(chip).to_contain_text("猫睡了")
    expect(page.get_by_test_id("scene-question")).to_contain_text("累")
    until(page, AT_REST)
    page.go_back()
    expect(chip).to_contain_text("The cat sleeps")
    page.goto(page.url.partition("?")[0] + "?model=zh-en&source=猫睡了，因为它累了。&lecture=attention&scene=7")
    expect(chip).to_contain_text("The cat sleeps")
    assert query_of(page)["model"] == "en-de"


def test_where_one_was_is_marked_in_this_browser(visit: Visit) -> None:
    page = visit(f"overview?model=reverse&source=4 5&lecture={NAME}&scene=2")
    expect(page.get_by_test_id("scene-title")).to_have_text("Two")
    page.get_by_test_id("scene-path").click()
    expect(page.get_by_test_id("path-start")).to_have_text("Go on with 2: Two")
    expect(page.locator("[aria-current=step]")).to_contain_text("Two")


def test_who_reads_alone_has_a_scene_explained_and_exercises_to_it(visit: Visit) -> None:
    lecture = shipped_lectures()["attention"]
    page = visit(link_of(lecture, "attention", lecture.names.index("4"), 0, "en") + "&lang=en")
    texts = page.get_by_test_id("scene-explained")
    expect(page.get_by_test_id("scene-explain")).to_be_visible()
    expect(texts).to_be_hidden()
    page.get_by_test_id("scene-explain").click()
    expect(texts).to_contain_text("Many think")
    expect(texts).to_contain_text("one dot product for every query and every key")
    page.get_by_test_id("scene-next").click()
    expect(page).to_have_url(re.compile("scene=4.2"))
    expect(texts).to_be_visible()  # it is the same scene
    texts.get_by_role("link", name="The largest score").click()
    expect(page).to_have_url(re.compile("/exercises.*exercise=largest-score"))
    expect(page.get_by_text("11 · The largest score").first).to_be_visible()
    until(page, AT_REST)
    page.go_back()
    expect(page.get_by_test_id("scene-place")).to_contain_text("step 2 of 2")
    page.get_by_test_id("scene-explain").click()
    texts.get_by_role("link", name="The same with matrices that you type").click()
    expect(page).to_have_url(re.compile("/attention.*hand=true"))
    expect(page.get_by_test_id("scene-place")).to_be_hidden()
    until(page, AT_REST)
    page.go_back()
    expect(page.get_by_test_id("scene-place")).to_contain_text("step 2 of 2")
    page.get_by_test_id("scene-present").click()
    expect(page.get_by_test_id("scene-explain")).to_be_hidden()


def test_notes_stay_in_step_and_move_the_lecture(visit: Visit) -> None:
    page = visit(f"attention?model=copy&source=1 2 3&lecture={NAME}&scene=1")
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    with page.expect_popup() as opened:
        page.get_by_test_id("scene-notes").click()
    notes = opened.value
    note = notes.get_by_test_id("notes-note")
    expect(note.get_by_role("term")).to_have_text(["Ask", "Answer"])
    expect(note.get_by_role("definition")).to_have_text(["which?", "<b>all</b>."])
    expect(notes.get_by_test_id("notes-time")).to_have_text(re.compile(r"^\d\d:\d\d · this scene: 0–5$"))
    expect(notes.get_by_test_id("notes-does")).to_have_text("Next: step 2 of 2")
    page.get_by_test_id("scene-next").click()
    page.get_by_test_id("scene-next").click()
    expect(notes.get_by_test_id("notes-title")).to_have_text("Two")
    notes.keyboard.press("PageDown")
    expect(page.get_by_test_id("scene-title")).to_have_text("Three")
    expect(notes.get_by_test_id("notes-title")).to_have_text("Three")
    expect(notes.get_by_test_id("notes-does")).to_have_text("Next: Four")
    notes.close()


def test_presenting_shows_title_question_and_picture(visit: Visit) -> None:
    page = visit(f"attention?model=copy&source=1 2 3&lecture={NAME}&scene=1", width=1280, height=720)
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    page.keyboard.press("p")
    expect(page.get_by_test_id("stTopNav")).to_be_hidden()
    expect(page.locator(".vt-chip")).to_be_hidden()
    expect(page.locator("canvas:visible").first).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".vt-black")).to_be_visible()
    page.keyboard.press("ArrowRight")  # brings the picture back, and nothing else
    expect(page.locator(".vt-black")).to_be_hidden()
    assert title(page) == "One"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("scene-title")).to_have_text("Two")
    page.keyboard.press("p")
    expect(page.get_by_test_id("stTopNav")).to_be_visible()
    assert "present" not in query_of(page)


def test_keys_open_the_controls_and_change_the_scheme_while_one_presents(visit: Visit) -> None:
    page = visit(f"attention?model=copy&source=1 2 3&lecture={NAME}&scene=1&present=1", width=1280, height=720)
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    chip = page.locator(".vt-chip")
    expect(page.locator("canvas:visible").first).to_be_visible()
    expect(chip).to_be_hidden()
    page.keyboard.press("c")
    expect(chip).to_be_visible()
    page.keyboard.press("Escape")
    expect(chip).to_be_hidden()
    assert query_of(page)["present"] == "1"
    page.keyboard.press("d")
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(21, 24, 28)")
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    expect(chip).to_be_hidden()


def test_a_sentence_is_of_the_view_of_its_scene_and_of_no_other(visit: Visit) -> None:
    """Its numbers would be wrong of another head; what is pointed at changes none."""
    lecture = shipped_lectures()["attention"]
    link = link_of(lecture, "attention", lecture.names.index("8"), 1, "en")
    page = visit(f"{link}&present=1", width=1280, height=720)
    says = page.get_by_test_id("scene-says")
    expect(says).to_contain_text("Head 4 of the third layer puts 0.92")
    page.keyboard.press("3")
    expect(page).to_have_url(re.compile("head=3"))
    expect(says).not_to_contain_text("0.92")
    page.keyboard.press("4")
    expect(says).to_contain_text("Head 4 of the third layer puts 0.92")
    page.keyboard.press("3")
    expect(page).to_have_url(re.compile("head=3"))
    page.reload()
    expect(page.get_by_test_id("scene-title")).to_have_text("Many heads")
    expect(page.get_by_test_id("scene-question")).to_be_visible()
    page.keyboard.press("4")
    expect(says).to_contain_text("Head 4 of the third layer puts 0.92")
    page.locator("canvas:visible").last.click()
    expect(page).not_to_have_url(re.compile("cell=5-2"))
    expect(says).to_contain_text("Head 4 of the third layer puts 0.92")


def test_after_the_last_scene_nothing_is_presented_any_more(visit: Visit) -> None:
    page = visit(f"masks?model=copy&lesson=teacher&lecture={NAME}&scene=4&present=1", width=1280, height=720)
    expect(page.get_by_test_id("triangle")).to_be_visible()
    expect(page.get_by_test_id("scene-title")).to_have_text("Four")  # before it stands there, nothing hears the key
    expect(page.get_by_test_id("stTopNav")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.get_by_test_id("path")).to_be_visible()
    expect(page.get_by_test_id("stTopNav")).to_be_visible()
    assert "present" not in query_of(page)
    page.get_by_test_id("path-start").click()
    expect(page.get_by_test_id("scene-present")).to_be_visible()
    page.goto(f"{page.url.partition('?')[0]}?lecture={NAME}&present=1")  # a link without a scene
    expect(page.get_by_test_id("stTopNav")).to_be_visible()


def test_below_the_box_that_shares_nothing_hears_the_letters(visit: Visit) -> None:
    page = visit(f"attention?model=copy&source=1 2 3&lecture={NAME}&scene=1")
    expect(page.get_by_test_id("scene-title")).to_have_text("One")
    page.get_by_test_id("share").click()
    expect(page.get_by_test_id("share-code")).to_be_visible()
    pages = len(page.context.pages)
    for place in (page.get_by_test_id("share-copy"), page.get_by_test_id("share-box").get_by_role("heading")):
        place.click()
        for key in "pn":
            page.keyboard.press(key)
    assert "present" not in query_of(page)
    assert len(page.context.pages) == pages
    expect(page.get_by_test_id("share-box")).to_be_visible()


@pytest.mark.parametrize("lecture", ["nobody-knows-it", "z.", "z.AAAA", "z.eJw", "![x](http://a.b)"])
def test_a_wrong_lecture_is_a_sentence_and_the_page_goes_on(visit: Visit, lecture: str) -> None:
    page = visit(f"attention?model=copy&source=1 2 3&lecture={lecture}&scene=3")
    expect(page.get_by_role("alert").first).to_contain_text("lecture")
    expect(page.locator("canvas:visible").first).to_be_visible()


def test_what_a_lecture_says_is_text(visit: Visit) -> None:
    hostile = Lecture(
        "<img src=x>", (Scene("<script>x</script> $x$ **b**", "masks?model=copy", "![x](http://a.b/c)", "<b>n"),)
    )
    page = visit(f"masks?model=copy&lecture={packed(hostile)}&scene=1")
    expect(page.get_by_test_id("scene-title")).to_have_text("<script>x</script> $x$ **b**")
    expect(page.get_by_test_id("scene-question")).to_have_text("![x](http://a.b/c)")
