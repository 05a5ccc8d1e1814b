"""The box at the end of a page's first line: the browser opens and closes it, and the page only where it has to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.helpers import opened

APP = str(Path(__file__).resolve().parents[2] / "app.py")
TOO_LONG = "7 " * 600


def open_page(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page("pages/attention.py")
    return opened(app, model="copy", **query)


def box_of(app: AppTest) -> Any:
    """The block that the browser got: its id, whether it shall open, and the id under which it reports clicks."""

    def boxes(node: Any) -> list[Any]:
        proto = getattr(node, "proto", None)
        own = [proto] if hasattr(proto, "popover") and proto.HasField("popover") else []
        return own + [box for child in getattr(node, "children", {}).values() for box in boxes(child)]

    [box] = boxes(app.main)
    return box


def test_the_server_hears_nothing_of_it_so_that_no_answer_opens_it_again() -> None:
    assert box_of(open_page()).popover.id == ""


def test_whoever_has_chosen_sees_the_picture() -> None:
    app = open_page()
    before = box_of(app)
    next(button for button in app.button if button.label == "Run").click().run()
    after = box_of(app)
    assert after.id != before.id  # another box, which is closed
    assert not after.popover.open


def test_a_text_that_cannot_be_read_opens_it_once() -> None:
    app = open_page(source=TOO_LONG)
    box = box_of(app)
    assert box.popover.open
    assert app.error  # says why
    app.run()
    assert box_of(app).id == box.id
    app.text_area(key="source").set_value("7 7").run()
    assert box_of(app).id == box.id  # does not close on somebody who is typing in it
    app.text_area(key="source").set_value("8 " * 600).run()
    assert box_of(app).popover.open
    assert box_of(app).id != box.id
