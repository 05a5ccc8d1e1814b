"""`python -m tests.messages` brings each language of `assets/locale` up to date with what the sources say.

A new message stands in the .po without a translation until somebody writes one; one that is no longer said goes.
"""

from __future__ import annotations

import ast
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from viz_transformer.sentences import DOMAIN, SaidError

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "assets" / "locale"
SOURCES = sorted([ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "viz_transformer").rglob("*.py")])
FUNCTIONS: dict[str, tuple[int, ...] | None] = {"_": None, "explained": None, "N_": None, "Word": None, "needed": (2,)}


def sentence_errors() -> set[str]:
    """The classes whose first argument is a sentence: those derived from SaidError, read from the sources."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    found = {SaidError.__name__}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def said() -> Catalog:
    """Every message of the sources, with the files that say it."""
    catalogue = Catalog(project="viz-transformer", header_comment="")
    keywords = FUNCTIONS | dict.fromkeys(sentence_errors())
    for path in SOURCES:
        with path.open("rb") as file:
            for _line, message, _comments, context in extract("python", file, keywords):
                catalogue.add(message, locations=[(path.relative_to(ROOT).as_posix(), 0)], context=context)
    return catalogue


def files() -> list[Path]:
    """The .po of each language."""
    return sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def read(path: Path) -> Catalog:
    """The catalogue in a .po."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def updated(path: Path) -> Catalog:
    """The catalogue in a .po, with the messages that the sources have now, and no others."""
    catalogue, template = read(path), said()
    template.creation_date = catalogue.creation_date  # else every run would be a change
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return catalogue


def written(catalogue: Catalog) -> bytes:
    """A catalogue as a .po."""
    out = BytesIO()
    write_po(out, catalogue, width=116, include_lineno=False, sort_by_file=True)
    return out.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """A catalogue as a .mo."""
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def main() -> None:
    for path in files():
        catalogue = updated(path)
        path.write_bytes(written(catalogue))
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        missing = sum(not message.string for message in catalogue if message.id)
        print(f"{path.relative_to(ROOT)}: {len(catalogue)} messages, {missing} without a translation")


if __name__ == "__main__":
    main()
