"""Writes the licences of what the app is made of into docs/licences.md, from what `.ci/sbom.py` wrote.

    python .ci/licences.py FOLDER

Exit code 1 where one of them is not among those under which a copy may be passed on with this project: a person decides
about another one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from license_expression import get_spdx_licensing  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/licences.md"
# All allow to pass copies on, with anything, where the licence goes along; of MPL-2.0's files a change has to be shown.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC",
    "MIT", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    sboms = {name: Path(arguments[0], f"{name}.cdx.json") for name in ("python", "front-end")}
    components = {name: json.loads(path.read_text(encoding="utf-8"))["components"] for name, path in sboms.items()}
    text = PAGE.read_text(encoding="utf-8")
    for name, listed in components.items():
        text = filled(text, name, table(listed))
    PAGE.write_text(text, encoding="utf-8")
    refused = [said for listed in components.values() for said in not_allowed(listed)]
    for said in refused:
        print(said)
    return 1 if refused else 0


def filled(page: str, name: str, lines: Iterable[str]) -> str:
    """The page with these lines in its section of this name."""
    begin, end = f"<!-- licences: {name} -->\n", "<!-- end -->"
    before, rest = page.split(begin)
    return before + begin + "".join(f"{line}\n" for line in lines) + end + rest.partition(end)[2]


def table(components: Iterable[dict[str, Any]]) -> list[str]:
    rows = [f"| {one['name']} | {version_of(one)} | {licence_of(one)} |" for one in components]
    return ["| package | version | licence |", "|---|---|---|", *sorted(rows, key=str.casefold)]


def version_of(component: dict[str, Any]) -> str:
    """Without what says of torch for which machine it was built."""
    return re.sub(r"\+.*", "", component["version"])


def licence_of(component: dict[str, Any]) -> str:
    """In SPDX's words; empty where nobody said it in these."""
    said = [one.get("expression") or one["license"].get("id") for one in component.get("licenses", [])]
    return str(said[0]) if len(said) == 1 and said[0] else ""


def not_allowed(components: Iterable[dict[str, Any]]) -> list[str]:
    """A sentence for each package whose licence, or one of whose licences, is none of those that are allowed."""
    found = []
    for one in components:
        licence = licence_of(one)
        symbols = get_spdx_licensing().license_symbols(licence, decompose=False) if licence else []
        refused = {symbol.render() for symbol in symbols} - ALLOWED if licence else {"a licence that nobody says"}
        if refused:
            found.append(
                f"{one['name']} {version_of(one)} comes under {', '.join(sorted(refused))}: may it be passed on?"
            )
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
