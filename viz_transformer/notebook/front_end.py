"""The built front end: its module, and the page of a file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[1] / "ui/static"
_EXPORT = re.compile(r"export\{(?P<name>[\w$]+) as default\};\s*$")


@cache
def module() -> str:
    """The ES module that shows every view; its default export is that of `frontend/src/panels.ts`."""
    return _built("panels-*.js") + "\n"  # anywidget takes a text without a line break for a file name


@cache
def inline_module() -> str:
    """The module as the text of a `<script>`, which nothing can import: its default export is the constant `view`."""
    code, found = _EXPORT.subn(lambda match: f"const view={match['name']};", module())
    assert found == 1, "The module has another end than esbuild gave it."
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def page() -> str:
    """The template of an HTML file, kit/page.html, with names in braces that are filled in."""
    return _built("page-*.html")


@cache
def live() -> str:
    """The program of a file one can type into, as the text of a `<script>`."""
    code = _built("live-*.js")
    assert "</script" not in code and "<!--" not in code
    return code


@cache
def live_page() -> str:
    """The template of a file one can type into, live/live.html."""
    return _built("live-*.html")


def _built(pattern: str) -> str:
    (path,) = STATIC.glob(pattern)
    return path.read_text(encoding="utf-8")
