"""One file for each component's front end, so that a browser asks once and not for thirty modules, level by level.

The modules lie beside this file, in `frontend/`. Each becomes a function's scope in the one file, so that names of
different modules do not meet; word for word, but for lines that import or export, and without lines of comment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

FRONTEND = Path(__file__).parent.parent / "frontend"
_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)


@cache
def component(name: str, css: str = "view.css") -> Callable[..., Any]:
    """The browser component whose front end begins in `frontend/<name>.js`.

    Not to be called at import: the files are found through the installed package's manifest, which needs a runtime.
    """
    return st.components.v2.component(f"viz-transformer.{name}", js=one_file(f"{name}.js"), css=css)


def one_file(entry: str) -> str:
    """The path, from `frontend/`, of the one file with the module `entry` and all that it imports.

    It is written when a server first shows the component: who changes a module starts the server again. Where the
    package's folder cannot be written to, the modules are served as they are.
    """
    built, text = FRONTEND / "built" / entry, bundled(entry)
    try:
        if not built.exists() or built.read_text(encoding="utf-8") != text:
            built.parent.mkdir(exist_ok=True)
            unfinished = built.with_suffix(f".{os.getpid()}")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(built)  # at once: another server may be sending it
    except OSError:
        return entry
    return f"built/{entry}"


def bundled(entry: str) -> str:
    """The module `entry` and all that it imports as the text of one module.

    Raises:
        ValueError: modules that import each other in a circle, or an import or export in a form that is not used here.
    """
    parts: dict[str, str] = {}  # in the order in which they can run
    _add(entry.removesuffix(".js"), parts, ())
    return "".join(parts.values())


def _add(name: str, parts: dict[str, str], importing: tuple[str, ...]) -> None:
    if name in importing:
        raise ValueError(f"These modules import each other: {' → '.join([*importing, name])}.")
    if name in parts:
        return
    source = (FRONTEND / f"{name}.js").read_text(encoding="utf-8")
    for _, imported in _IMPORT.findall(source):
        _add(imported, parts, (*importing, name))
    exported = _EXPORT.findall(source)
    body = _IMPORT.sub(lambda line: f"const {{ {line[1].replace(' as ', ': ')} }} = $${line[2]};\n", source)
    body = _COMMENT.sub("", _EXPORT.sub("", body))
    if importing:
        body = f"const $${name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"
    left = re.search(r"^(?:import|export)\b(?! default).*", body, re.MULTILINE)
    if left or (importing and "export default" in body):
        raise ValueError(
            f"{name}.js: {left[0] if left else 'export default'!r} is no form of import or export used here."
        )
    parts[name] = body
