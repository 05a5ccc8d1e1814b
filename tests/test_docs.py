"""The documentation names everything public, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import viz_transformer as vt

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", vt.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`{name}\b", (ROOT / "docs/package.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert target.startswith("https:") or (path.parent / target).exists(), target


def test_the_readme_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    record = names["record"]
    assert isinstance(record, vt.AttentionRecord)
    assert record.weights.shape[1:] == (len(record.query_tokens), len(record.key_tokens))
