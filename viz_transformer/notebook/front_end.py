"""The built front end of one view: its module, its style, and the page of a file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[1] / "ui/static"
_EXPORT = re.compile(r"export\{(?P<name>[\w$]+) as default\};\s*$")


@cache
def module(name: str) -> str:
    """The ES module of a view, whose default export is that of `frontend/src/*/<name>.ts`."""
    return _built(f"{name}-*.js") + "\n"  # anywidget takes a line without an end for the name of a file


def inline_module(name: str) -> str:
    """The same as the text of a `<script>`, which cannot be imported: it names its default export `view`."""
    code, found = _EXPORT.subn(lambda match: f"const view={match['name']};", module(name))
    assert found == 1, f"{name} has another end than esbuild gave it."
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def style(css: str) -> str:
    """A style sheet of the views; their module adds the colours that the app's theme gives them."""
    return _built(f"{css}-*.css")


@cache
def page() -> str:
    """The page of a file, in which names stand in braces; kit/page.html."""
    return _built("page-*.html")


def _built(pattern: str) -> str:
    (path,) = STATIC.glob(pattern)
    return path.read_text(encoding="utf-8")
