"""Pages without a browser: how they are opened, and what they show."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def open_page(path: str, **query: str | list[str]) -> AppTest:
    """A page of the project, opened by a link with these parameters; the model is zh-en unless they name one."""
    return opened(AppTest.from_file(str(ROOT / path), default_timeout=120), **{"model": "zh-en", **query})


def opened(app: AppTest, **query: str | list[str]) -> AppTest:
    """The app, run with these parameters in its link."""
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def html_of(app: AppTest) -> str:
    """All that it shows by `st.html`."""
    return "".join(element.proto.body for element in app.get("html"))


def unmarked(text: str) -> str:
    """A text without the marks of its terms."""
    return re.sub(r"\[([^][]*)\]\(#term-[\w-]+\)", r"\1", text)


def markdown_of(app: AppTest) -> list[str]:
    """All that it shows by `st.markdown`, as it is read: without the marks of terms."""
    return [unmarked(element.value) for element in app.markdown]
