"""A view is shared: by its link, a QR code, in a frame on another page, and as a scene of a lecture of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import segno
from playwright.sync_api import BrowserContext, Locator, Page, WebSocketRoute, expect

from bench.browser import serve, until
from bench.first_screen import IS_CALM
from tests.browser.helpers import link_to, query_of

pytestmark = pytest.mark.own_browser  # it keeps the visitor's lecture
Visit = Callable[..., Page]
# The squares that a drawn code is dark in, row by row without the quiet zone, as a camera would see them.
DARK = """(svg) => {
  const size = svg.viewBox.baseVal.width - 8, path = svg.querySelector("path"), point = svg.createSVGPoint(), rows = [];
  for (let row = 0; row < size; row++) {
    rows.push([]);
    for (let column = 0; column < size; column++) {
      [point.x, point.y] = [column + 4.5, row + 4.5];
      rows[row].push(path.isPointInFill(point) ? 1 : 0);
    }
  }
  return rows;
}"""


# Whether a frame is as high as what is in it, up to the part of a pixel that it rounds up.
FITS = """() => {
  const { height } = document.querySelector("[data-testid=stMainBlockContainer]").getBoundingClientRect();
  return innerHeight >= height && innerHeight < height + 1;
}"""


def stages(page: Page) -> Locator:
    return page.get_by_test_id("mv-root").filter(has=page.get_by_role("tablist"))


def open_share(page: Page) -> None:
    page.get_by_test_id("share").click()
    expect(page.get_by_test_id("share-code")).to_be_visible()


def add_scene(page: Page, title: str, question: str = "", note: str = "") -> None:
    open_share(page)
    page.get_by_test_id("share-add").click()
    for name, text in {"title": title, "question": question, "note": note}.items():
        page.get_by_test_id(f"share-{name}").fill(text)
    page.get_by_test_id("share-adds").click()


def test_the_link_and_its_code_are_of_what_is_on_the_screen(visit: Visit) -> None:
    """The link has even what only the browser knows: Python has not heard of this head yet."""
    page = visit("attention?stage=softmax", width=1280, height=720, scheme="dark")
    head = stages(page).get_by_test_id("mv-head-2")
    head.click()
    expect(head).to_have_attribute("aria-pressed", "true")
    open_share(page)
    until(page, "() => location.search.includes('head=2')")
    page.get_by_test_id("share-copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    address = page.evaluate("navigator.clipboard.readText()")
    assert address == page.url
    assert query_of(page)["head"] == "2"
    expect(page.get_by_test_id("share-code")).to_be_visible()
    code = page.get_by_test_id("share-code")
    assert code.evaluate(DARK) == [[*row] for row in segno.make_qr(address, error="l").matrix]
    assert code.locator("rect").get_attribute("fill") == "#fff"
    page.get_by_test_id("share-large").click()
    box = code.bounding_box()
    assert box is not None and box["height"] == pytest.approx(720, abs=1)  # as high as the screen
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("share-box")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("share-box")).to_be_hidden()
    again = visit(address.split("/", 3)[3])
    head = stages(again).get_by_test_id("mv-head-2")
    expect(head).to_have_attribute("aria-pressed", "true")


def test_a_box_that_is_opened_while_a_page_opens_stays_and_is_of_that_page(visit: Visit) -> None:
    page = visit("masks")
    held: list[Callable[[], None]] | None = None

    def through(browser: WebSocketRoute) -> None:
        def answer(message: str | bytes) -> None:
            if held is None:
                browser.send(message)
            else:
                held.append(lambda: browser.send(message))

        browser.connect_to_server().on_message(answer)

    page.route_web_socket(re.compile("/stream"), through)
    page.reload()
    until(page, IS_CALM)
    held = []
    link_to(page, "scaling").click()
    expect(page).to_have_url(re.compile("/scaling"))
    page.get_by_test_id("share").click()
    answers, held = held, None
    for send in answers:
        send()
    expect(page.get_by_role("heading", level=1, include_hidden=True)).to_have_text("Scaling")
    until(page, IS_CALM)
    expect(page.get_by_test_id("share-box")).to_be_visible()
    expect(page.get_by_test_id("share-link")).to_have_value(page.url)


def test_a_link_is_copied_where_the_browser_has_no_clipboard_for_the_page(visit: Visit) -> None:
    """As on a page over http."""
    page = visit("masks")
    open_share(page)
    page.evaluate(
        "globalThis.held = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    )
    page.get_by_test_id("share-copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("held.readText()") == page.get_by_test_id("share-link").input_value()


def test_a_lecture_of_ones_own_is_made_exported_and_imported_in_another_browser(
    new_context: Callable[..., BrowserContext], app_url: str, tmp_path: Path
) -> None:
    def opened(path: str) -> Page:
        page = new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True).new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{app_url}/{path}")
        return page

    page = opened("masks?model=zh-en&lesson=softmax")
    add_scene(page, "", "No title")
    expect(page.get_by_test_id("share-answer")).to_contain_text("title")
    page.get_by_test_id("share-title").fill("<b>Masks</b> *first*")
    page.get_by_test_id("share-adds").click()
    expect(page.get_by_test_id("share-answer")).to_contain_text("scene 1")
    page.keyboard.press("Escape")
    page.goto(f"{app_url}/scaling?part=experiment")
    add_scene(page, "Scaling", "Why divide?", "Ask before you show.")
    expect(page.get_by_test_id("share-answer")).to_contain_text("scene 2")
    page.get_by_role("link", name="Open my lecture").click()
    cards = page.get_by_test_id("path").locator(".card b")
    expect(cards).to_have_text(["<b>Masks</b> *first*", "Scaling"])

    page.get_by_text("Change, export, import").click()
    page.get_by_role("button", name="↓ Later").click()
    expect(cards).to_have_text(["Scaling", "<b>Masks</b> *first*"])
    page.get_by_label("Title of the lecture").fill("Mine")
    page.get_by_label("Title of the lecture").press("Enter")
    expect(page.locator(".st-key-vt-question p").last).to_have_text("Mine")
    expect(page.get_by_text("This is your lecture")).to_be_visible()  # each step is kept
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as a file").click()
    file = tmp_path / "lecture.json"
    download.value.save_as(file)
    said = json.loads(file.read_text(encoding="utf-8"))
    assert [scene["title"] for scene in said["scenes"]] == ["Scaling", "<b>Masks</b> *first*"]
    assert said["scenes"][1]["link"].startswith("masks?")
    page.goto(app_url)
    page.get_by_role("link", name="My lecture").click()
    expect(cards).to_have_text(["Scaling", "<b>Masks</b> *first*"])
    page.get_by_test_id("path-share").click()
    expect(page.get_by_test_id("share-code")).to_be_visible()
    link = page.get_by_test_id("share-link").input_value()

    other = opened("")
    other.get_by_text("A lecture of your own").click()
    bad = tmp_path / "bad.json"
    bad.write_text("{", encoding="utf-8")
    other.locator("input[type=file]").set_input_files(bad)
    expect(other.get_by_text("Nothing has changed.")).to_be_visible()
    other.locator("input[type=file]").set_input_files(file)
    cards = other.get_by_test_id("path").locator(".card b")
    expect(cards).to_have_text(["Scaling", "<b>Masks</b> *first*"])
    expect(other.get_by_text("This is your lecture")).to_be_visible()
    other.get_by_test_id("path-start").click()
    expect(other.get_by_test_id("scene-title")).to_have_text("Scaling")
    expect(other.get_by_test_id("scene-question")).to_have_text("Why divide?")
    other.get_by_test_id("scene-next").click()
    expect(other.get_by_test_id("scene-title")).to_have_text("<b>Masks</b> *first*")

    third = opened(link.split("/", 3)[3])
    third.get_by_test_id("path-keep").click()
    expect(third.get_by_text("This is your lecture")).to_be_visible()


def test_a_lecturer_makes_a_scene_with_a_choice_and_a_second_step_presents_it_and_reveals(visit: Visit) -> None:
    page = visit("attention?model=copy&source=1 2 3&stage=softmax&whatif=none&cell=none", width=1280, height=720)
    add_scene(page, "Scaling")
    expect(page.get_by_test_id("share-answer")).to_contain_text("scene 1")
    page.get_by_role("link", name="Open my lecture").click()
    page.get_by_test_id("path-start").click()
    expect(page.get_by_test_id("scene-title")).to_have_text("Scaling")
    until(page, IS_CALM)
    stages(page).get_by_test_id("mv-divisor-1").click()
    page.wait_for_url(re.compile(r"^((?!whatif).)*$"))

    open_share(page)  # what was opened in it still is
    place = page.get_by_test_id("share-place")
    expect(place).to_have_value("1+")
    expect(page.get_by_test_id("share-title")).to_be_hidden()
    box = page.get_by_test_id("share-box")
    box.get_by_label("Sentence for this step").fill("With ÷ √d_k.")
    page.get_by_test_id("share-adds").click()
    expect(page.get_by_test_id("share-answer")).to_contain_text("next step of scene 1")
    expect(place.locator("option")).to_have_count(4)
    page.get_by_role("link", name="Open my lecture").click()

    page.get_by_text("Change, export, import").click()
    expect(page.get_by_label("whatif default")).to_have_value("With ÷ √d_k.")
    page.get_by_label("Question", exact=True).fill("Is it scaled?")
    page.get_by_label("What is asked").click()
    page.get_by_role("option", name="a choice").click()
    expect(page.get_by_text("a choice has 2 to 6 options")).to_be_visible()
    page.get_by_label("Options, one per line").fill("Yes\nNo <b>way</b>")
    page.get_by_label("Options, one per line").blur()
    expect(page.get_by_text("a choice has 2 to 6 options")).to_be_hidden()
    start = page.get_by_test_id("path-start")
    unanswered = start.get_attribute("href") or ""
    page.get_by_label("Which one is right").click()
    page.get_by_role("option", name="2. No").click()
    expect(start).not_to_have_attribute("href", unanswered)  # the answer is in the lecture, too
    card = page.get_by_test_id("path").locator(".card")
    expect(card).to_contain_text("Is it scaled?")
    until(page, IS_CALM)

    start.click()
    page.get_by_test_id("scene-present").click()
    page.wait_for_url(re.compile("present=1"))
    sheet = page.get_by_test_id("predict")
    expect(page.get_by_test_id("predict-choice")).to_contain_text("No <b>way</b>")
    sheet.get_by_label("A. Yes").check()
    page.get_by_test_id("predict-reveal").click()
    expect(sheet).to_contain_text("The right one: B. No <b>way</b>")
    until(page, IS_CALM)
    page.keyboard.press("PageDown")  # from the answer to the picture
    expect(sheet).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.get_by_test_id("scene-says")).to_have_text("With ÷ √d_k.")
    assert "whatif" not in query_of(page)
    expect(page.get_by_test_id("mv-root").first).to_be_visible()


def test_a_damaged_lecture_in_the_browser_is_said_and_a_new_one_begun(visit: Visit) -> None:
    page = visit("masks")
    page.get_by_test_id("share").wait_for()
    page.evaluate("localStorage.setItem('viz my lecture', 'z.AAAA')")
    add_scene(page, "Masks")
    expect(page.get_by_test_id("share-answer")).to_contain_text("damaged")
    page.get_by_role("button", name="Begin a new lecture").click()
    expect(page.get_by_test_id("share-answer")).to_contain_text("scene 1")


# What docs/deployment.md gives to the other page.
SNIPPET = re.compile(r"```html\n(.*?)```", re.DOTALL)


@pytest.fixture
def framing(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a page of another origin that frames the app as the docs say, and of the app, which allows it."""
    docs = Path(__file__).parents[2] / "docs" / "deployment.md"
    found = SNIPPET.search(docs.read_text(encoding="utf-8"))
    assert found
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    course = f"http://localhost:{server.server_port}"
    try:
        with serve(VIZ_FRAME_ANCESTORS=course) as url:
            page = found[1].replace("https://attention.example.org", url)
            (tmp_path / "index.html").write_text(f"<!doctype html>{page}", encoding="utf-8")
            yield f"{course}/index.html", url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_box_says_which_sites_this_server_lets_embed_the_view(
    new_context: Callable[..., BrowserContext], framing: tuple[str, str]
) -> None:
    course, url = framing
    page = new_context().new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{url}/masks?lang=en")
    open_share(page)
    box = page.get_by_test_id("share-box")
    box.get_by_text("Embed in a web page").click()
    site, said = box.get_by_label("Address of the page"), box.get_by_role("status")
    allowed = course.rpartition("/")[0]
    for typed, answer in {
        course: f"{allowed} may embed this view.",
        "https://moodle.example.org/course/view.php?id=1": "does not let https://moodle.example.org embed this view. "
        f'Whoever runs the server must start it with VIZ_FRAME_ANCESTORS="{allowed} https://moodle.example.org".',
        "<b>no site</b>": "This is not the address of a website.",
    }.items():
        site.fill(typed)
        site.press("Enter")
        expect(said.filter(has_text=answer)).to_be_visible()
    page.route("**/masks?*", lambda route: route.abort())
    site.fill("moodle.example.org")
    box.get_by_role("button", name="Check").click()
    expect(said.filter(has_text="The server has not answered.")).to_be_visible()


def test_a_frame_on_another_page_is_as_high_as_what_it_shows(
    new_context: Callable[..., BrowserContext], framing: tuple[str, str]
) -> None:
    course, _url = framing
    page = new_context(viewport={"width": 1000, "height": 900}).new_page()
    page.set_default_timeout(30_000)
    page.goto(course)
    frame = page.frame_locator("iframe")
    expect(frame.get_by_test_id("mv-root").first).to_be_visible()
    expect(frame.locator(".stAppHeader")).to_be_hidden()
    expect(frame.locator(".st-key-vt-line")).to_be_hidden()
    framed = next(one for one in page.frames if one.parent_frame)
    until(framed, IS_CALM)
    until(framed, FITS)
    around = page.locator("iframe").bounding_box()
    assert around is not None and around["height"] != 333  # as the snippet has it
    # Another origin's message moves nothing.
    page.evaluate(
        """() => new Promise((done) => {
          addEventListener("message", done, { once: true }); // after the snippet, which was there before
          postMessage({ type: "viz-transformer:height", height: 17 }, "*");
        }).then(() => null)"""
    )
    assert page.locator("iframe").bounding_box() == around
