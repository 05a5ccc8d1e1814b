"""A room: a class in browsers of their own follows its lecturer, answers together, and sees what it thought."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
import segno
from playwright.sync_api import BrowserContext, Locator, Page, WebSocketRoute, expect

from tests.browser.helpers import go_to, query_of
from tests.browser.test_first_screen import AXE, OPTIONS, violations

Open = Callable[..., Page]
SCENE = re.compile(r"scene=4\b")
# -> how many runs of the page have begun since this was called for the first time
COUNT_RUNS = """() => {
  if (window.runs !== undefined) return window.runs;
  window.runs = 0;
  const root = document.querySelector("[data-test-script-state]");
  const look = () => { if (root.getAttribute("data-test-script-state") === "running") window.runs += 1; };
  new MutationObserver(look).observe(root, { attributeFilter: ["data-test-script-state"] });
  return 0;
}"""
# Sends messages that no page would send, over a second connection to the room, with the lecturer's secret.
TELL = """([code, messages]) => new Promise((done) => {
  const line = new WebSocket(location.origin.replace("http", "ws") + "/room/" + code);
  const say = (message) => line.send(JSON.stringify(message));
  const secret = localStorage.getItem(`viz room ${code}`);
  line.onopen = () => say({ hello: { seat: null, secret } });
  line.onmessage = () => {  // welcomed
    line.onmessage = null;
    for (const message of messages) say(message);
    done();
  };
})"""
# The student's own answer, over a line beside the page's.
TELL_ANSWER = """([code, answer]) => new Promise((done) => {
  const line = new WebSocket(location.origin.replace("http", "ws") + "/room/" + code);
  const say = (message) => line.send(JSON.stringify(message));
  line.onopen = () => say({ hello: { seat: localStorage.getItem(`viz seat ${code}`), secret: null } });
  line.onmessage = ({ data }) => {
    if (data.startsWith('{"welcome"')) say({ answer });
    if (data.startsWith('{"counted"')) done();
  };
})"""
# Says how many runs there have been, once anything of a view changes.
WATCH = """view => {
  const watch = new MutationObserver(() => (watch.disconnect(), console.log(`led ${window.runs}`)));
  watch.observe(view, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@pytest.fixture
def open_page(new_context: Callable[..., BrowserContext], app_url: str) -> Iterator[Open]:
    """A page in a browser of its own; nothing may go wrong in any."""
    wrong: list[str] = []

    def open_page(link: str = "?lang=en", **options: object) -> Page:
        page = new_context(**{"viewport": {"width": 1280, "height": 720}, **options}).new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(link if "://" in link else f"{app_url}/{link}")
        return page

    yield open_page
    assert not wrong


@pytest.fixture
def lecturer(open_page: Open) -> Page:
    """A lecturer's page, which has just opened a room and leads it."""
    page = open_page()
    page.get_by_test_id("room-open").click()
    page.get_by_test_id("room-begin").click()
    expect(page.get_by_test_id("room-large-code")).to_have_text(re.compile("^[A-HJ-NP-Z]{5}$"))
    expect(page.get_by_test_id("room-box").get_by_test_id("share-code")).to_be_visible()
    page.get_by_test_id("room-box").get_by_title("Close").click()
    return page


def link_of(lecturer: Page) -> str:
    return lecturer.get_by_test_id("room-link").input_value()


def said(page: Page) -> Locator:
    return page.get_by_test_id("room-said")


def follows(page: Page) -> None:
    expect(said(page)).to_have_text("You are following your lecturer.")


def head_of(page: Page) -> Locator:
    """The button of the head that is shown on Attention."""
    return page.get_by_test_id("mv-head").locator("[aria-pressed=true], [aria-checked=true], [aria-current=true]")


@pytest.fixture
def student(lecturer: Page, open_page: Open) -> Page:
    page = open_page(link_of(lecturer))
    follows(page)
    return page


def test_the_code_is_the_link_to_the_room(lecturer: Page) -> None:
    code = lecturer.get_by_test_id("room-large-code").text_content() or ""
    link = link_of(lecturer)
    assert link.endswith(f"/?room={code}")
    assert query_of(lecturer)["room"] == code
    lecturer.get_by_test_id("room-code").click()
    dark = lecturer.get_by_test_id("room-box").locator(".qr path").get_attribute("d") or ""
    rows = segno.make_qr(link, error="l").matrix
    assert dark.count("M") == sum(f"0{''.join(map(str, row))}".count("01") for row in rows)
    expect(lecturer.get_by_test_id("room-box")).to_contain_text("Only this machine can open this link")


def test_a_shared_view_is_of_no_room(lecturer: Page) -> None:
    lecturer.get_by_test_id("share").click()
    expect(lecturer.get_by_test_id("share-link")).to_have_value(re.compile("lang=en"))
    assert "room" not in lecturer.get_by_test_id("share-link").input_value()


def test_a_lecturer_who_comes_in_again_leads_on_from_where_they_are(
    lecturer: Page, student: Page, open_page: Open
) -> None:
    """In the same tab; another one leads only once something happens in it."""

    def come_into(code: str) -> None:
        lecturer.get_by_test_id("room-code").click()
        code_of_another = lecturer.get_by_test_id("room-other")
        if not code_of_another.is_visible():
            lecturer.get_by_test_id("room-box").locator("summary", has_text="another room").click()
        code_of_another.fill(code)
        lecturer.get_by_test_id("room-join").click()

    own = query_of(lecturer)["room"]
    colleague = open_page("scaling?lang=en")
    colleague.get_by_test_id("room-open").click()
    colleague.get_by_test_id("room-begin").click()
    expect(colleague).to_have_url(re.compile(r"room=\w{5}"))
    come_into(query_of(colleague)["room"])
    expect(lecturer).to_have_url(re.compile("/scaling"))
    follows(lecturer)
    come_into(own)
    expect(student).to_have_url(re.compile("/scaling"))
    follows(student)


def test_a_class_follows_from_page_to_page_and_from_head_to_head(lecturer: Page, student: Page) -> None:
    expect(said(lecturer)).to_have_text("1 here")
    go_to(lecturer, "attention")
    expect(student).to_have_url(re.compile("/attention"))
    stages = student.get_by_test_id("mv-root").first
    expect(stages).to_be_visible()
    lecturer.get_by_test_id("mv-root").first.wait_for()

    lecturer.keyboard.press("4")
    lecturer.get_by_role("tab", name="softmax").click()
    expect(student.get_by_role("tab", name="softmax")).to_have_attribute("aria-selected", "true")
    expect(student).to_have_url(re.compile("head=4.*stage=softmax"))  # Python has heard, too
    assert query_of(student) == query_of(lecturer)
    follows(student)


def test_a_view_moves_in_the_browser_before_anything_is_run(lecturer: Page, student: Page) -> None:
    go_to(lecturer, "heads")
    expect(student.get_by_test_id("hv-root")).to_be_visible()
    expect(student.locator("[data-test-script-state=notRunning]")).to_be_visible()
    student.evaluate(COUNT_RUNS)
    lecturer.get_by_test_id("hv-root").wait_for()
    layer = "[data-testid=hv-layer] button >> nth=0"
    if lecturer.locator(layer).count():
        lecturer.locator(layer).click()
    # The view changes before any run begins.
    with student.expect_event("console", lambda message: message.text.startswith("led")) as event:
        student.get_by_test_id("hv-root").evaluate(WATCH)
        lecturer.get_by_test_id("hv-root").press("2")
    assert event.value.text == "led 0"


def test_who_explores_lets_go_and_comes_back_with_one_click(lecturer: Page, student: Page) -> None:
    go_to(lecturer, "attention")
    expect(student.get_by_test_id("mv-root").first).to_be_visible()
    student.keyboard.press("1")
    expect(said(student)).to_have_text("You are exploring on your own.")
    expect(student).to_have_url(re.compile("head=1"))
    lecturer.get_by_test_id("mv-root").first.wait_for()
    go_to(lecturer, "masks")
    go_to(student, "positions")
    expect(said(student)).to_have_text("You are exploring on your own.")
    student.get_by_test_id("room-back").click()
    expect(student).to_have_url(re.compile("/masks"))
    follows(student)


def test_another_text_and_another_model_reach_the_class(lecturer: Page, student: Page) -> None:
    text = "<b>$x$</b> 你好 :red[no] 👩‍🎓"
    lecturer.goto(
        lecturer.url.split("?")[0] + f"overview?lang=en&model=zh-en&source={text}&room={query_of(lecturer)['room']}"
    )
    expect(lecturer.get_by_test_id("tv-root")).to_be_visible()
    follows(student)
    lecturer.get_by_test_id("tv-next").click()  # a tab that was opened anew leads once something happens in it
    expect(student).to_have_url(re.compile("/overview"))
    expect(student.get_by_test_id("tv-root")).to_be_visible()
    assert query_of(student)["source"] == text == query_of(lecturer)["source"]
    assert not student.locator("b", has_text="x").count()


def test_pause_release_and_follow_me(lecturer: Page, student: Page) -> None:
    lecturer.get_by_test_id("room-pause").click()
    expect(said(student)).to_contain_text("is preparing something")
    go_to(lecturer, "scaling")
    lecturer.get_by_test_id("room-free").click()
    expect(said(student)).to_contain_text("Explore on your own")
    assert "/scaling" not in student.url
    go_to(student, "training")
    lecturer.get_by_test_id("room-follow").click()
    expect(student).to_have_url(re.compile("/scaling"))
    follows(student)
    expect(lecturer.get_by_test_id("room-follow")).to_have_attribute("aria-pressed", "true")


def test_a_reload_keeps_everybody_in_their_place(lecturer: Page, student: Page) -> None:
    go_to(lecturer, "attention")
    expect(student).to_have_url(re.compile("/attention"))
    student.reload()
    follows(student)
    expect(student.get_by_test_id("mv-root").first).to_be_visible()
    lecturer.reload()
    expect(said(lecturer)).to_have_text("1 here")
    expect(lecturer.get_by_test_id("mv-root").first).to_be_visible()
    lecturer.keyboard.press("1")
    expect(student).to_have_url(re.compile("head=1"))


def test_a_class_predicts_and_sees_what_it_thought(lecturer: Page, student: Page, open_page: Open) -> None:
    other = open_page(link_of(lecturer), viewport={"width": 390, "height": 844}, color_scheme="dark")
    follows(other)
    lecturer.get_by_role("link", name=re.compile("^6 ?QK")).click()
    marks = {student: ("1-1", "2-3", "5-2"), other: ("1-1", "2-2", "5-2")}
    for page, cells in marks.items():
        expect(page.get_by_test_id("predict-task")).to_be_visible()
        expect(page.get_by_test_id("predict-show")).to_be_hidden()
        for cell in cells:
            page.get_by_test_id(f"predict-cell-{cell}").click()
        page.get_by_test_id("predict-reveal").click()
        expect(page.get_by_test_id("predict-room")).to_contain_text("Your answer is counted")
        expect(page.locator(".st-key-predict ~ * >> visible=true")).to_have_count(0)  # and nothing is revealed
    expect(lecturer.get_by_test_id("predict-room")).to_have_text("2 answered, 2 are here.")
    # Whoever changes an answer is still counted once.
    student.get_by_test_id("predict-cell-2-2").click()
    student.get_by_test_id("predict-reveal").click()
    expect(student.get_by_test_id("predict-room")).to_contain_text("Your answer is counted")

    lecturer.get_by_test_id("predict-reveal").click()
    late = open_page(link_of(lecturer))
    for page in (lecturer, student, other, late):
        expect(page.get_by_test_id("predict-class")).to_contain_text("how many of 2")
        for cell, count in {"1-1": 2, "2-2": 2, "2-3": 0, "5-2": 2}.items():
            expect(page.get_by_test_id(f"predict-class-{cell}")).to_have_text(str(count))
        expect(page.get_by_test_id("mv-root").first).to_be_visible()
    expect(student.get_by_test_id("predict-score")).to_be_visible()
    for page in (lecturer, other):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(page, OPTIONS) == []


def test_answers_come_home_with_what_is_true_and_how_each_scored(
    lecturer: Page, student: Page, open_page: Open
) -> None:
    """Also after the lecturer's page was loaded anew; the scores are those that the students saw."""
    other = open_page(link_of(lecturer))
    follows(other)
    expect(said(lecturer)).to_have_text("2 here")
    seen: dict[str, str] = {}  # scores by answer

    def ask(scene: str, marks: dict[Page, tuple[str, Callable[[Page], None]]]) -> None:
        lecturer.get_by_role("link", name=re.compile(scene)).click()
        for page, (_answer, mark) in marks.items():
            mark(page)
            page.get_by_test_id("predict-reveal").click()
            expect(page.get_by_test_id("predict-room")).to_contain_text("Your answer is counted")
        lecturer.get_by_test_id("predict-reveal").click()
        for page, (answer, _mark) in marks.items():
            expect(page.get_by_test_id("predict-score")).to_be_visible()
            seen[answer] = re.sub(r"\D", "", page.get_by_test_id("predict-score").inner_text())

    def cells(*places: str) -> tuple[str, Callable[[Page], None]]:
        def mark(page: Page) -> None:
            for place in places:
                page.get_by_test_id(f"predict-cell-{place}").click()

        return " ".join(places).replace("-", ":"), mark

    ask("^6 ?QK", {student: cells("1-1", "5-2"), other: cells("5-1")})
    lecturer.get_by_test_id("scene-path").click()
    ask("^9 ?Softmax", {student: ("0.5", lambda page: page.get_by_test_id("predict-number").fill("0,5"))})

    lecturer.reload()
    expect(said(lecturer)).to_have_text("2 here")
    lecturer.get_by_test_id("room-code").click()
    with lecturer.expect_download() as download:
        lecturer.get_by_test_id("room-csv").click()
    rows = [*csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"), newline=""))]
    assert {row["answer"]: row["score in %"] for row in rows} == seen
    assert {row["answer in words"] for row in rows} == {"The → The; it → cat", "it → The", ""}
    assert [row["truth"].count(":") for row in rows] == [9, 9, 0]  # of each row one cell
    assert "it → cat" in rows[0]["truth in words"] and float(rows[2]["truth"]) == pytest.approx(0.92, abs=0.01)
    for row in rows:
        asked, answered, revealed = (datetime.fromisoformat(row[name]) for name in ("asked", "answered", "revealed"))
        assert asked <= revealed and asked.replace(second=0) <= answered <= revealed
        assert row["people in the room"] == "2"


def test_a_lost_line_is_found_again_and_an_answer_sent_meanwhile_arrives(
    lecturer: Page, open_page: Open, new_context: Callable[..., BrowserContext]
) -> None:
    lines: list[WebSocketRoute] = []

    def through(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    context = new_context(viewport={"width": 1280, "height": 720})
    context.route_web_socket(re.compile("/room/"), through)
    student = context.new_page()
    student.goto(link_of(lecturer))
    follows(student)
    lecturer.get_by_role("link", name=re.compile("^9 ?Softmax")).click()
    student.get_by_test_id("predict-number").fill("0.25")
    lines[-1].close()
    student.get_by_test_id("predict-reveal").click()
    expect(student.get_by_test_id("predict-room")).to_contain_text("Your answer is counted")
    follows(student)
    assert len(lines) > 1
    expect(lecturer.get_by_test_id("predict-room")).to_have_text("1 answered, 1 are here.")


def test_a_closed_room_is_gone_for_all_and_can_be_left(lecturer: Page, student: Page) -> None:
    lecturer.get_by_test_id("room-code").click()
    lecturer.get_by_test_id("room-end").click()
    lecturer.get_by_test_id("room-end").click()
    for page in (lecturer, student):
        expect(said(page)).to_contain_text("This room is gone")
    student.get_by_test_id("room-leave").click()
    expect(said(student)).to_have_count(0)
    expect(student).not_to_have_url(re.compile("room="))
    go_to(student, "overview")
    expect(student).not_to_have_url(re.compile("room="))


@pytest.mark.parametrize("code", ["ABCDE", "abc", "<b>x</b>", "'" * 150])
def test_a_code_of_no_room_is_said_to_be_none(open_page: Open, code: str) -> None:
    page = open_page(f"?lang=en&room={code}")
    expect(said(page)).to_contain_text("This room is gone")
    expect(page.get_by_test_id("room-code")).to_have_text(f"Room {code}")
    page.get_by_test_id("room-leave").click()
    expect(said(page)).to_have_count(0)


def test_one_can_come_in_by_the_code_alone(lecturer: Page, open_page: Open) -> None:
    code = query_of(lecturer)["room"]
    page = open_page("heads?lang=en&room=ABCDE")
    page.get_by_test_id("room-open").click()
    page.get_by_text("Join another room").click()
    page.get_by_test_id("room-other").fill("12345")
    page.get_by_test_id("room-join").click()
    expect(page.get_by_test_id("room-box-said")).to_contain_text("five letters")
    page.get_by_test_id("room-other").fill(code.lower())
    page.get_by_test_id("room-join").click()
    follows(page)
    expect(page).to_have_url(re.compile(f"room={code}"))


def test_a_room_is_opened_by_nobody_who_only_looks(lecturer: Page, open_page: Open) -> None:
    """The button in the header asks first; who has a code comes in from there."""
    page = open_page("heads?lang=en")
    page.get_by_test_id("room-open").click()
    expect(page.get_by_text("In a room, a class follows this page")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("room-box")).to_be_hidden()
    assert "room" not in query_of(page)
    page.get_by_test_id("room-open").click()
    page.get_by_role("textbox", name="Join a room").fill(query_of(lecturer)["room"])
    page.get_by_test_id("room-join").click()
    follows(page)


def test_a_student_cannot_lead_not_even_with_a_stolen_code(lecturer: Page, student: Page) -> None:
    code = query_of(lecturer)["room"]
    closed = student.evaluate(
        """code => new Promise((done) => {
          const line = new WebSocket(location.origin.replace("http", "ws") + "/room/" + code);
          line.onopen = () => line.send(JSON.stringify({ hello: { seat: null, secret: "guess" } }));
          line.onclose = ({ code }) => done(code);
        })""",
        code,
    )
    assert closed == 4403
    follows(student)
    assert "secret" not in json.dumps(query_of(student)) and not student.evaluate(
        "code => localStorage.getItem(`viz room ${code}`)", code
    )


def test_while_one_presents_the_room_is_shown_to_the_last_row_and_its_box_works(lecturer: Page) -> None:
    code = query_of(lecturer)["room"]
    lecturer.get_by_role("link", name=re.compile("^6 ?QK")).click()
    expect(lecturer.get_by_test_id("scene-title")).to_be_visible()
    lecturer.keyboard.press("p")
    box, large = lecturer.get_by_test_id("room-box"), lecturer.get_by_test_id("room-large-code")
    expect(lecturer.get_by_test_id("share")).to_be_hidden()
    lecturer.keyboard.press("q")
    expect(large).to_have_text(code)
    shown = box.get_by_test_id("share-code").bounding_box()
    assert shown and shown["height"] > 0.7 * 720 and shown["y"] >= 0
    address = large.evaluate("node => getComputedStyle(node, '::after').content")
    assert "room=" in address and "127.0.0.1" in address
    lecturer.keyboard.press("q")
    expect(box).to_be_hidden()
    lecturer.get_by_test_id("room-code").click()
    expect(lecturer.get_by_test_id("room-csv")).to_be_visible()
    inside = box.bounding_box()
    assert inside and inside["y"] >= 0 and inside["y"] + inside["height"] <= 720
    lecturer.keyboard.press("Escape")
    expect(box).to_be_hidden()
    assert query_of(lecturer)["present"] == "1"


def test_a_student_gets_neither_notes_nor_present_not_even_by_a_forged_link(
    lecturer: Page, student: Page, open_page: Open, app_url: str
) -> None:
    code = query_of(lecturer)["room"]
    lecturer.get_by_role("link", name=re.compile("^2 ?Why")).click()
    for page in (student, open_page(f"why_attention?lecture=attention&scene=1&present=1&room={code}")):
        expect(page.get_by_test_id("scene-title")).to_be_visible()
        follows(page)
        expect(page).not_to_have_url(re.compile("present"))
        for button in ("scene-present", "scene-notes"):
            expect(page.get_by_test_id(button)).to_be_hidden()
        page.keyboard.press("p")
        expect(page.get_by_test_id("stTopNav")).to_be_visible()
    assert len(student.context.pages) == 1
    student.goto(f"{app_url}/?lecture=attention&notes=1&scene=1&room={code}")
    expect(student.get_by_test_id("notes-note")).to_have_text("Only whoever leads the room can see the notes.")


def test_what_a_lecturer_s_browser_makes_up_breaks_nobody_s_page(lecturer: Page, student: Page) -> None:
    go_to(lecturer, "attention")
    expect(student.get_by_test_id("mv-root").first).to_be_visible()
    lecturer.get_by_test_id("mv-root").first.wait_for()
    views = [
        {"stage": 99, "choices": [9, 9, 9, 9], "pinned": [9, 9, 9]},
        {"stage": -1, "choices": [0, 0, 0, 0], "pinned": None},
        {"stage": "1", "choices": "x", "pinned": {"__proto__": 1}},
        {"stage": 1e308, "choices": [0] * 150, "pinned": [0.5, 0, 0]},
        {},
    ]
    messages = [{"lead": {"views": {"stages": view}}} for view in views]
    lecturer.evaluate(TELL, [query_of(lecturer)["room"], messages])
    lecturer.get_by_role("tab", name="softmax").click()
    expect(student.get_by_role("tab", name="softmax")).to_have_attribute("aria-selected", "true")
    expect(student.locator("canvas:visible").first).to_be_visible()
    follows(student)


def test_the_lecturer_s_notes_window_does_not_lead(lecturer: Page, student: Page) -> None:
    lecturer.get_by_role("link", name=re.compile("^2 ?Why")).click()
    expect(student).to_have_url(re.compile("scene=1"))
    with lecturer.expect_popup() as popup:
        lecturer.get_by_test_id("scene-notes").click()
    expect(popup.value.get_by_test_id("notes-note")).to_be_visible()
    expect(said(popup.value)).to_have_count(0)
    popup.value.keyboard.press("PageDown")
    expect(lecturer).to_have_url(re.compile("scene=1.2|scene=2"))
    expect(student).to_have_url(re.compile("scene=1.2|scene=2"))
    follows(student)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_where_one_is_stands_at_the_bottom_and_covers_nothing_one_cannot_scroll_to(
    lecturer: Page, open_page: Open, width: int, scheme: str
) -> None:
    page = open_page(link_of(lecturer), viewport={"width": width, "height": 720}, color_scheme=scheme)
    follows(page)
    line = page.locator(".vt-room")
    box = line.bounding_box()
    assert box is not None and box["y"] + box["height"] == 720 and box["height"] <= (44 if width == 1280 else 84)
    ink, paper = line.evaluate("(node) => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]")
    light, dark = sorted((sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper)), reverse=True)
    assert light - dark > 400
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page, OPTIONS) == []
    page.get_by_test_id("room-code").click()
    expect(page.get_by_test_id("room-box").get_by_test_id("share-code")).to_be_visible()
    assert violations(page, OPTIONS) == []
    page.get_by_test_id("room-box").get_by_title("Close").click()
    page.mouse.wheel(0, 100_000)
    last = page.locator("[data-testid=stMainBlockContainer]").evaluate("(node) => node.getBoundingClientRect().bottom")
    assert last >= box["y"]


def test_a_lecturer_lets_nobody_else_in_and_reads_words_before_the_class(
    lecturer: Page, student: Page, open_page: Open
) -> None:
    def rule(name: str) -> Locator:
        return lecturer.get_by_test_id(f"room-rule-{name}")

    code = query_of(lecturer)["room"]
    lecturer.get_by_test_id("room-code").click()
    lecturer.get_by_test_id("room-rules").locator("summary").click()
    rule("closed").check()
    rule("read").check()
    lecturer.keyboard.press("Escape")
    late = open_page(link_of(lecturer))
    expect(said(late)).to_have_text("Your lecturer is not letting anybody else in for now; trying again …")
    student.reload()
    follows(student)  # who was here comes in again

    asked = {"id": "words", "kind": "token", "size": 1, "columns": 0, "title": "Which word?"}
    lecturer.evaluate(TELL, [code, [{"ask": asked}]])
    student.evaluate(TELL_ANSWER, [code, {"id": "words", "guess": "<i>rude</i>"}])
    expect(said(lecturer)).to_have_text("1 here · 1 answered")
    lecturer.evaluate(TELL, [code, [{"reveal": "words"}]])
    expect(said(lecturer)).to_have_text("1 here · Unread answers: 1")
    lecturer.get_by_test_id("room-read").click()
    texts = lecturer.get_by_test_id("room-texts")
    expect(texts.locator("li")).to_have_text(["<i>rude</i>× 1Remove"])
    texts.get_by_role("button", name="Remove “<i>rude</i>”, and whoever wrote it").click()
    expect(texts.locator("li")).to_have_count(0)
    expect(said(student)).to_have_text("You are no longer in this room.")
    texts.get_by_test_id("room-show-texts").click()
    expect(texts).to_be_hidden()
    rule("closed").uncheck()
    follows(late)
