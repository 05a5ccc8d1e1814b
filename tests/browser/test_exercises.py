"""Exercises, as a student does them: one failed, one solved, and all of them on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from bench.browser import until
from tests.browser.helpers import query_of
from tests.browser.test_first_screen import AXE, OPTIONS, violations
from viz_transformer.experiments.exercises.catalogue import EXERCISES


@pytest.mark.own_browser
def test_one_is_failed_and_solved(visit: Callable[..., Page]) -> None:
    page = visit("exercises?exercise=by-hand", width=1280, height=720)
    box, said = page.get_by_role("textbox", name="Number"), page.get_by_test_id("stAlert")
    box.fill("0.5")
    expect(page.get_by_role("button", name="Check")).to_be_in_viewport()
    page.get_by_role("button", name="Check").click()
    expect(said).to_contain_text("Not yet. 0.5 is too small.")
    expect(said).to_be_in_viewport()
    box.fill("0.88")
    box.press("Enter")
    expect(said).to_contain_text("= 0.8808")
    expect(page.get_by_text(f"1 of {len(EXERCISES)} solved")).to_be_visible()
    assert query_of(page) | {"exercise": "by-hand", "answer": "0.88"} == query_of(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("5 · Count the causal mask")
    expect(said).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", level=2)).to_have_text("5 · Count the causal mask")


@pytest.mark.own_browser
def test_what_is_solved_stays_in_the_browser_and_in_a_file(
    visit: Callable[..., Page], tmp_path: Path, app_url: str
) -> None:
    page = visit("exercises?exercise=by-hand")
    page.get_by_role("textbox", name="Number").fill("22/25")
    page.get_by_role("button", name="Check").click()
    solved = page.get_by_text(f"1 of {len(EXERCISES)} solved")
    expect(solved).to_be_visible()
    until(page, "() => localStorage['viz solved']")  # a person is not as quick
    page.reload()
    expect(solved).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save it as a file").click()
    file = tmp_path / "progress.json"
    saving.value.save_as(file)

    other = page.context.new_page()  # another tab, in Chinese
    other.goto(f"{app_url}/exercises?lang=zh")
    expect(other.get_by_text(f"共 {len(EXERCISES)} 题，已解出 1 题")).to_be_visible()
    for name in ("清除我的记录", "全部清除？此操作无法撤销。"):
        other.get_by_role("button", name=name).click()
    expect(other.get_by_text(f"共 {len(EXERCISES)} 题，已解出 0 题")).to_be_visible()
    other.reload()
    expect(other.get_by_text(f"共 {len(EXERCISES)} 题，已解出 0 题")).to_be_visible()
    other.get_by_test_id("progress-file").set_input_files(file)
    expect(other.get_by_text("已读入：解出 1 题")).to_be_visible()
    expect(other.get_by_text(f"共 {len(EXERCISES)} 题，已解出 1 题")).to_be_visible()
    expect(other.get_by_role("radiogroup").get_by_text("✓ 4 ·")).to_be_visible()


def test_a_phone_shows_question_and_box_first(visit: Callable[..., Page]) -> None:
    page = visit("exercises?exercise=aligned&answer=cross.1.2", width=390, height=844)
    expect(page.get_by_test_id("stAlert")).to_contain_text("another head puts")
    for seen in (page.get_by_role("heading", level=2), page.get_by_role("button", name="Check")):
        expect(seen).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def as_if_served_to_a_class(browser: WebSocketRoute) -> None:
    """Has the browser tell the server that the page was opened at an address which a class can reach."""
    server = browser.connect_to_server()

    def say(message: str | bytes) -> None:
        assert isinstance(message, bytes)
        said = BackMsg.FromString(message)
        if said.WhichOneof("type") == "rerun_script":
            said.rerun_script.context_info.url = "http://class.example/exercises"
        server.send(said.SerializeToString())

    browser.on_message(say)


def test_a_sheet_that_only_this_machine_could_open_has_no_codes(visit: Callable[..., Page], app_url: str) -> None:
    page = visit("exercises?print=sheet")
    expect(page.get_by_text(f"Only this machine can open {app_url}/")).to_be_visible()
    expect(page.locator("img.vt-qr")).to_have_count(0)


def test_the_sheet_is_all_that_is_printed(visit: Callable[..., Page]) -> None:
    page = visit("exercises?print=answers", width=1280, height=720, scheme="dark")
    page.route_web_socket(re.compile("/stream"), as_if_served_to_a_class)
    page.reload()
    expect(page.get_by_text("opens its exercise at http://class.example/")).to_be_visible()
    expect(page.locator(".vt-exercise")).to_have_count(len(EXERCISES))
    expect(page.locator(".vt-answer")).to_have_count(len(EXERCISES))
    expect(page.locator("img.vt-qr")).to_have_count(len(EXERCISES))
    assert page.locator("img.vt-qr").evaluate_all("all => all.every(one => one.naturalWidth > 50)")
    page.emulate_media(media="print")
    for hidden in (page.get_by_role("button", name="Back"), page.get_by_test_id("stTopNav")):
        expect(hidden).to_be_hidden()
    expect(page.get_by_test_id("share")).to_be_hidden()
    expect(page.locator(".vt-exercise").last).to_be_visible()
    assert page.locator(".vt-exercise").first.evaluate("one => getComputedStyle(one).breakInside") == "avoid"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".vt-sheet").evaluate("one => getComputedStyle(one).color") == "rgb(0, 0, 0)"
    assert page.locator(".vt-line").first.evaluate("one => one.offsetHeight") > 30  # px: room to write
    assert pages_of(page, "A4") > 10  # all pages, not just what the window shows


def pages_of(page: Page, paper: str) -> int:
    """How many pages a browser prints."""
    return page.pdf(format=paper).count(b"/Type /Page\n")


PAGE_RULES = "[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join('')"


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_choice_of_exercises_in_chinese_has_numbered_pages_and_solutions_on_a_page_of_their_own(
    visit: Callable[..., Page], paper: str
) -> None:
    page = visit("exercises?print=sheet&exercises=by-hand,copy&lang=zh")
    expect(page.locator(".vt-exercise")).to_have_count(2)
    assert 'content: "第 " counter(page) " 页，共 " counter(pages) " 页"' in page.evaluate(PAGE_RULES)
    assert pages_of(page, paper) == 1
    page.get_by_text("附在最后").click()
    expect(page.locator(".vt-answer")).to_have_count(2)
    assert pages_of(page, paper) == 2
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("button", name="A head that copies")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Where it looks").click()
    expect(page.locator(".vt-exercise")).to_have_count(3)
    assert query_of(page)["exercises"] == "copy,look,by-hand"


def test_the_list_opens_at_the_exercise_that_is_chosen(visit: Callable[..., Page]) -> None:
    page = visit("exercises?exercise=slip-labels", width=1280, height=720)
    expect(page.locator(".st-key-vt-exercises-list label:has(:checked)")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(visit: Callable[..., Page], scheme: str) -> None:
    for link in ("exercises?exercise=aligned&answer=cross.1.2", "exercises?print=sheet"):
        page = visit(link, scheme=scheme)
        expect(page.get_by_text("another head puts").or_(page.locator(".vt-exercise").last)).to_be_visible()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(page, OPTIONS) == []
