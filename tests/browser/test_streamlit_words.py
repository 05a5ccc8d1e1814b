"""What Streamlit says itself stands in the reader's language, and follows it; what a person typed stays as it is."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from bench.browser import serve
from tests.browser.helpers import open_box


def test_streamlit_speaks_chinese_and_english_again(visit: Callable[..., Page]) -> None:
    page = visit("overview?model=zh-en&lang=zh&source=No results")
    skip = page.get_by_test_id("stSkipToContent")
    expect(skip).to_have_text("跳到正文")
    page.get_by_role("button", name="更改").click()
    box = page.get_by_test_id("stPopoverBody")
    expect(box.get_by_role("button", name="展开").first).to_be_visible()
    expect(box.get_by_role("button", name="说明：").first).to_be_attached()
    box.get_by_role("combobox").first.fill("no such model")
    expect(page.get_by_role("listbox")).to_have_text("没有找到")
    page.keyboard.press("Escape")
    target = box.get_by_role("textbox", name="目标（可选）")
    target.fill("Close")
    expect(box.get_by_test_id("InputInstructions").last).to_have_text("按 Ctrl+Enter")
    expect(target).to_have_value("Close")
    expect(page.locator(".st-key-vt-field input")).to_have_value("No results")
    page.get_by_role("button", name="English").click()
    expect(skip).to_have_text("Skip to main content")
    expect(open_box(page).get_by_role("button", name="Open").first).to_be_visible()


def test_a_page_that_is_not_there_is_said_in_the_readers_language(browser: Browser, app_url: str) -> None:
    page = browser.new_page()
    page.goto(f"{app_url}/no-such-page?lang=zh")  # the console calls that an error
    said = page.get_by_role("dialog")
    expect(said).to_contain_text("没有这个页面，现在显示首页。")
    expect(said).not_to_contain_text("Streamlit")
    said.get_by_role("button", name="关闭").click()
    expect(said).to_have_count(0)
    page.close()


def test_a_server_that_is_gone_is_said_in_the_readers_language(browser: Browser) -> None:
    page = browser.new_page()
    with serve() as url:
        page.goto(f"{url}/overview?model=copy&lang=zh")
        expect(page.get_by_test_id("stSkipToContent")).to_have_text("跳到正文")
    said = page.get_by_role("dialog")
    expect(said).to_contain_text("连接已断开")
    expect(said).to_contain_text("服务器没有响应。本页保持原样，服务器恢复后会自动继续。")
    page.close()
