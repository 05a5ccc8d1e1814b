"""The views in a real JupyterLab and a real marimo: shown, moved from Python, and read there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from tests.browser.notebooks import jupyterlab, marimo, open_notebook, run_cell, tell_lab, write_notebook

LOAD = "import viz_transformer as vt\ntranslator = vt.load('copy', 'cpu')\ntrace = translator.trace('3 1 4 1 5')"
VIEWS = [
    "trace.heads()",
    "trace.arcs()",
    "trace.query_key()",
    "trace",
    "steps = trace.step_by_step('cross', 1)\nsteps",
    "trace.attention('cross', 1).show()",
    "vt.notebook.tree(translator, '3 1 4')",
]
STEPS = 5  # the cell of `steps`
# The colour of a view's paper.
BACKGROUND = """() => {
  for (const place of document.querySelectorAll(".jp-OutputArea-output *")) {
    const view = place.shadowRoot?.querySelector(".alone");
    if (view) return getComputedStyle(view).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
  }
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """At the end nothing outside was asked for, and no script has failed."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    wrong: list[str] = []

    def check_request(request: Request) -> None:
        at = urlsplit(request.url)
        if at.scheme in ("http", "https", "ws", "wss") and at.hostname != "127.0.0.1":
            wrong.append(request.url)

    page.on("request", check_request)
    page.on("pageerror", lambda error: wrong.append(f"{error}\n{error.stack}"))
    yield page
    page.close()
    assert not wrong


def until_said(page: Page, code: str, text: str, cells: int = 5) -> None:
    """Runs the code in new cells until it prints the text: the view may not be at rest yet."""
    said = [run_cell(page, code)]
    while text not in said[-1] and len(said) < cells:
        said.append(run_cell(page, code))
    assert text in said[-1], said


def head(place: Locator, name: str) -> Locator:
    return place.get_by_role("group", name="Head").or_(place).get_by_role("button", name=name, exact=True).first


def test_every_view_in_jupyterlab(page: Page, tmp_path: Path) -> None:
    write_notebook(tmp_path / "views.ipynb", [LOAD, *VIEWS])
    with jupyterlab(tmp_path) as address:
        open_notebook(page, address, "views.ipynb")
        tell_lab(page, "notebook:run-all-cells")
        cells = page.locator(".jp-Notebook-cell")
        for n in range(1, 1 + len(VIEWS)):
            cells.nth(n).scroll_into_view_if_needed()
            expect(cells.nth(n).locator("canvas:visible").first).to_be_visible(timeout=60_000)

        steps = cells.nth(STEPS)
        steps.scroll_into_view_if_needed()
        head(steps, "3").click()
        until_said(page, "print(steps.view.choices)", "(2,)")

        run_cell(page, "print(steps.go(choices=(1,)))")
        steps.scroll_into_view_if_needed()
        expect(head(steps, "2")).to_have_attribute("aria-pressed", "true")

        paper = page.evaluate(BACKGROUND)
        tell_lab(page, "apputils:change-theme", theme="JupyterLab Dark")
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
        assert max(page.evaluate(BACKGROUND)) < 80 < 200 < min(paper)


def test_every_view_in_marimo(page: Page, tmp_path: Path) -> None:
    cells = [f"#\n{LOAD}\nimport marimo as mo\nreturn mo, trace, translator, vt"]
    cells += [f"# {'vt, translator' if 'tree' in one else 'trace'}\n{one}" for one in VIEWS if "steps" not in one]
    cells += [
        "# mo, trace\nsteps = trace.step_by_step('cross', 1)\nshown = mo.ui.anywidget(steps.widget)\nshown\n"
        "return shown, steps",
        "# mo, shown, steps\nshown.value\nmo.md(f'Python has {steps.view.choices}')",
        "# mo\nset_it = mo.ui.button(label='Set it', value=0, on_click=lambda n: n + 1)\nset_it\nreturn (set_it,)",
        "# set_it, steps\nif set_it.value:\n    steps.go(choices=(1,))",
    ]
    with marimo(tmp_path, cells) as address:
        page.goto(address)
        views = page.locator("marimo-anywidget")
        expect(views).to_have_count(len(VIEWS))
        for n in range(len(VIEWS)):
            views.nth(n).scroll_into_view_if_needed()
            expect(views.nth(n).locator("canvas:visible").first).to_be_visible()
        steps = views.last
        head(steps, "3").click()
        expect(page.get_by_text(re.compile(r"Python has \(2,\)"))).to_be_visible()
        page.get_by_role("button", name="Set it").click()
        expect(head(steps, "2")).to_have_attribute("aria-pressed", "true")
